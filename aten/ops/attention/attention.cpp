// Attention: broadcasts the batch axes of the operands, and computes gradients by differentiable
// operators if second derivatives are needed.
#include <algorithm>
#include <limits>

#include "aten/core/needs_derivatives.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/attention.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/nn.h"
#include "aten/functions/products.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/native_functions/attention.h"
#include "aten/ops/operators.h"

#include "aten/functions/comparison.h"
#include "aten/functions/sorting.h"

namespace tnp::native {

Tensor _flash_attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& attn_mask,
                        bool is_causal, double scale) {
  TNP_CHECK(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2, ErrorKind::Shape,
            "{query}, {key} and {value} must have at least 2 dimensions, got shapes ", query.sizes(), ", ", key.sizes(),
            " and ", value.sizes());
  auto batch_of = [](const Tensor& t) { return t.sizes().first(t.sizes().size() - 2); };
  const bool alike =
      std::ranges::equal(batch_of(query), batch_of(key)) && std::ranges::equal(batch_of(query), batch_of(value));
  if (alike) return std::get<0>(tnp::flash_attention(query, key, value, attn_mask, is_causal, scale));
  const DimVector batch = broadcast_shapes(broadcast_shapes(batch_of(query), batch_of(key)), batch_of(value));
  auto expanded = [&](const Tensor& t) {
    DimVector sizes = batch;
    sizes.append(IntList{t.size(-2), t.size(-1)});
    return tnp::expand(t, sizes);
  };
  return std::get<0>(
      tnp::flash_attention(expanded(query), expanded(key), expanded(value), attn_mask, is_causal, scale));
}

namespace {

std::tuple<Tensor, Tensor, Tensor> composed_backward(const Tensor& grad, const Tensor& query, const Tensor& key,
                                                     const Tensor& value, const Tensor& attn_mask, bool is_causal,
                                                     double scale) {
  const ScalarType dtype = compute_type(query.dtype());
  const Tensor q = tnp::cast(query, dtype), k = tnp::cast(key, dtype), v = tnp::cast(value, dtype),
               dy = tnp::cast(grad, dtype);
  auto transposed = [](const Tensor& t) { return tnp::transpose(t, -1, -2); };
  const Tensor minus = scalar_tensor(Scalar(-std::numeric_limits<double>::infinity()), dtype, query.device());
  Tensor scores = tnp::matmul(q, transposed(k)) * Scalar(scale);
  if (attn_mask.defined())
    scores = attn_mask.dtype() == ScalarType::Bool ? tnp::where(attn_mask, scores, minus)
                                                   : scores + tnp::cast(attn_mask, dtype);
  if (is_causal) {
    const Tensor seen =
        tnp::tril(tnp::ones(DimVector{query.size(-2), key.size(-2)}, ScalarType::Bool, query.device()), 0);
    scores = tnp::where(seen, scores, minus);
  }
  const Tensor p = tnp::softmax(scores, -1, std::nullopt), dp = tnp::matmul(dy, transposed(v));
  const Tensor ds = p * (dp - tnp::sum(dp * p, DimVector{-1}, true, std::nullopt)) * Scalar(scale);
  return {tnp::cast(tnp::matmul(ds, k), query.dtype()), tnp::cast(tnp::matmul(transposed(ds), q), key.dtype()),
          tnp::cast(tnp::matmul(transposed(p), dy), value.dtype())};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> flash_attention_backward(const Tensor& grad, const Tensor& query, const Tensor& key,
                                                            const Tensor& value, const Tensor& attn_mask,
                                                            bool is_causal, double scale, const Tensor& out,
                                                            const Tensor& logsumexp,
                                                            std::span<const bool> output_mask) {
  if (!grad.defined()) return {Tensor(), Tensor(), Tensor()};
  auto [dq, dk, dv] =
      needs_derivatives(grad, query, key, value)
          ? composed_backward(grad, query, key, value, attn_mask, is_causal, scale)
          : tnp::flash_attention_gradients(grad, query, key, value, attn_mask, is_causal, scale, out, logsumexp);
  return {output_mask[0] ? dq : Tensor(), output_mask[1] ? dk : Tensor(), output_mask[2] ? dv : Tensor()};
}

}  // namespace tnp::native
