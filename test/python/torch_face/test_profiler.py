"""Profiles: their events, nesting, and that there is no overhead without a profile."""
import gzip
import json
import os
import subprocess
import sys
import threading
import xml.etree.ElementTree

import device_processes
import pytest

import torch_np
import torch_np.numpy as np
from torch_np import _C, profiler
from torch_np.profiler import profile, record_function


@pytest.fixture(autouse=True)
def small_results_at_once():
    """In mode `always`, memory would be allocated by other operators, at other times."""
    before = torch_np.fusion.get_mode()
    torch_np.fusion.set_mode("auto")
    yield
    torch_np.fusion.set_mode(before)


def names(p):
    return [e.name for e in p.events()]


def by_key(p):
    return {a.key: a for a in p.key_averages()}


def one(p, name):
    [found] = [e for e in p.events() if e.name == name]
    return found


# --------------------------------------------------------------------------------------------- contents of a profile

@pytest.mark.parametrize("make", [lambda: torch_np.arange(4.0), lambda: np.arange(4.0)], ids=["torch", "numpy"])
def test_calls_are_counted(make):
    a, b = make(), make()
    with profile() as p:
        for _ in range(10):
            a + b
        a.sum()
    assert by_key(p)["add"].count == 10
    assert by_key(p)["sum"].count == 1
    assert {e.kind for e in p.events()} == {"operator"}
    assert {e.device for e in p.events()} == {"cpu"}


def test_direct_and_parsed_calls_are_one_event_each():
    a, column = torch_np.ones(3, 4), torch_np.ones(3, 1)
    with profile() as p:
        a + a
        a + column
        torch_np.add(a, a, out=a)
        a.add_(a)
        np.add(2.0, 3.0)
    assert names(p) == ["add"] * 5


def test_a_composite_has_its_parts_within_it():
    a = torch_np.ones(3, 3)
    with profile() as p:
        torch_np.linalg.solve(a + torch_np.eye(3), a)
    outer = one(p, "solve")
    assert [c.name for c in outer.cpu_children]
    inner = outer.cpu_children[0]
    assert inner.cpu_parent is outer
    assert outer.time_range.start <= inner.time_range.start <= inner.time_range.end <= outer.time_range.end
    assert outer.self_cpu_time_total == pytest.approx(outer.cpu_time_total - sum(c.cpu_time_total for c in outer.cpu_children))


def test_functions_of_numpys_face_in_python_have_their_name():
    a = np.eye(3)
    with profile() as p:
        np.linalg.svd(a)
    assert one(p, "numpy.linalg.svd").kind == "function"
    assert one(p, "svd_stack").cpu_parent is not None


def test_indexing():
    a = torch_np.arange(12.0).reshape(3, 4)
    with profile() as p:
        a[1]
        a[1:] = 0
    assert [e.name for e in p.events() if e.cpu_parent is None] == ["getitem", "setitem"]


def test_nodes_of_the_tape():
    x = torch_np.ones(3, requires_grad=True)
    loss = torch_np.sin(x).sum()
    with profile() as p:
        loss.backward()
    assert [e.name for e in p.events() if e.kind == "backward"] == ["SumBackward0", "SinBackward0", "AccumulateGrad"]
    assert "cos" in [c.name for c in one(p, "SinBackward0").cpu_children]


def test_a_derivative_in_python_keeps_its_name_after_its_node_is_gone():
    class Twice(torch_np.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = torch_np.ones(3, requires_grad=True)
    with profile() as p:
        Twice.apply(x).sum().backward()
    assert "TwiceBackward" in names(p)


def test_compiled_functions_and_their_steps():
    @torch_np.compile
    def twice(x):
        return (x * 2 + 1).sum()

    x = torch_np.arange(5.0)
    expected = twice(x)
    twice(x)
    with profile() as p:
        assert twice(x) == expected
    replay = one(p, "compiled twice")
    assert replay.kind == "compiled"
    assert replay.cpu_children
    assert {c.kind for c in replay.cpu_children} == {"step"}


def test_computing_of_pending_results():
    mode = torch_np.fusion.get_mode()
    torch_np.fusion.set_mode("always")
    try:
        x = np.linspace(0, 1, 100)
        with profile(memory=True) as p:
            y = x * 2 + x - 1
            y.tolist()
    finally:
        torch_np.fusion.set_mode(mode)
    fused = one(p, "fused(3)")
    assert fused.kind == "fused"
    assert fused.allocated_bytes == 800


def test_labels():
    x = torch_np.ones(2)

    @record_function("inner")
    def inner(y):
        return y * y

    with profile() as p:
        with record_function("outer"):
            inner(x)
        inner(x)
    tree = [(e.name, e.kind, e.cpu_parent.name if e.cpu_parent else None) for e in p.events()]
    assert tree == [("outer", "label", None), ("inner", "label", "outer"), ("mul", "operator", "inner"),
                    ("inner", "label", None), ("mul", "operator", "inner")]
    assert inner.__name__ == "inner"
    with pytest.raises(TypeError, match="record_function.*name must be a str"):
        record_function(3)


def test_one_label_may_be_entered_again_before_it_is_left():
    label = record_function("again")
    with profile() as p:
        with label, label:
            pass
    outer, inner = p.events()
    assert inner.cpu_parent is outer
    assert outer.time_range.end >= inner.time_range.end > 0


# ------------------------------------------------------------------------------------------------------------- errors

def test_exceptions_end_events():
    a, b = torch_np.ones(2, 3), torch_np.ones(2, 3)
    with profile() as p:
        with pytest.raises(RuntimeError):
            a @ b
        with pytest.raises(ValueError, match="mine"), record_function("label"):
            raise ValueError("mine")
        a + a
    assert [e.name for e in p.events() if e.cpu_parent is None][-2:] == ["label", "add"]
    assert one(p, "label").time_range.end <= one(p, "add").time_range.start


def test_a_profile_ends_where_its_block_raises():
    with pytest.raises(ZeroDivisionError), profile() as p:
        torch_np.ones(2) + torch_np.ones(2)
        1 / 0  # noqa: B018
    assert "add" in names(p)
    with profile():
        pass


def test_there_is_one_profile_at_a_time():
    with profile() as p:
        with pytest.raises(RuntimeError, match="another profile is being recorded"), profile():
            pass
        torch_np.ones(2) + 1
    assert "add" in names(p)


def test_results_of_what_is_not_recorded():
    p = profile()
    with pytest.raises(RuntimeError, match="has not been recorded yet"):
        p.events()
    with pytest.raises(RuntimeError, match=r"profile\.stop\(\): this profile is not being recorded"):
        p.stop()
    with p, pytest.raises(RuntimeError, match="is still being recorded"):
        p.key_averages()
    with pytest.raises(RuntimeError, match=r"profile\(memory=True\)"):
        p.memory_timeline()
    with pytest.raises(ValueError, match="sort_by must be one of 'key'"):
        p.key_averages().table(sort_by="color")


# ------------------------------------------------------------------------------------------------------------ threads

def test_all_threads_are_in_it():
    def work(count):
        with record_function(f"thread of {count}"):
            x = torch_np.ones(4)
            for _ in range(count):
                x * x

    with profile() as p:
        threads = [threading.Thread(target=work, args=(n,)) for n in (10, 200, 30)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert by_key(p)["mul"].count == 240
    for n in (10, 200, 30):
        label = one(p, f"thread of {n}")
        assert [c.name for c in label.cpu_children].count("mul") == n
        assert {c.thread for c in label.cpu_children} == {label.thread}


def test_a_thread_may_be_at_work_when_profiles_begin_and_end():
    go_on = True
    x = torch_np.ones(4)

    def work():
        with record_function("never ends within a profile"):
            while go_on:
                (x + x) * x

    worker = threading.Thread(target=work)
    worker.start()
    try:
        for _ in range(20):
            with profile(memory=True) as p, record_function("here"):
                for _ in range(50):
                    x - x
            assert by_key(p)["sub"].count == 50
            for e in p.events():
                assert 0 <= e.time_range.start <= e.time_range.end
    finally:
        go_on = False
        worker.join()


def test_a_label_that_began_before_the_profile_is_not_in_it():
    x = torch_np.ones(2)
    with record_function("before"):
        p = profile()
        p.start()
        x + x
    x * x
    label = record_function("not left")
    label.__enter__()
    p.stop()
    label.__exit__(None, None, None)
    assert names(p) == ["add", "mul", "not left"]
    assert [e.cpu_parent for e in p.events()] == [None] * 3
    assert one(p, "not left").time_range.end >= one(p, "mul").time_range.end


def test_more_events_than_a_chunk_holds():
    x = torch_np.ones(2)
    with profile() as p, record_function("all"):
        for _ in range(20_000):
            x + x
    assert by_key(p)["add"].count == 20_000
    assert len(one(p, "all").cpu_children) == 20_000


# ------------------------------------------------------------------------------------------------------------- memory

def test_memory_is_what_was_allocated():
    x = torch_np.ones(1000)
    with profile(memory=True) as p:
        y = x + x
        z = np.zeros((10, 10))
        small = torch_np.zeros(3)
        del y
    averages = by_key(p)
    assert averages["add"].allocated_bytes == 4000
    timeline = p.memory_timeline()
    assert timeline.points["cpu"][-1][1] == z.nbytes + 12
    assert timeline.peaks["cpu"].bytes == 4000 + z.nbytes + 12
    assert sum(1 for _, size in timeline.points["cpu"][1:] if size) == 4
    del z, small


def test_memory_within_others_counts_once():
    a = torch_np.eye(20)
    with profile(memory=True) as p:
        b = torch_np.linalg.solve(a, a)
    outer = by_key(p)["solve"]
    assert outer.memory_usage == b.numel() * 4
    assert sum(e.self_memory_usage for e in p.events()) == outer.memory_usage
    assert one(p, "solve").memory_usage == outer.memory_usage


def test_what_was_there_before_counts_as_less_than_nothing():
    x = torch_np.ones(100)
    with profile(memory=True) as p:
        del x
    assert p.memory_timeline().points["cpu"] == [(0.0, 0), (pytest.approx(p.memory_timeline().points["cpu"][1][0]), -400)]


def test_a_profile_without_memory_has_none():
    with profile() as p:
        torch_np.ones(1000) + 1
    assert all(e.allocated_bytes == 0 for e in p.events())
    assert "Allocated" not in str(p)


def test_picture_of_memory():
    with profile(memory=True) as p:
        with record_function("a < b"):
            x = torch_np.ones(100_000)
            y = [x.clone() for _ in range(5)]
        del y
    timeline = p.memory_timeline()
    peak = timeline.peaks["cpu"]
    assert peak.bytes == 6 * 400_000
    assert peak.name == "clone"
    root = xml.etree.ElementTree.fromstring(timeline.svg())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    [curve] = root.iter("{http://www.w3.org/2000/svg}path")
    assert curve.get("d").count("V") == len(timeline.points["cpu"]) + 1  # back to 0
    assert "2.29 MB" in timeline.svg()
    assert timeline._repr_svg_() == timeline.svg()
    assert "2.29 MB" in repr(timeline)
    with profile(memory=True) as nothing:
        pass
    xml.etree.ElementTree.fromstring(nothing.memory_timeline().svg())


def test_a_picture_of_many_changes_is_small():
    x = torch_np.ones(100)
    with profile(memory=True) as p:
        for _ in range(20_000):
            x + x
    timeline = p.memory_timeline()
    assert len(timeline.points["cpu"]) > 40_000
    assert len(timeline.svg()) < 200_000


# -------------------------------------------------------------------------------------------------- tables and traces

def test_table():
    x = torch_np.ones(10)
    with profile(profile_memory=True) as p:
        for _ in range(3):
            x + x
        x * x
        torch_np.exp(x)
    averages = p.key_averages()
    assert [a.key for a in averages] == ["add", "mul", "exp"]
    lines = averages.table(sort_by="count", row_limit=1).splitlines()
    head, row = lines[1], lines[3]
    assert head.split("  ")[0] == "Name"
    assert row.split()[:3] == ["add", "cpu", "3"]
    assert "120 B" in row
    assert len(lines) == 6
    assert lines[-1].startswith("Self CPU time total: ")
    assert [line.split()[0] for line in averages.table(sort_by="key").splitlines()[3:6]] == ["add", "exp", "mul"]
    assert averages.table(sort_by="self_cpu_memory_usage").splitlines()[3].split()[0] in ("add", "mul", "exp")
    assert "add" in str(p)
    assert averages.self_cpu_time_total == pytest.approx(sum(e.self_cpu_time_total for e in p.events()))


def test_calls_within_calls_of_the_same_name_count_their_time_once():
    with profile() as p:
        with record_function("same"), record_function("same"):
            pass
    [average] = p.key_averages()
    assert average.count == 2
    assert average.cpu_time_total == pytest.approx(p.events()[0].cpu_time_total)


def check_nesting(events):
    """Asserts that the events of each thread are nested or disjoint."""
    by_thread = {}
    for e in events:
        if e["ph"] == "X":
            by_thread.setdefault(e["tid"], []).append((round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)))
    for intervals in by_thread.values():
        open_ends = []
        for start, end in intervals:
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1]
            open_ends.append(end)
    return by_thread


def test_chrome_trace(tmp_path):
    def work():
        x = torch_np.eye(5)
        for _ in range(20):
            torch_np.linalg.solve(x, x)

    with profile(memory=True) as p:
        other = threading.Thread(target=work)
        other.start()
        work()
        other.join()
    p.export_chrome_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    events = trace["traceEvents"]
    assert {e["ph"] for e in events} == {"M", "X", "C"}
    assert {e["pid"] for e in events} == {os.getpid()}
    assert len(check_nesting(events)) == 2
    assert sum(e["ph"] == "X" and e["name"] == "solve" for e in events) == 40
    counters = [e["args"]["bytes"] for e in events if e["ph"] == "C"]
    assert counters[-1] == p.memory_timeline().points["cpu"][-1][1]
    threads = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert threads[threading.get_native_id()] == threading.current_thread().name
    p.export_chrome_trace(str(tmp_path / "trace.json.gz"))
    with gzip.open(tmp_path / "trace.json.gz") as packed:
        assert json.load(packed) == trace


# -------------------------------------------------------------------------------------------------- without a profile

def test_off_there_are_no_events():
    x = torch_np.ones(3)
    x + x
    assert _C._profiler_begin("label") == 0
    with record_function("label"):
        x + x
    with profile() as p:
        pass
    assert p.events() == []


def test_results_are_the_same():
    def program():
        torch_np.manual_seed(0)
        w = torch_np.randn(8, 8, requires_grad=True)
        loss = (torch_np.tanh(w @ w) * torch_np.randn(8)).logsumexp(0).sum()
        loss.backward()
        return loss.item(), w.grad.tolist()

    plain = program()
    with profile(memory=True):
        profiled = program()
    assert plain == profiled


def test_the_child_of_a_fork():
    program = """
import os, threading, torch_np
from torch_np.profiler import profile
x = torch_np.ones(4)
with profile(memory=True) as p:
    thread = threading.Thread(target=lambda: x * x)
    thread.start(); thread.join()
    child = os.fork()
    x + x
    if not child:
        with profile() as q:  # during the parent's profile
            x - x
        assert [e.name for e in q.events()] == ["sub"]
        print("done", flush=True)
        os._exit(0)
assert sorted(e.name for e in p.events()) == ["add", "mul"], p.events()
with profile() as p:
    x * x
    child = os.fork()
    x + x
assert [e.name for e in p.events()] == (["mul", "add"] if child else ["mul"])
if child:
    assert os.waitpid(child, 0)[1] == 0
print("done")
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("done") == 3


@device_processes.needs_device
def test_devices_of_operators_and_memory():
    program = """
import torch_np
from torch_np.profiler import profile
x = torch_np.arange(1000.0, device="cuda")
with profile(memory=True) as p:
    y = x + x
    z = torch_np.zeros(10, device="cuda")
    w = torch_np.zeros(3)
    w + w
    y.sum().item()
devices = {(e.name, e.device) for e in p.events()}
assert {("add", "cuda:0"), ("zeros", "cuda:0"), ("sum", "cuda:0"), ("zeros", "cpu"), ("add", "cpu")} <= devices, devices
assert {(a.key, a.device): a.count for a in p.key_averages()}["add", "cuda:0"] == 1
points = p.memory_timeline().points
assert points["cuda:0"][-1][1] == 4040, points
assert p.memory_timeline().svg().count("<path") == 2
"""
    device_processes.run(program, "", emulated=("1",))


def test_schedules_are_pytorchs():
    # the values of PyTorch 2.15
    names = [a.name for a in map(profiler.schedule(wait=1, warmup=1, active=2, repeat=1, skip_first=1), range(7))]
    assert names == ["NONE", "NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE", "NONE", "NONE"]
    names = [a.name for a in map(profiler.schedule(wait=2, warmup=0, active=1, skip_first_wait=1), range(5))]
    assert names == ["RECORD_AND_SAVE", "NONE", "NONE", "RECORD_AND_SAVE", "NONE"]
    with pytest.raises(AssertionError, match="active=0"):
        profiler.schedule(wait=0, warmup=0, active=0)


def test_scheduled_steps_are_recorded_and_handed_over():
    seen = []

    def ready(p):
        names = [e.name for e in p.events()]
        seen.append((p.step_num, names.count("sin"), [n for n in names if n.startswith("ProfilerStep")]))

    with profiler.profile(schedule=profiler.schedule(wait=1, warmup=0, active=2), on_trace_ready=ready) as p:
        for _ in range(7):
            torch_np.sin(torch_np.ones(2))
            p.step()
    assert seen == [(3, 2, ["ProfilerStep#1", "ProfilerStep#2"]), (6, 2, ["ProfilerStep#4", "ProfilerStep#5"]), (7, 0, ["ProfilerStep#7"])]


def test_pytorchs_options(tmp_path):
    cpu = profiler.ProfilerActivity.CPU
    with profiler.profile(activities=[cpu, profiler.ProfilerActivity.CUDA], on_trace_ready=profiler.tensorboard_trace_handler(str(tmp_path), use_gzip=True)) as p:
        torch_np.sin(torch_np.ones(2))
    assert [f.name.endswith(".pt.trace.json.gz") for f in tmp_path.iterdir()] == [True]
    with pytest.raises(RuntimeError, match="no shapes"):
        p.key_averages(group_by_input_shape=True)
    with pytest.raises(NotImplementedError, match="stacks"):
        p.key_averages(group_by_stack_n=1)
    with pytest.warns(UserWarning, match="not recorded: with_stack"):
        profiler.profile(record_shapes=True, with_stack=True)
    with pytest.raises(ValueError, match="must contain"):
        profiler.profile(activities=[profiler.ProfilerActivity.CUDA])
    with pytest.raises(NotImplementedError, match="acc_events"):
        profiler.profile(acc_events=True)
    for absent in (profiler.CuspyConfig, profiler.ExecutionTraceObserver, profiler.PerformanceMetricsConfig, profiler.ProfilerActivityConfig):
        with pytest.raises(NotImplementedError):
            absent()
    with profiler.record_function("label", "args") as label:
        assert label.args == "args"


def test_labels_as_operators():
    with profile() as p:
        handle = torch_np.ops.profiler._record_function_enter("label", None)
        torch_np.ones(2) * 2
        torch_np.ops.profiler._record_function_exit(handle)
    assert [e.count for e in p.key_averages() if e.key == "label"] == [1]
