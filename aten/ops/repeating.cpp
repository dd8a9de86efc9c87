// tile and repeat: the elements of a tensor several times.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "aten/core/parallel.h"
#include "aten/core/promotion.h"
#include "aten/functions/copies.h"
#include "aten/functions/joining.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/iterator/layout.h"
#include "aten/kernels/repetition.h"
#include "aten/native_functions/copies.h"
#include "aten/native_functions/joining.h"

namespace tnp {

namespace native {

// (n, m) -> (1, n, 1, m), expanded to (r, n, s, m), copied as (r * n, s * m).
Tensor tile(const Tensor& input, IntList dims) {
  size_t ndim = std::max(dims.size(), static_cast<size_t>(input.dim()));
  DimVector apart, expanded, sizes;
  for (size_t d = 0; d < ndim; ++d) {
    int64_t from_end = static_cast<int64_t>(ndim - d);
    int64_t size = from_end <= input.dim() ? input.size(-from_end) : 1;
    int64_t times = from_end <= static_cast<int64_t>(dims.size()) ? dims[dims.size() - (ndim - d)] : 1;
    TNP_CHECK(times >= 0, ErrorKind::Shape, "negative dimensions are not allowed: {dims} ", dims);
    int64_t product = 0;
    TNP_CHECK(!__builtin_mul_overflow(size, times, &product), ErrorKind::Value, "array is too big");
    for (int64_t s : {int64_t{1}, size}) apart.push_back(s);
    for (int64_t s : {times, size}) expanded.push_back(s);
    sizes.push_back(product);
  }
  numel_of(sizes);
  bool once = std::all_of(dims.begin(), dims.end(), [](int64_t n) { return n == 1; });
  if (once) return tnp::clone(tnp::reshape(input, sizes), Order::C);
  TNP_CHECK(apart.size() <= kMaxDims, ErrorKind::Value, "maximum supported dimension is ", kMaxDims / 2, ", found ",
            static_cast<int64_t>(ndim));
  return tnp::view(tnp::clone(tnp::expand(tnp::reshape(input, apart), expanded), Order::C), sizes);
}

Tensor repeat(const Tensor& input, IntList repeats) {
  TNP_CHECK(static_cast<int64_t>(repeats.size()) >= input.dim(), ErrorKind::Shape, "{repeats} ", repeats,
            " needs a number for each of the ", input.dim(), " dimensions");
  return native::tile(input, repeats);
}

namespace {

int64_t count_of(const Repetition& plan, int64_t i) {
  return plan.counts.data_ptr<int64_t>()[plan.counts.numel() == 1 ? 0 : i];
}

// With the total.
Repetition plan_repetition(IntList size, const Tensor& repeats, std::optional<int64_t> dim) {
  Repetition plan = repetition_of(size, repeats, dim);
  // One count for all is looked at once.
  const int64_t alike = plan.counts.numel() == 1 ? plan.n : 1;
  for (int64_t i = 0; i < plan.n; i += alike) {
    TNP_CHECK(!__builtin_add_overflow(plan.total, repeated_total(alike, count_of(plan, i)), &plan.total),
              ErrorKind::Value, "array is too big");
  }
  return plan;
}

}  // namespace

namespace {

// A register full of one value, made by arithmetic on integers: an array that is filled element by element and then
// loaded whole makes the processor wait until the stores are done.
template <class T>
struct Lanes {
  static constexpr int64_t kCount = std::max<int64_t>(1, 16 / static_cast<int64_t>(sizeof(T)));
  using Bits = std::conditional_t<
      sizeof(T) == 1, uint8_t,
      std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
  typedef Bits Register __attribute__((vector_size(16)));
  explicit Lanes(const T& value) {
    if constexpr (sizeof(T) == 16) {
      std::memcpy(&lanes, &value, sizeof(lanes));
    } else {
      Bits bits;
      std::memcpy(&bits, &value, sizeof(bits));
      lanes = Register{} + bits;
    }
  }
  void store(T* to) const { std::memcpy(static_cast<void*>(to), &lanes, sizeof(lanes)); }
  Register lanes;
};

// from[0] `times` times, then from[1] ... Whole registers are stored, and what one element wrote too much the next one
// overwrites; so the last ones of a piece are done element by element.
template <class T>
T* repeat_each(const T* from, int64_t n, int64_t times, T* to) {
  constexpr int64_t kLanes = Lanes<T>::kCount;
  int64_t careful = times == 0 ? n : std::min(n, (kLanes + times - 1) / times);
  int64_t i = 0;
  for (; i < n - careful; ++i, to += times) {
    const Lanes<T> lanes(from[i]);
    for (int64_t r = 0; r < times; r += kLanes) lanes.store(to + r);
  }
  for (; i < n; ++i) to = std::fill_n(to, times, from[i]);
  return to;
}

// Entries [begin, end) of the n entries of one outer index.
template <class T>
void repeat_entries(const Repetition& plan, const T* from, int64_t begin, int64_t end, T* to) {
  if (plan.inner == 1 && plan.counts.numel() == 1) {
    repeat_each(from + begin, end - begin, count_of(plan, 0), to);
    return;
  }
  from += begin * plan.inner;
  for (int64_t i = begin; i < end; ++i, from += plan.inner) {
    if (plan.inner == 1)
      to = std::fill_n(to, count_of(plan, i), *from);
    else
      for (int64_t r = count_of(plan, i); r > 0; --r) to = std::copy_n(from, plan.inner, to);
  }
}

}  // namespace

Tensor repeat_interleave_cpu(const Tensor& input, const Tensor& repeats, std::optional<int64_t> dim) {
  Repetition plan = plan_repetition(input.sizes(), repeats, dim);
  Tensor out = empty_tensor(repeated_shape(input.sizes(), dim, plan.total), input.dtype(), input.device());
  if (out.numel() == 0) return out;
  Tensor source = input.is_contiguous() ? input : native::clone(input, Order::C);
  visit_dtype(input.dtype(), [&]<class T>() {
    const T* from = source.data_ptr<T>();
    T* to = out.data_ptr<T>();
    const int64_t source_step = plan.n * plan.inner, step = plan.total * plan.inner;
    if (plan.counts.numel() != 1) {  // where an entry goes depends on those before it
      parallel_for(0, plan.outer, std::max<int64_t>(1, kParallelWork / step), [&](int64_t begin, int64_t end) {
        for (int64_t o = begin; o < end; ++o) repeat_entries(plan, from + o * source_step, 0, plan.n, to + o * step);
      });
      return;
    }
    const int64_t times = count_of(plan, 0), entry = times * plan.inner;
    parallel_for(0, plan.outer * plan.n, std::max<int64_t>(1, kParallelWork / entry), [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end;) {
        int64_t o = at / plan.n, first = at % plan.n, last = std::min(plan.n, first + end - at);
        repeat_entries(plan, from + o * source_step, first, last, to + o * step + first * entry);
        at += last - first;
      }
    });
  });
  return out;
}

Tensor repeat_interleave_int(const Tensor& input, int64_t repeats, std::optional<int64_t> dim) {
  return tnp::repeat_interleave(input, scalar_tensor(repeats, ScalarType::Int64), dim);
}

Tensor repeat_interleave_backward_cpu(const Tensor& grad, const Tensor& repeats, IntList size,
                                      std::optional<int64_t> dim) {
  Repetition plan = plan_repetition(size, repeats, dim);
  Tensor out = empty_tensor(size, grad.dtype(), grad.device());
  Tensor source = grad.is_contiguous() ? grad : native::clone(grad, Order::C);
  if (out.numel() == 0) return out;
  visit_dtype(grad.dtype(), [&]<class T>() {
    using Acc = accumulate_t<T>;
    const T* from = source.data_ptr<T>();
    T* to = out.data_ptr<T>();
    for (int64_t o = 0; o < plan.outer; ++o) {
      for (int64_t i = 0; i < plan.n; ++i, to += plan.inner) {
        for (int64_t k = 0; k < plan.inner; ++k) {
          Acc sum(0);
          for (int64_t r = 0; r < count_of(plan, i); ++r) sum += static_cast<Acc>(from[r * plan.inner + k]);
          to[k] = convert<T>(sum);
        }
        from += count_of(plan, i) * plan.inner;
      }
    }
  });
  return out;
}

}  // namespace native
}  // namespace tnp
