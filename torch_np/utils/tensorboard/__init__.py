"""torch_np.utils.tensorboard: logs for TensorBoard, written by the package tensorboard, which must
be installed.
"""
try:
    import tensorboard as _tensorboard  # noqa: F401
except ImportError as _error:
    raise ImportError("torch_np.utils.tensorboard needs the package tensorboard: pip install tensorboard") from _error

from tensorboard.summary.writer.record_writer import RecordWriter as RecordWriter

from torch_np.utils.tensorboard._writer import FileWriter as FileWriter, SummaryWriter as SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]
