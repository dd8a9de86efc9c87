// Connectionist temporal classification: checks the arguments and reduces the losses.
#include <algorithm>

#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/losses.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/statistics.h"
#include "aten/iterator/dense.h"
#include "aten/kernels/class_lines.h"
#include "aten/kernels/ctc.h"
#include "aten/native_functions/losses.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

// Returns `numbers` as a dense int64 tensor on the CPU.
Tensor on_host(const Tensor& numbers) { return to_dense(tnp::to(numbers, std::optional(Device{})), ScalarType::Int64); }

void check_lengths(const Tensor& lengths, const char* name, int64_t count) {
  TNP_CHECK(is_integer(lengths.dtype()), ErrorKind::Runtime, "{", name, "} must be integral, but are of ",
            lengths.dtype());
  TNP_CHECK(lengths.numel() == count, ErrorKind::Runtime, "{", name, "} must be of size batch_size, ", count,
            ", but are ", lengths.numel(), " numbers");
}

// Returns the array of ctc::Sequence that the kernels read: for each sequence, the offset of its
// target and the lengths. A target is a row of a 2-d `targets`, or a part of a concatenated 1-d
// `targets`.
Tensor sequences_of(const Tensor& targets, const Tensor& input_lengths, const Tensor& target_lengths, int64_t steps,
                    int64_t count) {
  TNP_CHECK(targets.dim() == 1 || targets.dim() == 2, ErrorKind::Runtime, "{targets} of shape ", targets.sizes(),
            " must have 1 or 2 axes");
  TNP_CHECK(targets.dim() == 1 || targets.size(0) == count, ErrorKind::Runtime, "{targets} of shape ", targets.sizes(),
            " must have ", count, " rows, one for each sequence");
  const int64_t width = targets.size(-1);
  Tensor result = empty_tensor({count, 3}, ScalarType::Int64);
  auto* sequences = reinterpret_cast<ctc::Sequence*>(result.data_ptr<int64_t>());
  const auto *inputs = input_lengths.data_ptr<int64_t>(), *lengths = target_lengths.data_ptr<int64_t>();
  int64_t all = 0;
  for (int64_t k = 0; k < count; ++k) {
    TNP_CHECK(inputs[k] >= 0 && inputs[k] <= steps, ErrorKind::Runtime, "{input_lengths} must be from 0 to ", steps,
              ", the steps of {log_probs}, but one is ", inputs[k]);
    TNP_CHECK(lengths[k] >= 0, ErrorKind::Runtime, "{target_lengths} must not be negative, but one is ", lengths[k]);
    if (targets.dim() == 1) {
      TNP_CHECK(lengths[k] <= width - all, ErrorKind::Runtime, "{targets} are ", width,
                " numbers, fewer than {target_lengths} add up to");
      sequences[k] = {all, inputs[k], lengths[k]};
      all += lengths[k];
    } else {
      TNP_CHECK(lengths[k] <= width, ErrorKind::Runtime, "{targets} of shape ", targets.sizes(),
                " have no room for a target of length ", lengths[k]);
      sequences[k] = {k * width, inputs[k], lengths[k]};
    }
  }
  TNP_CHECK(targets.dim() == 2 || all == width, ErrorKind::Runtime, "{targets} are ", width,
            " numbers, but {target_lengths} add up to ", all);
  return result;
}

}  // namespace

Tensor _ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                 const Tensor& target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
  TNP_CHECK(is_floating(log_probs.dtype()), ErrorKind::NotImplemented, "not implemented for ", log_probs.dtype());
  TNP_CHECK(log_probs.dim() == 2 || log_probs.dim() == 3, ErrorKind::Shape, "{log_probs} of shape ", log_probs.sizes(),
            " must have 2 or 3 axes");
  TNP_CHECK(log_probs.numel() > 0, ErrorKind::Shape, "{log_probs} of shape ", log_probs.sizes(), " must not be empty");
  const bool single = log_probs.dim() == 2;
  const Tensor probs = single ? tnp::unsqueeze(log_probs, 1) : log_probs;
  const int64_t count = probs.size(1), classes = probs.size(2);
  TNP_CHECK(blank >= 0 && blank < classes, ErrorKind::Runtime, "{blank} must be in label range, from 0 to ",
            classes - 1, ", but is ", blank);
  check_lengths(input_lengths, "input_lengths", count);
  check_lengths(target_lengths, "target_lengths", count);
  const Tensor lengths = on_host(target_lengths);
  const Tensor sequences = sequences_of(targets, on_host(input_lengths), lengths, probs.size(0), count);
  const Tensor flat = tnp::reshape(to_dense(targets, ScalarType::Int64), DimVector{-1});

  const auto* each = lengths.data_ptr<int64_t>();
  const int64_t longest = *std::max_element(each, each + count);
  const std::optional device = probs.device();
  const Tensor losses = std::get<0>(
      tnp::ctc_losses(probs, tnp::to(flat, device), tnp::to(sequences, device), longest, blank, zero_infinity));
  switch (static_cast<LossReduction>(reduction)) {
    case LossReduction::Mean: {
      const Tensor divisors = tnp::cast(tnp::clamp(lengths, Scalar(int64_t{1}), {}), losses.dtype());
      return tnp::mean(losses / tnp::to(tnp::reshape(divisors, losses.sizes()), device), {}, false, {});
    }
    case LossReduction::Sum:
      return tnp::sum(losses, {}, false, {});
    default:
      return single ? tnp::reshape(losses, IntList{}) : losses;
  }
}

}  // namespace tnp::native
