// Copies, concatenations and interpretation of traces.
#include "aten/compiler/compose.h"

#include <cstring>

#include "aten/compiler/interpreter.h"
#include "aten/compiler/passes/check.h"
#include "aten/compiler/views.h"
#include "aten/iterator/copy.h"
#include "test/cpp/tracing.h"

namespace tnp::compiler {

namespace {

// Frames keep the memory of results from outside the arena.
Tensor value_of(Frame& frame, int view) {
  const Tensor& t = frame.tensor(view);
  Tensor copy = empty_tensor(t.sizes(), t.dtype());
  copy_into(copy, t);
  return copy;
}

Tensor replayed(const Trace& trace, const std::vector<Tensor>& arguments, int result) {
  Frame frame(trace);
  for (size_t i = 0; i < arguments.size(); ++i) frame.set_argument(static_cast<int>(i), arguments[i]);
  size_t at = 0;
  EXPECT_TRUE(run(trace, frame, at));
  return value_of(frame, result);
}

Tensor interpreted(const Trace& trace, const std::vector<Tensor>& arguments, int result) {
  Frame frame(trace);
  for (size_t i = 0; i < arguments.size(); ++i) frame.set_argument(static_cast<int>(i), arguments[i]);
  size_t at = 0;
  EXPECT_TRUE(interpret(trace, frame, at));
  EXPECT_EQ(at, trace.steps.size());
  return value_of(frame, result);
}

void expect_same(const Tensor& a, const Tensor& b) {
  ASSERT_TRUE(a.dtype() == b.dtype() && a.sizes() == b.sizes());
  const Tensor x = a.is_contiguous() ? a : contiguous(a), y = b.is_contiguous() ? b : contiguous(b);
  EXPECT_EQ(std::memcmp(x.address(), y.address(), static_cast<size_t>(x.numel() * element_size(x.dtype()))), 0);
}

Tensor matrix(int64_t n, double first) {
  Tensor x = empty_tensor({n, n}, ScalarType::Float64);
  for (int64_t i = 0; i < n * n; ++i) x.data_ptr<double>()[i] = first + 0.01 * static_cast<double>(i);
  return x;
}

// Joins f, of one array, with g, whose first argument is f's result. Compares bits with g(f(x), others).
template <class F, class G>
void expect_composed(F&& f, G&& g, const Tensor& x, const std::vector<Tensor>& others = {}) {
  const auto first = traced_by(f, x);
  std::vector<Tensor> arguments{f(x)};
  arguments.insert(arguments.end(), others.begin(), others.end());
  const auto second = traced_of(arguments, [&](TensorList a) { return g(a); });
  const std::unique_ptr<Trace> both = concatenate(first->trace, second->trace, {{first->result, 0}});
  check(*both, "concatenate");
  const int result = second->result + static_cast<int>(first->trace.views.size());
  std::vector<Tensor> given{x};
  given.insert(given.end(), others.begin(), others.end());
  const Tensor expected = g(arguments);
  expect_same(interpreted(*both, given, result), expected);
  plan(*both);
  expect_same(replayed(*both, given, result), expected);
  expect_same(replayed(*both, given, result), expected);
}

ErrorKind kind_raised(const Trace& first, const Trace& second, const std::vector<Connection>& connections) {
  try {
    concatenate(first, second, connections);
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "raises nothing";
  return ErrorKind::Internal;
}

}  // namespace

TEST(Compose, TheInterpreterRunsATraceCallByCall) {
  const auto f = [](const Tensor& x) { return sum(exp(matmul(x, x)), std::nullopt); };
  const Tensor x = matrix(5, 0), y = matrix(5, -1);
  const auto made = traced_by(f, x);
  expect_same(interpreted(made->trace, {x}, made->result), f(x));
  expect_same(interpreted(made->trace, {y}, made->result), f(y));
}

TEST(Compose, TheInterpreterRefusesPlans) {
  const auto made = traced_by([](const Tensor& x) { return mul(add(x, x), exp(x)); }, matrix(300, 0));
  plan(made->trace);
  Frame frame(made->trace);
  frame.set_argument(0, matrix(300, 0));
  size_t at = 0;
  EXPECT_THROW(interpret(made->trace, frame, at), Error);
}

TEST(Compose, TheInterpreterStopsAtAGuard) {
  const auto made = traced_by([](const Tensor& x) {
    const Tensor y = add(x, x);
    sum(y).item();
    return mul(y, y);
  });
  Frame frame(made->trace);
  const Tensor x = numbers();
  x.data_ptr<double>()[0] = 5;
  frame.set_argument(0, x);
  size_t at = 0;
  EXPECT_FALSE(interpret(made->trace, frame, at));
  EXPECT_EQ(at, 2U);
  EXPECT_FALSE(frame.is_available(made->result));
}

TEST(Compose, ACopyIsPlannedAlone) {
  const auto f = [](const Tensor& x) { return sum(exp(matmul(x, x)), std::nullopt); };
  const Tensor x = matrix(20, 0);
  const auto made = traced_by(f, x);
  const size_t steps = made->trace.steps.size();
  const std::unique_ptr<Trace> copied = copy(made->trace);
  plan(*copied);
  EXPECT_EQ(made->trace.steps.size(), steps);
  EXPECT_EQ(made->trace.arena_bytes, 0U);
  check(made->trace, "copy");
  expect_same(replayed(*copied, {x}, made->result), f(x));
  expect_same(interpreted(made->trace, {x}, made->result), f(x));
  EXPECT_EQ(copy(*copied), nullptr);  // steps that were planned cannot be copied
}

TEST(Compose, TwoFunctionsBecomeOne) {
  const auto f = [](const Tensor& x) { return exp(matmul(x, x)); };
  const auto g = [](TensorList a) { return sum(mul(a[0], add(a[0], a[0])), DimVector{1}); };
  for (int64_t n : {3, 40, 300}) expect_composed(f, g, matrix(n, 0.001));
}

TEST(Compose, OtherArgumentsFollow) {
  const auto f = [](const Tensor& x) { return add(x, x); };
  const auto g = [](TensorList a) { return sub(matmul(a[0], a[2]), a[1]); };
  expect_composed(f, g, matrix(8, 1), {matrix(8, 2), matrix(8, 3)});
}

TEST(Compose, AResultMayBeginWithinItsMemory) {
  const auto f = [](const Tensor& x) { return slice(mul(x, x), 0, 2, 7, 1); };
  const auto g = [](TensorList a) { return add(slice(a[0], 0, 1, 5, 1), slice(a[0], 0, 2, 5, 1)); };
  expect_composed(f, g, matrix(9, 1));
}

TEST(Compose, ChangesInPlaceReachTheResultOfTheFirst) {
  const auto f = [](const Tensor& x) { return exp(x); };
  const auto g = [](TensorList a) {
    add_(a[0], a[0]);
    return sum(a[0], DimVector{0});
  };
  const auto first = traced_by(f, matrix(6, 0));
  const auto second = traced_of({f(matrix(6, 0))}, g);
  const std::unique_ptr<Trace> both = concatenate(first->trace, second->trace, {{first->result, 0}});
  both->slots[static_cast<size_t>(slot_of(*both, first->result))].escapes = true;
  plan(*both);
  const Tensor y = f(matrix(6, 0)), expected = g({&y, 1});
  const Tensor x = matrix(6, 0);
  expect_same(replayed(*both, {x}, second->result + static_cast<int>(first->trace.views.size())), expected);
  expect_same(replayed(*both, {x}, first->result), y);
  expect_same(x, matrix(6, 0));
}

TEST(Compose, ConnectionsThatDoNotFitAreRefused) {
  const auto first = traced_by([](const Tensor& x) { return exp(x); });
  const auto second = traced_by([](const Tensor& x) { return exp(x); }, matrix(3, 0));
  EXPECT_EQ(kind_raised(first->trace, second->trace, {{first->result, 0}}), ErrorKind::Value);
  EXPECT_EQ(kind_raised(first->trace, first->trace, {{first->result, 1}}), ErrorKind::Value);
  EXPECT_EQ(kind_raised(first->trace, first->trace, {{99, 0}}), ErrorKind::Value);
  EXPECT_EQ(kind_raised(first->trace, first->trace, {{first->result, 0}, {first->result, 0}}), ErrorKind::Value);
}

TEST(Compose, TracesThatAreOnlyValidForOtherArgumentsAreRefused) {
  const auto f = traced_by([](const Tensor& x) { return exp(x); });
  const Tensor x = numbers();
  const auto same = traced_of({x, x}, [](TensorList a) { return add(a[0], a[1]); });
  EXPECT_EQ(kind_raised(f->trace, same->trace, {{f->result, 0}}), ErrorKind::NotImplemented);
  const auto changes = traced_of({x, numbers()}, [](TensorList a) { return add_(a[0], a[1]); });
  EXPECT_EQ(kind_raised(f->trace, changes->trace, {{f->result, 0}, {f->result, 1}}), ErrorKind::NotImplemented);
  const auto guarded = traced_by([](const Tensor& t) {
    sum(t).item();
    return exp(t);
  });
  const auto effect = traced_by([](const Tensor& t) { return add_(t, t); });
  EXPECT_EQ(kind_raised(effect->trace, guarded->trace, {{effect->result, 0}}), ErrorKind::NotImplemented);
  plan(f->trace);
  EXPECT_EQ(kind_raised(f->trace, f->trace, {{f->result, 0}}), ErrorKind::NotImplemented);
}

}  // namespace tnp::compiler
