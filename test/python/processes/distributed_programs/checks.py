"""Runs the functions of a program whose names begin with `check_`, in order, on all processes, and
prints those that passed."""
import torch_np as torch
from torch_np import distributed as dist


def run(names):
    for name, function in list(names.items()):
        if name.startswith("check_"):
            function(dist.get_rank(), dist.get_world_size())
            dist.barrier()
            if dist.get_rank() == 0:
                print("passed", name, flush=True)
    dist.destroy_process_group()


def raises(kind, pattern, call, *arguments, **options):
    """Asserts that the call raises that exception, with a text that matches the pattern."""
    try:
        call(*arguments, **options)
    except kind as error:
        assert pattern in str(error), str(error)
    else:
        raise AssertionError(f"{call.__name__} did not raise {kind.__name__}")


def equal(a, b):
    assert a.dtype == b.dtype and a.shape == b.shape and torch.equal(a, b), (a, b)
