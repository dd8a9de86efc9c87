"""Custom operators within compiled functions (Python functions, classes, libraries), and their
gradients."""
from __future__ import annotations

import warnings

import numpy
import pytest
from library_builds import needs_compiler

import torch_np
import torch_np.numpy as np
from torch_np import Tensor

calls = []


@torch_np.library.custom_op("compiled_ops::sigmoid")
def sigmoid(x: Tensor) -> Tensor:
    calls.append(tuple(x.shape))  # a side effect that the trace ignores
    return torch_np.from_numpy(1 / (1 + numpy.exp(-x.numpy())))


@sigmoid.register_fake
def _(x):
    return torch_np.empty_like(x)


sigmoid.register_autograd(lambda ctx, grad: grad * ctx.y * (1 - ctx.y), setup_context=lambda ctx, inputs, output: setattr(ctx, "y", output.detach()))


@torch_np.library.custom_op("compiled_ops::positive")
def positive(x: Tensor) -> Tensor:
    return torch_np.from_numpy(x.numpy()[x.numpy() > 0])


@torch_np.library.custom_op("compiled_ops::count_up", mutates_args=("total",))
def count_up(total: Tensor, by: float = 1.0) -> None:
    total.numpy()[...] += by


@torch_np.library.custom_op("compiled_ops::noisy")
def noisy(x: Tensor) -> Tensor:
    return x + torch_np.rand(x.shape)


def counts(f):
    s = f.statistics()
    return s["recorded"], s["replayed"], s["plain"]


def rows(seed, *shape):
    return np.array(numpy.random.default_rng(seed).standard_normal(shape))


@pytest.mark.parametrize("face", ["numpy", "torch"])
def test_a_python_operator_is_one_step(face):
    def f(x):
        return sigmoid(x * 2) + 1
    g = torch_np.compile(f, fullgraph=True)
    for seed in range(4):
        x = rows(seed, 5) if face == "numpy" else rows(seed, 5)._torch()
        got, expected = g(x), f(x)
        assert type(got) is type(x) and numpy.array_equal(numpy.asarray(got), numpy.asarray(expected))
    assert counts(g) == (1, 3, 0)
    assert [s.op for s in g.lower(x).details[0].steps] == ["mul", "compiled_ops::sigmoid", "add"]
    before = len(calls)
    g(x)
    assert len(calls) == before + 1  # in each replay


def test_it_is_called_by_its_name_in_a_namespace():
    f = torch_np.compile(lambda x: np._ops.compiled_ops.sigmoid(x), fullgraph=True)
    x = rows(0, 3)
    f(x)
    assert np.array_equal(f(x), sigmoid(x)) and counts(f) == (1, 1, 0)


def test_gradients_through_a_python_operator():
    def step(w):
        (sigmoid(w) * w).sum().backward()
        g = w.grad
        w.grad = None
        return g
    g = torch_np.compile(step, fullgraph=True)
    for seed in range(3):
        w = rows(seed, 4)._torch().requires_grad_()
        assert torch_np.equal(g(w), step(w))
    assert counts(g) == (1, 2, 0)


def test_shapes_that_depend_on_values_lead_to_other_records():
    g = torch_np.compile(lambda x: positive(x) * 2, fullgraph=True)
    for values in ([1.0, -1, 2], [3.0, -1, 2], [1.0, 1, 1], [-1.0, -1, 5], [0.5, 1, 2]):
        x = torch_np.tensor(values)
        assert torch_np.equal(g(x), x[x > 0] * 2)
    assert counts(g) == (3, 2, 0)


def test_arguments_that_are_changed():
    def f(total, by):
        count_up(total, by)
        doubled = total * 2
        count_up(total)
        return doubled
    g = torch_np.compile(f, fullgraph=True)
    mine, other = torch_np.zeros(3), torch_np.zeros(3)
    for by in (1.0, 1.0, 2.0, 1.0):
        assert torch_np.equal(g(mine, by), f(other, by)) and torch_np.equal(mine, other)
    assert counts(g) == (2, 2, 0)


def test_random_numbers_within_are_drawn_again():
    g = torch_np.compile(lambda x: noisy(x) * 2, fullgraph=True)
    x = torch_np.zeros(4)

    def drawn(f):
        torch_np.manual_seed(5)
        return [f(x).tolist() for _ in range(3)]
    got, expected = drawn(g), drawn(lambda x: noisy(x) * 2)
    assert got == expected and got[0] != got[1]


def test_equal_calls_are_one_and_unused_ones_none():
    def f(x):
        sigmoid(x + 5)
        return sigmoid(x) + sigmoid(x)
    g = torch_np.compile(f, fullgraph=True)
    assert str(g.lower(torch_np.ones(2))).count("sigmoid") == 1


def test_an_operator_that_is_made_anew_is_the_one_that_is_called():
    def make(factor):
        source = "@torch_np.library.custom_op('compiled_ops::again')\ndef again(x: Tensor) -> Tensor:\n    return x * factor"
        exec(compile(source, "<cell>", "exec"), {"torch_np": torch_np, "Tensor": Tensor, "factor": factor})
    make(2)
    f = torch_np.compile(lambda x: torch_np.ops.compiled_ops.again(x), fullgraph=True)
    x = torch_np.ones(2)
    assert f(x).tolist() == f(x).tolist() == [2, 2]
    make(3)
    assert f(x).tolist() == f(x).tolist() == [3, 3]


def test_another_kernel_makes_another_record():
    @torch_np.library.custom_op("compiled_ops::replaced")
    def replaced(x: Tensor) -> Tensor:
        return x + 1
    f = torch_np.compile(lambda x: replaced(x), fullgraph=True)
    x = torch_np.ones(2)
    f(x), f(x)
    replaced.register_kernel("cpu", lambda x: x + 2)
    assert f(x).tolist() == [3, 3]


def test_what_an_operator_raises_arrives():
    @torch_np.library.custom_op("compiled_ops::picky")
    def picky(x: Tensor) -> Tensor:
        if x.numpy()[0] < 0:
            raise KeyError("negative")
        return x.clone()
    f = torch_np.compile(lambda x: picky(x) * 2, fullgraph=True)
    f(torch_np.ones(2))
    assert f(torch_np.ones(2)).tolist() == [2, 2]
    with pytest.raises(KeyError, match="negative") as caught:
        f(-torch_np.ones(2))
    assert "compiled_ops::picky" in str(caught.value.__notes__)
    assert f(torch_np.ones(2)).tolist() == [2, 2]


def test_wrong_results_are_found_in_replays():
    answers = [torch_np.ones(2)]

    @torch_np.library.custom_op("compiled_ops::answering")
    def answering(x: Tensor) -> Tensor:
        return answers[0] if isinstance(answers[0], str) else answers[0].clone()
    f = torch_np.compile(lambda x: answering(x) * 2, fullgraph=True)
    f(torch_np.ones(2))
    answers[0] = "text"
    with pytest.raises(TypeError, match="compiled_ops::answering.*expected the function to return a Tensor, got str"):
        f(torch_np.ones(2))


class Square(torch_np.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], torch_np.tensor(in_data[0].asnumpy() ** 2))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], torch_np.tensor(2 * in_data[0].asnumpy() * out_grad[0].asnumpy()))


@torch_np.operator.register("compiled_square")
class SquareProp(torch_np.operator.CustomOpProp):
    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Square()


@pytest.mark.parametrize("size", [8, 50_000])
def test_what_an_operator_keeps_is_its_own(size):
    kept = []

    @torch_np.library.custom_op("compiled_ops::keeping")
    def keeping(x: Tensor) -> Tensor:
        kept.extend([x, x[2:4]])
        return x + 1
    f = torch_np.compile(lambda x: keeping(x * 2) * 3 + keeping(x + 7), fullgraph=True)
    for i in range(4):
        f(torch_np.full((size,), float(i)))
    assert [k[1].item() for k in kept] == [float(v) for i in range(4) for v in (2 * i, 2 * i, i + 7, i + 7)]


def test_operators_of_two_classes():
    f = torch_np.compile(lambda x: np._Custom(x, op_type="compiled_square") + 1, fullgraph=True)
    for seed in range(3):
        x = rows(seed, 4)
        assert np.array_equal(f(x), x ** 2 + 1)
    assert counts(f) == (1, 2, 0)

    def step(w):  # a CustomOp stores state for its backward, so such a call runs untraced
        torch_np.Custom(w, op_type="compiled_square").sum().backward()
        g = w.grad
        w.grad = None
        return g
    g = torch_np.compile(step)
    w = rows(0, 4)._torch().requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            assert torch_np.equal(g(w), 2 * w.detach())


LIBRARY = r"""
#include <torch_np/extension.h>
using namespace torch_np;
static void scale(Tensor x, double by, std::vector<int64_t>, Tensor to) {
  for (int64_t i = 0; i < x.numel(); ++i) to.data<double>()[i] = by * x.data<double>()[i];
}
static std::vector<Value> scale_gradient(const Graph& g, Value, double by, std::vector<int64_t>) {
  return {g.call("compiled_scale", g.grad(), Argument("by", by))};
}
TORCH_NP_OP("compiled_scale(Tensor x, *, float by=2.0, int[] unused=[]) -> Tensor", scale).gradient(scale_gradient);

static void product(Tensor x, Tensor y, double power, Tensor to) {
  for (int64_t i = 0; i < x.numel(); ++i) to.data<double>()[i] = power * x.data<double>()[i] * y.data<double>()[i];
}
static void product_gradient(const Gradient& g, Tensor x, Tensor y, double power) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    assign(g.input_grad(0).data<double>()[i], g.req(0), power * g.grad().data<double>()[i] * y.data<double>()[i]);
    assign(g.input_grad(1).data<double>()[i], g.req(1), power * g.grad().data<double>()[i] * x.data<double>()[i]);
  }
}
TORCH_NP_OP("compiled_product(Tensor x, Tensor y, float power=1.0) -> Tensor", product).gradient(product_gradient).takes_req();

static void lengths(Tensor x, std::string a, std::string b, Tensor to) {
  for (int64_t i = 0; i < x.numel(); ++i) to.data<double>()[i] = x.data<double>()[i] + 100.0 * a.size() + b.size();
}
TORCH_NP_OP("compiled_lengths(Tensor x, str a, str b) -> Tensor", lengths);

static void add_to(Tensor total, Tensor x) {
  for (int64_t i = 0; i < x.numel(); ++i) total.data<double>()[i] += x.data<double>()[i];
}
TORCH_NP_OP("compiled_add_to(Tensor(a!) total, Tensor x) -> ()", add_to);

static void jitter(const OpResource& resource, Tensor x, Tensor to) {
  for (int64_t i = 0; i < x.numel(); ++i) to.data<double>()[i] = x.data<double>()[i] + resource.random_uniform();
}
TORCH_NP_OP("compiled_jitter(Tensor x) -> Tensor", jitter);

static MXReturnValue twice(const Attributes& a, MXTensors& in, MXTensors& out) {
  for (int64_t i = 0; i < in[0].size(); ++i) out[0].data<double>()[i] = a.number("by", 2) * in[0].data<double>()[i];
  return MX_SUCCESS;
}
REGISTER_OP(compiled_twice).setForward(twice, "cpu");
"""


@pytest.fixture(scope="module")
def library(builds):
    torch_np.library.load(builds.cpp("compiled_operators", LIBRARY))
    return torch_np.ops


@needs_compiler
def test_operators_of_libraries(library):
    def f(x, y):
        return np._ops.compiled_scale(x + 1, by=3.0) - np._ops.compiled_product(x, y[::-1], 2.0) + np._ops.compiled_twice(x, by=5)
    g = torch_np.compile(f, fullgraph=True)
    for seed in range(4):
        x, y = rows(seed, 1500), rows(seed + 9, 1500)
        assert np.array_equal(g(x, y), f(x, y)) and np.array_equal(g(x, y), torch_np.compile(f)(x, y))
        assert type(g(x, y)) is np.ndarray
    assert counts(g)[0] == 1 and counts(g)[2] == 0
    text = str(g.lower(x, y))
    assert "compiled_scale(%2, 3, [])" in text or "compiled_scale(%3, 3, [])" in text
    assert "by='5'" in text
    x, y = x._torch(), y._torch()
    h = torch_np.compile(lambda x, y: library.compiled_product(x, y), fullgraph=True)
    h(x, y)
    assert torch_np.equal(h(x, y), x * y) and type(h(x, y)) is Tensor


@needs_compiler
def test_gradients_of_operators_of_libraries(library):
    def step(w, v):
        loss = (library.compiled_scale(w, by=0.5) * library.compiled_product(w, v, 3.0) + library.compiled_product(w, w, 2.0)
                + library.compiled_product(w, v, 5.0)).sum()
        loss.backward()
        grads = w.grad, v.grad
        w.grad = v.grad = None
        return grads
    g = torch_np.compile(step, fullgraph=True)
    for seed in range(3):
        w, v = (rows(seed + k, 6)._torch().requires_grad_() for k in (0, 7))
        for a, b in zip(g(w, v), step(w, v), strict=True):
            assert torch_np.equal(a, b)
    assert counts(g) == (1, 2, 0)


@needs_compiler
def test_changes_and_draws_of_operators_of_libraries(library):
    def f(total, x):
        library.compiled_add_to(total, x)
        return library.compiled_jitter(total) * 2

    def outcome(f):
        torch_np.manual_seed(3)
        total = torch_np.zeros(3, dtype=torch_np.float64)
        return [f(total, torch_np.ones(3, dtype=torch_np.float64) * i).tolist() for i in range(4)], total.tolist()
    g = torch_np.compile(f, fullgraph=True)
    assert outcome(g) == outcome(f)
    assert counts(g) == (1, 3, 0)


@needs_compiler
def test_errors_of_operators_of_libraries(library):
    f = torch_np.compile(lambda x: library.compiled_scale(x), fullgraph=True)
    with pytest.raises(TypeError, match=r"compiled_scale\(\) of libcompiled_operators.so"):
        f(torch_np.ones(3))


@needs_compiler
def test_calls_with_texts_that_look_alike_are_two(library):
    def f(x):
        return library.compiled_lengths(x, "p', 'q", "r") - library.compiled_lengths(x, "p", "q', 'r")
    g = torch_np.compile(f, fullgraph=True)
    x = torch_np.zeros(2, dtype=torch_np.float64)
    g(x)
    assert g(x).tolist() == [(6 * 100 + 1) - (1 * 100 + 6)] * 2
