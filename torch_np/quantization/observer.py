"""torch_np.quantization.observer: ranges of the values of tensors, by PyTorch's names. They are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "quantised tensors are not implemented; use float32 or bfloat16 modules",
    functions="""default_dynamic_quant_observer default_float_qparams_observer default_histogram_observer default_observer
        default_per_channel_weight_observer default_weight_observer get_observer_state_dict load_observer_state_dict""",
    classes="""HistogramObserver MinMaxObserver MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver NoopObserver
        ObserverBase PerChannelMinMaxObserver PlaceholderObserver RecordingObserver default_debug_observer
        default_placeholder_observer""")
