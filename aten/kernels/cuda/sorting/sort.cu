// Sorts all lines along an axis by radix sort: elements are encoded as unsigned integers of the
// same order.
//
// If only values are wanted, the keys alone are sorted and decoded. If indices are wanted, equal
// elements have equal keys, and each key carries its index in the line. Complex64 numbers have one
// key, complex128 numbers two. The latter are sorted by the second key first.
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

// Index in its line of item `i`, where items are numbered line by line. Avoids the division if
// possible, because it takes longer than the rest of the work per item.
TNP_HOST_DEVICE TNP_INLINE int64_t place_in_line(const DenseLines& lines, int64_t i) {
  return i < lines.n ? i : i % lines.n;
}
// Offset of item `i` in the tensor.
TNP_HOST_DEVICE TNP_INLINE int64_t element_of(const DenseLines& lines, int64_t i) {
  return lines.inner == 1 ? i : lines.first(i / lines.n) + i % lines.n * lines.inner;
}

// Keys have at least 16 bits.
template <class T>
using key_t = std::conditional_t<sizeof(T) <= 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;

// Note [Keys of complex numbers] Four groups follow each other. Numbers without a NaN are ordered
// by their real, then by their imaginary part. Numbers with a NaN in the imaginary part only are
// ordered by their real part. Numbers with a NaN in the real part only are ordered by their
// imaginary part. Numbers with two NaNs are last. The three largest values of `high` are reserved
// for the groups with NaNs.
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

// Makes the keys of elements, line by line. If `new_items`, numbers the elements of each line and
// stores these indices as `items`. Otherwise makes the keys of the elements whose indices are in
// `items`.
template <class T, class Key, class Item>
struct MakeKeys {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  DenseLines lines;
  const stored_t<T>* in;
  Key* keys;
  Item* items;
  Key flip;  // all bits of a key, for a descending order; otherwise 0
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

// Writes the indices, and the values at these indices, in the tensor's own layout.
template <class T, class Item>
struct PutItems {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  DenseLines lines;
  const Item* items;
  const stored_t<T>* in;
  int64_t* indices;
  T* values;  // null if only indices are needed
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

// Computes the sorting indices, and the sorted values if `values` is not null.
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

// Sorts values into a dense `out`.
void sort_values(const Tensor& input, int64_t dim, bool stable, const Tensor& out) {
  const Device device = input.device();
  // Keys of complex numbers cannot be decoded. Nor can keys that keep the order of equal floats
  // (-0.0 and 0.0).
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
