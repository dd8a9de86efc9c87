"""torch_np.utils.checkpoint: results whose intermediate tensors are computed again in the backward
pass instead of being kept.

`checkpoint(function, x)` is `function(x)` with less memory and more time. The random numbers of the
second computation are those of the first one.
"""
from torch_np.utils.checkpoint._checkpoint import (
    CheckpointFunction, check_backward_validity, checkpoint, checkpoint_sequential, detach_variable, noop_context_fn,
)
from torch_np.utils.checkpoint._determinism import CheckpointError
from torch_np.utils.checkpoint._random_state import get_device_states, set_device_states
from torch_np.utils.checkpoint._selective import (
    SAC_IGNORED_OPS, CheckpointPolicy, SelectiveCheckpointContext, _CachedTorchDispatchMode as _CachedTorchDispatchMode,
    _CachingTorchDispatchMode as _CachingTorchDispatchMode, create_selective_checkpoint_contexts,
)
from torch_np.utils.checkpoint._settings import GraphExecGroup, set_checkpoint_debug_enabled, set_checkpoint_early_stop

__all__ = [
    "SAC_IGNORED_OPS", "CheckpointError", "CheckpointFunction", "CheckpointPolicy", "GraphExecGroup", "SelectiveCheckpointContext",
    "check_backward_validity", "checkpoint", "checkpoint_sequential", "create_selective_checkpoint_contexts", "detach_variable",
    "get_device_states", "noop_context_fn", "set_checkpoint_debug_enabled", "set_checkpoint_early_stop", "set_device_states",
]
