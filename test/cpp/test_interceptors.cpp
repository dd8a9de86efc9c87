// Boxed calls, and transformations in C++: aten/compiler/boxed.h, aten/compiler/interceptor.h.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "aten/compiler/interceptor.h"
#include "aten/functions.h"

namespace tnp {
namespace {

using compiler::BoxedCall;
using compiler::BoxedFunction;
using compiler::BoxedResults;
using compiler::Interceptor;

TEST(BoxedCalls, HaveOneKindOfArgumentForEachValue) {
  std::set<std::string> names;
  for (const BoxedFunction& f : compiler::all_boxed()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_EQ(std::string(f.schema).find(f.name), 0u) << f.name;
  }
  EXPECT_GT(names.size(), 800u);
  EXPECT_EQ(compiler::find_boxed_by_name("add")->kinds, "TTTTTyee");
  EXPECT_EQ(compiler::find_boxed_by_name("sum")->kinds, "TIbyTsTdT");
  EXPECT_EQ(compiler::find_boxed_by_name("no_such_operator"), nullptr);
}

TEST(BoxedCalls, RunOperatorsByName) {
  const BoxedFunction* const permute = compiler::find_boxed_by_name("permute");
  BoxedCall call{permute->op, permute->name};
  call.tensors = {tnp::ones(IntList{2, 3})};
  call.arguments = {{compiler::ViewNumber{0}}, {DimVector{1, 0}}};
  const BoxedResults results = (*permute)(call);
  ASSERT_EQ(results.tensors.size(), 1u);
  EXPECT_EQ(results.tensors[0].sizes(), (IntList{3, 2}));
}

TEST(BoxedCalls, RecordForAutograd) {
  const BoxedFunction* const permute = compiler::find_boxed_by_name("permute");
  BoxedCall call{permute->op, permute->name};
  const Tensor x = tnp::ones(IntList{2, 3});
  x.set_requires_grad(true);
  call.tensors = {x};
  call.arguments = {{compiler::ViewNumber{0}}, {DimVector{1, 0}}};
  EXPECT_TRUE((*permute)(call).tensors[0].requires_grad());
}

// Each value stands for its double.
class Doubles final : public Interceptor {
 public:
  Doubles() {
    level = 7;
    below = observer();
    thread_state.observer = this;
  }
  ~Doubles() { thread_state.observer = below; }

  static Tensor wrapped(const Tensor& t) { return make_wrapped({7, {t}, 0}, t.dtype(), t.sizes(), t.strides()); }
  static Tensor part(const Tensor& t) { return wrapped_parts(t).parts[0]; }

  Outcome call(BoxedCall& call, BoxedResults& results) override {
    ++num_calls;
    bool concerned = false;
    for (const Tensor& t : call.tensors) concerned = concerned || concerns(t);
    if (!concerned) return Outcome::Below;
    if (call.kind == BoxedCall::Kind::Composite && !computes_composites) return Outcome::Inner;
    const compiler::ObserverGuard guard(below);
    for (Tensor& t : call.tensors)
      if (concerns(t)) t = tnp::mul(part(t), tnp::scalar_tensor(Scalar(2.0), t.dtype()));
    results = (*compiler::find_boxed(call.op))(call);
    for (Tensor& t : results.tensors) t = wrapped(tnp::mul(t, tnp::scalar_tensor(Scalar(0.5), t.dtype())));
    return Outcome::Done;
  }

  int num_calls = 0;
  bool computes_composites = true;
};

TEST(Interceptors, SeeCallsWithTheirTensorsOnly) {
  Doubles doubles;
  const Tensor plain = tnp::ones(IntList{3});
  tnp::add(plain, plain);
  EXPECT_EQ(doubles.num_calls, 0);
  const Tensor x = Doubles::wrapped(plain);
  const Tensor y = tnp::mul(x, plain);
  EXPECT_EQ(doubles.num_calls, 1);
  EXPECT_TRUE(is_wrapped(y));
  EXPECT_EQ(Doubles::part(y).data_ptr<float>()[0], 1.0f);
  EXPECT_EQ(Doubles::part(tnp::mul(x, x)).data_ptr<float>()[0], 2.0f);
  EXPECT_EQ(Doubles::part(tnp::sum(x)).item<float>(), 3.0f);
}

TEST(Interceptors, TakeGradientsOfWrappedTensors) {
  Doubles doubles;
  const Tensor x = Doubles::wrapped(tnp::ones(IntList{3}));
  x.set_requires_grad(true);
  const Tensor y = tnp::exp(x);
  EXPECT_TRUE(y.requires_grad());
  EXPECT_TRUE(is_wrapped(y));
}

TEST(Interceptors, LetTheOperatorsWithinCompositesThrough) {
  Doubles doubles;
  doubles.computes_composites = false;
  const Tensor x = Doubles::wrapped(tnp::ones(IntList{3}));
  // It makes a view by itself, whose parts nobody knows.
  EXPECT_THROW(tnp::exp(tnp::reshape(x, IntList{3, 1})), Error);
  EXPECT_GT(doubles.num_calls, 0);
}

TEST(Wrapped, HaveNoElements) {
  const Tensor x = Doubles::wrapped(tnp::ones(IntList{3}));
  EXPECT_THROW(x.data(), Error);
  EXPECT_THROW(tnp::add(x, x), Error);  // the transformation has ended
  EXPECT_THROW(tnp::sum(x), Error);
  EXPECT_THROW(tnp::select(x, 0, 0).item(), Error);
  EXPECT_EQ(device_of_wrapped(x), Device{});
}

TEST(Wrapped, ShareAVersionWithTheirViews) {
  const Tensor x = Doubles::wrapped(tnp::ones(IntList{3}));
  const Tensor view = make_wrapped({7, {tnp::ones(IntList{1})}, 0}, x.dtype(), IntList{1}, IntList{1}, x);
  view.bump_version();
  EXPECT_EQ(x.version(), 1u);
  EXPECT_EQ(Doubles::part(view).dim(), 1);
  EXPECT_TRUE(view.is_view());
}

}  // namespace
}  // namespace tnp
