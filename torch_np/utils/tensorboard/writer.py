"""torch_np.utils.tensorboard.writer: the place of the writers in PyTorch."""
from torch_np.utils.tensorboard._writer import FileWriter as FileWriter, SummaryWriter as SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
