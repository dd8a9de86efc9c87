// Kernels of index, index_put_ and their gradients: elements selected by integer arrays. See Note
// [Index arrays].
//
// The indices are first turned into one list of offsets, which checks every bound before anything
// is written. Then elements move between the `table` (the indexed tensor) at those offsets and a
// dense `rows` side: the result of a gather, or the values of a scatter. Only the size of an
// element matters, not its dtype, except when adding.
//
// Note [Changing indices] A single int64 index tensor serves as the list of offsets, without a
// copy. Another thread may write to it at any time. So each index is read once, and compared where
// it is used. If a gather meets an index out of range, the gather starts again with its own list.
// Building that list wraps negative indices, or raises. A scatter has checked all indices before;
// if one is out of range later, the scatter raises.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>

#include "aten/core/numbers/element_bits.h"
#include "aten/core/threads/parallel.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/indexing.h"
#include "aten/kernel_functions/scatter.h"
#include "aten/kernels/index_geometry.h"

namespace tnp::native {

namespace {

struct Offsets : IndexGeometry {
  explicit Offsets(IndexGeometry geometry) : IndexGeometry(std::move(geometry)) {}
  // For each element of B, at[i] * scale is the offset in the table, in elements.
  const int64_t* at = nullptr;
  int64_t scale = 1;
  uint64_t last = UINT64_MAX;      // the largest valid entry; see Note [Changing indices]
  std::unique_ptr<int64_t[]> own;  // owns the memory of `at`, unless `at` is an index tensor
  int64_t n = 0;
};

// Reads `*p` with a single load, so that the value that is compared is the value that is used.
template <class I>
TNP_INLINE I read_once(const I* p) {
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}

// Adds index * stride to each offset. The first index tensor initialises the offsets.
template <class I>
void add_offsets(Offsets& p, const Tensor& index, int64_t axis, int64_t size, int64_t stride, bool first,
                 Counting counting) {
  size_t n = p.shape.size(), lead = n - static_cast<size_t>(index.dim());
  DimVector strides(n), at(n);
  for (size_t d = lead; d < n; ++d) {
    auto own = static_cast<int64_t>(d - lead);
    strides[d] = index.size(own) == 1 ? 0 : index.stride(own);
  }
  int64_t inner = n ? p.shape[n - 1] : 1, step = n ? strides[n - 1] : 0;
  const I* row = index.data_ptr<I>();
  for (int64_t done = 0; done < p.n; done += inner) {
    int64_t* to = p.own.get() + done;
    for (int64_t k = 0; k < inner; ++k) {
      auto i = static_cast<int64_t>(read_once(row + k * step));  // NOLINT(bugprone-signed-char-misuse): an integer
      if (TNP_UNLIKELY(static_cast<uint64_t>(i) >= static_cast<uint64_t>(size)))
        i = wrap_index(i, axis, size, counting);
      to[k] = first ? i * stride : to[k] + i * stride;
    }
    for (size_t d = n > 0 ? n - 1 : 0; d-- > 0;) {
      row += strides[d];
      if (++at[d] < p.shape[d]) break;
      row -= strides[d] * p.shape[d];
      at[d] = 0;
    }
  }
}

// Whether all indices are in [0, size).
bool in_range(const Tensor& index, int64_t size) {
  const int64_t* i = index.data_ptr<int64_t>();
  bool outside = false;
  for (int64_t k = 0; k < index.numel(); ++k) outside |= static_cast<uint64_t>(i[k]) >= static_cast<uint64_t>(size);
  return !outside;
}

enum class Check { First, AtUse };  // when to check the single index tensor that serves as the list
Offsets make_offsets(const Tensor& table, TensorList indices, int64_t position, const Tensor& rows, Check when,
                     Counting counting = Counting::FromBothEnds, bool may_borrow = true) {
  Offsets p(checked_geometry(table, indices, position, rows));
  p.n = numel_of(p.shape);
  if (p.n == 0) return p;
  size_t count = 0, only = 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    if (indices[d].defined()) ++count, only = d;
  }
  auto axis = static_cast<int64_t>(only);
  if (count == 1 && may_borrow && indices[only].dtype() == ScalarType::Int64 && indices[only].is_contiguous() &&
      table.size(axis) > 0 &&
      ((when == Check::AtUse && table.numel() > 0) || in_range(indices[only], table.size(axis)))) {
    p.at = indices[only].data_ptr<int64_t>();
    p.scale = table.stride(axis);
    p.last = static_cast<uint64_t>(table.size(axis) - 1);
    return p;
  }
  p.own = std::make_unique_for_overwrite<int64_t[]>(static_cast<size_t>(p.n));
  p.at = p.own.get();
  if (count == 0) p.own[0] = 0;
  bool first = true;
  for (size_t d = 0; d < indices.size(); ++d) {
    if (!indices[d].defined()) continue;
    axis = static_cast<int64_t>(d);
    visit<IntegerTypes>(indices[d].dtype(), [&]<class I>() {
      add_offsets<I>(p, indices[d], axis, table.size(axis), table.stride(axis), first, counting);
    });
    first = false;
  }
  return p;
}

// The kept axes with the strides of both sides, coalesced.
struct KeptAxes {
  DimVector sizes, table_strides, row_strides;
  void add(int64_t size, int64_t table_stride, int64_t row_stride) {
    if (size == 1) return;
    if (!sizes.empty() && table_strides.back() == table_stride * size && row_strides.back() == row_stride * size) {
      sizes.back() *= size;
      table_strides.back() = table_stride;
      row_strides.back() = row_stride;
      return;
    }
    sizes.push_back(size);
    table_strides.push_back(table_stride);
    row_strides.push_back(row_stride);
  }
};

// The single stride that visits all elements of these axes in row-major order, if there is one.
std::optional<int64_t> single_stride(IntList sizes, IntList strides) {
  int64_t step = 0, expected = 0;
  bool any = false;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) continue;
    if (!any)
      step = strides[d], any = true;
    else if (strides[d] != expected)
      return std::nullopt;
    expected = strides[d] * sizes[d];
  }
  return step;
}

// Operations on the elements of a line, whose sides are both dense or have strides.
struct Gather {
  static constexpr bool parallel = true;
  template <class T>
  static void element(const T& table, T& row) {
    row = table;
  }
  template <class T>
  static void line(const T* table, T* row, int64_t n) {
    std::memcpy(row, table, static_cast<size_t>(n) * sizeof(T));
  }
};
struct Scatter {
  static constexpr bool parallel = false;  // if several values go to one element, the last must win
  template <class T>
  static void element(T& table, const T& row) {
    table = row;
  }
  template <class T>
  static void line(T* table, const T* row, int64_t n) {
    std::memcpy(table, row, static_cast<size_t>(n) * sizeof(T));
  }
};
struct Add {
  static constexpr bool parallel = false;
  static bool read_bool(const bool& b) { return reinterpret_cast<const uint8_t&>(b) != 0; }  // see stored_t
  template <class T>
  static void element(T& table, const T& row) {
    if constexpr (std::is_same_v<T, bool>)
      table = read_bool(table) | read_bool(row);
    else if constexpr (is_reduced_float_v<T>)
      table = T(static_cast<float>(table) + static_cast<float>(row));
    else if constexpr (std::is_integral_v<T>)
      table = static_cast<T>(static_cast<uint64_t>(table) + static_cast<uint64_t>(row));
    else
      table += row;
  }
  template <class T>
  static void line(T* table, const T* row, int64_t n) {
    for (int64_t k = 0; k < n; ++k) element(table[k], row[k]);
  }
};

// The products and extrema of scatter_reduce. NaN on either side propagates.
struct Multiply {
  static constexpr bool parallel = false;
  template <class T>
  static void element(T& table, const T& row) {
    if constexpr (std::is_same_v<T, bool>)
      table = Add::read_bool(table) & Add::read_bool(row);
    else if constexpr (is_reduced_float_v<T>)
      table = T(static_cast<float>(table) * static_cast<float>(row));
    else if constexpr (std::is_integral_v<T>)
      table = static_cast<T>(static_cast<uint64_t>(table) * static_cast<uint64_t>(row));
    else
      table = table * row;
  }
  template <class T>
  static void line(T* table, const T* row, int64_t n) {
    for (int64_t k = 0; k < n; ++k) element(table[k], row[k]);
  }
};
template <bool largest>
struct Extremum {
  static constexpr bool parallel = false;
  template <class T>
  static void element(T& table, const T& row) {
    if constexpr (std::is_same_v<T, bool>) {
      const bool a = Add::read_bool(table), b = Add::read_bool(row);
      table = largest ? a || b : a && b;
    } else if constexpr (!is_complex_v<T>) {
      using Wide = std::conditional_t<is_reduced_float_v<T>, float, T>;
      const Wide a = static_cast<Wide>(table), b = static_cast<Wide>(row);
      if (b != b || (largest ? b > a : b < a)) table = row;
    }
  }
  template <class T>
  static void line(T* table, const T* row, int64_t n) {
    for (int64_t k = 0; k < n; ++k) element(table[k], row[k]);
  }
};

// The loops over pairs of elements, from outermost to innermost: the kept axes but the last, the
// elements of B, and the last kept axis if it is dense or longer than B.
struct Loops {
  KeptAxes kept;
  int64_t row_step, inner = 1, inner_table = 1, inner_row = 1;

  // `rows` has the result's shape.
  Loops(const Offsets& p, const Tensor& table, const Tensor& rows) {
    auto pos = static_cast<size_t>(p.position), nb = p.shape.size();
    DimVector b_strides(IntList(rows.strides().subspan(pos, nb)));
    // There is a single stride: `rows` was made contiguous, or is a new result.
    row_step = single_stride(p.shape, b_strides).value();  // NOLINT(bugprone-unchecked-optional-access)
    for (size_t k = 0; k < p.kept.size(); ++k) {
      int64_t axis = static_cast<int64_t>(k < pos ? k : k + nb);
      kept.add(table.size(p.kept[k]), table.stride(p.kept[k]), rows.stride(axis));
    }
    if (kept.sizes.empty()) return;
    bool dense = kept.table_strides.back() == 1 && kept.row_strides.back() == 1;
    if (dense || kept.sizes.back() > p.n) {
      inner = kept.sizes.back();
      inner_table = kept.table_strides.back();
      inner_row = kept.row_strides.back();
      kept.sizes.pop_back();
    }
  }
};

// Applies `What` to every pair of elements. `rows` has the result's shape. Returns false if an
// index was out of range; some elements may have been processed by then.
template <class T, class What>
[[nodiscard]] bool for_each_indexed(const Offsets& p, const Tensor& table, const Tensor& rows) {
  if (rows.numel() == 0) return true;
  const Loops loops(p, table, rows);
  const KeptAxes& kept = loops.kept;
  const int64_t row_step = loops.row_step, inner = loops.inner, inner_table = loops.inner_table,
                inner_row = loops.inner_row;
  const bool dense = inner_table == 1 && inner_row == 1;
  const size_t outer_dims = kept.sizes.size();
  const int64_t per_place = rows.numel() / p.n;
  std::atomic<bool> complete = true;
  auto part = [&](int64_t begin, int64_t end) {
    const int64_t *places = p.at, scale = p.scale;
    const uint64_t largest = p.last;
    auto each = [&](auto&& body) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t place = read_once(places + i);
        if (TNP_UNLIKELY(static_cast<uint64_t>(place) > largest)) return false;
        body(i, place * scale);
      }
      return true;
    };
    DimVector at(outer_dims);
    T* t = table.data_ptr<T>();
    T* r = rows.data_ptr<T>();
    while (true) {
      bool good = false;
      if (inner == 1) {
        good = each([&](int64_t i, int64_t offset) { What::template element<T>(t[offset], r[i * row_step]); });
      } else if (dense) {
        good = each([&](int64_t i, int64_t offset) { What::template line<T>(t + offset, r + i * row_step, inner); });
      } else {
        good = each([&](int64_t i, int64_t offset) {
          T *from = t + offset, *to = r + i * row_step;
          for (int64_t k = 0; k < inner; ++k) What::template element<T>(from[k * inner_table], to[k * inner_row]);
        });
      }
      if (!good) {
        complete = false;
        return;
      }
      size_t d = outer_dims;
      while (d-- > 0) {
        t += kept.table_strides[d];
        r += kept.row_strides[d];
        if (++at[d] < kept.sizes[d]) break;
        t -= kept.table_strides[d] * kept.sizes[d];
        r -= kept.row_strides[d] * kept.sizes[d];
        at[d] = 0;
      }
      if (d == static_cast<size_t>(-1)) return;
    }
  };
  if (What::parallel)
    parallel_for(0, p.n, std::max<int64_t>(kParallelWork / (2 * per_place), 1), part);
  else
    part(0, p.n);
  return complete;
}

// Copies `rows` if its elements for B do not have a single stride.
Tensor with_single_stride(const Tensor& rows, const Offsets& p) {
  const IntList strides = rows.strides().subspan(static_cast<size_t>(p.position), p.shape.size());
  return single_stride(p.shape, strides) ? rows : dense_copy(rows, rows.dtype());
}

[[noreturn]] void raise_changed() {
  TNP_RAISE(ErrorKind::Index, "an index array was changed by another thread while it was used");
}

// `from` has the shape of the result.
template <class What>
void move_rows(const Tensor& table, const Offsets& p, const Tensor& from) {
  const Tensor rows = with_single_stride(from, p);
  bool complete = true;
  auto move = [&]<class T>() { complete = for_each_indexed<T, What>(p, table, rows); };
  if constexpr (!std::is_same_v<What, Gather> && !std::is_same_v<What, Scatter>)
    visit_dtype(table.dtype(), move);
  else
    visit_size(table.dtype(), move);
  if (!complete) raise_changed();
}

}  // namespace

void index_cpu(const Tensor& input, TensorList indices, int64_t position, int64_t counting, const Tensor& out) {
  const auto counts = static_cast<Counting>(counting);
  Offsets p = make_offsets(input, indices, position, out, Check::AtUse, counts);
  auto gather = [&] {
    bool complete = true;
    visit_size(input.dtype(), [&]<class T>() { complete = for_each_indexed<T, Gather>(p, input, out); });
    return complete;
  };
  if (gather()) return;
  p = make_offsets(input, indices, position, out, Check::First, counts, false);
  if (!gather()) raise_changed();
}

void index_backward_cpu(const Tensor& source, IntList, TensorList indices, int64_t position, const Tensor& out) {
  if (out.numel() > 0) std::memset(out.data(), 0, static_cast<size_t>(out.numel() * out.itemsize()));
  move_rows<Add>(out, make_offsets(out, indices, position, source, Check::First), source);
}

void put_indexed_cpu(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate, int64_t position,
                     int64_t counting) {
  const Offsets p = make_offsets(self, indices, position, values, Check::First, static_cast<Counting>(counting));
  if (accumulate)
    move_rows<Add>(self, p, values);
  else
    move_rows<Scatter>(self, p, values);
}

void reduce_indexed_cpu(const Tensor& self, TensorList indices, const Tensor& values, std::string_view reduce,
                        int64_t position, int64_t counting) {
  const Offsets p = make_offsets(self, indices, position, values, Check::First, static_cast<Counting>(counting));
  if (reduce == "prod")
    move_rows<Multiply>(self, p, values);
  else if (reduce == "amax")
    move_rows<Extremum<true>>(self, p, values);
  else
    move_rows<Extremum<false>>(self, p, values);
}

}  // namespace tnp::native

namespace tnp {

namespace {

// out[k] = table[index[k]]. Returns false, with `out` incomplete, if an index is negative or out of
// bounds.
bool gather_from_start(const Tensor& table, const Tensor& index, const Tensor& out) {
  const int64_t* at = index.data_ptr<int64_t>();
  const int64_t n = index.numel();
  const auto size = static_cast<uint64_t>(table.numel());
  bool complete = true;
  visit_size(table.dtype(), [&]<class T>() {
    const T* from = reinterpret_cast<const T*>(table.data());
    T* to = reinterpret_cast<T*>(out.data());
    for (int64_t k = 0; k < n; ++k) {
      // See Note [Changing indices].
      const auto i = static_cast<uint64_t>(native::read_once(at + k));
      if (TNP_UNLIKELY(i >= size)) return void(complete = false);
      to[k] = from[i];
    }
  });
  return complete;
}

}  // namespace

void native::gather_line_cpu(const Tensor& input, const Tensor& index, const Tensor& out) {
  if (TNP_LIKELY(gather_from_start(input, index, out))) return;
  const int64_t* at = index.data_ptr<int64_t>();
  const int64_t size = input.numel();
  visit_size(input.dtype(), [&]<class T>() {
    const T* from = reinterpret_cast<const T*>(input.data());
    T* to = reinterpret_cast<T*>(out.data());
    for (int64_t k = 0; k < index.numel(); ++k) to[k] = from[wrap_index(read_once(at + k), 0, size)];
  });
}

}  // namespace tnp
