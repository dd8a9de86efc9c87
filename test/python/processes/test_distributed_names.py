"""PyTorch's names of torch_np.distributed that need no other process: backends, settings, names
that refuse.
"""
import pytest

import torch_np
from torch_np import distributed as dist

pytestmark = [pytest.mark.same_on_devices("no computation"), pytest.mark.same_when_pending("no computation")]


def test_backends_by_name():
    assert dist.Backend("GLOO") == dist.Backend.GLOO == "gloo" and isinstance(dist.Backend("x"), str)
    assert dist.BackendConfig("cpu:gloo,cuda:nccl").get_device_backend_map() == {"cpu": "gloo", "cuda": "nccl"}
    assert dist.BackendConfig("nccl").get_device_backend_map() == {"cuda": "nccl"} and repr(dist.BackendConfig("gloo")) == "cpu:gloo"
    for wrong in ("cpu:", "cpu:gloo,cpu:mpi"):
        with pytest.raises(ValueError, match="BackendConfig"):
            dist.BackendConfig(wrong)
    with pytest.raises(ValueError):
        dist.Backend(3)
    with pytest.raises(NotImplementedError):
        dist.Backend.register_backend("mine", print)
    assert dist.get_default_backend_for_device("cpu") == "mpi" and dist.get_default_backend_for_device("cuda") == "nccl"
    with pytest.raises(ValueError):
        dist.get_default_backend_for_device("meta")


def test_answers(monkeypatch):
    assert not dist.is_ucc_available() and not dist.is_xccl_available() and not dist.is_backend_available("ucc")
    assert dist.is_gloo_available() == dist.is_mpi_available() == dist.is_backend_available("gloo")
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    assert not dist.is_torchelastic_launched()
    monkeypatch.setenv("LOCAL_RANK", "3")
    assert dist.get_node_local_rank() == 3
    monkeypatch.delenv("LOCAL_RANK")
    assert dist.get_node_local_rank(4) == 4
    with pytest.raises(RuntimeError, match="LOCAL_RANK"):
        dist.get_node_local_rank()
    monkeypatch.setenv("TORCH_NP_DISTRIBUTED_DEBUG", "detail")
    assert dist.get_debug_level() is dist.DebugLevel.DETAIL
    assert dist.supports_complex(dist.ReduceOp.SUM) and not dist.supports_complex(dist.ReduceOp.MAX) and dist.get_pg_count() == 0
    assert issubclass(dist.DistBackendError, dist.DistError) and issubclass(dist.QueueEmptyError, dist.DistStoreError)
    options = dist.ReduceOptions()
    assert options.reduceOp is dist.ReduceOp.SUM and options.rootRank == 0 and options.asyncOp
    with dist.record_comm("label"):
        pass


@pytest.mark.parametrize("name", ["rendezvous", "register_rendezvous_handler", "shrink_group", "get_backend_impl", "Store", "PrefixStore", "TCPStore",
                                  "FileStore", "HashStore", "ProcessGroupGloo", "ProcessGroupNCCL", "fsdp.fully_shard",
                                  "fsdp.FullyShardedDataParallel", "tensor.DTensor", "tensor.zeros", "checkpoint.save",
                                  "checkpoint.FileSystemWriter", "optim.ZeroRedundancyOptimizer", "algorithms.Join", "nn.broadcast",
                                  "nn.RemoteModule"])
def test_refused(name):
    found = dist
    for part in name.split("."):
        found = getattr(found, part)
    with pytest.raises(NotImplementedError, match=";"):
        found()


def test_settings_of_sharded_modules_and_placements():
    assert dist.fsdp.MixedPrecision(param_dtype=torch_np.float16).reduce_dtype is None and dist.fsdp.CPUOffload().offload_params is False
    assert dist.fsdp.ShardingStrategy.FULL_SHARD.value == 1 and dist.fsdp.FullStateDictConfig(rank0_only=True).offload_to_cpu is False
    assert dist.tensor.Shard(0).is_shard(0) and not dist.tensor.Shard(0).is_shard(1) and dist.tensor.Replicate().is_replicate()
    assert dist.tensor.Partial().is_partial("sum") and dist.tensor.Shard(1) == dist.tensor.Shard(1)
    error = dist.checkpoint.CheckpointException("text", {0: ValueError()})
    assert 0 in error.failures
