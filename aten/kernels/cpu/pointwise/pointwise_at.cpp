// ufunc.at: calls the operator's own loop for blocks of distinct indices, in order. So the second
// computation for an index that occurs twice reads the result of the first.
#include "aten/kernels/cpu/pointwise/pointwise_at.h"

#include <algorithm>
#include <cstring>

#include "aten/functors/arithmetic.h"
#include "aten/functors/comparison.h"
#include "aten/iterator/cast.h"
#include "aten/operator_tables/arithmetic.h"
#include "aten/operator_tables/comparison.h"

namespace tnp {

namespace {

// The byte offset of the `place`-th element of `a` in C order.
int64_t offset_of(const Tensor& a, int64_t place) {
  int64_t offset = 0;
  for (int64_t d = a.dim(); d-- > 0; place /= a.size(d)) offset += place % a.size(d) * a.stride(d);
  return offset * a.itemsize();
}

// Note [Blocks of places] A loop that is called for one element costs 15 to 25 ns, mostly overhead.
// So the elements at distinct indices are gathered, computed in one call, and written back.
constexpr int64_t kBlock = 64;

class DistinctPlaces {
 public:
  // The length of the leading run of distinct indices, 1 to kBlock. Indices with equal remainders
  // count as equal.
  int64_t count(const int64_t* place, int64_t n) {
    if (++block_ == 0) {
      std::memset(seen_in_, 0, sizeof(seen_in_));
      block_ = 1;
    }
    n = std::min(n, kBlock);
    for (int64_t i = 0; i < n; ++i) {
      uint16_t& seen = seen_in_[static_cast<uint64_t>(place[i]) % std::size(seen_in_)];
      if (seen == block_) return i;
      seen = block_;
    }
    return n;
  }

 private:
  uint16_t seen_in_[512] = {};  // for each remainder, the last block that contained it
  uint16_t block_ = 0;
};

// Copies elements of `size` bytes between `base` + offsets[i] and the i-th element of `block`.
template <bool gather>
void move_elements(char* base, const int64_t* offsets, int64_t n, char* block, int64_t size) {
  auto move = [&]<class T>(T) {
    for (int64_t i = 0; i < n; ++i) {
      char *element = base + offsets[i], *held = block + i * static_cast<int64_t>(sizeof(T));
      gather ? std::memcpy(held, element, sizeof(T)) : std::memcpy(element, held, sizeof(T));
    }
  };
  switch (size) {
    case 1:
      return move(uint8_t{});
    case 2:
      return move(uint16_t{});
    case 4:
      return move(uint32_t{});
    case 8:
      return move(uint64_t{});
    default:
      return move(Complex<double>{});
  }
}

// Note [Indexed loops] The operators of histograms and sparse sums have a direct loop over indices
// for one-dimensional arrays, as in NumPy.
template <template <class> class F>
void indexed_loop(const Tensor& a, const int64_t* place, const Tensor& values) {
  visit<NumericTypes>(a.dtype(), [&]<class T>() {
    const F<T> f{};
    auto* base = reinterpret_cast<T*>(a.data());
    const auto* value = reinterpret_cast<const T*>(values.data());
    const int64_t n = values.numel(), stride = a.stride(0);
    for (int64_t i = 0; i < n; ++i) base[place[i] * stride] = f(base[place[i] * stride], value[i]);
  });
}

bool run_indexed(const PointwiseOp& op, const Tensor& a, const int64_t* place, const Tensor& values) {
  if (a.dim() != 1 || a.dtype() != values.dtype() || is_bool(a.dtype()) || compute_type(a.dtype()) != a.dtype())
    return false;
  if (&op == &pointwise_ops::add)
    indexed_loop<Add>(a, place, values);
  else if (&op == &pointwise_ops::sub)
    indexed_loop<Subtract>(a, place, values);
  else if (&op == &pointwise_ops::mul)
    indexed_loop<Multiply>(a, place, values);
  else if (&op == &pointwise_ops::maximum)
    indexed_loop<Maximum>(a, place, values);
  else if (&op == &pointwise_ops::minimum)
    indexed_loop<Minimum>(a, place, values);
  else
    return false;
  return true;
}

}  // namespace

void pointwise_at_cpu(const PointwiseOp& op, const PointwiseLoop& loop, const Tensor& a, const Tensor& places,
                      const Tensor& values, const Tensor& second) {
  const bool binary = op.nin == 2;
  const int64_t n = places.numel();
  const auto* place = places.data_ptr<int64_t>();
  if (binary && loop.types[0] == a.dtype() && run_indexed(op, a, place, values)) return;
  const char* value = binary ? second.data() : nullptr;
  const int64_t value_size = binary ? second.itemsize() : 0;
  // A contiguous `a` is treated as one long axis.
  const bool flat = a.dim() == 1 || a.is_contiguous();
  const int64_t size = a.itemsize(), stride = (a.dim() == 1 ? a.stride(0) : 1) * size;
  const int64_t strides[3] = {element_size(loop.types[0]), element_size(loop.types[1]), value_size};
  const Loop read = cast_loop(loop.types[1], a.dtype()), write = cast_loop(a.dtype(), loop.types[0]);
  const bool read_as_is = loop.types[1] == a.dtype(), write_as_is = loop.types[0] == a.dtype();
  const int64_t to_read[2] = {strides[1], size}, to_write[2] = {size, strides[0]};
  alignas(64) char elements[kBlock * 16], first[kBlock * 16], result[kBlock * 16];
  int64_t offsets[kBlock];
  DistinctPlaces distinct;
  for (int64_t i = 0, m; i < n; i += m) {
    m = distinct.count(place + i, n - i);
    for (int64_t k = 0; k < m; ++k) offsets[k] = flat ? place[i + k] * stride : offset_of(a, place[i + k]);
    move_elements<true>(a.data(), offsets, m, elements, size);
    if (!read_as_is) {
      char* data[2] = {first, elements};
      read(data, to_read, m);
    }
    char* data[3] = {result, read_as_is ? elements : first, const_cast<char*>(value + i * value_size)};
    loop.loop(data, strides, m);
    if (!write_as_is) {
      char* cast[2] = {elements, result};
      write(cast, to_write, m);
    }
    move_elements<false>(a.data(), offsets, m, write_as_is ? result : elements, size);
  }
}

}  // namespace tnp
