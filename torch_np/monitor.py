"""torch_np.monitor: counters of events of PyTorch's own libraries, which do not exist here."""
from __future__ import annotations

from typing import TYPE_CHECKING as TYPE_CHECKING

from torch_np._absent import absent_names
from torch_np._torch.toplevel import AggregationType as Aggregation

STAT_EVENT = "torch.monitor.Stat"
_REASON = "counters of events are not implemented; torch_np.profiler records operators"

__all__ = ["Aggregation", "STAT_EVENT", *absent_names(
    globals(), _REASON, functions="log_event register_event_handler unregister_event_handler",
    classes="Event EventHandlerHandle Stat TensorboardEventHandler data_value_t")]
