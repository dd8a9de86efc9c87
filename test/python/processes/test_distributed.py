"""Distributed programs: torch_np.distributed, DistributedDataParallel, the launcher. Each test
starts processes, which run the checks of a program in distributed_programs/."""
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import device_processes
import pytest

import torch_np
from torch_np.distributed import run as launcher
from torch_np.utils.data import DistributedSampler

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = Path(__file__).parent / "distributed_programs"
TOO_LONG = 300  # seconds after which processes count as hanging, also on a busy machine

pytestmark = [pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None or launcher.find_mpiexec() is None,
                                reason="needs mpi4py and an mpiexec: pip install 'torch-np[mpi]'"),
              pytest.mark.same_on_devices("starts processes, which choose their own device and mode"),
              pytest.mark.same_when_pending("starts processes, which choose their own device and mode")]


def launch(*program, processes=2, **environment):
    return subprocess.run([sys.executable, "-m", "torch_np.distributed.run", "-n", str(processes), *map(str, program)], capture_output=True, text=True,
                          timeout=TOO_LONG, env=os.environ | {"PYTHONPATH": str(ROOT)} | environment)


def run_checks(name, processes=2, **environment):
    """Asserts that exactly the checks of a program run, and that all of them pass."""
    source = (PROGRAMS / name).read_text()
    done = launch(PROGRAMS / name, processes=processes, **environment)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    wanted = re.findall(r"^def (check_\w+)", source, re.M)
    assert wanted and re.findall(r"^passed (\w+)$", done.stdout, re.M) == wanted


@pytest.mark.parametrize("processes", [2, 3])
def test_collectives(processes):
    run_checks("collectives.py", processes)


def test_groups():
    run_checks("groups.py", 3)


@pytest.mark.parametrize("processes", [2, 3])
def test_further_names(processes):
    run_checks("names.py", processes)


def test_gradients_are_averaged_while_backward_goes_on():
    run_checks("parallel.py")


def test_calls_that_differ_are_noticed_where_they_are_compared():
    run_checks("disagreeing.py", TORCH_NP_DISTRIBUTED_DEBUG="DETAIL")


def test_calls_on_devices(tmp_path):
    """The calls of NCCL. A library with its interface moves the memory of the emulated device by
    MPI."""
    compiler = Path(sys.executable).parent / "mpicc"
    if not (Path(torch_np.__file__).parent / "libtorch_np_cuda_emulated.so").exists() or not compiler.exists():
        pytest.skip("needs the emulated device and mpicc")
    library = tmp_path / "libnccl.so.2"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, Path(__file__).parent / "nccl_over_mpi.c"], check=True)
    run_checks("devices.py", TORCH_NP_CUDA_EMULATED="1", TORCH_NP_NCCL_LIBRARY=str(library))


@pytest.mark.skipif(device_processes.gpus() == 0, reason="needs a GPU")
def test_nccl_of_one_process():
    run_checks("one_gpu.py", 1, TORCH_NP_CUDA_EMULATED="0")


@pytest.mark.parametrize("how, message", [
    ("killed", r"signal 9|exit status 137|exit status 9"), ("exits", r"rank 1 of 2 ended with exit status 3; all processes end"),
    ("vanishes", r"failed with exit status"), ("raises", r"ValueError: a mistake of the program's[^$]*rank 1 of 2 failed with ValueError"),
])
def test_a_process_that_dies_ends_the_job_with_a_message(how, message):
    done = launch(PROGRAMS / "dying.py", how)  # raises subprocess.TimeoutExpired if the others keep waiting
    assert done.returncode != 0 and "unreachable" not in done.stdout
    assert re.search(message, done.stderr), done.stderr
    assert "torch_np.distributed.run: the job of 2 processes failed" in done.stderr


def test_mpiexec_alone_starts_processes_which_end_together():
    """Without the launcher and its worker: the excepthook of init_process_group ends the other
    processes."""
    call = launcher.command(2, [])
    done = subprocess.run([*call[:call.index("-m")], str(PROGRAMS / "dying.py"), "raises"], capture_output=True, text=True, timeout=TOO_LONG,
                          env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode != 0 and "rank 1 of 2 failed with ValueError; all processes end" in done.stderr


def test_one_process_without_a_launcher():
    lines = """
import torch_np as torch, torch_np.distributed as dist
dist.init_process_group("mpi")
x = torch.ones(3)
dist.all_reduce(x)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 1))
net(x).sum().backward()
print(dist.get_rank(), dist.get_world_size(), x.tolist(), net.module.weight.grad.tolist())
"""
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, timeout=TOO_LONG, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.stdout.strip() == "0 1 [1.0, 1.0, 1.0] [[1.0, 1.0, 1.0]]", done.stderr


def test_the_launcher_runs_modules_and_passes_arguments(tmp_path):
    (tmp_path / "shown.py").write_text("import os, sys\nsys.stdout.write(f\"{os.environ['RANK']} {__name__} {sys.argv[1:]} {os.environ['TORCH_NP_NUM_THREADS']}\\n\")\n")
    done = subprocess.run([sys.executable, "-m", "torch_np.distributed.run", "-n", "2", "-m", "shown", "--n", "5"], capture_output=True, text=True,
                          timeout=TOO_LONG, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT), "TORCH_NP_NUM_THREADS": "3"})
    assert sorted(done.stdout.split("\n")) == ["", "0 __main__ ['--n', '5'] 3", "1 __main__ ['--n', '5'] 3"], done.stderr


def test_the_launcher_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(launcher, "find_mpiexec", lambda: None)
    assert launcher.main(["-n", "2", "script.py"]) == 2
    assert "there is no mpiexec" in capsys.readouterr().err


@pytest.mark.slow("trains in several processes")
def test_the_example_reaches_the_gradients_of_one_process():
    pytest.importorskip("sklearn")
    done = launch(ROOT / "examples" / "data_parallel.py", "--epochs", "10")
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    assert "20 batches, added up by one process: the same bits" in done.stdout
    assert "weights of all processes are the same: True" in done.stdout
    assert float(re.search(r"joint batches: largest difference (\S+)", done.stdout)[1]) <= 1e-6
    assert float(re.search(r"held-out digits: ([\d.]+)%", done.stdout)[1]) >= 95


def test_the_example_with_a_process_that_is_killed():
    pytest.importorskip("sklearn")
    done = launch(ROOT / "examples" / "data_parallel.py", "--epochs", "3", "--die", "1")
    assert done.returncode != 0 and "the job of 2 processes failed" in done.stderr


def test_samplers_give_pytorchs_order():
    assert [list(DistributedSampler(range(7), 3, rank, shuffle=False)) for rank in range(3)] == [[0, 3, 6], [1, 4, 0], [2, 5, 1]]
    assert [list(DistributedSampler(range(7), 3, rank, shuffle=False, drop_last=True)) for rank in range(3)] == [[0, 3], [1, 4], [2, 5]]
    assert [list(DistributedSampler(range(1), 3, rank)) for rank in range(3)] == [[0]] * 3
    sampler = DistributedSampler(range(10), 2, 0, seed=3)
    orders = []
    for epoch in range(2):
        sampler.set_epoch(epoch)
        orders.append(list(sampler))
        assert orders[-1] == torch_np.randperm(10, generator=torch_np.Generator().manual_seed(3 + epoch)).tolist()[::2]
    assert orders[0] != orders[1] and len(sampler) == 5
    with pytest.raises(ValueError, match="rank"):
        DistributedSampler(range(3), 2, 2)
    with pytest.raises(ValueError, match="init_process_group"):
        DistributedSampler(range(3))
