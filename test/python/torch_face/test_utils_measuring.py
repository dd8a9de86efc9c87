"""torch_np.utils.benchmark, flop_counter, tensorboard and cpp_extension."""
import importlib.util
import subprocess
import sys

import numpy
import pytest

import torch_np
from torch_np import nn
from torch_np.utils import benchmark, cpp_extension, flop_counter

pytestmark = [pytest.mark.same_on_devices("measures"), pytest.mark.same_when_pending("measures")]


def measured(times, number=1, **labels):
    return benchmark.Measurement(number, times, benchmark.TaskSpec("x + x", "pass", **labels))


def test_statistics_of_times():
    # the values of PyTorch 2.15
    m = measured([2.0, 4.0, 6.0, 8.0, 100.0], 2)
    assert (m.median, m.mean, m.iqr, m.times[0]) == (3.0, 12.0, 2.0, 1.0) and m.has_warnings and not m.meets_confidence()
    assert [measured(t).significant_figures for t in ([2.0, 4.0, 6.0], [1.0, 1.0], [1.0, 1.02, 1.01, 1.03, 1.0, 0.99])] == [1, 4, 2]
    assert m.significant_figures == 1
    assert m.title == "x + x" and m.as_row_name == "x + x" and m.env == "Unspecified env" and m.stmt == "x + x" and m.num_threads == 1
    assert "Median: 3.00 s" in repr(m) and "5 measurements, 2 runs per measurement, 1 thread" in repr(m) and "WARNING" in repr(m)
    merged = benchmark.Measurement.merge([measured([1.0]), measured([3.0]), measured([5.0], label="b")])
    assert [len(x.raw_times) for x in merged] == [2, 1]
    with pytest.raises(ValueError):
        measured([]).median  # noqa: B018


@pytest.mark.parametrize("t, unit", [(2.0, "s"), (1e-3, "ms"), (2.5e-4, "us"), (3e-8, "ns")])
def test_units(t, unit):
    assert benchmark.select_unit(t)[0] == unit and benchmark.unit_to_english(unit).endswith("second")


def test_helpers():
    assert benchmark.trim_sigfig(1234.5, 2) == 1200 and benchmark.trim_sigfig(0.0, 2) == 0
    assert benchmark.ordered_unique([3, 1, 3]) == [3, 1]
    before = torch_np.get_num_threads()
    with benchmark.set_torch_threads(1):
        assert torch_np.get_num_threads() == 1
    assert torch_np.get_num_threads() == before and benchmark.timer() <= benchmark.timer()


def test_timers():
    calls = []
    t = benchmark.Timer("f(x)", setup="x = torch.ones(2)", globals={"f": calls.append}, label="l", sub_label="s", description="d")
    m = t.timeit(10)
    assert m.number_per_run == 10 and len(calls) == 12 and m.title == "l: s" and isinstance(calls[0], torch_np.Tensor)
    m = benchmark.Timer("x * x", globals={"x": 3}).blocked_autorange(min_run_time=0.01)
    assert sum(m.raw_times) >= 0.01 and 0 < m.median < 1e-3
    assert len(benchmark.Timer("x * x", globals={"x": 3}).adaptive_autorange(max_run_time=0.5).raw_times) > 0
    for refused in (lambda: benchmark.Timer(language="c++"), lambda: benchmark.Timer(global_setup="x"), t.repeat, t.autorange,
                    t.collect_callgrind, lambda: benchmark.CallgrindStats(), lambda: benchmark.FuzzedSparseTensor()):
        with pytest.raises(NotImplementedError):
            refused()


def test_tables():
    group = [measured([1e-6], label="add", sub_label="small", description="a"), measured([3e-6], label="add", sub_label="small", description="b"),
             measured([2e-6], label="add", sub_label="large", description="a")]
    table = benchmark.Compare(group)
    table.trim_significant_figures()
    table.highlight_warnings()
    lines = str(table).splitlines()
    assert "add" in lines[0] and lines[3].split() == ["small", "|", "1", "|", "3"] and lines[4].split()[:3] == ["large", "|", "2"]
    assert "Times are in microseconds (us)." in str(table)
    table.colorize()
    assert "\033[92m" in str(table)
    with pytest.raises(ValueError, match="Measurement"):
        table.extend_results([3])


def test_fuzzers():
    fuzzer = benchmark.Fuzzer(
        [benchmark.FuzzedParameter("k", 4, 64, "loguniform"), benchmark.FuzzedParameter("m", 1, 3, "uniform"),
         benchmark.FuzzedParameter("alias", distribution={benchmark.ParameterAlias("k"): 1.0})],
        [benchmark.FuzzedTensor("x", ("k", "alias"), steps=(1, "m"), min_elements=20, probability_contiguous=0.2)],
        constraints=[lambda k, **rest: k != 5], seed=1)
    drawn = list(fuzzer.take(20))
    for tensors, properties, params in drawn:
        x = tensors["x"]
        assert x.shape == (params["k"], params["k"]) and x.numel() == properties["x"]["numel"] >= 20 and params["k"] != 5
    assert len({params["k"] for _, _, params in drawn}) > 3 and not all(p["x"]["is_contiguous"] for _, p, _ in drawn)
    assert 0 <= fuzzer.rejection_rate < 1 and [p for *_, p in fuzzer.take(3)] == [p for *_, p in drawn[:3]]
    with pytest.raises(ValueError, match="differ"):
        benchmark.Fuzzer([benchmark.FuzzedParameter("k", 1, 2, "uniform")] * 2, [])
    with pytest.raises(ValueError, match="sum to"):
        benchmark.FuzzedParameter("k", distribution={1: 0.5})


def test_operations_are_counted_as_in_pytorch(capsys):
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Linear(8 * 6 * 6, 10))
    with flop_counter.FlopCounterMode() as counter:
        net(torch_np.ones(2, 3, 8, 8))
        torch_np.ones(3, 4) @ torch_np.ones(4, 5)
        torch_np.mm(torch_np.ones(3, 4), torch_np.ones(4, 5))
    assert counter.get_total_flops() == 42864  # PyTorch 2.15
    counts = counter.get_flop_counts()
    assert counts["Sequential.0"] == {"conv2d": 31104} and counts["Sequential.2"] == {"linear": 11520} and "42,864" in capsys.readouterr().out
    with flop_counter.FlopCounterMode(display=False, custom_mapping={torch_np.sin: lambda x, out_val=None: 7}) as counter:
        torch_np.sin(torch_np.ones(2))
        torch_np.bmm(torch_np.ones(2, 3, 4), torch_np.ones(2, 4, 5))
        nn.functional.scaled_dot_product_attention(*[torch_np.ones(1, 2, 3, 4)] * 3)
        nn.functional.conv_transpose2d(torch_np.ones(1, 2, 4, 4), torch_np.ones(2, 3, 3, 3))
    assert counter.get_total_flops() == 7 + 240 + 288 + 1728
    x = torch_np.ones(2, 2, requires_grad=True)
    with pytest.warns(UserWarning, match="not counted"), flop_counter.FlopCounterMode(display=False):
        (x @ x).sum().backward()

    @flop_counter.register_flop_formula(torch_np.cos)
    def _(shape, out_shape=None):
        return shape[0] * out_shape[0]

    with flop_counter.FlopCounterMode(display=False) as counter:
        torch_np.cos(torch_np.ones(3))
    assert counter.get_total_flops() == 9


def test_compilers():
    assert cpp_extension.get_cxx_compiler() and cpp_extension.get_default_build_root() and cpp_extension.library_paths() == []
    assert cpp_extension.include_paths() == [torch_np.library.include_dir()] and cpp_extension.include_paths(torch_include_dirs=False) == []
    assert not cpp_extension.check_compiler_is_gcc("no-such-compiler") and not cpp_extension.check_compiler_ok_for_platform("no-such-compiler")
    assert cpp_extension.get_compiler_abi_compatibility_and_version("no-such-compiler") == (False, "0.0.0")
    if cpp_extension.is_ninja_available():
        cpp_extension.verify_ninja_availability()
    else:
        with pytest.raises(RuntimeError):
            cpp_extension.verify_ninja_availability()
    for absent in (cpp_extension.CppExtension, cpp_extension.CUDAExtension, cpp_extension.SyclExtension, cpp_extension.load,
                   cpp_extension.load_inline, cpp_extension.BuildExtension):
        with pytest.raises(NotImplementedError, match="torch_np.library.load"):
            absent("name", [])


def test_tensorboard_is_needed():
    program = "import sys; sys.modules['tensorboard'] = None\nimport torch_np.utils.tensorboard"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "pip install tensorboard" in done.stderr


@pytest.mark.skipif(importlib.util.find_spec("tensorboard") is None, reason="needs the package tensorboard")
def test_logs(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from torch_np.utils.tensorboard import SummaryWriter

    with SummaryWriter(tmp_path / "a") as writer:
        for step in range(3):
            writer.add_scalar("loss", torch_np.tensor(0.5 * step), step)
        writer.add_histogram("weights", torch_np.arange(10.0), 1)
        writer.add_text("note", "hello", 0)
        writer.add_image("picture", torch_np.zeros(3, 4, 5), 0)
        writer.add_scalars("both", {"x": 1, "y": 2}, 0)
        with pytest.raises(NotImplementedError):
            writer.add_graph(None)
        with pytest.raises(ValueError, match="dataformats"):
            writer.add_image("picture", numpy.zeros((2, 2)), 0, dataformats="CHW")
    found = EventAccumulator(str(tmp_path / "a")).Reload()
    assert [(e.step, e.value) for e in found.Scalars("loss")] == [(0, 0.0), (1, 0.5), (2, 1.0)]
    histogram = found.Histograms("weights")[0].histogram_value
    assert (histogram.min, histogram.max, histogram.num, histogram.sum) == (0, 9, 10, 45) and sum(histogram.bucket) == 10
    picture = found.Images("picture")[0]
    assert (picture.height, picture.width) == (4, 5) and found.Tags()["tensors"] == ["note/text_summary"]
    assert sorted(p.name for p in (tmp_path / "a").iterdir() if p.is_dir()) == ["both_x", "both_y"]
