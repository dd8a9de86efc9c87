// Attention on the CPU, in blocks of queries and keys whose scores stay in the cache.
//
// Note [Attention by blocks] Each block of queries is combined with one block of keys after the
// other. For each row, the loop carries the largest score so far, m, and the sum of exponentials,
// l. When m grows, the accumulated sums are multiplied by exp(old m - new m). The backward pass
// recomputes the probabilities exp(score - logsumexp) from queries and keys. Each thread needs
// memory for one block of scores. Source: Dao et al., arXiv 2205.14135, algorithms 1 and 4.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/attention.h"
#include "aten/kernels/attention.h"
#include "aten/kernels/cpu/attention/attention_loops.h"
#include "aten/kernels/cpu/linalg/block_products.h"
#include "aten/kernels/cpu/pointwise/loops_of_type.h"

namespace tnp::native {

namespace {

template <class T>
const AttentionLoop<T>& rows_loop() {
  using namespace attention_loops;
  static constexpr LoopVariants<AttentionLoops> variants = TNP_LOOP_VARIANTS(loops);
  static const AttentionLoops& chosen = variants.choose()[0];
  return loops_of_type<T>(chosen);
}

template <class T>
class Attention {
 public:
  static constexpr int64_t kQueries = 256, kKeys = 512, kKeysBackward = 256;

  Attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, bool causal, double scale)
      : batch_(query.sizes().first(query.sizes().size() - 2)),
        l_(query.size(-2)),
        s_(key.size(-2)),
        e_(query.size(-1)),
        v_(value.size(-1)),
        causal_(causal),
        scale_(static_cast<T>(scale)),
        query_(query, batch_, 2),
        key_(key, batch_, 2),
        value_(value, batch_, 2),
        q_(query.data_ptr<T>()),
        k_(key.data_ptr<T>()),
        values_(value.data_ptr<T>()) {
    for (int64_t n : batch_) count_ *= n;
    if (mask.defined()) {
      mask_.emplace(mask, batch_, 2);
      bools_ = mask.dtype() == ScalarType::Bool;
      masks_ = mask.data();
    }
  }

  void forward(const Tensor& out, const Tensor& logsumexp) {
    const AttentionPart to(out, batch_, 2);
    T *results = out.data_ptr<T>(), *lse = logsumexp.data_ptr<T>();
    const int64_t blocks = (l_ + kQueries - 1) / kQueries;
    const int64_t work = std::min(l_, kQueries) * s_ * (e_ + v_) / 16 + 1;
    parallel_for(0, count_ * blocks, std::max<int64_t>(1, kParallelWork / work), [&](int64_t begin, int64_t end) {
      Scratch scratch(kQueries * std::min(kKeys, s_) + 2 * kQueries * v_ + 3 * kQueries + kKeys);
      for (int64_t i = begin; i < end; ++i) {
        // With a causal mask, the last queries see the most keys. Blocks are taken alternately from
        // both ends, so that threads get equal work.
        const int64_t index = i / blocks, turn = i % blocks, block = turn % 2 ? blocks - 1 - turn / 2 : turn / 2;
        const int64_t first = block * kQueries, rows = std::min(kQueries, l_ - first);
        forward_block(scratch, index, first, rows, results + to.offset(index) + first * to.row, to.row,
                      lse + index * l_ + first);
      }
    });
  }

  void backward(const Tensor& grad, const Tensor& out, const Tensor& logsumexp, const Tensor& grad_query,
                const Tensor& grad_key, const Tensor& grad_value) {
    const AttentionPart from(grad, batch_, 2), result(out, batch_, 2);
    const T *dy = grad.data_ptr<T>(), *y = out.data_ptr<T>(), *lse = logsumexp.data_ptr<T>();
    T *dq = grad_query.data_ptr<T>(), *dk = grad_key.data_ptr<T>(), *dv = grad_value.data_ptr<T>();
    const int64_t work = l_ * s_ * (e_ + v_) / 8 + 1;
    parallel_for(0, count_, std::max<int64_t>(1, kParallelWork / work), [&](int64_t begin, int64_t end) {
      Scratch scratch(2 * kQueries * std::min(kKeysBackward, s_) + kKeysBackward * std::max(e_, v_) + kQueries * e_ +
                      l_ + kKeysBackward);
      for (int64_t index = begin; index < end; ++index)
        backward_of(scratch, index, dy + from.offset(index), from, y + result.offset(index), result, lse + index * l_,
                    dq + index * l_ * e_, dk + index * s_ * e_, dv + index * s_ * v_);
    });
  }

 private:
  struct Scratch {
    explicit Scratch(int64_t size) : memory(empty_tensor({size}, scalar_type_of<T>)), next(memory.data_ptr<T>()) {}
    Tensor memory;
    T* next;
    BlockProducts<T> products;
  };

  // Scales and masks the scores of one query for `cols` keys from `key` on. Returns the largest
  // score.
  T mask_row(T* x, int64_t cols, const char* mask, int64_t row, int64_t key, T* added) const {
    if (causal_ && key + cols > row + 1) {
      const int64_t seen = std::max<int64_t>(row + 1 - key, 0);
      std::fill(x + seen, x + cols, -std::numeric_limits<T>::infinity());
    }
    const T* addend = nullptr;
    if (mask) {
      const int64_t at = row * mask_->row + key * mask_->step;
      if (bools_) {
        const auto* m = reinterpret_cast<const uint8_t*>(mask) + at;
        for (int64_t j = 0; j < cols; ++j) added[j] = m[j * mask_->step] ? T(0) : -std::numeric_limits<T>::infinity();
        addend = added;
      } else {
        const T* m = reinterpret_cast<const T*>(mask) + at;
        addend = m;
        if (mask_->step != 1) {
          for (int64_t j = 0; j < cols; ++j) added[j] = m[j * mask_->step];
          addend = added;
        }
      }
    }
    return loop_.scaled_largest(x, addend, cols, scale_);
  }
  const char* mask_of(int64_t index) const {
    return masks_ ? masks_ + mask_->offset(index) * (bools_ ? 1 : static_cast<int64_t>(sizeof(T))) : nullptr;
  }
  Block<T> keys(int64_t index, int64_t first) const {
    return {k_ + key_.offset(index) + first * key_.row, key_.row, key_.step};
  }
  Block<T> queries(int64_t index, int64_t first) const {
    return {q_ + query_.offset(index) + first * query_.row, query_.row, query_.step};
  }
  Block<T> values(int64_t index, int64_t first) const {
    return {values_ + value_.offset(index) + first * value_.row, value_.row, value_.step};
  }

  void forward_block(Scratch& scratch, int64_t index, int64_t first, int64_t rows, T* out, int64_t out_row, T* lse) {
    const int64_t width = std::min(kKeys, s_);
    T *scores = scratch.next, *sums = scores + kQueries * width, *more = sums + kQueries * v_,
      *largest = more + kQueries * v_, *total = largest + kQueries, *factor = total + kQueries,
      *added = factor + kQueries;
    std::fill_n(sums, rows * v_, T(0));
    std::fill_n(total, rows, T(0));
    std::fill_n(largest, rows, -std::numeric_limits<T>::infinity());
    const int64_t seen = causal_ ? std::min(s_, first + rows) : s_;
    const char* mask = mask_of(index);
    for (int64_t key = 0; key < seen; key += width) {
      const int64_t cols = std::min(width, seen - key);
      scratch.products.multiply(rows, cols, e_, queries(index, first), keys(index, key).transposed(), scores, cols);
      for (int64_t i = 0; i < rows; ++i) {
        T* x = scores + i * cols;
        const T now = std::max(largest[i], mask_row(x, cols, mask, first + i, key, added));
        if (now == -std::numeric_limits<T>::infinity()) {  // all keys so far are masked
          std::fill_n(x, cols, T(0));
          factor[i] = T(1);
          continue;
        }
        factor[i] = std::exp(largest[i] - now);
        largest[i] = now;
        total[i] = total[i] * factor[i] + loop_.exponentials(x, cols, now);
      }
      scratch.products.multiply(rows, v_, cols, {scores, cols, 1}, values(index, key), more, v_);
      for (int64_t i = 0; i < rows; ++i) loop_.rescale_and_add(sums + i * v_, more + i * v_, v_, factor[i]);
    }
    for (int64_t i = 0; i < rows; ++i) {
      const bool any = total[i] != T(0);
      const T reciprocal = any ? T(1) / total[i] : T(0);
      for (int64_t j = 0; j < v_; ++j) out[i * out_row + j] = sums[i * v_ + j] * reciprocal;
      lse[i] = any ? largest[i] + std::log(total[i]) : std::numeric_limits<T>::infinity();
    }
  }

  void backward_of(Scratch& scratch, int64_t index, const T* dy, const AttentionPart& from, const T* y,
                   const AttentionPart& result, const T* lse, T* dq, T* dk, T* dv) {
    const int64_t width = std::min(kKeysBackward, s_);
    T *p = scratch.next, *dp = p + kQueries * width, *more = dp + kQueries * width,
      *more_q = more + kKeysBackward * std::max(e_, v_), *delta = more_q + kQueries * e_, *added = delta + l_;
    for (int64_t i = 0; i < l_; ++i) delta[i] = loop_.dot(dy + i * from.row, y + i * result.row, v_);
    std::fill_n(dq, l_ * e_, T(0));
    std::fill_n(dk, s_ * e_, T(0));
    std::fill_n(dv, s_ * v_, T(0));
    const char* mask = mask_of(index);
    for (int64_t key = 0; key < s_; key += width) {
      const int64_t cols = std::min(width, s_ - key);
      const int64_t first_seeing = causal_ ? key / kQueries * kQueries : 0;
      for (int64_t first = first_seeing; first < l_; first += kQueries) {
        const int64_t rows = std::min(kQueries, l_ - first);
        const Block<T> gradient{dy + first * from.row, from.row, 1};
        scratch.products.multiply(rows, cols, e_, queries(index, first), keys(index, key).transposed(), p, cols);
        for (int64_t i = 0; i < rows; ++i) {
          mask_row(p + i * cols, cols, mask, first + i, key, added);
          loop_.exponentials(p + i * cols, cols, lse[first + i]);
        }
        scratch.products.multiply(cols, v_, rows, Block<T>{p, cols, 1}.transposed(), gradient, more, v_);
        loop_.rescale_and_add(dv + key * v_, more, cols * v_, T(1));
        scratch.products.multiply(rows, cols, v_, gradient, values(index, key).transposed(), dp, cols);
        for (int64_t i = 0; i < rows; ++i)
          loop_.score_gradients(dp + i * cols, p + i * cols, cols, delta[first + i], scale_);
        scratch.products.multiply(cols, e_, rows, Block<T>{dp, cols, 1}.transposed(), queries(index, first), more, e_);
        loop_.rescale_and_add(dk + key * e_, more, cols * e_, T(1));
        scratch.products.multiply(rows, e_, cols, {dp, cols, 1}, keys(index, key), more_q, e_);
        loop_.rescale_and_add(dq + first * e_, more_q, rows * e_, T(1));
      }
    }
  }

  const AttentionLoop<T>& loop_ = rows_loop<T>();
  DimVector batch_;
  int64_t count_ = 1, l_, s_, e_, v_;
  bool causal_, bools_ = false;
  T scale_;
  AttentionPart query_, key_, value_;
  std::optional<AttentionPart> mask_;
  const T *q_, *k_, *values_;
  const char* masks_ = nullptr;
};

}  // namespace

void flash_attention_cpu(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& attn_mask,
                         bool is_causal, double scale, const Tensor& out, const Tensor& logsumexp) {
  visit<FloatTypes>(query.dtype(), [&]<class T>() {
    Attention<T>(query, key, value, attn_mask, is_causal, scale).forward(out, logsumexp);
  });
}

void flash_attention_gradients_cpu(const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Tensor& attn_mask, bool is_causal, double scale, const Tensor& out,
                                   const Tensor& logsumexp, const Tensor& grad_query, const Tensor& grad_key,
                                   const Tensor& grad_value) {
  visit<FloatTypes>(query.dtype(), [&]<class T>() {
    Attention<T>(query, key, value, attn_mask, is_causal, scale)
        .backward(grad, out, logsumexp, grad_query, grad_key, grad_value);
  });
}

}  // namespace tnp::native
