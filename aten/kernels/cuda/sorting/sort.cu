// Sorting of all lines along an axis: elements become unsigned integers that order as they do, which are sorted by
// radix.
//
// Values alone are sorted as keys alone, and made of the sorted keys again. Where indices are wanted too, keys are
// equal where elements are, and each takes its place in the line along. Complex numbers of 64 bits have one key, those
// of 128 bits two: they are sorted by the second one first.
#include "aten/functors/functor.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/sorting.h"
#include "aten/kernels/cuda/grid_stride.h"
#include "aten/kernels/cuda/sorting/radix_sort.h"
#include "aten/kernels/dense_lines.h"
#include "aten/kernels/sort_order.h"

namespace tnp {

namespace gpu {
namespace {

// Items are counted line by line. Where item `i` is in its line; division takes longer than all else that is done with
// it.
TNP_HOST_DEVICE TNP_INLINE int64_t place_in_line(const DenseLines& lines, int64_t i) {
  return i < lines.n ? i : i % lines.n;
}
// Which element of the tensor it is.
TNP_HOST_DEVICE TNP_INLINE int64_t element_of(const DenseLines& lines, int64_t i) {
  return lines.inner == 1 ? i : lines.first(i / lines.n) + i % lines.n * lines.inner;
}

// Keys have 16 bits at least.
template <class T>
using key_t = std::conditional_t<sizeof(T) <= 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;

// Note [Keys of complex numbers] What has no NaN goes by its real, then by its imaginary part. After those come numbers
// whose imaginary part is NaN, by the real one; then those whose real part is, by the imaginary one; then those with
// two. No key of a number is as large as the last three.
template <class T>
struct ComplexKey {
  using Bits = typename RadixKey<T>::Bits;
  Bits high, low;
  TNP_HOST_DEVICE explicit ComplexKey(Complex<T> x)
      : high(RadixKey<T>::encode_equal(x.re)), low(RadixKey<T>::encode_equal(x.im)) {
    const bool no_re = x.re != x.re, no_im = x.im != x.im;
    if (no_im) low = no_re ? 0 : high;
    if (no_re || no_im) high = static_cast<Bits>(~Bits{0} - (no_re && no_im ? 0 : no_re ? 1 : 2));
  }
};

enum class Part : uint8_t { Whole, Low, High };

template <class T>
TNP_HOST_DEVICE TNP_INLINE key_t<T> equal_key(T x, Part part) {
  if constexpr (std::is_same_v<T, Complex<double>>) {
    const ComplexKey<double> key(x);
    return part == Part::Low ? key.low : key.high;
  } else if constexpr (is_complex_v<T>) {
    const ComplexKey<float> key(x);
    return static_cast<uint64_t>(key.high) << 32 | key.low;
  } else {
    return RadixKey<T>::encode_equal(x);
  }
}

// The keys of elements, line by line; with `items`, those of the elements that they name, or, if they are `new_items`,
// of all in turn.
template <class T, class Key, class Item>
struct MakeKeys {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  DenseLines lines;
  const stored_t<T>* in;
  Key* keys;
  Item* items;
  Key flip;  // all bits of a key, to turn the order round
  Part part;
  bool new_items;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, lines.count() * lines.n, [&](int64_t i) {
      const int64_t in_line = place_in_line(lines, i);
      if (new_items) items[i] = static_cast<Item>(in_line);
      const int64_t at = i - in_line + static_cast<int64_t>(items[i]);
      keys[i] = static_cast<Key>(equal_key(static_cast<T>(in[element_of(lines, at)]), part) ^ flip);
    });
  }
};

// What the items say, in the tensor's own layout.
template <class T, class Item>
struct PutItems {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  DenseLines lines;
  const Item* items;
  const stored_t<T>* in;
  int64_t* indices;
  T* values;  // or null
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, lines.count() * lines.n, [&](int64_t i) {
      const auto item = static_cast<int64_t>(items[i]);
      const int64_t to = element_of(lines, i);
      indices[to] = item;
      if (values) values[to] = static_cast<T>(in[element_of(lines, i - place_in_line(lines, i) + item)]);
    });
  }
};

template <class T>
struct EncodeValues {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  DenseLines lines;
  const stored_t<T>* in;
  key_t<T>* keys;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, lines.count() * lines.n,
                     [&](int64_t i) { keys[i] = RadixKey<T>::encode(static_cast<T>(in[element_of(lines, i)])); });
  }
};

template <class T>
struct DecodeValues {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  DenseLines lines;
  const key_t<T>* keys;
  T* out;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, lines.count() * lines.n, [&](int64_t i) {
      out[element_of(lines, i)] = RadixKey<T>::decode(static_cast<typename RadixKey<T>::Bits>(keys[i]));
    });
  }
};

template <class T>
T* data(const Tensor& t) {
  return reinterpret_cast<T*>(t.address());
}

// The indices that sort, and if wanted the values.
void sort_with_indices(const Tensor& input, int64_t dim, bool descending, const Tensor& indices, const Tensor* values) {
  const Device device = input.device();
  const Tensor x = native::to_dense(input, input.dtype());
  const int64_t count = x.numel();
  if (count == 0) return;
  const DenseLines lines(x.sizes(), dim);
  const uint32_t blocks = grid_stride_blocks(count);
  visit_dtype(x.dtype(), [&]<class T>() {
    auto sort = [&]<class Key, class Item>(Key, Item) {
      Tensor keys = empty_tensor({count}, scalar_type_of<Key>, device),
             items = empty_tensor({count}, scalar_type_of<Item>, device);
      constexpr int kBits = 8 * static_cast<int>(std::is_same_v<T, Complex<double>> ? 8 : sizeof(T));
      const Key flip = descending ? static_cast<Key>(static_cast<Key>(~Key{0}) >> (8 * sizeof(Key) - kBits)) : Key{0};
      auto by = [&](Part part, bool first) {
        MakeKeys<T, Key, Item> kernel{lines, data<const stored_t<T>>(x), data<Key>(keys), data<Item>(items), flip, part,
                                      first};
        launch(kernel, blocks, device);
        radix_sort(keys, items, lines.count(), kBits);
      };
      if constexpr (std::is_same_v<T, Complex<double>>) {
        by(Part::Low, true);
        by(Part::High, false);
      } else {
        by(Part::Whole, true);
      }
      T* to = values ? data<T>(*values) : nullptr;
      launch(PutItems<T, Item>{lines, data<const Item>(items), data<const stored_t<T>>(x), data<int64_t>(indices), to},
             blocks, device);
    };
    if (lines.n <= (int64_t{1} << 32))
      sort(key_t<T>(), uint32_t());
    else
      sort(uint64_t(), uint64_t());
  });
}

// Into a dense `out`.
void sort_values(const Tensor& input, int64_t dim, bool stable, const Tensor& out) {
  const Device device = input.device();
  // Keys of complex numbers do not say what the number was; nor do those that let equal floats keep their order.
  if (input.is_complex() || (stable && is_floating(input.dtype())))
    return sort_with_indices(input, dim, false, empty_tensor(input.sizes(), ScalarType::Int64, device), &out);
  const Tensor x = native::to_dense(input, input.dtype());
  if (x.numel() == 0) return;
  const DenseLines lines(x.sizes(), dim);
  const uint32_t blocks = grid_stride_blocks(x.numel());
  visit_dtype(x.dtype(), [&]<class T>() {
    if constexpr (!is_complex_v<T>) {
      Tensor keys = empty_tensor({x.numel()}, scalar_type_of<key_t<T>>, device), none;
      launch(EncodeValues<T>{lines, data<const stored_t<T>>(x), data<key_t<T>>(keys)}, blocks, device);
      radix_sort(keys, none, lines.count(), 8 * static_cast<int>(sizeof(T)));
      launch(DecodeValues<T>{lines, data<const key_t<T>>(keys), data<T>(out)}, blocks, device);
    }
  });
}

}  // namespace
}  // namespace gpu

void native::stable_argsort_cuda(const Tensor& input, int64_t dim, bool descending, const Tensor& out) {
  gpu::sort_with_indices(input, dim, descending, out, nullptr);
}

void native::stable_sort_cuda(const Tensor& input, int64_t dim, bool descending, const Tensor& values,
                              const Tensor& indices) {
  gpu::sort_with_indices(input, dim, descending, indices, &values);
}

void native::sorted_lines_cuda(const Tensor& input, int64_t dim, bool stable, const Tensor& out) {
  if (out.is_contiguous()) return gpu::sort_values(input, dim, stable, out);
  const Tensor dense = empty_tensor(out.sizes(), out.dtype(), out.device());
  gpu::sort_values(input, dim, stable, dense);
  copy_into(out, dense);
}

}  // namespace tnp
