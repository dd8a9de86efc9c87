"""Malformed calls over both faces: each raises the class that NumPy or PyTorch raises, and changes no array.

The np calls run on NumPy too, and the classes are compared. If ours may differ for a reason, the
entry lists the correct classes. PyTorch's classes are stored here, so it need not be installed.
"""
import numpy
import pytest

import torch_np
import torch_np.numpy as np

HUGE = 2**62


class RaisingArray:
    def __array__(self, dtype=None, copy=None):
        raise ZeroDivisionError("from __array__")


class RaisingLength:
    def __len__(self):
        raise MemoryError("from __len__")

    def __getitem__(self, i):
        return 0


class RaisingItem:
    def __len__(self):
        return 2

    def __getitem__(self, i):
        raise ZeroDivisionError("from __getitem__")


class RaisingIndex:
    def __index__(self):
        raise ZeroDivisionError("from __index__")


class RaisingBool:
    def __bool__(self):
        raise ZeroDivisionError("from __bool__")


class RaisingInterface:
    @property
    def __array_interface__(self):
        raise ZeroDivisionError("from __array_interface__")


class WrongInterface:
    __array_interface__ = {"shape": (3,), "typestr": "<f8", "data": "nowhere", "version": 3}


def endless():
    nested = []
    nested.append(nested)  # (twice, and NumPy would create 2^64 elements)
    return nested


# Each call gets the namespace, a float matrix a (3, 4), an integer vector i (5,) and a read-only r
# (3,).
NP_CALLS = """
a[3]
a[0, 4]
a[-4]
a[0, 0, 0]
a['x']
a[1.0]
a[[1.0]]
a[1j]
a[None, None, 5]
a[[0, 3]]
a[[0, 1], [0, 1, 2]]
a[xp.array([True, False])]
a[xp.ones((3, 5), dtype=bool)]
a[..., ...]
a[::0]
a[1.0:2]
a['a':'b']
a[{}]
a[object()]
a[RaisingIndex()]
a[2**70]
a[[0, [1, 2]]]
a[[2**70]]
i[i]
i[[5]]
a.__setitem__(0, [1, 2, 3])
a.__setitem__((0, 0), 'x')
a.__setitem__((0, 0), [1, 2])
a.__setitem__(slice(None), xp.zeros((4, 3)))
a.__setitem__(5, 0)
a.__setitem__([0, 7], 0)
a.__setitem__(([0, 1], [0, 9]), 0)
a.__setitem__(a > 0, [1, 2])
a.__setitem__((0, 0), 1j)
a.__setitem__((0, 0), object())
a.__setitem__(0, RaisingArray())
a.__setitem__(0, [RaisingArray()])
a.__setitem__(0, endless())
i.__setitem__(0, float('nan'))
i.__setitem__(0, float('inf'))
i.__setitem__(0, 'a')
i.__setitem__(0, 2**70)
i.__setitem__(0, None)
r.__setitem__(0, 1)
r.__setitem__(slice(None), 1)
r.__setitem__([0], 1)
r.__setitem__(r > 0, 1)
a.__delitem__(0)
xp.array([[1, 2], [3]])
xp.array([1, [2]])
xp.array(endless())
xp.array([RaisingArray()])
xp.array(RaisingArray())
xp.array(RaisingLength())
xp.array(RaisingItem())
xp.array(RaisingInterface())
xp.array(WrongInterface())
xp.array([300], dtype='uint8')
xp.array([-1], dtype='uint8')
xp.array(['a'], dtype=float)
xp.array([1j], dtype=float)
xp.array([1], dtype='nonsense')
xp.array([1], dtype=3)
xp.array([1], copy=False)
xp.array([1], ndmin='a')
xp.array()
xp.array([1], nonsense=1)
xp.zeros(-1)
xp.zeros((2, -1))
xp.zeros('a')
xp.zeros(1.5)
xp.zeros((2, 'a'))
xp.zeros((2, 2.0))
xp.zeros((HUGE, HUGE))
xp.zeros((HUGE, 4))
xp.zeros(2**70)
xp.zeros((1,) * 65)
xp.zeros(3, dtype='nope')
xp.zeros()
xp.zeros(3, 'f4', 'C', 5, 6)
xp.zeros(3, order='X')
xp.ones(2**60)
xp.empty((2**40, 2**40))
xp.full(3)
xp.full((2, 2), [1, 2, 3])
xp.full(3, 'x', dtype=float)
xp.arange()
xp.arange(0, 5, 0)
xp.arange(1, 2, 3, 4, 5, 6)
xp.arange(None)
xp.arange(0, 1e300)
xp.linspace(0, 1, -1)
xp.linspace(0, 1, 2.5)
xp.linspace(0)
xp.eye(-1)
xp.eye('a')
xp.eye(2, 2, 'a')
xp.add(a, xp.zeros(5))
xp.add(a)
xp.add()
xp.add(a, a, a, a)
xp.add(a, a, out=xp.zeros((2, 2)))
xp.add(a, a, out=xp.zeros((3, 4), dtype=int))
xp.add(a, a, out=[1, 2])
xp.add(a, a, out=(a, a))
xp.add(a, a, where=xp.array([1, 0, 1, 0]))
xp.add(a, a, dtype='nonsense')
xp.add(a, a, dtype='int8')
xp.add(a, a, casting='nonsense')
xp.add(a, a, casting='no', dtype='float32')
xp.add(a, a, order='Q')
xp.add(a, a, nonsense=1)
xp.add(a, RaisingArray())
xp.add(a, [1, [2]])
xp.add(i, 2**70, dtype='int64')
xp.add(i.astype('uint8'), 300)
xp.add(i.astype('int8'), -129)
xp.add(r, 1, out=r)
xp.negative(xp.array([True]))
xp.subtract(xp.array([True]), xp.array([True]))
xp.bitwise_and(a, a)
xp.left_shift(a, 1)
xp.floor(xp.array([1j]))
xp.logaddexp(xp.array([1j]), 1)
xp.arctan2(xp.array([1j]), 1)
xp.power(i, -i - 1)
xp.sum(a, axis=2)
xp.sum(a, axis=-3)
xp.sum(a, axis=(0, 0))
xp.sum(a, axis='x')
xp.sum(a, axis=1.0)
xp.sum(a, axis=(0, 'a'))
xp.sum(a, out=xp.zeros(7))
xp.sum(a, nonsense=1)
xp.sum()
xp.sum(a, 0, None, None, False, 0, True, 1)
xp.max(xp.zeros(0))
xp.max(xp.zeros((0, 3)), axis=0)
xp.min(xp.zeros(0))
xp.argmax(xp.zeros(0))
xp.argmax(a, axis=5)
xp.argmin(a, axis='a')
xp.mean(a, axis=9)
xp.std(a, axis=(0, 0))
xp.var(a, ddof='a')
xp.cumsum(a, axis=2)
xp.prod(a, axis={})
xp.reshape(a, (5, 5))
xp.reshape(a, (-1, -1))
xp.reshape(a, (-1, 5))
xp.reshape(a, 'x')
xp.reshape(a, (2.0, 6))
xp.reshape(a, (HUGE, HUGE))
xp.reshape(a, (3, 4), order='Z')
xp.reshape(a)
a.reshape()
a.reshape(2, 'b')
xp.transpose(a, (0, 0))
xp.transpose(a, (0,))
xp.transpose(a, (0, 5))
a.transpose(1, 2, 3)
xp.swapaxes(a, 0, 2)
xp.moveaxis(a, 0, 5)
xp.moveaxis(a, [0, 1], [0])
xp.squeeze(a, axis=0)
xp.squeeze(a, axis=7)
xp.expand_dims(a, 5)
xp.expand_dims(a, (0, 0))
xp.broadcast_to(a, (3, 5))
xp.broadcast_to(a, (2,))
xp.broadcast_to(a, -1)
xp.flip(a, axis=2)
xp.flip(a, axis=(0, 0))
xp.ravel(a, order='Z')
xp.concatenate([])
xp.concatenate([a, xp.zeros(3)])
xp.concatenate([a, a], axis=2)
xp.concatenate(a[0, 0])
xp.concatenate(5)
xp.concatenate([a, xp.zeros((3, 4, 5))])
xp.concatenate([a, a], out=xp.zeros(3))
xp.stack([])
xp.stack([a, xp.zeros(3)])
xp.stack([a, a], axis=4)
xp.split(a, 2, axis=0)
xp.split(a, 0)
xp.split(a, 2, axis=3)
xp.take(a, 12)
xp.take(a, [0], axis=2)
xp.take(a, [0], mode='nonsense')
xp.take(xp.zeros(0), [0])
xp.take(a, 'x')
xp.put(a, [99], [0])
xp.compress([[1]], a)
xp.take_along_axis(a, xp.array([0]), 0)
xp.sort(a, axis=2)
xp.sort(a, kind='nonsense')
xp.sort(a[0, 0])
xp.argsort(a, axis=-3)
xp.where(a, a)
xp.where(a > 0, a, xp.zeros(5))
xp.clip(a, xp.zeros(3), 1)
xp.clip(a, 'a', 'b')
xp.matmul(a, a)
xp.matmul(a, 1)
xp.matmul(a, xp.zeros((2, 4, 3)), out=xp.zeros((1, 1)))
a @ 5
xp.dot(a, a)
xp.dot(a)
xp.tensordot(a, a, axes=1)
xp.tensordot(a, a, axes=([0], [0, 1]))
xp.einsum('ij,jk->ik', a, a)
xp.einsum('ij', a, a)
xp.einsum('ijk', a)
xp.einsum('i!', a)
xp.linalg.solve(a, a)
xp.linalg.solve(xp.zeros((3, 3)), xp.zeros(3))
xp.linalg.solve(xp.zeros((3, 3)), xp.zeros(4))
xp.linalg.svd(xp.zeros(3))
xp.linalg.norm(a, 'nonsense')
xp.linalg.norm(a, axis=(0, 1, 2))
xp.fft.fft(xp.zeros(0))
xp.fft.fft(a, n=0)
xp.fft.fft(a, axis=5)
xp.fft.fft(a, norm='nonsense')
xp.fft.rfft(xp.array([1j]))
xp.random.default_rng(-1)
xp.random.default_rng('x')
xp.random.default_rng(0).normal(0, -1)
xp.random.default_rng(0).normal(size=-1)
xp.random.default_rng(0).integers(5, 5)
xp.random.default_rng(0).integers(0, 300, dtype='uint8')
xp.random.default_rng(0).uniform(0, float('inf'))
xp.random.default_rng(0).permutation('x')
xp.random.rand(-1)
xp.random.seed(-1)
a.astype('nonsense')
a.astype('int8', casting='safe')
a.astype()
a.item(99)
a.item()
a.item('x')
float(a)
int(a)
complex(a)
bool(a)
bool(xp.zeros(0) if False else a)
range(10)[a]
range(10)[xp.array(1.5)]
len(xp.array(1))
iter(xp.array(1))
next(iter(xp.array(1)))
hash(a)
a < 'x' < a
a + object()
a + 'x'
a + xp.zeros((7, 7))
a.__iadd__(xp.zeros((2, 3, 4)))
i.__iadd__(0.5)
i.__itruediv__(2)
r.__iadd__(1)
divmod(a, 'x')
pow(a, 2, 3)
round(a, 'x')
~a
-xp.array([True])
a << 1
a.nonsense
setattr(a, 'shape', (5, 5))
setattr(a, 'T', 1)
setattr(a, 'dtype', 'nonsense')
xp.add.reduce(a, axis=5)
xp.add.outer(a)
xp.add.nonsense
xp.add.reduce()
xp.add.accumulate(a, axis=5)
xp.add.accumulate(a[0, 0])
xp.subtract.reduce(xp.zeros(0))
xp.exp.reduce(a)
xp.copyto(a, xp.zeros(5))
xp.copyto(i, 0.5)
xp.copyto(r, 1)
xp.copyto([1], 1)
xp.nonzero()
xp.any(a, axis=7)
xp.all(a, axis='x')
xp.from_dlpack(5)
xp.frombuffer(b'abc', dtype='f8')
""".strip().splitlines()

# Ours differs for a reason; each of these classes is correct.
ALSO_RIGHT = {
    "xp.ones(2**60)": (MemoryError, ValueError),               # depends on the address space
    "xp.add(i, 2**70, dtype='int64')": (OverflowError,),
    "a < 'x' < a": (TypeError, ValueError),
    "a.__setitem__((0, 0), object())": (TypeError, ValueError),
    "i.__setitem__(0, None)": (TypeError, ValueError),
    "i.__setitem__(0, 2**70)": (OverflowError,),
    "xp.array(WrongInterface())": (TypeError, ValueError),
    "a + object()": (TypeError,),
    "a + 'x'": (TypeError,),                                    # NumPy: UFuncTypeError
    "divmod(a, 'x')": (TypeError,),
    "xp.clip(a, 'a', 'b')": (TypeError,),
    "xp.take(a, 'x')": (TypeError, ValueError),
    "xp.full(3, 'x', dtype=float)": (TypeError, ValueError),
    "xp.where(a, a)": (TypeError, ValueError),                  # a missing argument, which NumPy checks itself
    "xp.zeros(2**70)": (ValueError, OverflowError),
    "setattr(a, 'dtype', 'nonsense')": (TypeError, AttributeError),
    "a[[2**70]]": (IndexError, OverflowError),
    "xp.from_dlpack(5)": (AttributeError, TypeError),
    "xp.random.default_rng(0).permutation('x')": (TypeError, ValueError, IndexError, numpy.exceptions.AxisError),
}


def arrays(xp):
    a = xp.array(numpy.arange(12.0).reshape(3, 4))
    return a, xp.array(numpy.arange(1, 6)), xp.broadcast_to(xp.array(1.0), (3,))


def error_of(call, xp):
    a, i, r = arrays(xp)
    before = [v.tolist() for v in (a, i, r)]
    scope = dict(globals(), xp=xp, a=a, i=i, r=r)
    try:
        with numpy.errstate(all="ignore"):
            eval(call, scope)  # noqa: S307  (our own list)
        error = None
    except Exception as e:  # noqa: BLE001
        error = e
    assert [v.tolist() for v in (a, i, r)] == before, "an array was changed"
    return error


def test_there_are_enough_calls():
    assert len(set(NP_CALLS)) == len(NP_CALLS) and len(NP_CALLS) + len(TORCH_CALLS) >= 150


@pytest.mark.parametrize("call", NP_CALLS)
@pytest.mark.filterwarnings("ignore")
def test_numpy_style_call_raises_what_numpy_raises(call):
    ours, theirs = error_of(call, np), error_of(call, numpy)
    assert theirs is not None or call in ALSO_RIGHT, "NumPy accepts this: not a malformed call"
    assert ours is not None, "accepted"
    right = ALSO_RIGHT.get(call) or (type(theirs),)
    # A subclass is accepted. NumPy's UFuncTypeError is private, and TypeError is its public base.
    assert isinstance(ours, right) or (issubclass(right[0], TypeError) and isinstance(ours, TypeError)), repr(ours)


# t: float (3, 4); i: int64 (5,); m: a mask of t.
TORCH_CALLS = [
    ("t[3]", IndexError), ("t[0, 4]", IndexError), ("t[0, 0, 0]", IndexError), ("t['x']", (IndexError, TypeError)), ("t[1.5]", (IndexError, TypeError)),
    ("t[::-1]", ValueError), ("t[::0]", ValueError), ("t[[0, 3]]", IndexError), ("t[m]", IndexError), ("t[[0, 1], [0, 1, 2]]", IndexError),
    ("t[..., ...]", IndexError), ("t.__setitem__(0, 'x')", (TypeError, ValueError)), ("t.__setitem__(0, torch_np.zeros(3))", RuntimeError),
    ("t.__setitem__(9, 0)", IndexError), ("t.__setitem__((0, 0), 1j)", (RuntimeError, TypeError)), ("torch_np.zeros(-1)", RuntimeError),
    ("torch_np.zeros('a')", TypeError), ("torch_np.zeros(2.5)", TypeError), ("torch_np.zeros(2, dtype='nope')", TypeError),
    ("torch_np.zeros(2, 3, nonsense=1)", TypeError), ("torch_np.zeros(HUGE, HUGE)", RuntimeError), ("torch_np.tensor([1, [2]])", (ValueError, TypeError)),
    ("torch_np.tensor(endless())", (ValueError, RecursionError)), ("torch_np.tensor('a')", TypeError), ("torch_np.tensor()", TypeError),
    ("torch_np.tensor([RaisingItem()])", ZeroDivisionError), ("torch_np.add(t, torch_np.zeros(5))", RuntimeError), ("torch_np.add(t)", TypeError),
    ("torch_np.add()", TypeError), ("torch_np.add(t, 'x')", TypeError), ("torch_np.add(t, t, nonsense=1)", TypeError), ("torch_np.add(t, [1, 2])", TypeError),
    ("torch_np.add(t, t, out=i)", RuntimeError), ("torch_np.add(t, t, out=5)", TypeError), ("torch_np.add(1, 2)", TypeError), ("t.add_(torch_np.zeros(2, 3, 4))", RuntimeError),
    ("i.add_(0.5)", RuntimeError), ("i.div_(2)", RuntimeError), ("torch_np.bitwise_and(t, t)", RuntimeError), ("torch_np.sum(t, dim=2)", IndexError),
    ("torch_np.sum(t, dim=-3)", IndexError), ("torch_np.sum(t, dim=(0, 0))", RuntimeError), ("torch_np.sum(t, dim='x')", TypeError),
    ("torch_np.sum(t, 0, True, 5)", TypeError), ("torch_np.sum()", TypeError), ("torch_np.sum(5)", TypeError), ("torch_np.sum([1, 2])", TypeError),
    ("torch_np.mean(i)", RuntimeError), ("torch_np.argmax(torch_np.zeros(0))", (RuntimeError, IndexError)), ("torch_np.cumsum(t, 2)", IndexError),
    ("torch_np.cumsum(t)", TypeError), ("t.reshape(5, 5)", RuntimeError), ("t.reshape(-1, -1)", RuntimeError), ("t.reshape('x')", TypeError), ("t.view(5, 5)", RuntimeError),
    ("t.t().view(12)", RuntimeError), ("t.permute(0, 0)", RuntimeError), ("t.permute(0)", RuntimeError), ("t.permute(0, 5)", IndexError), ("t.transpose(0, 2)", IndexError),
    ("t.transpose(0)", TypeError), ("t.unsqueeze(5)", IndexError), ("t.squeeze(7)", IndexError), ("t.expand(3, 5)", RuntimeError), ("t.flip(2)", IndexError),
    ("t.flip(0, 0)", RuntimeError), ("torch_np.cat([])", (RuntimeError, ValueError)), ("torch_np.cat([t, i])", RuntimeError), ("torch_np.cat([t, t], 2)", IndexError),
    ("torch_np.cat(t)", TypeError), ("torch_np.cat([t, 1])", TypeError), ("torch_np.stack([])", (RuntimeError, ValueError)), ("torch_np.stack([t, i])", RuntimeError),
    ("torch_np.split(t, -1)", RuntimeError), ("torch_np.gather(t, 2, i)", (IndexError, RuntimeError)),
    ("torch_np.gather(t, 0, t)", RuntimeError), ("torch_np.gather(t, 0, torch_np.tensor([[9]]))", (IndexError, RuntimeError)),
    ("torch_np.index_select(t, 0, torch_np.tensor([9]))", (IndexError, RuntimeError)), ("torch_np.masked_select(t, t)", RuntimeError),
    ("t.index_put_((torch_np.tensor([9]),), torch_np.zeros(4, dtype=t.dtype))", IndexError), ("t.index_put_((torch_np.tensor([0]),), torch_np.zeros(4, dtype=torch_np.float16))", RuntimeError), ("torch_np.take(t, torch_np.tensor([99]))", IndexError),
    ("torch_np.matmul(t, t)", RuntimeError), ("torch_np.matmul(t, 5)", TypeError), ("t @ torch_np.tensor(1.0)", RuntimeError), ("torch_np.clamp(t)", (RuntimeError, ValueError, TypeError)),
    ("torch_np.softmax(t, 5)", IndexError), ("torch_np.softmax(t)", TypeError), ("t.item()", (RuntimeError, ValueError)), ("bool(t)", (RuntimeError, ValueError)),
    ("float(t)", (RuntimeError, ValueError, TypeError)), ("t.to('nonsense')", (RuntimeError, TypeError)), ("t.backward()", RuntimeError), ("i.requires_grad_()", RuntimeError),
    ("setattr(i, 'requires_grad', True)", RuntimeError), ("torch_np.linspace(0, 1, -1)", RuntimeError), ("torch_np.arange(0, 5, 0)", RuntimeError),
    ("torch_np.eye(-1)", RuntimeError), ("torch_np.full((2, -2), 1)", RuntimeError), ("torch_np.sort(t, 7)", IndexError), ("torch_np.randn(-1)", RuntimeError),
    ("torch_np.manual_seed('x')", (TypeError, ValueError)), ("torch_np.device('nonsense')", RuntimeError), ("torch_np.zeros(2, device='nonsense')", RuntimeError),
    ("len(torch_np.tensor(1))", TypeError), ("t + 'x'", TypeError), ("t + [1]", TypeError), ("~t", (TypeError, RuntimeError)), ("t.nonsense", AttributeError),
    ("torch_np.from_dlpack(5)", (AttributeError, TypeError)), ("torch_np.from_numpy([1])", TypeError),
]


@pytest.mark.parametrize("call, expected", TORCH_CALLS, ids=[c for c, _ in TORCH_CALLS])
@pytest.mark.filterwarnings("ignore")
def test_torch_style_call_raises_what_pytorch_raises(call, expected):
    t, i = torch_np.tensor(numpy.arange(12.0).reshape(3, 4)), torch_np.arange(1, 6)
    before = [v.tolist() for v in (t, i)]
    with pytest.raises(expected):
        eval(call, dict(globals(), t=t, i=i, m=i > 2))  # noqa: S307
    assert [v.tolist() for v in (t, i)] == before


class RaisingTruth:
    def __index__(self):
        return 1

    def __bool__(self):
        raise ZeroDivisionError("from __bool__")


@pytest.mark.parametrize("call", [
    lambda x, b: np.clip(1.5, 0, 1, subok=b), lambda x, b: x.clip(0, 1, subok=b), lambda x, b: np.zeros_like(x, subok=b),
    lambda x, b: np.ones_like(x, subok=b), lambda x, b: np.empty_like(x, subok=b), lambda x, b: np.full_like(x, 1, subok=b),
    lambda x, b: x.astype("f4", subok=b)])
def test_a_truth_that_raises(call):
    with pytest.raises(ZeroDivisionError, match="from __bool__"):
        call(np.ones(3), RaisingTruth())
