"""torch_np.multiprocessing.spawn: processes that run one function and end together."""
import os
import signal
import time

import pytest

import torch_np
from torch_np import multiprocessing as mp


pytestmark = pytest.mark.same_on_devices("processes share memory of the CPU")


def _write(i, tensor, number):
    tensor[i] = i + number


def _raise_in_one(i):
    if i == 1:
        raise ValueError("not this one")
    time.sleep(60)


def _exit(i):
    os._exit(3)


def _kill(i):
    os.kill(os.getpid(), signal.SIGKILL)


def test_all_processes_run():
    tensor = torch_np.zeros(2).share_memory_()
    assert mp.spawn(_write, (tensor, 5), nprocs=2) is None
    assert tensor.tolist() == [5, 6]


def test_the_exception_of_a_process_ends_the_others():
    begin = time.monotonic()
    with pytest.raises(mp.ProcessRaisedException, match="(?s)Process 1 terminated with the following error.*not this one") as raised:
        mp.start_processes(_raise_in_one, nprocs=2, start_method="fork")
    assert raised.value.error_index == 1 and time.monotonic() - begin < 40


@pytest.mark.parametrize(("function", "message", "code", "name"), [
    (_exit, "terminated with exit code 3", 3, None), (_kill, "terminated with signal SIGKILL", -9, "SIGKILL")])
def test_other_ends(function, message, code, name):
    with pytest.raises(mp.ProcessExitedException, match=message) as raised:
        mp.start_processes(function, nprocs=1, start_method="fork")
    assert (raised.value.exit_code, raised.value.signal_name) == (code, name)


def test_a_context_is_joined_later():
    tensor = torch_np.zeros(2).share_memory_()
    context = mp.start_processes(_write, (tensor, 1), nprocs=2, join=False, start_method="fork")
    assert len(context.pids()) == 2
    while not context.join(timeout=30):
        pass
    assert tensor.tolist() == [1, 2]
