// Conversions between positions in a flattened array and coordinates, and choose.
#include <cstring>

#include "aten/core/memory/scratch.h"
#include "aten/core/numbers/element_bits.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/positions.h"
#include "aten/kernels/index_mode.h"

namespace tnp::native {

void coordinates_cpu(const Tensor& positions, IntList shape, bool column_major, const Tensor& out) {
  const int64_t n = positions.numel(), *from = positions.data_ptr<int64_t>();
  const auto ndim = static_cast<int64_t>(shape.size());
  int64_t total = 1;
  for (const int64_t size : shape) total *= size;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = __atomic_load_n(from + i, __ATOMIC_RELAXED);  // read once: Note [Changing indices]
    TNP_CHECK(static_cast<uint64_t>(at) < static_cast<uint64_t>(total), ErrorKind::Value, "index ", at,
              " is out of bounds for array with size ", total);
    int64_t rest = at;
    for (int64_t k = 0; k < ndim; ++k) {
      const int64_t d = column_major ? k : ndim - 1 - k, size = shape[static_cast<size_t>(d)];
      out.data_ptr<int64_t>()[d * n + i] = rest % size;
      rest /= size;
    }
  }
}

void flat_positions_cpu(TensorList index, IntList shape, IntList modes, bool column_major, const Tensor& out) {
  const int64_t n = out.numel();
  const size_t ndim = shape.size();
  int64_t* to = out.data_ptr<int64_t>();
  std::memset(to, 0, static_cast<size_t>(n) * sizeof(int64_t));
  for (size_t k = 0; k < ndim; ++k) {
    const size_t d = column_major ? ndim - 1 - k : k;
    const int64_t size = shape[d];
    const auto mode = static_cast<IndexMode>(modes[d]);
    const Tensor dense = to_dense(index[d], ScalarType::Int64);
    const int64_t* from = dense.data_ptr<int64_t>();
    TNP_CHECK(size > 0 || n == 0, ErrorKind::Value, "cannot unravel if shape has zero entries and there are indices");
    for (int64_t i = 0; i < n; ++i) {
      int64_t at = from[i];
      TNP_CHECK(bring_in_range(at, size, mode), ErrorKind::Value, "invalid entry in coordinates array");
      to[i] = to[i] * size + at;
    }
  }
}

namespace {

// Copies elements of N bytes. Each row of the last axis has one offset for each choice.
template <size_t N>
void choose_elements(const int64_t* index, TensorList choices, IndexMode mode, const Tensor& out) {
  const auto count = static_cast<int64_t>(choices.size());
  const int64_t ndim = out.dim(), n = ndim ? out.size(-1) : 1, rows = n ? out.numel() / n : 0;
  Scratch<const char*> base(count);
  Scratch<int64_t> step(count);
  for (int64_t c = 0; c < count; ++c)
    step.data()[c] = ndim ? choices[static_cast<size_t>(c)].stride(-1) * static_cast<int64_t>(N) : 0;
  char* to = reinterpret_cast<char*>(out.data());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < count; ++c) {
      const Tensor& t = choices[static_cast<size_t>(c)];
      int64_t offset = 0;
      for (int64_t d = ndim - 2, rest = r; d >= 0; --d) {
        offset += rest % out.size(d) * t.stride(d);
        rest /= out.size(d);
      }
      base.data()[c] = static_cast<const char*>(t.data()) + offset * static_cast<int64_t>(N);
    }
    for (int64_t i = 0; i < n; ++i, ++index, to += N) {
      int64_t c = __atomic_load_n(index, __ATOMIC_RELAXED);
      TNP_CHECK(bring_in_range(c, count, mode), ErrorKind::Value, "invalid entry in choice array");
      std::memcpy(to, base.data()[c] + i * step.data()[c], N);
    }
  }
}

}  // namespace

void chosen_cpu(const Tensor& input, TensorList choices, int64_t number, const Tensor& out) {
  const int64_t* index = input.data_ptr<int64_t>();
  const auto mode = static_cast<IndexMode>(number);
  visit_element_size(out.itemsize(), [&]<class Bits>() { choose_elements<sizeof(Bits)>(index, choices, mode, out); });
}

}  // namespace tnp::native
