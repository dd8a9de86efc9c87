"""torch_np.quantization.fake_quantize: rounded values in training, by PyTorch's names. They are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "quantised tensors are not implemented; use float32 or bfloat16 modules",
    functions="""default_fake_quant default_fixed_qparams_range_0to1_fake_quant default_fixed_qparams_range_neg1to1_fake_quant
        default_fused_act_fake_quant default_fused_per_channel_wt_fake_quant default_fused_wt_fake_quant
        default_histogram_fake_quant default_per_channel_weight_fake_quant default_weight_fake_quant disable_fake_quant
        disable_observer enable_fake_quant enable_observer""",
    classes="""FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize FusedMovingAvgObsFakeQuantize""")
