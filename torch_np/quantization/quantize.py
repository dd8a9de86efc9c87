"""torch_np.quantization.quantize: conversions of networks, by PyTorch's names. They are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "quantised tensors are not implemented; use float32 or bfloat16 modules",
    functions="""add_quant_dequant convert prepare prepare_qat propagate_qconfig_ quantize quantize_dynamic quantize_qat swap_module""")
