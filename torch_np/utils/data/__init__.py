"""torch_np.utils.data: datasets, samplers, and DataLoader, which reads batches in worker processes.
"""
from torch_np.utils.data._collate import default_collate, default_convert
from torch_np.utils.data._worker import WorkerInfo, get_worker_info
from torch_np.utils.data.dataloader import DataLoader
from torch_np.utils.data.dataset import (
    ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset, TensorDataset, functional_datapipe, random_split,
)
from torch_np.utils.data.distributed import DistributedSampler
from torch_np.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "DistributedSampler", "IterableDataset", "RandomSampler", "Sampler",
    "SequentialSampler", "StackDataset", "Subset", "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler", "WorkerInfo",
    "default_collate", "default_convert", "functional_datapipe", "get_worker_info", "random_split",
]
