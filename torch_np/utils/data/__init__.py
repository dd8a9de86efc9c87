"""torch_np.utils.data: datasets, samplers, and DataLoader, which reads batches in worker processes.
"""
from torch_np.utils.data._utils.collate import default_collate, default_convert
from torch_np.utils.data._worker import WorkerInfo, get_worker_info
from torch_np.utils.data.dataloader import DataLoader, _DatasetKind as _DatasetKind
from torch_np.utils.data.datapipes import (
    DataChunk, DFIterDataPipe, IterDataPipe, MapDataPipe, argument_validation, functional_datapipe, guaranteed_datapipes_determinism,
    non_deterministic, runtime_validation, runtime_validation_disabled,
)
from torch_np.utils.data.dataset import (
    ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset, TensorDataset, random_split,
)
from torch_np.utils.data.distributed import DistributedSampler
from torch_np.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DFIterDataPipe", "DataChunk", "DataLoader", "Dataset", "DistributedSampler", "IterDataPipe",
    "IterableDataset", "MapDataPipe", "RandomSampler", "Sampler", "SequentialSampler", "StackDataset", "Subset", "SubsetRandomSampler",
    "TensorDataset", "WeightedRandomSampler", "WorkerInfo", "argument_validation", "default_collate", "default_convert",
    "functional_datapipe", "get_worker_info", "guaranteed_datapipes_determinism", "non_deterministic", "random_split", "runtime_validation",
    "runtime_validation_disabled",
]
