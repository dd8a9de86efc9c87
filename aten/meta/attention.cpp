// Shape functions of attention: shapes, and operands in the compute dtype.
#include "aten/meta_functions/attention.h"
#include "aten/iterator/dense.h"
#include "aten/meta/device_dtypes.h"

namespace tnp::meta {

namespace {

IntList batch_of(const Tensor& t) { return t.sizes().first(t.sizes().size() - 2); }

// Converts `t` to a dense tensor in `dtype`. Keeps a tensor in `dtype` whose rows are dense, even
// if there are gaps between rows, so that (batch, position, head, feature) needs no copy.
void in_dtype(Operand& t, ScalarType dtype) {
  const bool rows_dense = t->dtype() == dtype && !t->is_unaligned() && (t->size(-1) <= 1 || t->stride(-1) == 1) &&
                          (t->size(-2) <= 1 || t->stride(-2) >= t->size(-1));
  if (!rows_dense) t = native::to_dense(t, dtype);
}

ScalarType check(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  TNP_CHECK(is_floating(q.dtype()), ErrorKind::Dtype, "{query} must be of floats, got ", q.dtype());
  TNP_CHECK(q.dtype() == k.dtype() && q.dtype() == v.dtype(), ErrorKind::Dtype,
            "{query}, {key} and {value} must be of one dtype, got ", q.dtype(), ", ", k.dtype(), " and ", v.dtype());
  TNP_CHECK(q.dim() >= 2 && k.dim() == q.dim() && v.dim() == q.dim(), ErrorKind::Shape,
            "{query}, {key} and {value} must have as many dimensions, at least 2, got shapes ", q.sizes(), ", ",
            k.sizes(), " and ", v.sizes());
  TNP_CHECK(std::ranges::equal(batch_of(q), batch_of(k)) && std::ranges::equal(batch_of(q), batch_of(v)) &&
                q.size(-1) == k.size(-1) && k.size(-2) == v.size(-2),
            ErrorKind::Shape, "{query}, {key} and {value} of shapes ", q.sizes(), ", ", k.sizes(), " and ", v.sizes(),
            " do not fit");
  if (mask.defined()) {
    TNP_CHECK(mask.dtype() == ScalarType::Bool || is_floating(mask.dtype()), ErrorKind::Dtype,
              "{attn_mask} must be of bools or floats, got ", mask.dtype());
    DimVector scores(q.sizes());
    scores.back() = k.size(-2);
    TNP_CHECK(std::ranges::equal(broadcast_shapes(mask.sizes(), scores), scores), ErrorKind::Shape,
              "{attn_mask} of shape ", mask.sizes(), " does not broadcast to scores of shape ", scores);
  }
  return compute_type(q.dtype());
}

void prepare(const Outputs& outputs, Operand& q, Operand& k, Operand& v, Operand& mask, ScalarType dtype) {
  in_dtype(q, dtype);
  in_dtype(k, dtype);
  in_dtype(v, dtype);
  if (!mask->defined()) return;
  bring_number(outputs, mask);
  // Expands the mask to at least a matrix; missing rows or columns get stride 0.
  Tensor m = mask->dtype() == ScalarType::Bool ? *mask : native::to_dtype(mask, dtype);
  if (m.dim() < 2) {
    DimVector sizes(2, 1), strides(2, 0);
    if (m.dim() == 1) sizes[1] = m.size(0), strides[1] = m.stride(0);
    m = view_of(m, sizes, strides, m.address());
  }
  mask = m;
}

}  // namespace

void flash_attention(Outputs& outputs, Operand& query, Operand& key, Operand& value, Operand& attn_mask, bool&,
                     double&) {
  const ScalarType given = query->dtype(), dtype = check(query, key, value, attn_mask);
  DimVector sizes(query->sizes());
  sizes.back() = value->size(-1);
  Output& out = outputs.add(sizes, given);
  out.computed_in(dtype);
  if (given == dtype && sizes.size() == 4) {
    // Memory order (batch, position, head, feature), from which heads are joined without a copy.
    const int64_t h = sizes[1], l = sizes[2], e = sizes[3];
    out.strides = DimVector{h * l * e, e, h * e, 1};
  }
  sizes.pop_back();
  outputs.add(sizes, dtype);
  prepare(outputs, query, key, value, attn_mask, dtype);
}

void flash_attention_gradients(Outputs& outputs, Operand& grad, Operand& query, Operand& key, Operand& value,
                               Operand& attn_mask, bool&, double&, Operand& out, Operand& logsumexp) {
  const ScalarType given = query->dtype(), dtype = check(query, key, value, attn_mask);
  prepare(outputs, query, key, value, attn_mask, dtype);
  for (const Operand* t : {&query, &key, &value}) outputs.add((*t)->sizes(), given).computed_in(dtype);
  in_dtype(grad, dtype);
  in_dtype(out, dtype);
  logsumexp = native::to_dense(logsumexp, dtype);
}

}  // namespace tnp::meta
