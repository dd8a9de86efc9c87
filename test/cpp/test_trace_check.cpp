// The checker of traces: Note [Invariants] in aten/compiler/passes/check.h. Each test breaks one.
#include "aten/compiler/passes/check.h"

#include <algorithm>

#include "aten/compiler/verify.h"
#include "aten/compiler/views.h"
#include "aten/iterator/copy.h"
#include "test/cpp/tracing.h"

namespace tnp::compiler {

namespace {

// Expects that check() finds the broken invariant, and that it names the pass and the step.
void expect_found(const Trace& trace, const std::string& invariant, const std::string& step = "") {
  try {
    check(trace, "a_pass");
    ADD_FAILURE() << "not found: " << invariant;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Internal);
    const std::string message = error.message();
    EXPECT_NE(message.find("after the pass a_pass"), std::string::npos) << message;
    EXPECT_NE(message.find(step), std::string::npos) << message;
    EXPECT_NE(message.find(invariant), std::string::npos) << message;
  }
}

std::unique_ptr<Traced> product() {
  auto made = traced_by([](const Tensor& x) {
    const Tensor twice = add(x, x), e = exp(x);
    return mul(twice, e);
  });
  check(made->trace, "trace");
  EXPECT_EQ(made->trace.steps.size(), 3U);
  return made;
}

// Two matrix products, whose small intermediate results are in the arena.
std::unique_ptr<Traced> planned() {
  const Tensor x = empty_tensor({4, 4}, ScalarType::Float64);
  fill_with(x, Scalar(1));
  auto made = traced_by([](const Tensor& t) { return matmul(matmul(matmul(t, t), t), t); }, x);
  plan(made->trace);
  check(made->trace, "find_places");
  EXPECT_GT(made->trace.arena_bytes, 0U);
  return made;
}

Step& step(const Traced& made, size_t i) { return *made.trace.steps[i]; }
Slot& slot_of(Traced& made, int view) { return made.trace.slots[static_cast<size_t>(slot_of(made.trace, view))]; }

// One block of three calls.
std::unique_ptr<Traced> fused() {
  const Tensor x = empty_tensor({100000}, ScalarType::Float64);
  fill_with(x, Scalar(1));
  auto made = traced_by(
      [](const Tensor& t) {
        const Tensor twice = add(t, t), e = exp(t);
        return mul(twice, e);
      },
      x);
  plan(made->trace);
  check(made->trace, "find_places");
  EXPECT_EQ(made->trace.steps.size(), 1U);
  EXPECT_EQ(step(*made, 0).parts.size(), 3U);
  return made;
}

}  // namespace

TEST(TraceCheck, SlotsAndViews) {
  auto made = product();
  made->trace.slots[0].argument = 1;
  expect_found(made->trace, "slot 0 has the number 1 among 1 arguments");
  made = product();
  slot_of(*made, made->result).origin = Origin::Outside;
  expect_found(made->trace, "has no array");
  made = product();
  slot_of(*made, made->result).is_constant = true;
  expect_found(made->trace, "is constant, but not kept");
  made = product();
  made->trace.views[0].slot = 9;
  expect_found(made->trace, "%0 is in slot 9 of");
  made = product();
  made->trace.views[0].numel = 6;
  expect_found(made->trace, "%0 has sizes (5,), strides (1,) and 6 elements");
}

TEST(TraceCheck, MissingSteps) {
  auto made = product();
  made->trace.steps[0] = nullptr;
  expect_found(made->trace, "step 0 is missing");
  made = product();
  step(*made, 0).call.op = nullptr;
  expect_found(made->trace, "has no call and no parts", ", step add(");
}

TEST(TraceCheck, OrderOfSteps) {
  auto made = product();
  std::swap(made->trace.steps[0], made->trace.steps[2]);
  expect_found(made->trace, "which no earlier step has written", ", step mul(");
  made = product();
  made->trace.steps.erase(made->trace.steps.begin() + 1);
  expect_found(made->trace, "which no earlier step has written", ", step mul(");
  made = product();
  made->trace.steps.pop_back();
  expect_found(made->trace, "which the caller receives");
}

TEST(TraceCheck, ViewsOfSteps) {
  auto made = product();
  step(*made, 0).reads.push_back(99);
  expect_found(made->trace, "uses %99 of", ", step add(");
  made = product();
  step(*made, 1).reads.clear();
  expect_found(made->trace, "does not read its operand %0", ", step exp(");
  made = product();
  step(*made, 1).call.arguments[0].value = ViewNumber{77};
  expect_found(made->trace, "has the operand %77", ", step exp(%77)");
  made = product();
  step(*made, 2).writes.clear();
  expect_found(made->trace, "does not write its result", ", step mul(");
  made = product();
  step(*made, 2).allocates = {0};
  expect_found(made->trace, "allocates %0, which is not one of its results", ", step mul(");
  made = traced_by([](const Tensor& x) { return add_(x, x); });
  check(made->trace, "trace");
  step(*made, 0).allocates = step(*made, 0).writes;
  expect_found(made->trace, "whose memory a frame does not provide", ", step add(");
}

TEST(TraceCheck, PartsOfSteps) {
  auto made = fused();
  step(*made, 0).parts[1] = nullptr;
  expect_found(made->trace, "a part of block(3) is missing");
  made = fused();
  step(*made, 0).reads.clear();
  expect_found(made->trace, "does not read %0, which its part", ", step block(");
  made = fused();
  std::swap(step(*made, 0).parts[0], step(*made, 0).parts[2]);
  expect_found(made->trace, "does not read", ", step block(");
  made = fused();
  step(*made, 0).parts.pop_back();
  expect_found(made->trace, "which none of its parts writes", ", step block(");
  made = fused();
  step(*made, 0).parts[0]->writes.push_back(0);
  expect_found(made->trace, "does not write %0, which its part", ", step block(");
  made = fused();
  step(*made, 0).parts[0]->draws = true;
  expect_found(made->trace, "is a guard or draws random numbers", ", step block(");
}

TEST(TraceCheck, GuardsComeBeforeEffects) {
  const auto guarded = [](const Tensor& x) {
    sum(x).item();
    return add_(x, x);
  };
  auto made = traced_by(guarded);
  check(made->trace, "trace");
  std::swap(made->trace.steps[1], made->trace.steps[2]);
  expect_found(made->trace, "a guard follows an effect outside of the trace", ", step look(");
}

TEST(TraceCheck, Releases) {
  auto made = planned();
  made->trace.done.pop_back();
  expect_found(made->trace, "has last uses of 2 steps, not 3");
  made = planned();
  made->trace.done[0].push_back(99);
  expect_found(made->trace, "releases slot 99");
  made = planned();
  const int first = slot_of(made->trace, step(*made, 0).writes[0]);
  made->trace.done[1].push_back(first);
  expect_found(made->trace, "which is in the arena");
  slot_of(*made, step(*made, 0).writes[0]).place = -1;
  check(made->trace, "find_places");
  made->trace.done[2].push_back(first);
  expect_found(made->trace, "again");
  made->trace.done[2].clear();
  made->trace.done[0] = made->trace.done[1];
  made->trace.done[1].clear();
  expect_found(made->trace, "which a later step uses");
  made = planned();
  made->trace.done[2].push_back(slot_of(made->trace, made->result));
  expect_found(made->trace, "which outlives the replay");
  made = planned();
  made->trace.views_of_slots[0].clear();
  expect_found(made->trace, "a release of its slot does not reset %0");
}

TEST(TraceCheck, PlacesInTheArena) {
  auto made = planned();
  slot_of(*made, step(*made, 0).writes[0]).place = slot_of(*made, step(*made, 1).writes[0]).place;
  expect_found(made->trace, "overlap in the arena while both are in use");
  made = planned();
  slot_of(*made, made->result).place = 0;
  expect_found(made->trace, "outlives the arena");
  made = planned();
  made->trace.arena_bytes = 8;
  expect_found(made->trace, "of an arena of 8");
  made = planned();
  made->trace.done.clear();
  expect_found(made->trace, "has a place, but no last use");
}

TEST(TraceCheck, PlansAreCheckedWhileTheyAreVerified) {
  const auto made = product();
  made->trace.slots[0].argument = 1;
  const bool before = is_verifying();
  set_verifying(true);
  EXPECT_THROW(plan(made->trace), Error);
  set_verifying(before);
}

// A call after a draw is no draw.
TEST(TraceCheck, OnlyTheCallThatDrawsIsMarked) {
  const auto made = traced_by([](const Tensor& x) { return mul(rand_like(x), x); });
  check(made->trace, "trace");
  const auto draws = [](const auto& step) { return step->draws; };
  EXPECT_EQ(std::count_if(made->trace.steps.begin(), made->trace.steps.end(), draws), 1);
  EXPECT_FALSE(made->trace.steps.back()->draws);
}

}  // namespace tnp::compiler
