// Verification of plans: Note [Verification] in aten/compiler/verify.h.
#include "aten/compiler/verify.h"

#include "test/cpp/tracing.h"

namespace tnp::compiler {

namespace {

struct Verifying {
  const bool before = is_verifying();
  Verifying() { set_verifying(true); }
  ~Verifying() { set_verifying(before); }
};

}  // namespace

TEST(Verify, AReplayIsRepeatedByTheRecordedCalls) {
  const Verifying on;
  const auto made = traced_by([](const Tensor& x) { return mul(add(x, x), exp(x)); });
  plan(made->trace);
  ASSERT_NE(made->trace.reference, nullptr);
  EXPECT_EQ(made->trace.reference->steps.size(), 3U);
  const uint64_t before = verification_statistics().verified;
  EXPECT_TRUE(run_with(made->trace, numbers()));
  EXPECT_EQ(verification_statistics().verified, before + 1);
}

TEST(Verify, ADifferenceInAResultIsFound) {
  const Verifying on;
  const auto made = traced_by([](const Tensor& x) { return add(x, x); });
  const auto other = traced_by([](const Tensor& x) { return mul(x, x); });
  plan(made->trace);
  plan(other->trace);
  made->trace.reference = std::move(other->trace.reference);  // as if the plan were wrong
  EXPECT_THROW(run_with(made->trace, numbers()), Error);
}

TEST(Verify, ADifferenceInChangedMemoryIsFound) {
  const Verifying on;
  const auto made = traced_by([](const Tensor& x) { return add_(x, x); });
  const auto other = traced_by([](const Tensor& x) { return mul_(x, x); });
  plan(made->trace);
  plan(other->trace);
  const Tensor x = numbers();
  EXPECT_TRUE(run_with(made->trace, x));
  EXPECT_EQ(x.data_ptr<double>()[3], 6.0);  // changed once
  made->trace.reference = std::move(other->trace.reference);
  EXPECT_THROW(run_with(made->trace, x), Error);
}

TEST(Verify, DrawsAreNotVerified) {
  const Verifying on;
  const auto made = traced_by([](const Tensor& x) { return add(x, rand_like(x)); });
  plan(made->trace);
  EXPECT_EQ(made->trace.reference, nullptr);
}

}  // namespace tnp::compiler
