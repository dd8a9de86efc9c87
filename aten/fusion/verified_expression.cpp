#include "aten/fusion/verified_expression.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/fusion/block_plan.h"
#include "aten/fusion/expression.h"
#include "aten/iterator/iterator.h"

namespace tnp::fusion {

namespace {

constexpr size_t kAlignment = 64;

std::atomic<uint64_t> num_expressions = 0, num_reductions = 0;

// A dense tensor in memory that the allocator does not count.
Tensor uncounted_tensor(const DimVector& sizes, ScalarType dtype) {
  const int64_t numel = numel_of(sizes);
  const auto bytes = static_cast<size_t>(numel * element_size(dtype));
  auto* const data = static_cast<char*>(std::aligned_alloc(kAlignment, (bytes + kAlignment) / kAlignment * kAlignment));
  if (!data) throw std::bad_alloc();
  auto storage = make_intrusive<Storage>(data, bytes, Device{}, [data] { std::free(data); });
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), dtype, sizes, numel, data));
}

// The operand as its call has seen it. Does not compute a pending operand that was verified itself.
Tensor at_call(const Tensor& operand) {
  const std::lock_guard guard(lock());
  Storage& storage = operand.storage();
  const ExpectedResult* const expected = storage.is_pending() ? node_of(storage).expected.get() : nullptr;
  return expected ? expected->elements : operand;
}

[[noreturn]] void differ(const std::string& what, const BlockPlan& plan) {
  throw VerificationError("verification of a pending result: " + what + ". The expression:\n" + plan.text());
}

std::string difference_at(const Tensor& expected, int64_t first, const char* data, int64_t numel) {
  const char* const other = expected.data() + first * expected.itemsize();
  const int64_t i = first_difference(expected.dtype(), data, other, numel);
  if (i < 0) return {};
  const int64_t offset = i * expected.itemsize();
  return "element " + std::to_string(first + i) + " is " +
         difference_text(expected.dtype(), data + offset, other + offset);
}

std::string names_of(int errors) {
  std::string names;
  for (const auto& [error, name] : {std::pair(kDivideByZero, "divide"), std::pair(kOverflow, "over"),
                                    std::pair(kUnderflow, "under"), std::pair(kInvalid, "invalid")})
    if (errors & error) names += (names.empty() ? "" : "|") + std::string(name);
  return names.empty() ? "none" : names;
}

}  // namespace

VerifiedExpressions verified_expressions() { return {num_expressions, num_reductions}; }

std::shared_ptr<const ExpectedResult> expected_result(const PointwiseOp& op, const PointwiseLoop& loop,
                                                      ScalarType dtype, const DimVector& sizes, TensorList inputs) {
  const HiddenReports hidden;
  auto expected = std::make_shared<ExpectedResult>();
  expected->elements = uncounted_tensor(sizes, dtype);
  std::array<Tensor, kMaxInputs> operands;
  Iterator iterator;
  iterator.output(expected->elements, loop.types[0], dtype);
  for (size_t i = 0; i < inputs.size(); ++i) {
    operands[i] = at_call(inputs[i]);
    iterator.input(operands[i], loop.types[1 + i]);
  }
  iterator.check_input_casts(false).casting(Casting::Unsafe).build();
  FloatingPointWatch watch(op.watched_as);
  iterator.for_each(loop.loop, op.cost);
  expected->errors = watch.end();
  return expected;
}

ExpressionVerifier::ExpressionVerifier(const Node& root) : root_(root.expected), root_name_(root.call.operation.name) {}

void ExpressionVerifier::add(const Node& node) {
  if (!node.expected)
    all_are_expected_ = false;
  else if (node.call.operation.watched)
    errors_.emplace_back(node.call.operation.watched, node.expected->errors);
}

void ExpressionVerifier::note(const std::string& what) {
  const std::lock_guard guard(mutex_);
  if (trouble_.empty()) trouble_ = what;
}

void ExpressionVerifier::compare_range(int64_t begin, int64_t end, const char* data) {
  const std::string difference = difference_at(root_->elements, begin, data, end - begin);
  if (!difference.empty()) note("of " + std::string(root_name_) + ", which is reduced, " + difference);
}

void ExpressionVerifier::compare_count(int64_t begin, int64_t end, int64_t count) {
  const char* const truths = root_->elements.data();
  const int64_t expected = std::count_if(truths + begin, truths + end, [](char truth) { return truth != 0; });
  if (count != expected)
    note("of " + std::string(root_name_) + ", " + std::to_string(count) + " elements are true instead of " +
         std::to_string(expected));
}

void ExpressionVerifier::compare_result(const Node& node, const char* data) {
  if (!node.expected) return;
  const std::string difference = difference_at(node.expected->elements, 0, data, node.numel);
  if (!difference.empty()) note("of the result of " + std::string(node.call.operation.name) + ", " + difference);
}

void ExpressionVerifier::compare_errors(const BlockPlan& plan, const std::vector<std::atomic<uint8_t>>& errors) {
  if (!all_are_expected_) return;
  std::map<std::string, std::pair<int, int>> by_name;  // errors of the program, and of the calls
  for (size_t s = 0; s < errors.size(); ++s)
    if (const int found = errors[s].load(std::memory_order_relaxed))
      by_name[plan.watched(static_cast<int>(s))].first |= found;
  for (const auto& [name, expected] : errors_) by_name[name].second |= expected;
  for (const auto& [name, both] : by_name)
    if (both.first != both.second)
      note("the floating-point errors of " + name + " are " + names_of(both.first) + " instead of " +
           names_of(both.second));
}

void ExpressionVerifier::finish(const BlockPlan& plan) const {
  if (!trouble_.empty()) differ(trouble_, plan);
  num_expressions.fetch_add(1, std::memory_order_relaxed);
}

void ExpressionVerifier::verify_reduction(const Tensor& result, FloatingPointErrors errors,
                                          function_ref<FloatingPointErrors(const char*)> reduce,
                                          const BlockPlan& plan) const {
  const HiddenReports hidden;
  char* const data = result.data();
  const std::vector<char> first(data, data + result.numel() * result.itemsize());
  const FloatingPointErrors expected_errors = reduce(root_->elements.data());
  const std::string of = "of the reduction of " + std::string(root_name_) + ", ";
  if (const std::string difference = difference_at(result, 0, first.data(), result.numel()); !difference.empty())
    differ(of + difference, plan);
  if (errors != expected_errors) differ(of + "the floating-point errors differ", plan);
  num_reductions.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace tnp::fusion
