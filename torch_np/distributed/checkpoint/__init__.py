"""torch_np.distributed.checkpoint: the names of PyTorch's sharded files, which are not implemented.
`torch_np.save` in one process writes the state of a whole module.
"""
from __future__ import annotations

from typing import Any

from torch_np._absent import absent_class, absent_function

_REASON = "sharded files are not implemented; call torch_np.save in one process, and torch_np.load in all"


class CheckpointException(BaseException):
    """The errors of several processes.

    Args:
      msg: The text.
      failures: Errors by rank.
    """

    def __init__(self, msg: str, failures: dict[int, Any]) -> None:
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict[int, Any]:
        """Errors by rank."""
        return self._failures


_CLASSES = (
    "BytesStorageMetadata", "CheckpointableTensor", "ChunkStorageMetadata", "DefaultLoadPlanner", "DefaultSavePlanner", "FileSystemReader",
    "FileSystemWriter", "FsspecReader", "FsspecWriter", "HuggingFaceStorageReader", "HuggingFaceStorageWriter", "LoadPlan", "LoadPlanner",
    "Metadata", "QuantizedHuggingFaceStorageReader", "ReadItem", "SavePlan", "SavePlanner", "StorageReader", "StorageWriter",
    "TensorStorageMetadata", "WriteItem")
_FUNCTIONS = ("async_save", "load", "load_sharded_optimizer_state_dict", "load_state_dict", "save", "save_state_dict")
globals().update({_name: absent_class(_name, _REASON, __name__) for _name in _CLASSES})
globals().update({_name: absent_function(_name, _REASON, __name__) for _name in _FUNCTIONS})
