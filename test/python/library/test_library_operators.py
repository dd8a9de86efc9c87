"""Operators of C++ libraries behave as built-in ones: layouts, empty and 0-d arrays, dtypes, first
and second gradients, versions, states, threads, processes, memory, and their presentation in
Python."""
from __future__ import annotations

import copy
import gc
import inspect
import logging
import os
import pickle
import pydoc
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from library_builds import c_library, needs_compiler
from worker_threads import together

import torch_np
import torch_np.numpy as np
from torch_np import Tensor, library
from torch_np.autograd import grad, gradcheck, gradgradcheck
from torch_np.numpy import ndarray

pytestmark = needs_compiler
F64 = torch_np.float64

SOURCE = r"""
#include <torch_np/extension.h>
#include <atomic>
#include <cmath>
#include <cstring>
using namespace torch_np;

// --- layouts: the offset of each element from the first one, in elements; then the strides.
static Shape layout_shape(Tensor x) { return {x.numel() + x.ndim()}; }
static std::vector<Spec> of_int64(Tensor x) { return {{layout_shape(x), kInt64}}; }
static void layout(Tensor x, Tensor result) {
  int64_t* out = result.data<int64_t>();
  std::vector<int64_t> index(static_cast<size_t>(x.ndim()));
  for (int64_t n = x.numel(); n > 0; --n) {
    int64_t at = 0;
    for (int64_t d = 0; d < x.ndim(); ++d) at += index[static_cast<size_t>(d)] * x.stride(d);
    *out++ = x.data<int32_t>()[at];
    for (int64_t d = x.ndim() - 1; d >= 0 && ++index[static_cast<size_t>(d)] == x.size(d); --d) index[static_cast<size_t>(d)] = 0;
  }
  for (int64_t d = 0; d < x.ndim(); ++d) *out++ = x.stride(d);
}
TORCH_NP_OP("lib_ops::layout(Tensor x) -> Tensor", layout).shape(of_int64);
TORCH_NP_OP("lib_ops::strided_layout(Tensor x) -> Tensor", layout).shape(of_int64).takes_strides();

// --- a derivative with data: y = x * x * by. It cannot be differentiated again.
static void squares(Tensor x, double by, Tensor y) {
  with_floating(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* in = x.data<T>();
    T* out = y.data<T>();
    for (int64_t i = 0, n = x.numel(); i < n; ++i) out[i] = in[i] * in[i] * static_cast<T>(by);
  });
}
static void squares_gradient(const Gradient& g, Tensor x, double by) {
  with_floating(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *in = x.data<T>(), *grad = g.grad().template data<T>();
    T* out = g.input_grad().template data<T>();
    for (int64_t i = 0, n = x.numel(); i < n; ++i) out[i] = grad[i] * 2 * in[i] * static_cast<T>(by);
  });
}
TORCH_NP_OP("lib_ops::squares(Tensor x, *, float by=1.0) -> Tensor", squares).gradient(squares_gradient).doc("x * x * by.");

// --- a derivative composed of operators, including itself: exp.
static void exponential(Tensor x, Tensor y) {
  for (int64_t i = 0, n = x.numel(); i < n; ++i) y.data<double>()[i] = std::exp(x.data<double>()[i]);
}
static std::vector<Value> exponential_gradient(const Graph& g, Value x) {
  if (g.output().shape() != x.shape() || g.output().dtype() != kFloat64) throw ValueError("the output is described wrongly");
  return {g.call("mul", g.grad(), g.call("lib_ops::exponential", x))};
}
TORCH_NP_OP("lib_ops::exponential(Tensor x) -> Tensor", exponential).gradient(exponential_gradient);
// The same, with its result saved.
static void from_output(const Gradient& g, Tensor x) {
  for (int64_t i = 0, n = x.numel(); i < n; ++i)
    g.input_grad().data<double>()[i] = g.grad().data<double>()[i] * g.output().data<double>()[i];
}
TORCH_NP_OP("lib_ops::exponential_of_output(Tensor x) -> Tensor", exponential).gradient(from_output);

// --- several inputs and outputs, of several dtypes; req.
static void product(Tensor a, Tensor b, Tensor c, Tensor signs) {
  for (int64_t i = 0, n = a.numel(); i < n; ++i) {
    c.data<double>()[i] = a.data<double>()[i] * b.data<double>()[i];
    signs.data<int64_t>()[i] = c.data<double>()[i] > 0;
  }
}
static std::vector<Spec> product_shape(Tensor a, Tensor) { return {{a.shape(), kFloat64}, {a.shape(), kInt64}}; }
static void product_gradient(const Gradient& g, Tensor a, Tensor b) {
  for (int side = 0; side < 2; ++side) {
    const Tensor other = side ? a : b;
    if (g.req(side) == Req::Null && g.input_grad(side).data()) throw ValueError("memory for a gradient that nobody wants");
    for (int64_t i = 0, n = a.numel(); i < n && g.req(side) != Req::Null; ++i)
      assign(g.input_grad(side).data<double>()[i], g.req(side), g.grad().data<double>()[i] * other.data<double>()[i]);
  }
}
TORCH_NP_OP("lib_ops::product(Tensor a, Tensor b) -> (Tensor, Tensor)", product).shape(product_shape).gradient(product_gradient).takes_req();

// --- lists and optional Tensors.
static void total(std::vector<Tensor> xs, std::vector<double> weights, Tensor bias, Tensor result) {
  if (xs.size() != weights.size()) throw ValueError("as many weights as Tensors");
  for (int64_t i = 0, n = result.numel(); i < n; ++i) {
    double sum = bias.defined() ? bias.data<double>()[i] : 0;
    for (size_t k = 0; k < xs.size(); ++k) sum += weights[k] * xs[k].data<double>()[i];
    result.data<double>()[i] = sum;
  }
}
static std::vector<Value> total_gradient(const Graph& g, std::vector<Value> xs, std::vector<double> weights, Value bias) {
  std::vector<Value> made;
  for (size_t k = 0; k < xs.size(); ++k) made.push_back(g.call("mul", g.grad(), weights[k]));
  made.push_back(bias.defined() ? g.grad() : Value());
  return made;
}
TORCH_NP_OP("lib_ops::total(Tensor[] xs, float[] weights, *, Tensor? bias=None) -> Tensor", total).gradient(total_gradient);
static void halves(Tensor x, std::vector<Tensor> results) {
  for (size_t k = 0; k < results.size(); ++k)
    std::memcpy(results[k].data(), x.data<double>() + static_cast<int64_t>(k) * results[k].numel(), sizeof(double) * static_cast<size_t>(results[k].numel()));
}
static std::vector<Spec> halves_shape(Tensor x) { return {{{x.size(0) / 2}, x.dtype()}, {{x.size(0) / 2}, x.dtype()}}; }
TORCH_NP_OP("lib_ops::halves(Tensor x) -> Tensor[]", halves).shape(halves_shape);

// --- arguments of all types, as they arrive.
static void echo(Tensor, int64_t i, double f, bool b, std::string s, std::complex<double> c, std::vector<int64_t> is, std::vector<bool> bs,
                 std::optional<std::string> none, Tensor result) {
  double* out = result.data<double>();
  *out++ = static_cast<double>(i), *out++ = f, *out++ = b, *out++ = static_cast<double>(s.size()), *out++ = c.real(), *out++ = c.imag();
  *out++ = static_cast<double>(is.size()), *out++ = is.empty() ? -1 : static_cast<double>(is.back());
  *out++ = static_cast<double>(bs.size()), *out++ = none ? static_cast<double>(none->size()) : -1;
}
static Shape echo_shape(Tensor, int64_t, double, bool, std::string, std::complex<double>, std::vector<int64_t>, std::vector<bool>,
                        std::optional<std::string>) { return {10}; }
TORCH_NP_OP("lib_ops::echo(Tensor x, int i=1, float f=2.5, bool b=True, str s='abc', Scalar c=2, int[] list=[4, 5], bool[] bs=[], str? none=None) -> Tensor",
            echo).shape(echo_shape);

// --- inputs changed in place.
static void add_one(Tensor x) {
  for (int64_t i = 0, n = x.numel(); i < n; ++i) x.data<double>()[i] += 1;
}
TORCH_NP_OP("lib_ops::add_one(Tensor(a!) x) -> ()", add_one);
static MXReturnValue counted(const Attributes&, MXTensors& in, MXTensors& out) {  // out = in[0] + in[1]; in[1] += 1
  for (int64_t i = 0, n = in[0].size(); i < n; ++i) out[0].data<double>()[i] = in[0].data<double>()[i] + in[1].data<double>()[i]++;
  return MX_SUCCESS;
}
static MXReturnValue counted_back(const Attributes&, MXTensors& in, MXTensors& out) {
  for (auto& grad : out)
    if (grad.data_ptr) std::memcpy(grad.data_ptr, in[0].data_ptr, sizeof(double) * static_cast<size_t>(in[0].size()));
  return MX_SUCCESS;
}
static MXReturnValue second(const Attributes&, std::vector<int>& indices) { return indices = {1}, MX_SUCCESS; }
REGISTER_OP(lib_ops_counted).setForward(counted, "cpu").setBackward(counted_back, "cpu").setMutateInputs(second)
    .setSavesNoMutated();

// --- states.
static std::atomic<int64_t> live_states{0}, forwards{0};
class Kept : public CustomStatefulOp {
 public:
  explicit Kept(double by) : by_(by) { ++live_states; }
  ~Kept() override { --live_states; }
  MXReturnValue Forward(MXTensors& in, MXTensors& out, const OpResource& resource) override {
    double* scratch = static_cast<double*>(resource.alloc_cpu(sizeof(double)));
    if (reinterpret_cast<uintptr_t>(scratch) % 64 != 0) return MX_FAIL;
    is_train_ = resource.is_train();
    for (int64_t i = 0; i < in[0].size(); ++i) out[0].data<double>()[i] = by_ * in[0].data<double>()[i];
    by_ *= 2;  // read by backward
    return MX_SUCCESS;
  }
  MXReturnValue Backward(MXTensors& in, MXTensors& out, const OpResource&) override {
    for (int64_t i = 0; i < in[0].size(); ++i) out[0].data<double>()[i] = by_ * in[0].data<double>()[i] * is_train_;
    return MX_SUCCESS;
  }
 private:
  double by_;
  bool is_train_ = false;
};
REGISTER_OP(lib_ops_kept).setCreateOpState([](Attributes attributes, CustomStatefulOp** state) {
  *state = new Kept(std::stod(attributes.at("by")));
  return MX_SUCCESS;
});
static Spec one_number() { return {{}, kInt64}; }
TORCH_NP_OP("lib_ops::live_states() -> Tensor", static_cast<void (*)(Tensor)>([](Tensor n) { *n.data<int64_t>() = live_states; })).shape(one_number);

// --- random numbers, and calls that are counted.
static void noise(const OpResource& resource, Tensor, Tensor y) {
  ++forwards;
  for (int64_t i = 0, n = y.numel(); i < n; ++i) y.data<double>()[i] = resource.random_uniform();
}
TORCH_NP_OP("lib_ops::noise(Tensor x) -> Tensor", noise);
TORCH_NP_OP("lib_ops::forwards() -> Tensor", static_cast<void (*)(Tensor)>([](Tensor n) { *n.data<int64_t>() = forwards; })).shape(one_number);

// --- inferType determines the dtypes.
static MXReturnValue to_float(const Attributes&, MXTensors& in, MXTensors& out) {
  for (int64_t i = 0; i < in[0].size(); ++i) out[0].data<float>()[i] = in[0].data<float>()[i];
  return MX_SUCCESS;
}
REGISTER_OP(lib_ops_floats).setForward(to_float, "cpu").setInferType([](const Attributes&, std::vector<int>& in, std::vector<int>& out) {
  if (in[0] != kFloat32) throw TypeError("expected an array of float32, got " + dtype_name(in[0]) + ": cast it first");
  out[0] = kFloat32;
  return MX_SUCCESS;
});
"""


@pytest.fixture(scope="module")
def path(builds):
    found = builds.cpp("operators", SOURCE)
    library.load(found)
    return found


@pytest.fixture(scope="module")
def ops(path):
    return torch_np.ops.lib_ops


# ------------------------------------------------------------------------------------------------------ loading

def test_loading_twice_is_harmless(path, tmp_path):
    before = library.list()
    names = library.load(path)
    assert library.list() == before and library.load(str(path)) == names
    link = tmp_path / "another_name.so"
    link.symlink_to(path)
    assert library.load(link) == names and library.list() == before


def test_libraries_are_listed(path):
    found, = [each for each in library.list() if each.path == os.path.realpath(path)]
    assert found.operators == library.load(path) and "lib_ops::squares" in found.operators and "lib_ops_kept" in found.operators
    found.operators.clear()  # a copy
    assert library.load(path)


def test_loading_logs_what_it_found(builds, caplog):
    source = '#include <torch_np/extension.h>\nstatic void f(torch_np::Tensor, torch_np::Tensor) {}\nTORCH_NP_OP("lib_logged::f(Tensor x) -> Tensor", f);\n'
    found = builds.cpp("logged", source)
    with caplog.at_level(logging.INFO, logger="torch_np.library"):
        library.load(found)
    assert [record.getMessage() for record in caplog.records] == [f"Found 1 operator in {os.path.realpath(found)}: lib_logged::f"]


def test_a_library_without_operators(builds):
    assert library.load(builds.cpp("empty", "#include <torch_np/extension.h>\n")) == []


# ------------------------------------------------------------------------------------------------------ layouts and shapes

def values(shape):
    return torch_np.arange(int(numpy.prod(shape)), dtype=torch_np.int32).reshape(shape)


VIEWS = {
    "as it is": lambda x: x, "transposed": lambda x: x.transpose(0, 2), "steps": lambda x: x[::2, :, ::3], "from the middle": lambda x: x[1:],
    "broadcast": lambda x: x[:1].expand(5, 3, 4), "one element": lambda x: x[1, 1, 1], "none": lambda x: x[:, :0],
}


@pytest.mark.parametrize("view", VIEWS)
def test_inputs_are_contiguous_unless_the_operator_takes_strides(ops, view):
    x = VIEWS[view](values((2, 3, 4)))
    expected = numpy.ascontiguousarray(x.tolist(), dtype=numpy.int32).reshape(x.shape)
    n = x.numel()
    result = ops.layout(x).tolist()
    assert result[:n] == expected.ravel().tolist()
    if n > 1:
        assert result[n:] == [s // 4 for s in expected.strides]
    result = ops.strided_layout(x).tolist()
    assert result == expected.ravel().tolist() + list(x.stride())


def test_views_of_numpys_arrays(ops):
    x = np.asarray(numpy.arange(24, dtype=numpy.int32).reshape(2, 3, 4)[:, ::-1, ::2])  # negative strides
    expected = numpy.arange(24).reshape(2, 3, 4)[:, ::-1, ::2].ravel().tolist()
    assert np._ops.lib_ops.layout(x).tolist()[:12] == expected
    assert np._ops.lib_ops.strided_layout(x).tolist() == [*expected, 12, -4, 2]
    raw = numpy.zeros(4 * 6 + 1, dtype=numpy.uint8)
    odd = raw[1:].view(numpy.int32)  # not aligned
    odd[:] = range(6)
    assert np._ops.lib_ops.strided_layout(np.asarray(odd)).tolist()[:6] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (2, 1, 3), (1,) * 20])
def test_shapes(ops, shape):
    x = torch_np.full(shape, 3.0, dtype=F64, requires_grad=True)
    y = ops.squares(x, by=2)
    assert y.shape == shape and y.dtype is F64 and y.flatten().tolist() == [18.0] * x.numel()
    y.sum().backward()
    assert x.grad.shape == shape and x.grad.flatten().tolist() == [12.0] * x.numel()
    assert type(np._ops.lib_ops.squares(np.full(shape, 3.0))) is ndarray


def test_the_device_meta_computes_shapes_only(ops):
    before = ops.forwards().item()
    y = ops.noise(torch_np.empty((1000, 1000, 1000), device="meta"))
    assert y.shape == (1000, 1000, 1000) and y.device.type == "meta" and ops.forwards().item() == before
    a, signs = ops.product(*[torch_np.empty(3, dtype=F64, device="meta")] * 2)
    assert a.dtype is F64 and signs.dtype is torch_np.int64


def test_the_operator_decides_about_dtypes(ops):
    floats = torch_np.ops.lib_ops_floats
    assert floats(torch_np.ones(2)).dtype is torch_np.float32
    for dtype in (torch_np.int64, torch_np.bool, F64):
        with pytest.raises(TypeError, match=r"lib_ops_floats\(\) of liboperators.so: .*expected an array of float32, got \w+: cast it first"):
            floats(torch_np.ones(2, dtype=dtype))


def test_arguments_of_all_types(ops):
    x = torch_np.ones(1, dtype=F64)
    assert ops.echo(x).tolist() == [1, 2.5, 1, 3, 2, 0, 2, 5, 0, -1]
    assert ops.echo(x, -7, 3, False, "na\u00efve\0", 1 - 2j, [], [True] * 3, "").tolist() == [-7, 3, 0, 7, 1, -2, 0, -1, 3, 0]
    with pytest.raises(OverflowError, match="18446744073709551615"):
        ops.echo(x, c=2**64 - 1)
    assert ops.echo(x, c=True, i=2, none="ab").tolist() == [2, 2.5, 1, 3, 1, 0, 2, 5, 0, 2]


def test_lists_and_what_is_optional(ops):
    a, b, bias = (torch_np.tensor(v, dtype=F64, requires_grad=True) for v in ([1.0, 2.0], [3.0, 4.0], [10.0, 20.0]))
    assert ops.total([a, b], [1, 10]).tolist() == [31, 42]
    assert ops.total((a,), [2], bias=bias).tolist() == [12, 24]
    assert gradcheck(lambda a, b, bias: ops.total([a, b], [1.5, -2], bias=bias), (a, b, bias))
    assert gradgradcheck(lambda a, b: ops.total([a, b], [1.5, -2]), (a, b))
    assert type(np._ops.lib_ops.total([[1.0], [2.0]], [1, 1])) is ndarray
    first, last = ops.halves(torch_np.arange(4, dtype=F64))
    assert type(ops.halves(torch_np.arange(4, dtype=F64))) is list and first.tolist() == [0, 1] and last.tolist() == [2, 3]


# ------------------------------------------------------------------------------------------------------ gradients

def test_gradients(ops):
    x = torch_np.tensor([0.5, -1.0, 2.0], dtype=F64, requires_grad=True)
    y = torch_np.tensor([2.0, 3.0, -1.0], dtype=F64, requires_grad=True)
    assert gradcheck(lambda x: ops.squares(x, by=3), x)
    assert gradcheck(ops.exponential, x) and gradgradcheck(ops.exponential, x)
    assert gradcheck(ops.exponential_of_output, x)
    assert gradcheck(lambda a, b: ops.product(a, b)[0], (x, y))
    assert gradcheck(lambda a: ops.product(a, a)[0], x)  # both gradients are added
    assert gradcheck(lambda a: ops.product(a, y.detach())[0], x)  # y does not need a gradient
    assert gradcheck(lambda a: ops.product(y.detach().expand(3), a[::1])[0], x)
    third = ops.exponential(x)
    for _ in range(3):
        third, = grad(third.sum(), x, create_graph=True)
    numpy.testing.assert_allclose(third.tolist(), numpy.exp([0.5, -1.0, 2.0]))


def test_a_gradient_of_arrays_with_strides(ops):
    x = torch_np.arange(6, dtype=F64).reshape(2, 3).requires_grad_()
    (ops.squares(x.t()) * torch_np.arange(6, dtype=F64).reshape(3, 2)).t().sum().backward()
    assert x.grad.tolist() == [[0, 4, 16], [6, 24, 50]]


def test_a_derivative_with_data_is_not_differentiated_again(ops):
    x = torch_np.ones(3, dtype=F64, requires_grad=True)
    first, = grad(ops.squares(x).sum(), x, create_graph=True)
    assert first.tolist() == [2, 2, 2] and first.requires_grad
    with pytest.raises(RuntimeError, match=r"lib_ops::squares\(\) of liboperators.so: its derivative is not made of operators"):
        first.sum().backward()
    assert not grad(ops.squares(x).sum(), x)[0].requires_grad


def test_outputs_without_a_gradient(ops):
    x = torch_np.tensor([1.0, -2.0], dtype=F64, requires_grad=True)
    c, signs = ops.product(x, x)
    assert signs.tolist() == [1, 1] and c.requires_grad and not signs.requires_grad
    c.sum().backward()
    assert x.grad.tolist() == [2, -4]
    with torch_np.no_grad():
        assert not ops.squares(x).requires_grad
    assert not ops.squares(x.detach()).requires_grad


def test_what_is_saved_is_checked_for_changes(ops):
    x = torch_np.ones(3, dtype=F64, requires_grad=True)
    inner = x * 1
    y = ops.squares(inner)
    inner += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    y = ops.exponential_of_output(x)
    with torch_np.no_grad():
        y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    y = ops.squares(x)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time|already been freed"):
        y.sum().backward()


def test_graphs_do_not_keep_themselves_alive(ops):
    """A saved output is not owned by its own graph, so reference counting alone frees it."""
    gc.disable()
    try:
        before = torch_np.ops.lib_ops.live_states().item()
        for _ in range(5):
            y = torch_np.ops.lib_ops_kept(torch_np.ones(2, dtype=F64, requires_grad=True), by=1)
            del y
        assert torch_np.ops.lib_ops.live_states().item() == before
    finally:
        gc.enable()


# ------------------------------------------------------------------------------------------------------ inputs that change, states

def test_changes_in_place_are_versions(ops):
    x = torch_np.zeros(4, dtype=F64)
    version = x._version
    assert ops.add_one(x) is None
    assert x.tolist() == [1, 1, 1, 1] and x._version == version + 1
    base = torch_np.zeros((3, 4), dtype=F64)
    ops.add_one(base[:, ::2])  # the operator changes a copy, which is written back
    assert base.tolist() == [[1, 0, 1, 0]] * 3 and base._version > 0
    ops.add_one(base.t())
    assert base.tolist() == [[2, 1, 2, 1]] * 3
    a = np.zeros((2, 2))
    np._ops.lib_ops.add_one(a[:, 1])
    assert a.tolist() == [[0, 1], [0, 1]]
    theirs = numpy.zeros(3)
    np._ops.lib_ops.add_one(theirs)
    assert theirs.tolist() == [1, 1, 1]


def test_saved_values_notice_operators_that_change_them(ops):
    x = torch_np.ones(3, dtype=F64, requires_grad=True)
    inner = x * 1
    y = inner * inner
    with torch_np.no_grad():
        ops.add_one(inner)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_counter_beside_what_requires_grad(ops):
    x, counter = torch_np.ones(3, dtype=F64, requires_grad=True), torch_np.zeros(3, dtype=F64)
    counted = torch_np.ops.lib_ops_counted
    y = counted(x, counter) + counted(x, counter)
    assert y.tolist() == [3, 3, 3] and counter.tolist() == [2, 2, 2] and counter._version == 2
    y.sum().backward()
    assert x.grad.tolist() == [2, 2, 2] and counter.grad is None


def test_a_state_lives_as_long_as_the_graph_needs_it(ops):
    live = ops.live_states().item()
    kept = torch_np.ops.lib_ops_kept
    assert kept(torch_np.ones(2, dtype=F64), by=3).tolist() == [3, 3]
    assert ops.live_states().item() == live  # no node was recorded
    x = torch_np.ones(2, dtype=F64, requires_grad=True)
    y, z = kept(x, by=3), kept(x, by=5)
    assert ops.live_states().item() == live + 2
    (y + z).sum().backward(retain_graph=True)
    assert x.grad.tolist() == [16, 16]  # 6 and 10: each call has its own state
    del y
    assert ops.live_states().item() == live + 1
    z.sum().backward()
    assert x.grad.tolist() == [26, 26]
    del z
    assert ops.live_states().item() == live
    with pytest.raises(RuntimeError, match=r"lib_ops_kept\(\) of liboperators.so: createOpState"):
        kept(x, by="three")
    assert ops.live_states().item() == live


def test_random_numbers_are_the_generators(ops):
    x = torch_np.empty(5, dtype=F64)
    torch_np.manual_seed(7)
    first = ops.noise(x).tolist()
    assert ops.noise(x).tolist() != first and all(0 <= v < 1 for v in first)
    torch_np.manual_seed(7)
    assert ops.noise(x).tolist() == first
    torch_np.manual_seed(7)
    long = ops.noise(torch_np.empty(5000, dtype=F64)).tolist()  # releases the interpreter's lock
    assert long[:5] == first and len(set(long)) == 5000


# ------------------------------------------------------------------------------------------------- presentation in Python

def test_what_python_shows(ops):
    op = ops.squares
    assert repr(op) == "<operator lib_ops::squares(Tensor x, *, float by=1.0) -> Tensor>"
    assert repr(np._ops.lib_ops.squares).endswith("of arrays>")
    assert op.__name__ == op.__qualname__ == "squares" and op.__doc__ == "x * x * by." and op.__module__ == "torch_np.ops"
    assert str(inspect.signature(op)) == "(x, *, by=1.0)"
    assert str(inspect.signature(torch_np.ops.lib_ops_kept)) == "(*inputs, **attributes)"
    assert op.qualified_name == "lib_ops::squares" and op.origin.endswith("liboperators.so")
    assert "squares" in dir(torch_np.ops.lib_ops) and "lib_ops_kept" in dir(torch_np.ops) and "lib_ops" in dir(np._ops)
    assert "squares(x, *, by=1.0)\n    x * x * by." in pydoc.render_doc(op, renderer=pydoc.plaintext)
    with pytest.raises(AttributeError, match="lib_ops has no operator 'cubes': registered are .*squares"):
        ops.cubes
    with pytest.raises(TypeError, match=r"squares\(\)"):
        op()


def test_faces_give_what_they_were_given(ops):
    x = torch_np.ones(2, dtype=F64)
    assert type(ops.squares(x)) is Tensor and type(np._ops.lib_ops.squares(x)) is ndarray
    assert type(ops.squares(np.ones(2))) is ndarray and type(np._ops.lib_ops.squares([1.0, 2.0])) is ndarray
    assert type(torch_np.ops.lib_ops_kept(np.ones(2), by=1)) is ndarray
    with pytest.raises(TypeError, match="must be Tensor, not list"):
        ops.squares([1.0])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_operators_are_pickled_by_name(ops, protocol):
    for op in (ops.squares, np._ops.lib_ops.squares, torch_np.ops.lib_ops_kept):
        assert pickle.loads(pickle.dumps(op, protocol)) is op
    assert copy.copy(ops.squares) is copy.deepcopy(ops.squares) is ops.squares


def test_another_process_needs_the_library_for_what_was_pickled(ops, path):
    program = "import pickle, sys, torch_np\ndata = bytes.fromhex(sys.argv[1])\ntry:\n  pickle.loads(data)\nexcept LookupError as e:\n  print(e)\n"
    program += "torch_np.library.load(sys.argv[2])\nprint(pickle.loads(data)(torch_np.full((2,), 3.0)).tolist())\n"
    ran = subprocess.run([sys.executable, "-c", program, pickle.dumps(ops.squares).hex(), str(path)], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["no operator lib_ops::squares is registered here: import the module that makes it, or load the "
                                       "library, first", "[9.0, 9.0]"]


# ------------------------------------------------------------------------------------------------------ threads, processes

def in_threads(function, n=8):
    together(*[function] * n)


def test_threads_call_operators_at_the_same_time(ops):
    live = ops.live_states().item()
    kept = torch_np.ops.lib_ops_kept

    def calls():
        for n in (3, 5000):  # with the interpreter's lock, and without
            for _ in range(20):
                x = torch_np.full((n,), 2.0, dtype=F64, requires_grad=True)
                (ops.squares(x) + ops.exponential(x) * 0 + kept(x, by=2)).sum().backward()
                assert x.grad.tolist() == [8.0] * n
                assert ops.noise(x.detach()).max().item() < 1
                with pytest.raises(ValueError, match=r"lib_ops::total\(\) of liboperators.so: forward: as many weights"):
                    ops.total([x], [1.0, 2.0])

    in_threads(calls)
    assert ops.live_states().item() == live


def test_threads_load_a_library_once(builds):
    source = '#include <torch_np/extension.h>\nstatic void f(torch_np::Tensor, torch_np::Tensor) {}\nTORCH_NP_OP("lib_threads::f(Tensor x) -> Tensor", f);\n'
    found = builds.cpp("of_threads", source)
    before = len(library.list())
    in_threads(lambda: library.load(found))
    assert len(library.list()) == before + 1 and torch_np.ops.lib_threads.f(torch_np.ones(2)).shape == (2,)


def test_a_forked_process_calls_operators(ops):
    x = torch_np.ones(5000, dtype=F64, requires_grad=True)
    ops.squares(x).sum().backward()
    child = os.fork()
    if child == 0:
        try:
            ops.squares(x).sum().backward()
            os._exit(0 if x.grad.tolist() == [4.0] * 5000 else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


def test_the_interpreter_may_end_while_threads_call(ops, path):
    """Threads may wait for the interpreter's lock within a library's function when the process
    ends. They block there for good: no C++ exception is thrown that a library could catch."""
    program = """
import sys, threading, time, torch_np
torch_np.library.load(sys.argv[1])
ops, x = torch_np.ops.lib_ops, torch_np.ones(5000, dtype=torch_np.float64, requires_grad=True)
def noise():
    while True: ops.noise(x.detach())
def derivatives():
    while True: ops.exponential(x).sum().backward()
for function in (noise, noise, derivatives, derivatives):
    threading.Thread(target=function, daemon=True).start()
time.sleep(0.05)
"""
    for _ in range(4):
        ran = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=120)
        assert (ran.returncode, ran.stderr) == (0, "")


# ------------------------------------------------------------------------------------------------------ GPUs

ON_A_GPU = r"""
static int32_t on_gpu(const TorchNpOperator* op, const TorchNpCall* call) {
  uint64_t key[2], bits;
  (void)op;
  char* there = call->host->allocate(call->context, 2, 100);
  char* here = call->host->allocate(call->context, 1, 100);
  if (!there || !here || call->host->random_key(call->context, key) || call->host->random_bits(call->context, &bits, 1)) return 1;
  memset(here, 1, 100);
  if ((uintptr_t)there % 64 || (uintptr_t)here % 64) return fail(call, TORCH_NP_VALUE_ERROR, "memory is not aligned");
  if (call->device_type != 2 || call->inputs[0].device_type != 2 || call->outputs[0].device_type != 2 || !call->outputs[0].data)
    return fail(call, TORCH_NP_VALUE_ERROR, "it is told of another device");
  return call->host->allocate(call->context, 2, 1ULL << 62) == 0;
}
"""


@pytest.mark.skipif(not Path(torch_np.__file__).with_name("libtorch_np_cuda_emulated.so").exists(), reason="built without TORCH_NP_CUDA_EMULATION")
def test_functions_for_the_gpu(builds):
    source = c_library('OPERATOR("lib_gpu::there", .forward_cpu = 0, .forward_gpu = on_gpu), OPERATOR("lib_gpu::here"),', ON_A_GPU)
    program = """
import sys, torch_np
torch_np.library.load(sys.argv[1])
def raised(function, kind, *words):
    try:
        function()
    except kind as error:
        assert all(word in str(error) for word in words), error
    else:
        raise AssertionError(f"no {kind}")
ops, x, y = torch_np.ops.lib_gpu, torch_np.ones(3, device="cuda"), torch_np.ones(3)
raised(lambda: ops.there(x), MemoryError, "lib_gpu::there() of libon_gpu.so: forward: allocate: ")  # after all checks
raised(lambda: ops.there(y), NotImplementedError, "lib_gpu::there() of libon_gpu.so: ", "no function for device 'cpu'")
raised(lambda: ops.here(x), NotImplementedError, "lib_gpu::here() of libon_gpu.so: ", "no function for device 'cuda:0'")
raised(lambda: ops.here(x, y), RuntimeError, "lib_gpu::here() of libon_gpu.so: ", "on one device, got cuda:0 and cpu")
assert ops.here(y).device.type == "cpu"
recorded = torch_np.ones(3, requires_grad=True)
raised(lambda: ops.here(recorded).sum().backward(), NotImplementedError, "lib_gpu::here() of libon_gpu.so: ", "no derivative")
"""
    ran = subprocess.run([sys.executable, "-c", program, str(builds.c("on_gpu", source))], capture_output=True, text=True,
                         env={**os.environ, "TORCH_NP_CUDA_EMULATED": "1"})
    assert ran.returncode == 0, ran.stderr


# ------------------------------------------------------------------------------------------------------ memory

def resident_bytes():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("what", ["by schema", "by attributes", "recorded", "refused", "second derivatives"])
def test_a_hundred_thousand_calls_leave_nothing_behind(ops, what):
    x, recorded, kept = torch_np.ones(4, dtype=F64), torch_np.ones(4, dtype=F64, requires_grad=True), torch_np.ops.lib_ops_kept

    def refused():
        try:
            ops.total([x, x], [1.0])
        except ValueError:
            pass

    def recorded_call():
        (ops.squares(recorded) + kept(recorded, by=1)).sum().backward()

    def twice():
        first, = grad(ops.exponential(recorded).sum(), recorded, create_graph=True)
        grad(first.sum(), recorded)

    function, times = {"by schema": (lambda: ops.total([x, x], [1.0, 2.0], bias=x), 100_000), "by attributes": (lambda: kept(x, by=2), 100_000),
                       "recorded": (recorded_call, 10_000), "refused": (refused, 50_000), "second derivatives": (twice, 5_000)}[what]

    def calls(n):
        for _ in range(n):
            function()

    calls(times // 20)
    gc.collect()
    before, live = resident_bytes(), ops.live_states().item()
    calls(times)
    assert ops.live_states().item() == live
    assert resident_bytes() - before < max(80 * times, 1 << 20)


def test_loading_again_leaves_nothing_behind(builds, path):
    bad = builds.c("refused_again", "int nothing_inside;\n")

    def loads(n):
        for _ in range(n):
            library.load(path)
            with pytest.raises(RuntimeError):
                library.load(bad)

    loads(200)
    before = resident_bytes()
    loads(2000)
    assert resident_bytes() - before < 2 << 20


# -------------------------------------------------------------------------------------------------------- documentation of the header

SAYS = r"""
#include <torch_np/extension.h>
#include <cstdint>
using namespace torch_np;
static void copy(Tensor x, Tensor y) {
  for (int64_t i = 0, n = x.numel(); i < n; ++i) y.data<double>()[i] = x.data<double>()[i];
}
static std::vector<int64_t> garbage() {  // reuses freed memory
  std::vector<std::vector<int64_t>> all(100, std::vector<int64_t>(20, -7));
  return all.back();
}
// Arguments own their values.
static std::vector<Value> keeps(const Graph& g, Value x) {
  std::vector<Argument> arguments{g.grad()};
  arguments.push_back(Argument("shape", x.shape()));
  garbage();
  return g.call_all("reshape", arguments);
}
TORCH_NP_OP("lib_says::keeps(Tensor x) -> Tensor", copy).gradient(keeps);
// Every kind of value.
static void takes(Tensor, std::vector<Tensor> xs, std::complex<double> c, std::string s, std::vector<double> fs, std::vector<bool> bs,
                  std::vector<int64_t> is, std::optional<double> none, std::string t, Tensor y) {
  double* out = y.data<double>();
  *out++ = static_cast<double>(xs.size()), *out++ = c.real(), *out++ = c.imag(), *out++ = static_cast<double>(s.size());
  *out++ = fs.at(1), *out++ = bs.at(0) * 10 + bs.at(1), *out++ = static_cast<double>(is.at(1)), *out++ = none.value_or(-1), *out++ = t == "t";
}
TORCH_NP_OP("lib_says::takes(Tensor x, Tensor[] xs, Scalar c, str s, float[] fs, bool[] bs, int[] i, *, float? none, str t) -> Tensor", takes);
static std::vector<Value> everything(const Graph& g, Value x) {
  return {g.call("lib_says::takes", x, std::vector<Value>{x, x, x}, std::complex<double>(2, -3), std::string("a\0b", 3),
                 std::vector<double>{0, 0.5}, std::vector<bool>{true, false}, Shape{4, 5}, Argument("none", std::optional<double>()),
                 Argument("t", std::string_view("t")))};
}
TORCH_NP_OP("lib_says::everything(Tensor x) -> Tensor", copy).gradient(everything);
static std::vector<Value> many(const Graph& g, Value) { return {g.call("stack", g.call_all("unbind", {g.grad()}))}; }
TORCH_NP_OP("lib_says::many(Tensor x) -> Tensor", copy).gradient(many);

// Attributes.
static MXReturnValue parse(const Attributes& attributes, int* inputs, int* outputs) {
  attributes.expect_only({"number", "integer", "boolean", "text"});
  return *inputs = 1, *outputs = 1, MX_SUCCESS;
}
static MXReturnValue write(const Attributes& attributes, MXTensors&, MXTensors& out) {
  double* to = out[0].data<double>();
  *to++ = attributes.number("number", -1), *to++ = static_cast<double>(attributes.integer("integer", -2));
  *to++ = attributes.boolean("boolean", true), *to++ = static_cast<double>(attributes.text("text", "none").size());
  return MX_SUCCESS;
}
REGISTER_OP(lib_says_attributes).setParseAttrs(parse).setForward(write, "cpu");
using Map = std::map<std::string, std::string>;
using Hash = std::unordered_map<std::string, std::string>;
using Narrow = std::vector<std::vector<unsigned int>>;
static MXReturnValue by_map(Map attributes, int* inputs, int* outputs) { return *inputs = static_cast<int>(attributes.size()), *outputs = 1, MX_SUCCESS; }
static MXReturnValue by_hash(Hash attributes, std::vector<int>&, std::vector<int>& out) { return out[0] = attributes.count("a") ? kFloat64 : 0, MX_SUCCESS; }
static MXReturnValue narrow(const Map&, Narrow& in, Narrow& out) { return out = in, MX_SUCCESS; }
static MXReturnValue nothing(const Hash&, MXTensors&, MXTensors&) { return MX_SUCCESS; }
REGISTER_OP(lib_says_maps).setParseAttrs(by_map).setInferType(by_hash).setInferShape(narrow).setForward(nothing, "cpu");

// Half-precision elements are bits.
static MXReturnValue half_type(const Attributes&, std::vector<int>& in, std::vector<int>& out) {
  return out[0] = in[0] == DtypeOf<Half>::value ? kBFloat16 : kFloat16, MX_SUCCESS;
}
static MXReturnValue halves(const Attributes&, MXTensors& in, MXTensors& out) {
  for (int64_t i = 0; i < in[0].size(); ++i) {
    if (in[0].dtype == kFloat16) out[0].data<BFloat16>()[i].bits = in[0].data<Half>()[i].bits;
    else out[0].data<Half>()[i].bits = in[0].data<BFloat16>()[i].bits;
  }
  return MX_SUCCESS;
}
REGISTER_OP(lib_says_bits).setInferType(half_type).setForward(halves, "cpu");
"""


@pytest.fixture(scope="module")
def says(builds):
    library.load(builds.cpp("says", SAYS))
    return torch_np.ops.lib_says


def test_what_derivatives_say_to_operators(says):
    def gradient(op, *shape):
        x = torch_np.ones(shape, dtype=F64, requires_grad=True)
        op(x).sum().backward()
        return x.grad
    assert gradient(says.keeps, *(1,) * 18, 2, 1).shape == (1,) * 18 + (2, 1)
    assert gradient(says.everything, 9).tolist() == [3, 2, -3, 3, 0.5, 10, 5, -1, 1]
    assert gradient(says.many, 100).tolist() == [1] * 100


def test_attributes_are_wholly_what_they_are_read_as(says):
    op, x = torch_np.ops.lib_says_attributes, torch_np.zeros(4, dtype=F64)
    assert op(x).tolist() == [-1, -2, 1, 4]
    assert op(x, number=-2.5e3, integer=-7, boolean=False, text="").tolist() == [-2500, -7, 0, 0]
    assert op(x, number=3, boolean="true").tolist() == [3, -2, 1, 4] and op(x, number=float("inf"), boolean=0).tolist()[:3] == [float("inf"), -2, 0]
    for name, value, expected in [("number", "3x", "a number"), ("number", "", "a number"), ("number", " 3", "a number"), ("number", "3 ", "a number"),
                                  ("number", True, "a number"), ("integer", 2.5, "an integer"), ("integer", 2**63, "an integer"),
                                  ("integer", "", "an integer"), ("boolean", 2, "True or False"), ("boolean", "yes", "True or False")]:
        with pytest.raises(ValueError, match=rf"lib_says_attributes\(\) of libsays.so: .*attribute '{name}': expected {expected}, got '{value}'"):
            op(x, **{name: value})
    with pytest.raises(TypeError, match="there is no attribute 'numbr': expected number, integer, boolean, text"):
        op(x, numbr=3)


def test_attributes_as_maps_and_sizes_that_are_narrow(says):
    op = torch_np.ops.lib_says_maps
    assert op(torch_np.zeros((2, 3), dtype=F64), a=1).shape == (2, 3)
    assert op(torch_np.empty((2**32 - 1, 3), dtype=F64, device="meta"), a=1).shape == (2**32 - 1, 3)
    with pytest.raises(ValueError, match=r"lib_says_maps\(\) of libsays.so: .*unsigned int.*4294967296"):
        op(torch_np.empty((3, 2**32), dtype=F64, device="meta"), a=1)


def test_half_precision(says):
    x = torch_np.tensor([1.0, -2.0], dtype=torch_np.float16)
    y = torch_np.ops.lib_says_bits(x)
    assert y.dtype is torch_np.bfloat16 and torch_np.ops.lib_says_bits(y).tolist() == [1, -2]


SLEEPS = "#include <unistd.h>\n__attribute__((constructor)) static void sleeps(void) { usleep(300000); }\n"
FORKS = """
import os, sys, threading, time
import torch_np
thread = threading.Thread(target=torch_np.library.load, args=[sys.argv[1]])
thread.start()
time.sleep(0.1)
assert not torch_np.library._load._loaded
child = os.fork()
if child == 0:
    os._exit(0 if torch_np.library.load(sys.argv[2]) == ["lib_forked::b"] else 1)
thread.join()
for _ in range(200):
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        break
    time.sleep(0.05)
else:
    os.kill(child, 9)
    os.waitpid(child, 0)
    sys.exit("the child waits for ever")
assert status == 0 and torch_np.library.load(sys.argv[2]) == ["lib_forked::b"]
"""


def test_a_process_that_is_forked_while_a_library_is_loaded(builds):
    slow, other = builds.c("sleeps", c_library('OPERATOR("lib_forked::a"),', SLEEPS)), builds.c("awake", c_library('OPERATOR("lib_forked::b"),'))
    done = subprocess.run([sys.executable, "-c", FORKS, slow, other], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_calls_of_one_operator_by_setters_do_not_see_each_other(ops, says):
    """Cached arguments of one call do not reach the next: with other numbers of inputs, other
    dimensions, or in other threads."""
    maps, counted = torch_np.ops.lib_says_maps, torch_np.ops.lib_ops_counted

    numbers = iter(range(5))

    def call():
        i = next(numbers)
        for k in range(100):
            shape = (2,) * ((i + k) % 5)
            with pytest.raises(TypeError, match="it takes 1 inputs, but 2 were given"):
                maps(torch_np.zeros(3), torch_np.zeros(shape), a=1)
            assert maps(torch_np.zeros(shape, dtype=F64), a=1).shape == shape
            x, counter = torch_np.full(shape, i, dtype=F64, requires_grad=True), torch_np.zeros(shape, dtype=F64)
            y = counted(x, counter)
            y.sum().backward()
            assert y.flatten().tolist() == [i] * x.numel() and x.grad.shape == shape and counter.flatten().tolist() == [1] * x.numel()
            large = torch_np.full((40, 50), i, dtype=F64)  # releases the interpreter's lock
            assert counted(large, torch_np.zeros((40, 50), dtype=F64)).sum().item() == 2000 * i
    call()
    in_threads(call, 4)
