"""torch_np.quantization.qconfig: settings of quantised layers, by PyTorch's names. They are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "quantised tensors are not implemented; use float32 or bfloat16 modules",
    functions="""QConfigAny default_activation_only_qconfig default_debug_qconfig default_dynamic_qconfig default_per_channel_qconfig
        default_qat_qconfig default_qat_qconfig_v2 default_qconfig default_weight_only_qconfig float16_dynamic_qconfig
        float16_static_qconfig float_qparams_weight_only_qconfig get_default_qat_qconfig get_default_qconfig
        per_channel_dynamic_qconfig qconfig_equals""",
    classes="""QConfig QConfigDynamic""")
