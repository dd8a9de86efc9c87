// Dropout. For PyTorch's stream, the CPU's kernel draws the mask and scales the elements in one pass.
// All other generators and devices, and complex numbers, need two passes.
#include "aten/functions/dropout.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/sampling.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/layout.h"
#include "aten/kernels/dropout.h"
#include "aten/native_functions/dropout.h"
#include "aten/random/generator.h"

namespace tnp::native {

void dropped_composite(const Tensor& input, double keep, bool alpha, Generator* generator, const Tensor& out,
                       const Tensor& kept) {
  const DropoutRule rule = dropout_rule(input.dtype(), keep, alpha);
  tnp::bernoulli_(kept, keep, generator);
  PointwiseOptions options;
  options.out[0] = out;
  tnp::kept_scaled(kept, input, wrapped_number(rule.scale), options);
  if (!alpha) return;
  tnp::add(out, tnp::where(kept, wrapped_number(rule.kept_shift), wrapped_number(rule.dropped_shift)), options);
}

std::tuple<Tensor, Tensor> _dropout(const Tensor& input, double keep, bool alpha, Generator* generator) {
  TNP_CHECK(keep > 0 && keep <= 1, ErrorKind::Value, "{keep} must be in (0, 1], not ", keep);
  TNP_CHECK(is_floating(input.dtype()) || input.is_complex(), ErrorKind::NotImplemented, "not implemented for ",
            input.dtype());
  if (!input.is_complex() && (generator ? *generator : default_torch_generator()).torch)
    return tnp::dropped(input, keep, alpha, generator);
  const Tensor out = empty_in_order(input.sizes(), input.dtype(), input.device(), Order::K, input);
  const Tensor kept = empty_in_order(input.sizes(), ScalarType::Bool, input.device(), Order::K, input);
  dropped_composite(input, keep, alpha, generator, out, kept);
  return {out, kept};
}

}  // namespace tnp::native
