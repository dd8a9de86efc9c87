// Attention on a GPU without the matrix of scores. The forward pass and the gradient of queries use
// one thread per query, with running maxima. The gradients of keys and values use one thread per
// key. The kernels use no atomics, so every run gives the same result.
#include <cmath>
#include <limits>
#include <optional>

#include "aten/cuda/launch.h"
#include "aten/kernel_functions/attention.h"
#include "aten/kernels/attention.h"
#include "aten/kernels/cuda/grid_stride.h"

namespace tnp {

namespace gpu {
namespace {

constexpr int kMostBatchAxes = 8;

// An AttentionPart as a plain value.
struct Part {
  int64_t strides[kMostBatchAxes], sizes[kMostBatchAxes];
  int axes;
  int64_t row, step;
  TNP_HOST_DEVICE int64_t offset(int64_t index) const {
    int64_t offset = 0;
    for (int d = axes - 1; d >= 0; index /= sizes[d], --d) offset += index % sizes[d] * strides[d];
    return offset;
  }
};

Part part_of(const Tensor& t, IntList batch) {
  TNP_CHECK(batch.size() <= kMostBatchAxes, ErrorKind::NotImplemented, "attention with ", batch.size(),
            " leading axes on CUDA is not implemented");
  Part part{};
  part.axes = static_cast<int>(batch.size());
  const int64_t own = t.dim() - 2, lead = static_cast<int64_t>(batch.size()) - own;
  for (size_t d = 0; d < batch.size(); ++d) part.sizes[d] = batch[d];
  for (int64_t d = 0; d < own; ++d) part.strides[lead + d] = t.size(d) == 1 ? 0 : t.stride(d);
  part.row = t.size(-2) == 1 ? 0 : t.stride(-2), part.step = t.size(-1) == 1 ? 0 : t.stride(-1);
  return part;
}

template <class T>
struct Scores {
  int64_t count, l, s, e, v;
  const T *q, *k, *values;
  Part query, key, value;
  const void* masks;  // null if there is no mask
  Part mask;
  bool bools, causal;
  T scale;

  // The masked score of query i and key j; -infinity if the pair is masked out.
  TNP_HOST_DEVICE T score(const T* x, const T* y, int64_t mask_at, int64_t i, int64_t j) const {
    if (causal && j > i) return -std::numeric_limits<T>::infinity();
    T sum(0);
    for (int64_t d = 0; d < e; ++d) sum += x[d * query.step] * y[d * key.step];
    sum = sum * scale;
    if (!masks) return sum;
    const int64_t at = mask_at + i * mask.row + j * mask.step;
    if (bools) return static_cast<const uint8_t*>(masks)[at] ? sum : -std::numeric_limits<T>::infinity();
    return sum + static_cast<const T*>(masks)[at];
  }
};

template <class T>
struct AttentionForward {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  Scores<T> all;
  T *out, *lse;
  Part to;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, all.count * all.l, [this](int64_t item) {
      const int64_t index = item / all.l, i = item % all.l;
      const T* x = all.q + all.query.offset(index) + i * all.query.row;
      const T *keys = all.k + all.key.offset(index), *values = all.values + all.value.offset(index);
      const int64_t mask_at = all.masks ? all.mask.offset(index) : 0;
      T* y = out + to.offset(index) + i * to.row;
      T largest = -std::numeric_limits<T>::infinity(), total(0);
      for (int64_t d = 0; d < all.v; ++d) y[d * to.step] = T(0);
      for (int64_t j = 0; j < all.s; ++j) {
        const T score = all.score(x, keys + j * all.key.row, mask_at, i, j);
        if (score == -std::numeric_limits<T>::infinity()) continue;
        const T now = largest < score ? score : largest, factor = std::exp(largest - now), p = std::exp(score - now);
        largest = now;
        total = total * factor + p;
        const T* from = values + j * all.value.row;
        for (int64_t d = 0; d < all.v; ++d) y[d * to.step] = y[d * to.step] * factor + p * from[d * all.value.step];
      }
      for (int64_t d = 0; total != T(0) && d < all.v; ++d) y[d * to.step] = y[d * to.step] / total;
      lse[item] = total != T(0) ? largest + std::log(total) : std::numeric_limits<T>::infinity();
    });
  }
};

// The inputs of both gradient kernels.
template <class T>
struct Backward {
  Scores<T> all;
  const T *dy, *lse;
  Part grad;
  T* delta;
};

template <class T>
struct QueryGradients {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  Backward<T> from;
  const T* y;
  Part result;
  T* dq;
  TNP_HOST_DEVICE void run(Place place) const {
    const Scores<T>& all = from.all;
    grid_stride_loop(place, all.count * all.l, [&, this](int64_t item) {
      const int64_t index = item / all.l, i = item % all.l;
      const T* x = all.q + all.query.offset(index) + i * all.query.row;
      const T *keys = all.k + all.key.offset(index), *values = all.values + all.value.offset(index);
      const T *g = from.dy + from.grad.offset(index) + i * from.grad.row,
              *own = y + result.offset(index) + i * result.row;
      const int64_t mask_at = all.masks ? all.mask.offset(index) : 0;
      T sum(0);
      for (int64_t d = 0; d < all.v; ++d) sum += g[d * from.grad.step] * own[d * result.step];
      from.delta[item] = sum;
      T* to = dq + item * all.e;
      for (int64_t d = 0; d < all.e; ++d) to[d] = T(0);
      for (int64_t j = 0; j < all.s; ++j) {
        const T p = std::exp(all.score(x, keys + j * all.key.row, mask_at, i, j) - from.lse[item]);
        if (p == T(0)) continue;
        T dp(0);
        for (int64_t d = 0; d < all.v; ++d)
          dp += g[d * from.grad.step] * values[j * all.value.row + d * all.value.step];
        const T ds = p * (dp - sum) * all.scale;
        for (int64_t d = 0; d < all.e; ++d) to[d] += ds * keys[j * all.key.row + d * all.key.step];
      }
    });
  }
};

template <class T>
struct KeyGradients {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  Backward<T> from;
  T *dk, *dv;
  TNP_HOST_DEVICE void run(Place place) const {
    const Scores<T>& all = from.all;
    grid_stride_loop(place, all.count * all.s, [&, this](int64_t item) {
      const int64_t index = item / all.s, j = item % all.s;
      const T *queries = all.q + all.query.offset(index), *gradients = from.dy + from.grad.offset(index);
      const T* own_key = all.k + all.key.offset(index) + j * all.key.row;
      const T* own_value = all.values + all.value.offset(index) + j * all.value.row;
      const int64_t mask_at = all.masks ? all.mask.offset(index) : 0;
      T *to_key = dk + item * all.e, *to_value = dv + item * all.v;
      for (int64_t d = 0; d < all.e; ++d) to_key[d] = T(0);
      for (int64_t d = 0; d < all.v; ++d) to_value[d] = T(0);
      for (int64_t i = all.causal ? j : 0; i < all.l; ++i) {
        const T* x = queries + i * all.query.row;
        const T* g = gradients + i * from.grad.row;
        const T p = std::exp(all.score(x, own_key, mask_at, i, j) - from.lse[index * all.l + i]);
        if (p == T(0)) continue;
        T dp(0);
        for (int64_t d = 0; d < all.v; ++d) {
          dp += g[d * from.grad.step] * own_value[d * all.value.step];
          to_value[d] += p * g[d * from.grad.step];
        }
        const T ds = p * (dp - from.delta[index * all.l + i]) * all.scale;
        for (int64_t d = 0; d < all.e; ++d) to_key[d] += ds * x[d * all.query.step];
      }
    });
  }
};

template <class T>
T* pointer(const Tensor& t) {
  return reinterpret_cast<T*>(t.address());
}

template <class T>
Scores<T> scores_of(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, bool causal, double scale) {
  const IntList batch = q.sizes().first(q.sizes().size() - 2);
  Scores<T> all{numel_of(batch),
                q.size(-2),
                k.size(-2),
                q.size(-1),
                v.size(-1),
                pointer<T>(q),
                pointer<T>(k),
                pointer<T>(v),
                part_of(q, batch),
                part_of(k, batch),
                part_of(v, batch),
                nullptr,
                {},
                false,
                causal,
                static_cast<T>(scale)};
  if (mask.defined())
    all.masks = mask.address(), all.mask = part_of(mask, batch), all.bools = mask.dtype() == ScalarType::Bool;
  return all;
}

}  // namespace
}  // namespace gpu

void native::flash_attention_cuda(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& attn_mask,
                                  bool is_causal, double scale, const Tensor& out, const Tensor& logsumexp) {
  using namespace gpu;
  if (logsumexp.numel() == 0) return;
  visit<FloatTypes>(query.dtype(), [&]<class T>() {
    const Scores<T> all = scores_of<T>(query, key, value, attn_mask, is_causal, scale);
    launch(AttentionForward<T>{all, pointer<T>(out), pointer<T>(logsumexp),
                               part_of(out, query.sizes().first(query.sizes().size() - 2))},
           grid_stride_blocks(logsumexp.numel()), query.device());
  });
}

void native::flash_attention_gradients_cuda(const Tensor& grad, const Tensor& query, const Tensor& key,
                                            const Tensor& value, const Tensor& attn_mask, bool is_causal, double scale,
                                            const Tensor& out, const Tensor& logsumexp, const Tensor& grad_query,
                                            const Tensor& grad_key, const Tensor& grad_value) {
  using namespace gpu;
  visit<FloatTypes>(query.dtype(), [&]<class T>() {
    const IntList batch = query.sizes().first(query.sizes().size() - 2);
    const Tensor delta = empty_tensor(logsumexp.sizes(), logsumexp.dtype(), query.device());
    const Backward<T> from{scores_of<T>(query, key, value, attn_mask, is_causal, scale), pointer<T>(grad),
                           pointer<T>(logsumexp), part_of(grad, batch), pointer<T>(delta)};
    const int64_t keys = from.all.count * from.all.s;
    if (logsumexp.numel() > 0)
      launch(QueryGradients<T>{from, pointer<T>(out), part_of(out, batch), pointer<T>(grad_query)},
             grid_stride_blocks(logsumexp.numel()), query.device());
    if (keys > 0)
      launch(KeyGradients<T>{from, pointer<T>(grad_key), pointer<T>(grad_value)}, grid_stride_blocks(keys),
             query.device());
  });
}

}  // namespace tnp
