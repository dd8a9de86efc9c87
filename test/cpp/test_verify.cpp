// Verification of plans: Note [Verification] in aten/compiler/verify.h.
#include "aten/compiler/verify.h"

#include <limits>

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

TEST(Verify, NaNsInChangedMemoryAreEqualToEachOther) {
  const Verifying on;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto made = traced_by([&](const Tensor& x) { return fill_(x, nan); });
  const auto other = traced_by([&](const Tensor& x) { return fill_(x, -nan); });
  plan(made->trace);
  plan(other->trace);
  made->trace.reference = std::move(other->trace.reference);
  EXPECT_TRUE(run_with(made->trace, numbers()));
}

TEST(Verify, AnErrorMustBeThatOfTheCalls) {
  const Verifying on;
  const auto inverted = [](double diagonal) {
    Tensor x = empty_tensor({1, 1}, ScalarType::Float64);
    *x.data_ptr<double>() = diagonal;
    return x;
  };
  const auto message_of = [&](const Trace& trace) -> std::string {
    try {
      run_with(trace, inverted(0));
    } catch (const Error& error) {
      return error.message();
    }
    return "";
  };
  const auto made = traced_by([](const Tensor& x) { return inverse(x); }, inverted(2));
  EXPECT_NE(message_of(made->trace), "");
  const auto other = traced_by([](const Tensor& x) { return add(x, x); }, inverted(2));
  plan(made->trace);
  plan(other->trace);
  EXPECT_EQ(message_of(made->trace).find("verification"), std::string::npos);
  made->trace.reference = std::move(other->trace.reference);
  EXPECT_NE(message_of(made->trace).find("verification of a compiled function: the plan raises"), std::string::npos);
}

// Runs `function`, whose replay reports what `reported` would.
template <class F, class G>
std::string reports_compared(F&& function, G&& reported) {
  const StateGuard<Dialect, &ThreadState::dialect> guard(dialect().with(ErrorWatch::Ready));
  const auto made = traced_by(reported), other = traced_by(function);
  plan(made->trace);
  plan(other->trace);
  made->trace.reference = std::move(other->trace.reference);
  std::string message;
  try {
    run_with(made->trace, numbers());
  } catch (const Error& error) {
    message = error.message();
  }
  take_floating_point_reports();
  return message;
}

TEST(Verify, ReportsOfDeadStoresMayBeMissing) {
  const Verifying on;
  const auto logged_and_filled = [](const Tensor& x) { return fill_(log_(x), 1.0); };
  const auto filled = [](const Tensor& x) { return fill_(x, 1.0); };
  const auto filled_and_logged = [](const Tensor& x) { return log_(fill_(x, 0.0)); };
  const auto infinite = [](const Tensor& x) { return fill_(x, -std::numeric_limits<double>::infinity()); };
  EXPECT_EQ(reports_compared(logged_and_filled, filled), "");
  EXPECT_NE(reports_compared(filled_and_logged, infinite).find("the plan reports the floating-point errors none"),
            std::string::npos);
  EXPECT_NE(reports_compared(infinite, filled_and_logged).find("the calls none"), std::string::npos);
}

TEST(Verify, DrawsAreNotVerified) {
  const Verifying on;
  const auto made = traced_by([](const Tensor& x) { return add(x, rand_like(x)); });
  plan(made->trace);
  EXPECT_EQ(made->trace.reference, nullptr);
}

}  // namespace tnp::compiler
