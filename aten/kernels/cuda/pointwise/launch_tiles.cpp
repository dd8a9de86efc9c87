#include "aten/kernels/cuda/pointwise/launch_tiles.h"

#include <algorithm>
#include <cstring>

#include "aten/iterator/coalesce.h"
#include "aten/kernels/cuda/element.h"

namespace tnp::gpu {

namespace {

// Operand `k`. The mask counts as the one after the last operand.
const IterationPlan::Operand& operand(const IterationPlan& plan, int k) {
  return k == plan.num_operands ? plan.mask : plan.operands[static_cast<size_t>(k)];
}

}  // namespace

void for_each_tile(const IterationPlan& plan, const TileLimits& limits, function_ref<void(const Tile&)> body) {
  if (plan.numel == 0) return;
  // A tile has as many whole dimensions as fit, and then a part of the next dimension.
  size_t whole = 0;
  int64_t inner = 1;
  while (whole < plan.dims.size() && whole < limits.dims && plan.dims[whole] <= limits.elements / inner)
    inner *= plan.dims[whole++];
  const int count = plan.num_operands + (plan.has_mask ? 1 : 0);
  int64_t offsets[kMaxOperands + 1] = {};
  if (whole == plan.dims.size()) return body({plan.dims, static_cast<uint32_t>(inner), offsets});

  const bool cut = whole < limits.dims;
  const int64_t length = cut ? std::max<int64_t>(limits.elements / inner, 1) : 1;
  DimVector dims(IntList(IntList(plan.dims).subspan(0, whole)));
  if (cut) dims.push_back(length);
  DimVector index(plan.dims.size(), 0);
  for (;;) {
    const int64_t n = std::min(length, plan.dims[whole] - index[whole]);
    if (cut) dims.back() = n;
    for (int k = 0; k < count; ++k) {
      offsets[k] = 0;
      for (size_t d = whole; d < plan.dims.size(); ++d) offsets[k] += index[d] * operand(plan, k).steps[d];
    }
    body({dims, static_cast<uint32_t>(inner * n), offsets});
    index[whole] += n;
    for (size_t d = whole; index[d] == plan.dims[d]; ++d) {
      if (d + 1 == plan.dims.size()) return;
      index[d] = 0;
      ++index[d + 1];
    }
  }
}

IterationPlan plan_of(Device device, IntList sizes, int num_outputs, std::span<const PlannedOperand> operands) {
  TNP_INTERNAL_ASSERT(operands.size() <= kMaxOperands);
  IterationPlan plan;
  plan.device = device;
  plan.numel = numel_of(sizes);
  plan.num_outputs = num_outputs;
  plan.num_operands = static_cast<int>(operands.size());
  for (size_t k = 0; k < operands.size(); ++k) {
    plan.operands[k].data = operands[k].data;
    plan.operands[k].dtype = plan.operands[k].loop_dtype = operands[k].dtype;
  }
  for (size_t d = sizes.size(); d-- > 0;)
    add_axis(
        plan.dims, operands.size(), sizes[d], [&](size_t k) { return operands[k].steps[d]; },
        [&](size_t k) -> DimVector& { return plan.operands[k].steps; });
  if (plan.dims.empty()) {
    plan.dims.push_back(1);
    for (size_t k = 0; k < operands.size(); ++k) plan.operands[k].steps.push_back(0);
  }
  return plan;
}

bool lies_in_packs(const IterationPlan& plan, const Tile& tile, int width) {
  if (plan.has_mask || (tile.dims.size() > 1 && tile.dims[0] % width != 0)) return false;
  for (int k = 0; k < plan.num_operands; ++k) {
    const IterationPlan::Operand& o = operand(plan, k);
    if (o.is_value || (k >= plan.num_outputs && o.steps[0] == 0)) continue;
    const int64_t size = element_size(o.dtype);
    if (o.steps[0] != size) return false;
    if (!packs(o.dtype, o.loop_dtype)) continue;
    auto place = reinterpret_cast<uintptr_t>(o.data) + static_cast<uintptr_t>(tile.offsets[k]);
    for (size_t d = 1; d < tile.dims.size(); ++d) place |= static_cast<uintptr_t>(o.steps[d]);
    if (place % static_cast<uintptr_t>(size * width) != 0) return false;
  }
  return true;
}

void fill_operands(const IterationPlan& plan, const Tile& tile, OperandArguments* operands) {
  for (int k = 0; k < plan.num_operands; ++k) {
    const IterationPlan::Operand& o = operand(plan, k);
    OperandArguments& to = operands[k];
    const bool constant =
        std::all_of(o.steps.begin(), o.steps.begin() + tile.dims.size(), [](int64_t s) { return s == 0; });
    to.data = o.is_value ? nullptr : o.data + tile.offsets[k];
    to.dtype = o.dtype;
    to.size = static_cast<uint8_t>(element_size(o.dtype));
    to.reading = o.is_value ? Reading::Value : constant && k >= plan.num_outputs ? Reading::Scalar : Reading::Elements;
    std::memcpy(to.value, o.value, sizeof to.value);
  }
}

void fill_strides(const IterationPlan& plan, const Tile& tile, Divider* dims, int64_t (*steps)[kLaunchDims],
                  const char*& mask) {
  for (size_t d = 0; d < tile.dims.size(); ++d) {
    dims[d] = Divider(static_cast<uint32_t>(tile.dims[d]));
    for (int k = 0; k < plan.num_operands; ++k) steps[k][d] = operand(plan, k).is_value ? 0 : operand(plan, k).steps[d];
    if (plan.has_mask) steps[plan.num_operands][d] = plan.mask.steps[d];
  }
  mask = plan.has_mask ? plan.mask.data + tile.offsets[plan.num_operands] : nullptr;
}

}  // namespace tnp::gpu
