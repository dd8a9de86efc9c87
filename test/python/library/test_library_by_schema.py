"""torch_np.library.Library and the functions that declare and implement operators by name, and
torch_np.ops.aten."""
from typing import List, Optional  # noqa: UP035

import pytest

import torch_np
import torch_np.numpy as np
from torch_np import Tensor, library

pytestmark = [pytest.mark.same_on_devices("registers functions"), pytest.mark.same_when_pending("registers functions")]


@pytest.fixture
def lib():
    with library.Library("defined_by_schema", "DEF") as made:
        yield made


def test_operators_of_a_library(lib):
    assert lib.define("foo(Tensor x, SymInt n=2) -> Tensor") == "foo"
    lib.impl("foo", lambda x, n=2: x * n, "CPU")
    foo = torch_np.ops.defined_by_schema.foo
    x = torch_np.ones(2, requires_grad=True)
    assert foo(x, n=5).tolist() == [5, 5] and foo.default is foo and foo.name() == "defined_by_schema::foo" and foo.overloads() == ["default"]
    foo(x, 3).sum().backward()  # without a derivative of its own
    assert x.grad.tolist() == [3, 3]
    array = np._ops.defined_by_schema.foo(np.ones(2))
    assert isinstance(array, np.ndarray) and array.tolist() == [2, 2]
    with pytest.raises(NotImplementedError, match="register_fake"):
        foo(torch_np.ones(2, device="meta"))
    other = library.Library("defined_by_schema", "IMPL", "Meta")
    other.impl("foo", lambda x, n=2: torch_np.empty_like(x))
    assert foo(torch_np.ones(2, device="meta")).is_meta
    other.impl(foo, lambda x, n=2: x, "XPU")  # of a backend that no tensor has
    with pytest.raises(RuntimeError, match="IMPL"):
        other.define("q(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError, match="Only a single"):
        library.Library("defined_by_schema", "DEF")
    with pytest.raises(TypeError):
        foo(3)


def test_removed_with_the_library():
    with library.Library("defined_by_schema_gone", "FRAGMENT") as lib:
        lib.define("f(Tensor x) -> Tensor")
    with pytest.raises(AttributeError):
        torch_np.ops.defined_by_schema_gone.f  # noqa: B018
    assert not hasattr(torch_np.ops.defined_by_schema_never, "f")


@pytest.mark.parametrize("act, error", [
    (lambda lib: lib.define("f Tensor"), ValueError), (lambda lib: lib.define("other::f(Tensor x) -> Tensor"), ValueError),
    (lambda lib: lib.define("f.out(Tensor x) -> Tensor"), NotImplementedError), (lambda lib: lib.impl("none", print, "CPU"), LookupError),
    (lambda lib: lib.impl("aten::add", print, "CPU"), NotImplementedError), (lambda lib: lib.fallback(print), NotImplementedError),
    (lambda lib: library.Library("x", "XX"), ValueError)])
def test_refused(lib, act, error):
    with pytest.raises(error):
        act(lib)


def test_refused_functions(lib):
    lib.define("f(Tensor x) -> Tensor")
    for key, error in (("BackendSelect", NotImplementedError), ("Nonsense", NotImplementedError)):
        with pytest.raises(error, match=key):
            lib.impl("f", print, key)
    with pytest.raises(NotImplementedError, match="with_keyset"):
        lib.impl("f", print, "CPU", with_keyset=True)
    with pytest.raises(TypeError, match="callable"):
        lib.impl("f", 3, "CPU")


def test_views_lists_and_changes_in_place(lib):
    lib.define("f(Tensor(a) x, Tensor(b!) y, Tensor[] more, float s=1.5, str? t=None, int[2] d=[1, 2]) -> (Tensor, Tensor)")

    @library.impl("defined_by_schema::f", "default")
    def _(x, y, more, s=1.5, t=None, d=(1, 2)):
        y.add_(1)
        return x * s + sum(more), x + len(d)

    y = torch_np.ones(2)
    a, b = torch_np.ops.defined_by_schema.f(torch_np.ones(2), y, [torch_np.ones(2)] * 2)
    assert a.tolist() == [3.5, 3.5] and b.tolist() == [3, 3] and y.tolist() == [2, 2]


def test_composites_and_functions_above_autograd(lib):
    lib.define("sine(Tensor x) -> Tensor")
    lib.impl("sine", lambda x: x.sin(), "CompositeImplicitAutograd")
    x = torch_np.ones(2, dtype=torch_np.float64, requires_grad=True)
    torch_np.ops.defined_by_schema.sine(x).sum().backward()
    assert torch_np.allclose(x.grad, torch_np.cos(x))
    lib.define("twice(Tensor x) -> Tensor")
    lib.impl("twice", lambda x: x * 2, "CPU")
    calls = []

    class Twice(torch_np.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return torch_np.ops.defined_by_schema.twice(x)

        @staticmethod
        def backward(ctx, grad):
            calls.append(1)
            return grad * 2

    lib.impl("twice", lambda x: Twice.apply(x), "Autograd")
    x.grad = None
    torch_np.ops.defined_by_schema.twice(x).sum().backward()
    assert x.grad.tolist() == [2, 2] and calls == [1]


def test_functions_by_name():
    library.register_fake("defined_by_schema_names::late", lambda x: torch_np.empty_like(x))  # before the operator exists
    library.define("defined_by_schema_names::late", "(Tensor x) -> Tensor")
    library.impl("defined_by_schema_names::late", ["cpu", "CUDA"], lambda x: x * 3)
    late = torch_np.ops.defined_by_schema_names.late
    assert late(torch_np.ones(1)).tolist() == [3] and late(torch_np.ones(1, device="meta")).is_meta
    library.register_autograd(late, lambda ctx, grad: grad * 30)
    x = torch_np.ones(1, requires_grad=True)
    late(x).sum().backward()
    assert x.grad.tolist() == [30]
    library.register_kernel("defined_by_schema_names::late", "cpu")(lambda x: x * 4)
    assert late(torch_np.ones(1)).tolist() == [4]
    with pytest.raises(LookupError):
        library.impl("defined_by_schema_names::none", "cpu", print)
    with pytest.warns(FutureWarning):
        library.impl_abstract("defined_by_schema_names::late", lambda x: x)
    assert library.register_vmap(late, print) is None and library.register_vmap(late)(print) is print
    library.register_autocast(late, "cpu", torch_np.float16)
    for absent in (library.triton_op, library.wrap_triton, library.get_ctx, library.get_kernel, library.register_torch_dispatch):
        with pytest.raises(NotImplementedError):
            absent(late)
    with pytest.raises(NotImplementedError):
        library.fallthrough_kernel()


def schema_of(x: Tensor, y: Optional[Tensor], n: int = 3, s: float = 1.0, b: bool = False, t: str = "a", *, k: int = 2) -> Tensor:  # noqa: UP045
    return x


def several(x: Tensor, xs: List[Tensor]) -> tuple[Tensor, Tensor]:  # noqa: UP006
    return x, x


def nothing(x: Tensor, sizes: List[int]) -> None:  # noqa: UP006
    pass


@pytest.mark.parametrize("function, mutated, text", [
    (schema_of, (), '(Tensor x, Tensor? y, SymInt n=3, float s=1.0, bool b=False, str t="a", *, SymInt k=2) -> Tensor'),
    (schema_of, ("x",), '(Tensor(a0!) x, Tensor? y, SymInt n=3, float s=1.0, bool b=False, str t="a", *, SymInt k=2) -> Tensor'),
    (schema_of, "unknown", '(Tensor(a0!) x, Tensor(a1!)? y, SymInt n=3, float s=1.0, bool b=False, str t="a", *, SymInt k=2) -> Tensor'),
    (several, (), "(Tensor x, Tensor[] xs) -> (Tensor, Tensor)"), (nothing, ("x",), "(Tensor(a0!) x, SymInt[] sizes) -> ()")])
def test_inferred_schemas_are_pytorchs(function, mutated, text):
    assert library.infer_schema(function, mutates_args=mutated) == text
    assert library.infer_schema(function, mutates_args=mutated, op_name="a::b") == "a::b" + text


def test_functions_as_pytorchs_operators():
    aten = torch_np.ops.aten
    assert aten.add.Tensor(torch_np.ones(1), 2).tolist() == [3] and aten.sin.default(torch_np.zeros(1)).tolist() == [0]
    assert aten.mm is aten.mm and aten.add.Tensor is aten.add.Tensor and aten.add.Tensor.name() == "aten::add.Tensor"
    assert aten.sum.dim_IntList(torch_np.ones(2, 3), [1], True).tolist() == [[3], [3]] and repr(aten.add) == "<OpOverloadPacket(op='aten.add')>"
    assert torch_np.ops.prims.sin(torch_np.zeros(1)).tolist() == [0]
    for wrong in (lambda: aten.nothing, lambda: aten.add.nothing):
        with pytest.raises(AttributeError):
            wrong()
    assert torch_np.ops.loaded_libraries is not None
    with pytest.raises(OSError, match="no file"):
        torch_np.ops.load_library("/nowhere/lib.so")


def test_the_library_of_a_with_statement():
    with library._scoped_library("scoped_by_schema", "FRAGMENT") as lib:
        lib.define("twice(Tensor x) -> Tensor")
        lib.impl("twice", lambda x: x * 2, "CompositeExplicitAutograd")
        assert torch_np.ops.scoped_by_schema.twice(torch_np.ones(2)).tolist() == [2, 2]
    with pytest.raises(AttributeError):
        torch_np.ops.scoped_by_schema.twice
