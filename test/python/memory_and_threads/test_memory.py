"""torch_np.cpu: the cache of freed blocks, seen from Python; and operations that must not allocate
temporaries of full size."""
import os
import subprocess
import sys
import threading

import numpy
import pytest

import torch_np
import torch_np.numpy as np


def peak_of(work):
    """The peak of allocated bytes while `work` ran, above those before."""
    torch_np.cpu.reset_peak_memory_stats()
    before = torch_np.cpu.memory_stats()["allocated_bytes"]
    result = work()
    peak = torch_np.cpu.memory_stats()["peak_allocated_bytes"] - before
    return peak, result


def test_a_freed_block_is_kept_until_the_cache_is_emptied():
    torch_np.cpu.empty_cache()
    del_me = np.empty(1_000_000)
    del del_me
    assert torch_np.cpu.memory_stats()["cached_bytes"] >= 8_000_000
    torch_np.cpu.empty_cache()
    assert torch_np.cpu.memory_stats()["cached_bytes"] == 0


def test_the_limit_of_the_cache_can_be_set():
    limit = torch_np.cpu.memory_stats()["cache_limit"]
    try:
        torch_np.cpu.set_cache_limit(0)
        x = np.empty(1_000_000)
        del x
        assert torch_np.cpu.memory_stats()["cached_bytes"] == 0
        with pytest.raises(ValueError):
            torch_np.cpu.set_cache_limit(-1)
    finally:
        torch_np.cpu.set_cache_limit(limit)


def test_the_environment_sets_the_limit():
    code = "import torch_np; print(torch_np.cpu.memory_stats()['cache_limit'])"
    for text, expected in (("12345", 12345), ("0", 0)):
        out = subprocess.run([sys.executable, "-c", code], env=os.environ | {"TORCH_NP_CPU_CACHE_LIMIT": text}, capture_output=True, text=True, check=True)
        assert int(out.stdout) == expected


def test_too_large_an_array_is_a_memory_error_and_work_goes_on():
    with pytest.raises(MemoryError):
        np.empty(2**58, "u1")
    assert float(np.ones(10).sum()) == 10


MIB = 1 << 20
N = 4 * MIB


@pytest.mark.parametrize("name, work, out_bytes", [
    ("mixed dtypes", lambda a, i, m, o: a + i, 8 * N),
    ("casting out", lambda a, i, m, o: np.add(a, a, out=o, casting="same_kind"), 0),
    ("where", lambda a, i, m, o: np.add(a, a, where=m, out=a), 0),
    ("where with another dtype", lambda a, i, m, o: np.add(a, i, where=m, out=o, casting="same_kind"), 0),
    ("strided", lambda a, i, m, o: a[::2] + i[::2], 4 * N),
    ("integers into exp", lambda a, i, m, o: np.exp(i, out=o, casting="same_kind"), 0),
    ("sum with a dtype", lambda a, i, m, o: i.sum(dtype="f8"), 0),
    ("sum with where", lambda a, i, m, o: a.sum(where=m), 0),
    ("astype", lambda a, i, m, o: i.astype("f4"), 4 * N),
])
def test_no_temporary_of_full_size(name, work, out_bytes):
    a, i, m, o = np.ones(N), np.ones(N, "i4"), np.ones(N, bool), np.empty(N, "f4")
    peak, result = peak_of(lambda: work(a, i, m, o))
    assert peak <= out_bytes + out_bytes // 4 + MIB, f"{name}: {peak / MIB:.1f} MiB"


def test_blocks_travel_between_threads():
    made, errors = [], []

    def work(seed):
        try:
            for k in range(200):
                x = np.full(1000 + 13 * k, float(seed))
                made.append(x + 1)
                assert float(x.sum()) == seed * x.size
        except Exception as e:  # otherwise an assertion in a thread is lost
            errors.append(e)

    threads = [threading.Thread(target=work, args=(s,)) for s in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and len(made) == 800


def test_works_in_a_forked_child():
    code = """
import os, torch_np.numpy as np
x = np.ones(3_000_000); (x + x).sum()
child = os.fork()
if child == 0:
    y = np.arange(3_000_000.0)
    os._exit(0 if float((y + y).sum()) == 2 * (2_999_999 * 3_000_000 / 2) else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_numpy_sees_the_same_numbers_in_small_and_large_storages():
    for n in (0, 1, 7, 8, 9, 31, 32, 33, 64, 65, 1000):  # 256 bytes are 32 float64
        x = np.arange(float(n))
        numpy.testing.assert_array_equal(numpy.asarray(x), numpy.arange(float(n)))


@pytest.mark.parametrize("wanted", ["baseline", "avx2", "avx512"])
def test_the_environment_lowers_the_instruction_set(wanted):
    have = torch_np.cpu.get_cpu_capability()
    code = "import torch_np; print(torch_np.cpu.get_cpu_capability())"
    env = {**os.environ, "TORCH_NP_CPU_CAPABILITY": wanted}
    got = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout.strip()
    order = ["baseline", "avx2", "avx512"]
    assert order.index(got) <= order.index(wanted)
    assert got == wanted or order.index(got) >= order.index(have)


def test_an_unknown_instruction_set_in_the_environment_is_reported():
    code = "import torch_np; torch_np.ones(3) + 1"
    for text, reported in (("avx2", False), ("baseline", False), ("avx-512", True)):
        out = subprocess.run([sys.executable, "-c", code], env=os.environ | {"TORCH_NP_CPU_CAPABILITY": text}, capture_output=True, text=True, check=True)
        assert (f"TORCH_NP_CPU_CAPABILITY is '{text}'" in out.stderr) == reported
