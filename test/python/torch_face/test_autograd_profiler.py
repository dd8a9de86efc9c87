"""torch_np.autograd.profiler, and the shapes that profiles record."""
import json
import threading

import pytest

import torch_np as torch
from torch_np.autograd import DeviceType
from torch_np.autograd.profiler import EventList, FunctionEvent, profile, record_function
from torch_np.autograd.profiler_util import FunctionEventAvg, Interval, StringTable
from torch_np.profiler import profile as recorder


def event(number, start, end, thread=0, name=""):
    return FunctionEvent(id=number, node_id=0, name=name, thread=thread, start_us=start, end_us=end)


def test_names_of_operators_nodes_and_labels():
    x = torch.ones(3, requires_grad=True)
    assert not torch.autograd._profiler_enabled()
    with profile() as p:
        assert torch.autograd._profiler_enabled()
        with record_function("mine"):
            y = (x * 2).sum()
        y.backward()
    names = [e.name for e in p.function_events]
    assert names[:3] == ["mine", "aten::mul", "aten::sum"] and "MulBackward0" in names
    label = p.function_events[0]
    assert [c.name for c in label.cpu_children] == ["aten::mul", "aten::sum"] and label.cpu_children[0].cpu_parent is label
    assert label.cpu_time_total == label.time_range.elapsed_us() > label.self_cpu_time_total > 0
    assert (label.count, label.is_user_annotation, label.device_type, label.sequence_nr) == (1, True, DeviceType.CPU, -1)
    assert [e.scope for e in p.function_events if e.name == "MulBackward0"] == [1]


@pytest.mark.same_when_pending("pending results have no memory of their own")
def test_tables_and_sums(tmp_path):
    with profile(profile_memory=True) as p:
        for _ in range(3):
            torch.ones(256) + 1
    averages = {a.key: a for a in p.key_averages()}
    assert averages["aten::add"].count == 3 and averages["aten::add"].cpu_memory_usage == 3 * 1024
    assert p.total_average().count == len(p.function_events)
    assert str(p) == p.table() and "# of Calls" in p.table() and "CPU Mem" in p.table()
    assert "3.00 KB" in p.key_averages().table(sort_by="cpu_memory_usage", row_limit=1, header="title", time_unit="ms")
    assert p.self_cpu_time_total == pytest.approx(sum(e.self_cpu_time_total for e in p.function_events))
    p.export_chrome_trace(tmp_path / "a.json")
    p.function_events.export_chrome_trace(tmp_path / "b.json")
    assert [e["name"] for e in json.loads((tmp_path / "b.json").read_text())] == [e.name for e in p.function_events]
    with pytest.raises(AttributeError):
        p.table(sort_by="colour")


def test_nested_operators_are_left_out_of_the_top_level():
    with profile() as p, record_function("outer"):
        torch.ones(2)
    table = p.table(top_level_events_only=True)
    assert "outer" in table and "aten::ones" not in table


def test_disabled_and_unfinished_profiles():
    with profile(enabled=False) as p:
        torch.ones(2)
    assert p is None
    p = profile()
    for call in (p.table, p.key_averages, p.total_average):
        with pytest.raises(RuntimeError, match="didn't finish"):
            call()
    for name in ("use_cuda", "with_stack", "with_flops", "with_modules"):
        with pytest.raises(NotImplementedError, match=name):
            profile(**{name: True})


def test_events_find_their_parents():
    events = EventList([event(1, 0, 1, 1), event(2, 1, 2, 1), event(3, 0, 2), event(4, 1, 2), event(5, 1, 3)])
    events._populate_cpu_children()
    assert [[c.id for c in e.cpu_children] for e in events] == [[], [], [], [], [4]]


def test_sums_of_events():
    total = FunctionEventAvg()
    total.add(event(0, 10, 15, name="f"))
    total.add(event(1, 20, 30, name="f"))
    total += total
    assert (total.key, total.count, total.cpu_time_total, total.self_cpu_time_total, total.cpu_time) == ("f", 4, 30, 30, 7.5)
    assert (total.cpu_time_total_str, total.device_time_total) == ("30.000us", 0)
    with pytest.raises(AssertionError, match="keys to match"):
        total.add(event(2, 0, 1, name="g"))
    assert Interval(1.0, 3.5).elapsed_us() == 2.5 and StringTable()["f"] == "f"


def test_shapes_of_arguments():
    layer, x = torch.nn.Linear(20, 30), torch.ones(8, 20)
    with profile(record_shapes=True) as p:
        layer(x).relu() + 1
    shapes = {e.name: e.input_shapes for e in p.function_events}
    assert shapes["aten::linear"] == [[8, 20], [30, 20], [30]]
    assert shapes["aten::relu"] == [[8, 30]] and shapes["aten::add"] == [[8, 30], []]
    assert not any("shapes" in e.name for e in p.function_events)


def test_shapes_of_the_backward_pass_and_of_groups():
    w = torch.ones(4, 3, requires_grad=True)
    with recorder(record_shapes=True, memory=True) as p:
        for n in (2, 2, 5):
            (w @ torch.ones(3, n)).sum().backward()
    by_shape = {(a.key, a.input_shapes): a for a in p.key_averages(group_by_input_shape=True)}
    assert by_shape["mm", "[[4, 3], [3, 2]]"].count == 2 and by_shape["mm", "[[4, 3], [3, 5]]"].count == 1
    assert by_shape["mm", "[[4, 5], [5, 3]]"].count == 1  # of the backward pass
    assert "Input Shapes" in p.key_averages(group_by_input_shape=True).table()
    assert by_shape["mm", "[[4, 3], [3, 2]]"].memory_usage == 2 * 4 * 2 * 4


def test_values_and_gradients_are_those_without_shapes():
    def run():
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        y = torch.nn.functional.softmax(x * 3, -1) * 1
        y[0] *= 2
        y.square().sum().backward()
        return y.tolist(), x.grad.tolist()
    expected = run()
    with recorder(record_shapes=True):
        found = run()
    assert found == expected


def test_shapes_are_stopped_by_their_thread():
    p = recorder(record_shapes=True)
    p.start()
    errors = []

    def stop():
        try:
            p.stop()
        except RuntimeError as error:
            errors.append(str(error))
    thread = threading.Thread(target=stop)
    thread.start()
    thread.join()
    p.stop()
    assert len(errors) == 1 and "thread that started it" in errors[0]
    with pytest.raises(RuntimeError):
        p.stop()
