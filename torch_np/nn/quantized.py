"""torch_np.nn.quantized: layers of quantised tensors, by PyTorch's names. They are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "quantised tensors are not implemented; use float32 or bfloat16 modules",
    classes="""BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d DeQuantize Dropout ELU Embedding
        EmbeddingBag FXFloatFunctional FloatFunctional GroupNorm Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm LeakyReLU
        Linear MaxPool2d MultiheadAttention PReLU QFunctional Quantize ReLU6 Sigmoid Softmax""")
