"""Programs that tests run in separate processes on a device: the emulated one, if it is built, and
a GPU, if there is one.

A separate process can choose its device, and a broken device context ends with it.
"""
from __future__ import annotations

import functools
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import torch_np

ROOT = Path(torch_np.__file__).resolve().parents[1]
EMULATED = (ROOT / "torch_np" / "libtorch_np_cuda_emulated.so").exists()
GPU = "0"  # the value of TORCH_NP_CUDA_EMULATED for no emulation


def _run(code: str, mode: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "TORCH_NP_CUDA_EMULATED": mode, **environment})


@functools.cache
def gpus() -> int:
    """The number of GPUs of this machine. Another process counts them, since this one may have
    opened the emulated device."""
    if not (ROOT / "torch_np" / "libtorch_np_cuda.so").exists():
        return 0
    return int(_run("import torch_np; print(torch_np.cuda.device_count())", GPU, {}).stdout or 0)


def modes(emulated: tuple[str, ...] = ("1", "2"), needs_gpus: int = 1) -> tuple[str, ...]:
    """Values of TORCH_NP_CUDA_EMULATED: "1", "2" the emulated device, in each direction; "0" real
    GPUs, if there are enough."""
    return (emulated if EMULATED else ()) + ((GPU,) if 0 < needs_gpus <= gpus() else ())


def run(code: str, prelude: str, emulated: tuple[str, ...] = ("1", "2"), needs_gpus: int = 1, **environment: str) -> str:
    """Runs `code` in each available mode, and returns the output of the last one. The emulated
    device has two GPUs. `needs_gpus=0`: the code itself chooses the device."""
    chosen = modes(emulated, needs_gpus)
    if not chosen:
        pytest.skip("there are not so many GPUs")
    for mode in chosen:
        result = _run(prelude + textwrap.dedent(code), mode, environment)
        assert result.returncode == 0, f"mode {mode}: exit {result.returncode}\n{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
    return result.stdout


needs_device = pytest.mark.skipif(not EMULATED and gpus() == 0, reason="built without TORCH_NP_CUDA_EMULATION, and there is no GPU")
