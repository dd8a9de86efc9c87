// The tape and the engine, with operators defined here. They record themselves as generated ones do
// (Note [Setting the history]).
#include <gtest/gtest.h>

#include "aten/autograd/engine.h"
#include "aten/autograd/linear.h"
#include "aten/autograd/view.h"
#include "aten/functions.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/pointwise.h"

namespace tnp {
namespace {

Tensor tensor(IntList sizes, std::vector<double> values) {
  Tensor t = empty_tensor(sizes, ScalarType::Float64);
  std::copy(values.begin(), values.end(), t.data_ptr<double>());
  return t;
}
Tensor leaf(IntList sizes, std::vector<double> values) {
  return tensor(sizes, std::move(values)).set_requires_grad(true);
}

std::vector<double> values(const Tensor& t) {
  Tensor dense = identity_copy(detach(t));
  return {dense.data_ptr<double>(), dense.data_ptr<double>() + dense.numel()};
}
using V = std::vector<double>;

// self = a * b, written into `out`.
void multiply_into(const Tensor& out, const Tensor& a, const Tensor& b) {
  Tensor x = identity_copy(detach(a)), y = identity_copy(detach(b)), z = empty_tensor(out.sizes(), ScalarType::Float64);
  for (int64_t i = 0; i < z.numel(); ++i)
    z.data_ptr<double>()[i] = x.data_ptr<double>()[i % x.numel()] * y.data_ptr<double>()[i % y.numel()];
  copy_into(out, z);
}

Tensor times(const Tensor& a, const Tensor& b);

struct TimesBackward final : Node {
  SavedTensor a, b;
  const char* name() const override { return "TimesBackward"; }
  Tensors apply(Tensors&& grads) override {
    return {needs_grad(0) ? times(grads[0], b.unpack(this)) : Tensor(),
            needs_grad(1) ? times(grads[0], a.unpack(this)) : Tensor()};
  }
  void release_variables() override { a.reset(), b.reset(); }
};

// b broadcasts over a's leading axes.
Tensor times(const Tensor& a, const Tensor& b) {
  Tensor out = empty_tensor(a.sizes(), ScalarType::Float64);
  if (!compute_requires_grad(a, b)) {
    multiply_into(out, a, b);
    return out;
  }
  auto node = make_intrusive<TimesBackward>();
  set_next_edges(*node, {&a, &b});
  node->a = SavedTensor(a, false);
  node->b = SavedTensor(b, false);
  multiply_into(out, a, b);
  set_history(out, node);
  return out;
}

void times_(const Tensor& self, const Tensor& b) {
  bool requires_grad = compute_requires_grad(self, b);
  check_inplace(self, requires_grad);
  intrusive_ptr<TimesBackward> node;
  if (requires_grad) {
    node = make_intrusive<TimesBackward>();
    set_next_edges(*node, {&self, &b});
    if (node->needs_grad(1)) node->a = SavedTensor::before_inplace(self);
    node->b = SavedTensor(b, false);
  }
  multiply_into(self, self, b);
  if (requires_grad) rebase_history(self, node);
}

struct ExpBackward final : Node {
  SavedTensor result;
  const char* name() const override { return "ExpBackward"; }
  Tensors apply(Tensors&& grads) override { return {times(grads[0], result.unpack(this))}; }
  void release_variables() override { result.reset(); }
};

Tensor exponential(const Tensor& a) {
  Tensor out = identity_copy(detach(a));
  for (int64_t i = 0; i < out.numel(); ++i) out.data_ptr<double>()[i] = std::exp(out.data_ptr<double>()[i]);
  if (!compute_requires_grad(a)) return out;
  auto node = make_intrusive<ExpBackward>();
  set_next_edges(*node, {&a});
  set_history(out, node);
  node->result = SavedTensor(out, true);
  return out;
}

// A view without a formula: its history is that of its base.
Tensor part(const Tensor& t, IntList sizes, IntList strides, int64_t offset) {
  return view_of(t, sizes, strides, t.data() + offset * t.itemsize());
}

void run_backward(const Tensor& root, const Tensor& seed = {}, bool retain = false, bool create = false) {
  backward(TensorList(&root, 1), TensorList(&seed, 1), retain, create);
}
Tensor ones(IntList sizes) {
  Tensor t = empty_tensor(sizes, ScalarType::Float64);
  fill_with(t, Scalar(1));
  return t;
}

#define EXPECT_RAISES(statement, text)                                   \
  try {                                                                  \
    statement;                                                           \
    ADD_FAILURE() << "nothing raised";                                   \
  } catch (const Error& e) {                                             \
    EXPECT_NE(e.message().find(text), std::string::npos) << e.message(); \
  }

TEST(Autograd, GradientsOfAProductAreTheOtherFactor) {
  Tensor x = leaf({3}, {1, 2, 3}), y = leaf({3}, {4, 5, 6});
  run_backward(times(x, y), ones({3}));
  EXPECT_EQ(values(x.grad()), (V{4, 5, 6}));
  EXPECT_EQ(values(y.grad()), (V{1, 2, 3}));
}

TEST(Autograd, GradientsAccumulateOverUsesAndCalls) {
  Tensor x = leaf({}, {3});
  Tensor y = times(times(x, x), x);
  run_backward(y, {}, true);
  EXPECT_EQ(values(x.grad()), V{27});
  run_backward(y);
  EXPECT_EQ(values(x.grad()), V{54});
}

TEST(Autograd, GradientOfABroadcastInputIsSummed) {
  Tensor x = leaf({2, 2}, {1, 2, 3, 4}), s = leaf({1, 2}, {10, 100});
  run_backward(times(x, s), ones({2, 2}));
  EXPECT_EQ(values(s.grad()), (V{4, 6}));
  EXPECT_EQ(s.grad().sizes(), (IntList{1, 2}));
}

TEST(Autograd, SecondDerivative) {
  Tensor x = leaf({}, {2});
  Tensor y = times(times(x, x), x);
  Tensors g = grad(TensorList(&y, 1), TensorList(&x, 1), {}, true, true, false);
  EXPECT_EQ(values(g[0]), V{12});
  Tensors gg = grad(TensorList(&g[0], 1), TensorList(&x, 1), {}, false, false, false);
  EXPECT_EQ(values(gg[0]), V{12});
}

TEST(Autograd, SecondDerivativeThroughASavedOutput) {
  Tensor x = leaf({}, {0.5});
  Tensor y = exponential(x);
  Tensors g = grad(TensorList(&y, 1), TensorList(&x, 1), {}, true, true, false);
  Tensors gg = grad(TensorList(&g[0], 1), TensorList(&x, 1), {}, false, false, false);
  EXPECT_DOUBLE_EQ(values(gg[0])[0], std::exp(0.5));
}

TEST(Autograd, ASecondBackwardNeedsRetainGraph) {
  Tensor x = leaf({}, {2});
  Tensor y = times(x, x);
  run_backward(y);
  EXPECT_RAISES(run_backward(y), "Trying to backward through the graph a second time");
}

TEST(Autograd, ASavedTensorThatWasOverwrittenIsNoticed) {
  Tensor x = leaf({1}, {2}), w = tensor({1}, {3});
  Tensor y = times(x, w);
  times_(w, w);
  EXPECT_RAISES(run_backward(y), "has been modified by an inplace operation");
}

TEST(Autograd, ADetachedTensorSharesTheVersion) {
  Tensor x = leaf({1}, {2}), w = tensor({1}, {3});
  Tensor y = times(x, w);
  times_(detach(w), w);
  EXPECT_RAISES(run_backward(y), "has been modified by an inplace operation");
}

TEST(Autograd, ALeafCannotBeChangedInPlace) {
  Tensor x = leaf({2}, {1, 2});
  EXPECT_RAISES(times_(x, x), "a leaf Variable that requires grad is being used in an in-place operation.");
  EXPECT_RAISES(times_(part(x, {1}, {1}, 0), ones({1})), "a view of a leaf Variable that requires grad");
  NoGradGuard no_grad;
  times_(x, tensor({2}, {2, 2}));
  EXPECT_EQ(values(x), (V{2, 4}));
}

TEST(Autograd, AViewMadeUnderNoGradCannotBeChangedWhileRecording) {
  Tensor x = leaf({2}, {1, 2});
  Tensor y = times(x, x), v;
  {
    NoGradGuard no_grad;
    v = part(y, {1}, {1}, 0);
  }
  EXPECT_FALSE(v.requires_grad());
  EXPECT_RAISES(times_(v, ones({1})), "A view was created in no_grad mode");
}

TEST(Autograd, InPlaceOnABase) {
  Tensor x = leaf({2}, {1, 2}), w = leaf({2}, {3, 4});
  Tensor y = times(x, ones({2}));
  Tensor v = part(y, {1}, {1}, 1);
  times_(y, w);
  EXPECT_STREQ(grad_fn_of(v)->name(), "AsStridedBackward0");
  run_backward(v);
  EXPECT_EQ(values(x.grad()), (V{0, 4}));
  EXPECT_EQ(values(w.grad()), (V{0, 2}));
}

TEST(Autograd, InPlaceOnAViewReachesTheBase) {
  Tensor x = leaf({4}, {1, 2, 3, 4}), w = leaf({2}, {10, 100});
  Tensor y = times(x, ones({4}));
  times_(part(y, {2}, {-2}, 3), w);  // y[3], y[1]
  EXPECT_EQ(values(y), (V{1, 200, 3, 40}));
  EXPECT_STREQ(grad_fn_of(y)->name(), "CopySlices");
  run_backward(y, tensor({4}, {1, 2, 3, 4}));
  EXPECT_EQ(values(x.grad()), (V{1, 200, 3, 40}));
  EXPECT_EQ(values(w.grad()), (V{16, 4}));
}

TEST(Autograd, InPlaceOnAViewOfAnUntrackedBase) {
  Tensor base = tensor({3}, {1, 2, 3}), w = leaf({1}, {5});
  Tensor v = part(base, {1}, {1}, 1), other = part(base, {2}, {1}, 1);
  times_(v, w);
  EXPECT_TRUE(base.requires_grad());
  EXPECT_TRUE(other.requires_grad());
  run_backward(times(other, other), ones({2}));
  EXPECT_EQ(values(w.grad()), V{2 * 10 * 2});
}

TEST(Autograd, SecondDerivativeThroughAnInPlaceOperationOnAView) {
  Tensor x = leaf({2}, {3, 5});
  Tensor y = times(x, ones({2}));
  times_(part(y, {1}, {1}, 0), part(x, {1}, {1}, 0));  // y = (x0^2, x1)
  Tensor z = times(y, y);                              // (x0^4, x1^2)
  Tensor seed = ones({2});
  Tensors g = grad(TensorList(&z, 1), TensorList(&x, 1), TensorList(&seed, 1), true, true, false);
  EXPECT_EQ(values(g[0]), (V{4 * 27, 10}));
  Tensors gg = grad(TensorList(&g[0], 1), TensorList(&x, 1), TensorList(&seed, 1), false, false, false);
  EXPECT_EQ(values(gg[0]), (V{12 * 9, 2}));
}

TEST(Autograd, ABroadcastViewSumsItsGradient) {
  Tensor x = leaf({2}, {1, 2});
  Tensor y = times(x, ones({2}));
  Tensor v = part(y, {3, 2}, {0, 1}, 0);
  run_backward(v, tensor({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values(x.grad()), (V{9, 12}));
}

TEST(Autograd, AnOverlappingViewSumsItsGradient) {
  Tensor x = leaf({4}, {1, 2, 3, 4});
  Tensor windows = part(x, {3, 2}, {1, 1}, 0);
  run_backward(windows, ones({3, 2}));
  EXPECT_EQ(values(x.grad()), (V{1, 2, 2, 1}));
}

TEST(Autograd, TheRealPartIsAViewWithAGradient) {
  Tensor z = empty_tensor({2}, ScalarType::Complex128);
  fill_with(z, Scalar(Complex<double>(1, 2)));
  z.set_requires_grad(true);
  Tensor im = view_of(z, {2}, {2}, z.data() + 8, ScalarType::Float64);
  run_backward(im, tensor({2}, {5, 7}));
  EXPECT_EQ(z.grad().data_ptr<Complex<double>>()[1].re, 0);
  EXPECT_EQ(z.grad().data_ptr<Complex<double>>()[1].im, 7);
}

TEST(Autograd, TheGradientOfARealLeafIsReal) {
  Tensor x = leaf({1}, {2});
  Tensor z = cast_gradient(x, ScalarType::Complex128);
  Tensor seed = empty_tensor({1}, ScalarType::Complex128);
  fill_with(seed, Scalar(Complex<double>(3, 4)));
  run_backward(z, seed);
  EXPECT_EQ(x.grad().dtype(), ScalarType::Float64);
  EXPECT_EQ(values(x.grad()), V{3});
}

TEST(Autograd, HooksReplaceGradientsAndCanBeRemoved) {
  Tensor x = leaf({1}, {2});
  Tensor y = times(x, ones({1}));
  size_t id = add_hook(y, [](const Tensor& g) { return times(g, tensor({1}, {10})); });
  add_hook(x, [](const Tensor& g) { return times(g, tensor({1}, {3})); });
  Tensor z = times(y, ones({1}));
  run_backward(z, {}, true);
  EXPECT_EQ(values(x.grad()), V{30});
  remove_hook(y, id);
  run_backward(z);
  EXPECT_EQ(values(x.grad()), V{33});
}

TEST(Autograd, RetainGradKeepsTheGradientOfAnInnerTensor) {
  Tensor x = leaf({1}, {2});
  Tensor y = times(x, x);
  retain_grad(y);
  run_backward(times(y, y));
  EXPECT_EQ(values(y.grad()), V{8});
}

TEST(Autograd, ARetainedTensorMayGoBeforeTheBackward) {
  Tensor x = leaf({1}, {2}), z;
  {
    Tensor y = times(x, ones({1}));
    retain_grad(y);
    z = times(y, ones({1}));
  }
  run_backward(z);
  EXPECT_EQ(values(x.grad()), V{1});
}

TEST(Autograd, BackwardOfChosenInputsLeavesTheOthersAlone) {
  Tensor x = leaf({}, {2}), y = leaf({}, {3});
  Tensor z = times(x, y);
  backward(TensorList(&z, 1), {}, false, false, TensorList(&x, 1));
  EXPECT_EQ(values(x.grad()), V{3});
  EXPECT_FALSE(y.grad().defined());
}

TEST(Autograd, GradOfAnInnerTensorAndOfAnUnusedOne) {
  Tensor x = leaf({}, {2}), unused = leaf({}, {1});
  Tensor y = times(x, x), z = times(y, y);
  Tensor wanted[] = {y, x, unused};
  EXPECT_RAISES(grad(TensorList(&z, 1), wanted, {}, true, false, false), "appears to not have been used in the graph");
  Tensors g = grad(TensorList(&z, 1), wanted, {}, false, false, true);
  EXPECT_EQ(values(g[0]), V{8});
  EXPECT_EQ(values(g[1]), V{32});
  EXPECT_FALSE(g[2].defined());
  EXPECT_FALSE(x.grad().defined());
}

TEST(Autograd, RootsAreChecked) {
  Tensor x = leaf({2}, {1, 2}), plain = tensor({}, {1});
  EXPECT_RAISES(run_backward(x), "grad can be implicitly created only for scalar outputs");
  EXPECT_RAISES(run_backward(plain), "element 0 of tensors does not require grad and does not have a grad_fn");
  EXPECT_RAISES(run_backward(x, ones({3})),
                "Mismatch in shape: grad_output[0] has a shape of (3,) and output[0] has a shape of (2,)");
  EXPECT_RAISES(empty_tensor({1}, ScalarType::Int64).set_requires_grad(true),
                "only Tensors of floating point and complex dtype can require gradients");
  EXPECT_RAISES(times(x, x).set_requires_grad(false), "you can only change requires_grad flags of leaf variables.");
}

TEST(Autograd, TwoLeavesDoNotShareAGradient) {
  Tensor x = leaf({1}, {1}), y = leaf({1}, {1});
  Tensor z = add(x, y);
  run_backward(z, {}, true);
  run_backward(z);
  EXPECT_EQ(values(x.grad()), V{2});
  EXPECT_EQ(values(y.grad()), V{2});
  EXPECT_NE(x.grad().data(), y.grad().data());
}

TEST(Autograd, AnExceptionInAHookLeavesTheGraphUsable) {
  Tensor x = leaf({}, {2});
  Tensor y = times(x, x);
  size_t id = add_hook(y, [](const Tensor&) -> Tensor { throw Error(ErrorKind::Runtime, "from a hook"); });
  EXPECT_RAISES(run_backward(y), "from a hook");
  remove_hook(y, id);
  run_backward(y);
  EXPECT_EQ(values(x.grad()), V{4});
}

TEST(Autograd, AHookMayCallBackward) {
  Tensor x = leaf({}, {2}), w = leaf({}, {5});
  Tensor y = times(x, x);
  add_hook(y, [&](const Tensor& g) {
    GradModeGuard grad_mode(true);
    run_backward(times(w, w));
    return g;
  });
  run_backward(y);
  EXPECT_EQ(values(x.grad()), V{4});
  EXPECT_EQ(values(w.grad()), V{10});
}

TEST(Autograd, ALongChainNeedsNoStack) {
  Tensor x = leaf({}, {1}), one = ones({});
  Tensor y = x;
  for (int i = 0; i < 100'000; ++i) y = times(y, one);
  run_backward(y);
  EXPECT_EQ(values(x.grad()), V{1});
}

TEST(Autograd, ALongChainOfInPlaceOperationsOnViewsNeedsNoStack) {
  Tensor x = leaf({}, {1}), one = ones({1});
  Tensor y = times(part(x, {2}, {0}, 0), ones({2}));
  for (int i = 0; i < 20'000; ++i) times_(part(y, {1}, {1}, i % 2), one);
  run_backward(y, ones({2}));
  EXPECT_EQ(values(x.grad()), V{2});
}

TEST(Autograd, AResultThatNobodyAskedForHasNoHistory) {
  Tensor x = leaf({1}, {3}), b = ones({1}), y = ones({1});
  auto node = make_intrusive<TimesBackward>();
  set_next_edges(*node, {&x, &b});
  node->b = SavedTensor(b, false);
  set_history(y, node);
  set_history(Tensor(), node, 1);
  EXPECT_EQ(node->input_meta.size(), 2u);  // formulas refer to its gradient, which is never computed
  run_backward(y);
  EXPECT_EQ(values(x.grad()), V{1});
}

TEST(Autograd, NodesAreFreed) {
  static int alive = 0;
  struct Counted final : Node {
    Counted() { ++alive; }
    ~Counted() override { --alive; }
    const char* name() const override { return "Counted"; }
    Tensors apply(Tensors&& grads) override { return {grads[0]}; }
  };
  {
    Tensor x = leaf({1}, {1});
    Tensor y = ones({1});
    auto node = make_intrusive<Counted>();
    set_next_edges(*node, {&x});
    set_history(y, node);
    Tensor z = times(y, x);
    add_hook(y, [](const Tensor& g) { return g; });
    retain_grad(y);
    times_(y, z);  // y's history now leads to a node that saved y
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace tnp
