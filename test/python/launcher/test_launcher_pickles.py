"""Pickles under the launcher: those of PyTorch are read, and ours name what PyTorch has."""
import base64
import json
import pickle
import pickletools

import pytest
from torch_pickles import GOLDEN

MARK = "runs programs in processes of their own, on the CPU"
pytestmark = [pytest.mark.same_on_devices(MARK), pytest.mark.same_when_pending(MARK)]

PICKLES = {name: base64.b64decode(text) for name, text in json.loads(GOLDEN.read_text()).items()}

COMPARE = """
    import base64, json, pickle, sys
    import torch
    sys.path.insert(0, {support!r})
    import torch_pickles

    def same(a, b):
        assert type(a) is type(b), (a, b)
        if isinstance(a, torch.Tensor):
            assert (a.dtype, a.shape, a.stride(), a.storage_offset(), a.requires_grad, a.device) == \\
                   (b.dtype, b.shape, b.stride(), b.storage_offset(), b.requires_grad, b.device)
            assert a.is_meta or a.tolist() == b.tolist()
            assert vars(a) == vars(b)
        elif isinstance(a, dict):
            assert list(a) == list(b)
            for key in a:
                same(a[key], b[key])
        elif isinstance(a, (list, tuple)):
            assert len(a) == len(b)
            for x, y in zip(a, b):
                same(x, y)
        elif isinstance(a, torch.nn.Module):
            assert repr(a) == repr(b)
            same(a.state_dict(), b.state_dict())
            assert a(torch.ones(2, 3)).tolist() == b(torch.ones(2, 3)).tolist()
        elif torch.is_storage(a):
            assert a.tolist() == b.tolist()
        else:
            assert a == b

    objects = torch_pickles.objects(torch)
    """


@pytest.fixture
def compare():
    return COMPARE.format(support=str(GOLDEN.parents[2] / "support"))


def test_pickles_of_pytorch_are_read(run, compare):
    assert run(compare + """
    pickles = {name: base64.b64decode(text) for name, text in json.loads(torch_pickles.GOLDEN.read_text()).items()}
    assert set(pickles) == set(objects)
    for name, data in pickles.items():
        same(pickle.loads(data), objects[name])
    print("read")
    """) == "read\n"


def test_pickles_name_what_pytorch_has(run, compare, tmp_path):
    """Each name in our pickles of these objects is a name in PyTorch's, or is one of those that
    PyTorch has."""
    run(compare + """
    ours = {}
    for protocol in (5, 2):
        for name, value in objects.items():
            ours[name] = pickle.dumps(value, protocol)
            same(pickle.loads(ours[name]), value)
    json.dump({name: base64.b64encode(data).decode() for name, data in ours.items()}, open("ours.json", "w"))
    """)
    ours = {name: base64.b64decode(text) for name, text in json.loads((tmp_path / "ours.json").read_text()).items()}
    theirs = set().union(*(names(data) for data in PICKLES.values()))
    wrong = {name: names(data) - theirs for name, data in ours.items() if names(data) - theirs}
    assert wrong == {} or set().union(*wrong.values()) <= {("torch._utils", "_rebuild_parameter")}
    for name, data in ours.items():
        assert not any("torch_np" in module for module, _ in names(data)), name


def names(data):
    """The pairs (module, name) that a pickle refers to."""
    return {tuple(argument.split(" ")) for opcode, argument, _ in pickletools.genops(data) if opcode.name == "GLOBAL"}


def test_pickles_without_the_launcher_are_read_with_it(run, tmp_path):
    program = """
        import pickle, sys
        import torch_np
        x = {"x": torch_np.arange(6.).reshape(2, 3).t(), "layer": torch_np.nn.Linear(2, 1), "kinds": [torch_np.float32, torch_np.Size([1]), torch_np.Tensor]}
        pickle.dump(x, open("x", "wb"))
        """
    run(program, launcher=())
    assert run("""
        import pickle, torch
        x = pickle.load(open("x", "rb"))
        print(x["x"], type(x["layer"]), x["kinds"])
        """) == ("tensor([[0., 3.],\n        [1., 4.],\n        [2., 5.]]) <class 'torch.nn.modules.linear.Linear'> "
                 "[torch.float32, torch.Size([1]), <class 'torch.Tensor'>]\n")


def test_copies(run):
    assert run("""
        import copy, torch
        x = torch.arange(4.).reshape(2, 2).t().requires_grad_()
        layer = torch.nn.Linear(2, 1)
        for c in (copy.copy, copy.deepcopy):
            y = c(x)
            print(y.tolist(), y.stride(), y.requires_grad, type(copy.deepcopy(layer.weight)).__name__, copy.deepcopy(layer)(x).tolist() == layer(x).tolist())
        """) == "[[0.0, 2.0], [1.0, 3.0]] (1, 2) True Parameter True\n" * 2


def test_subclasses_and_attributes(run):
    assert run("""
        import pickle, torch
        class Named(torch.Tensor):
            pass
        x = torch._C._make_subclass(Named, torch.ones(2), False)
        x.label = "a"
        y = pickle.loads(pickle.dumps(x))
        p = torch.nn.Parameter(torch.ones(1))
        p.label = "b"
        q = pickle.loads(pickle.dumps(p))
        print(type(y).__name__, y.label, y.tolist(), type(q).__name__, q.label)
        """) == "Named a [1.0, 1.0] Parameter b\n"


@pytest.mark.parametrize("damage, error", [
    (lambda b: b[:-4], "damaged|bytes"), (lambda b: b[:40], "damaged"), (lambda b: b"", "damaged"),
    (lambda b: b.replace(b"FloatStorage", b"FloatStorags"), "refers to|FloatStorags"), (lambda b: b"x" + b, "damaged")])
def test_damaged_storages(damage, error):
    from torch_np.serialization._rebuild import _load_from_bytes

    (data,) = [a for op, a, _ in pickletools.genops(PICKLES["leaf"]) if op.name == "BINUNICODE" and "storage" in a]
    data = data.encode("latin1")
    assert _load_from_bytes(data).tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(pickle.UnpicklingError, match=error):
        _load_from_bytes(damage(data))
