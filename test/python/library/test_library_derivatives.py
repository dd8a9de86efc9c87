"""Operators of C++ libraries: arguments of their derivatives, lifetime of saved tensors and states,
and concurrent changes by other threads."""
from __future__ import annotations

import threading

import pytest

import torch_np
import torch_np.numpy as np
from library_builds import needs_compiler

pytestmark = needs_compiler
F64 = torch_np.float64

SOURCE = r"""
#include <torch_np/extension.h>

#include <atomic>
#include <chrono>
#include <thread>
using namespace torch_np;

// --- the product of two arrays, whose derivative writes the gradient of the second first.
static void product(Tensor a, Tensor b, Tensor result) {
  for (int64_t i = 0; i < a.numel(); ++i) result.data<double>()[i] = a.data<double>()[i] * b.data<double>()[i];
}
static void product_gradient(const Gradient& g, Tensor a, Tensor b) {
  const Tensor factors[] = {b, a};
  for (int k = 1; k >= 0; --k) {
    if (g.req(k) == Req::Null) continue;
    for (int64_t i = 0; i < a.numel(); ++i)
      assign(g.input_grad(k).data<double>()[i], g.req(k), g.grad().data<double>()[i] * factors[k].data<double>()[i]);
  }
}
TORCH_NP_OP("lib_derivatives::product(Tensor a, Tensor b) -> Tensor", product).gradient(product_gradient).takes_req();

// --- outputs that the derivative does not read.
static void twice(Tensor x, Tensor result) {
  for (int64_t i = 0; i < x.numel(); ++i) result.data<double>()[i] = 2 * x.data<double>()[i];
}
static void twice_gradient(const Gradient& g, Tensor x) {
  if (x.data() || g.output().data()) throw ValueError("something was kept");
  if (x.numel() != g.grad().numel() || g.output().shape() != x.shape()) throw ValueError("shapes were not kept");
  for (int64_t i = 0; i < x.numel(); ++i) g.input_grad().data<double>()[i] = 2 * g.grad().data<double>()[i];
}
TORCH_NP_OP("lib_derivatives::twice(Tensor x) -> Tensor", twice).gradient(twice_gradient).saves_no_inputs().saves_no_outputs();

// --- y = x * state, state += 1.
static void scaled(Tensor x, Tensor state, Tensor result) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    result.data<double>()[i] = x.data<double>()[i] * state.data<double>()[i];
    state.data<double>()[i] += 1;
  }
}
static void scaled_gradient(const Gradient& g, Tensor x, Tensor state) {
  for (int64_t i = 0; i < x.numel(); ++i) g.input_grad().data<double>()[i] = g.grad().data<double>()[i] * (state.data<double>()[i] - 1);
}
TORCH_NP_OP("lib_derivatives::scaled(Tensor x, Tensor(a!) state) -> Tensor", scaled).gradient(scaled_gradient);

static MXReturnValue second(const std::map<std::string, std::string>&, std::vector<int>& indices) { return indices = {1}, MX_SUCCESS; }
static MXReturnValue bump(const std::map<std::string, std::string>&, MXTensors& in, MXTensors& out) {
  for (int64_t i = 0; i < in[0].size(); ++i) out[0].data<double>()[i] = in[0].data<double>()[i], in[1].data<double>()[i] += 1;
  return MX_SUCCESS;
}
REGISTER_OP(lib_derivatives_bump).setForward(bump, "cpu").setMutateInputs(second);

// --- a state that counts concurrent calls of backward.
static std::atomic<int> live{0}, inside{0}, most{0};
struct State : CustomStatefulOp {
  State() { ++live; }
  ~State() override { --live; }
  MXReturnValue Forward(MXTensors& in, MXTensors& out, const OpResource&) override {
    for (int64_t i = 0; i < in[0].size(); ++i) out[0].data<double>()[i] = in[0].data<double>()[i];
    return MX_SUCCESS;
  }
  MXReturnValue Backward(MXTensors& in, MXTensors& out, const OpResource&) override {
    const int now = ++inside;
    if (now > most) most = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (int64_t i = 0; i < in[0].size(); ++i) out[0].data<double>()[i] = in[0].data<double>()[i];
    --inside;
    return MX_SUCCESS;
  }
};
static MXReturnValue create(const std::map<std::string, std::string>&, CustomStatefulOp** op) { return *op = new State, MX_SUCCESS; }
REGISTER_OP(lib_derivatives_state).setCreateOpState(create);
static void counts(Tensor result) { result.data<int64_t>()[0] = live, result.data<int64_t>()[1] = most; }
static Spec counts_shape() { return {{2}, kInt64}; }
TORCH_NP_OP("lib_derivatives::counts() -> Tensor", counts).shape(counts_shape);

// --- reads its argument while other threads may replace the array's data.
static void slow_sum(Tensor x, Tensor result) {
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  double sum = 0;
  for (int64_t i = 0; i < x.numel(); ++i) sum += x.data<double>()[i];
  result.data<double>()[0] = sum;
}
static Shape slow_shape(Tensor) { return {}; }
TORCH_NP_OP("lib_derivatives::slow_sum(Tensor x) -> Tensor", slow_sum).shape(slow_shape);

// --- an operator named like one of torch_np's that other gradients call.
static void neg(Tensor a, Tensor result) {
  for (int64_t i = 0; i < a.numel(); ++i) result.data<double>()[i] = 1000;
}
TORCH_NP_OP("neg(Tensor a) -> Tensor", neg);
static std::vector<Value> through_neg(const Graph& g, Value) { return {g.call("neg", g.grad())}; }
TORCH_NP_OP("lib_derivatives::turned(Tensor x) -> Tensor", twice).gradient(through_neg);

// --- a gradient that calls a Python operator.
static std::vector<Value> through_python(const Graph& g, Value) { return {g.call("lib_derivatives_py::raises", g.grad())}; }
TORCH_NP_OP("lib_derivatives::calls_python(Tensor x) -> Tensor", twice).gradient(through_python);
"""


@pytest.fixture(scope="module")
def ops(builds):
    torch_np.library.load(builds.cpp("derivatives", SOURCE))
    return torch_np.ops.lib_derivatives


def test_a_tensor_that_is_given_twice_has_one_gradient_in_whatever_order_it_is_written(ops):
    x = torch_np.tensor([1.0, 2, 3], dtype=F64, requires_grad=True)
    ops.product(x, x).sum().backward()
    assert x.grad.tolist() == [2, 4, 6]
    y = torch_np.tensor([4.0, 5, 6], dtype=F64, requires_grad=True)
    ops.product(x.detach(), y).sum().backward()  # one gradient is not needed
    assert y.grad.tolist() == [1, 2, 3]


def test_what_the_derivative_does_not_read_is_not_kept(ops):
    x = torch_np.ones(3, dtype=F64, requires_grad=True)
    y = ops.twice(x)
    y += 1  # a saved output would be changed
    y.sum().backward()
    assert x.grad.tolist() == [2, 2, 2]
    kept = ops.product(x, x.detach())
    kept += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        kept.sum().backward()


def test_what_forward_changes_is_saved_as_it_left_it(ops):
    x, state = torch_np.ones(2, dtype=F64, requires_grad=True), torch_np.full((2,), 5.0, dtype=F64)
    y = ops.scaled(x, state)
    y.sum().backward()
    assert x.grad.tolist() == [5, 5] and state.tolist() == [6, 6]
    y = ops.scaled(x, state)
    state.fill_(1000)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_what_is_changed_must_be_an_array(ops):
    bump = np._ops.lib_derivatives_bump
    counter = np.zeros(2)
    bump([1.0, 2.0], counter)
    assert counter.tolist() == [1, 1]
    with pytest.raises(TypeError, match=r"lib_derivatives_bump\(\) of .*: input 1 is changed in place and must be an array"):
        bump([1.0, 2.0], [0.0, 0.0])
    both = np.zeros((2, 2))
    bump(both[:, 0], both[:, 1])  # adjacent, and not overlapping
    assert both.tolist() == [[0, 1], [0, 1]]
    with pytest.raises(ValueError, match="shares memory with input 0"):
        bump(both[0], both[0])
    u = torch_np.ones(2, dtype=F64, requires_grad=True) * 1
    with torch_np.no_grad():
        view = u[:1]
    with pytest.raises(RuntimeError):  # as with view.add_(1)
        torch_np.ops.lib_derivatives_bump(torch_np.ones(1, dtype=F64), view)


def test_a_state_goes_with_the_graph(ops):
    before = ops.counts()[0].item()
    x = torch_np.ones(2, dtype=F64, requires_grad=True)
    y = torch_np.ops.lib_derivatives_state(x)
    assert ops.counts()[0].item() == before + 1
    y.sum().backward()
    assert ops.counts()[0].item() == before  # y lives, but its derivative's saved tensors do not
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()


def test_threads_take_turns_in_a_state(ops):
    x = torch_np.ones(2, dtype=F64, requires_grad=True)
    y = torch_np.ops.lib_derivatives_state(x).sum()
    threads = [threading.Thread(target=lambda: y.backward(retain_graph=True)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.grad.tolist() == [4, 4] and ops.counts()[1].item() == 1


def test_an_array_may_become_another_while_a_function_reads_it(ops):
    x = torch_np.ones(2000, dtype=F64)
    found = []
    thread = threading.Thread(target=lambda: found.append(ops.slow_sum(x).item()))
    thread.start()
    while thread.is_alive() and not found:
        x.data = torch_np.zeros(5_000_000, dtype=F64)
        x.data = torch_np.ones(2000, dtype=F64)
    thread.join()
    assert found == [2000] or found == [0]  # the count of one of the two arrays, and of no other memory


def test_a_library_does_not_take_the_place_of_torch_nps_functions(ops):
    x = torch_np.ones(3, dtype=F64, requires_grad=True)
    (ops.turned(x) * torch_np.arange(3, dtype=F64)).sum().backward()
    assert x.grad.tolist() == [0, -1, -2]
    assert torch_np.ops.neg(x.detach()).tolist() == [1000] * 3


class Ended(KeyboardInterrupt):
    pass


class OfUser(ValueError):
    pass


@pytest.mark.parametrize("error, raised", [(Ended("now"), Ended), (OfUser("mine"), OfUser), (ValueError("plain"), ValueError),
                                           (KeyError("key"), RuntimeError)])
def test_exceptions_of_operators_that_a_derivative_calls(ops, error, raised):
    @torch_np.library.custom_op("lib_derivatives_py::raises")
    def raises(x: torch_np.Tensor) -> torch_np.Tensor:
        raise error

    x = torch_np.ones(2, dtype=F64, requires_grad=True)
    y = ops.calls_python(x).sum()
    with pytest.raises(raised) as caught:
        y.backward()
    if raised in (Ended, OfUser):
        assert caught.value is error
    else:
        assert "calls_python() of" in str(caught.value)
