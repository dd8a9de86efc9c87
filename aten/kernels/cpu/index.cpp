// Kernels of index, index_put_ and their gradients: elements that integer arrays choose. See Note [Index arrays].
//
// The indices are turned into one list of offsets first, which checks every bound before anything is written. Then
// elements travel between the `table` (the indexed tensor) at those offsets and a dense `rows` side: the result of a
// gather, the values of a scatter. Only the size of an element matters, not its dtype, except when adding.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "aten/core/parallel.h"
#include "aten/kernels/pointwise.h"
#include "aten/native_functions.h"
#include "aten/ops/indexing.h"

namespace tnp {

namespace {

struct Offsets {
  const int64_t* at = nullptr;    // per place of B: `scale` times this is the distance, in elements, from the table's first
  int64_t scale = 1;
  std::unique_ptr<int64_t[]> own; // what `at` points to, unless the one index tensor serves as it is
  int64_t n = 0;
  DimVector shape;                // B
  int64_t position = 0;
  DimVector kept;                 // the table's axes that no index takes
};

DimVector broadcast_indices(TensorList indices) {
  DimVector shape;
  for (const Tensor& t : indices) {
    if (!t.defined()) continue;
    try {
      shape = broadcast_shapes(shape, t.sizes());
    } catch (Error&) {
      std::string text;
      for (const Tensor& i : indices) {
        if (!i.defined()) continue;
        append(text, i.sizes());
        text += ' ';
      }
      TNP_RAISE(ErrorKind::Index, "shape mismatch: indexing arrays could not be broadcast together with shapes ", text);
    }
  }
  return shape;
}

Offsets plan(const Tensor& table, TensorList indices, int64_t position) {
  TNP_CHECK(static_cast<int64_t>(indices.size()) <= table.dim(), ErrorKind::Index, "too many indices for array: array is ",
            table.dim(), "-dimensional, but ", static_cast<int64_t>(indices.size()), " were indexed");
  Offsets out;
  int64_t first = -1, last = -1, count = 0;
  for (int64_t d = 0; d < table.dim(); ++d) {
    auto i = static_cast<size_t>(d);
    if (i >= indices.size() || !indices[i].defined()) {
      out.kept.push_back(d);
      continue;
    }
    TNP_CHECK(is_integer(indices[i].dtype()), ErrorKind::Index, "arrays used as indices must be of integer (or boolean) type");
    TNP_CHECK(indices[i].device() == table.device(), ErrorKind::Runtime, "indices on ", indices[i].device(), " for a tensor on ", table.device());
    if (first < 0) first = d;
    last = d;
    ++count;
  }
  bool together = count > 0 && last - first + 1 == count;
  out.position = position >= 0 ? position : together ? first : 0;
  TNP_CHECK(out.position <= static_cast<int64_t>(out.kept.size()), ErrorKind::Value, "{position} ", out.position, " is out of range");
  out.shape = broadcast_indices(indices);
  return out;
}

DimVector result_shape(const Tensor& table, const Offsets& p) {
  DimVector shape;
  for (size_t k = 0; k <= p.kept.size(); ++k) {
    if (k == static_cast<size_t>(p.position)) shape.append(p.shape);
    if (k < p.kept.size()) shape.push_back(table.size(p.kept[k]));
  }
  TNP_CHECK(shape.size() <= kMaxDims, ErrorKind::Index, "the result of indexing has ", static_cast<int64_t>(shape.size()),
            " dimensions, more than ", kMaxDims);
  return shape;
}

// Adds index * stride to each offset; the first index tensor writes it.
template <class I>
void add_offsets(Offsets& p, const Tensor& index, int64_t axis, int64_t size, int64_t stride, bool first) {
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
      auto i = static_cast<int64_t>(row[k * step]);
      if (TNP_UNLIKELY(static_cast<uint64_t>(i) >= static_cast<uint64_t>(size))) i = wrap_index(i, axis, size);
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

// Whether the numbers can be offsets as they are: int64, dense, none counted from the end.
bool is_plain(const Tensor& index, int64_t size) {
  if (index.dtype() != ScalarType::Int64 || !index.is_contiguous()) return false;
  const int64_t* i = index.data_ptr<int64_t>();
  bool outside = false;
  for (int64_t k = 0; k < index.numel(); ++k) outside |= static_cast<uint64_t>(i[k]) >= static_cast<uint64_t>(size);
  return !outside;
}

Offsets make_offsets(const Tensor& table, TensorList indices, int64_t position) {
  Offsets p = plan(table, indices, position);
  p.n = numel_of(p.shape);
  if (p.n == 0) return p;
  size_t count = 0, only = 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    if (indices[d].defined()) ++count, only = d;
  }
  auto axis = static_cast<int64_t>(only);
  if (count == 1 && is_plain(indices[only], table.size(axis))) {
    p.at = indices[only].data_ptr<int64_t>();
    p.scale = table.stride(axis);
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
      add_offsets<I>(p, indices[d], axis, table.size(axis), table.stride(axis), first);
    });
    first = false;
  }
  return p;
}

// The axes that are kept, seen from both sides, coalesced.
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

// The single stride that walks over axes in row-major order, if there is one.
std::optional<int64_t> single_stride(IntList sizes, IntList strides) {
  int64_t step = 0, expected = 0;
  bool any = false;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) continue;
    if (!any) step = strides[d], any = true;
    else if (strides[d] != expected) return std::nullopt;
    expected = strides[d] * sizes[d];
  }
  return step;
}

// What happens to the elements of a line: both sides dense, or with strides.
struct Gather {
  static constexpr bool parallel = true;
  template <class T>
  static void element(const T& table, T& row) { row = table; }
  template <class T>
  static void line(const T* table, T* row, int64_t n) { std::memcpy(row, table, static_cast<size_t>(n) * sizeof(T)); }
};
struct Scatter {
  static constexpr bool parallel = false;  // of several values for one place the last must stay
  template <class T>
  static void element(T& table, const T& row) { table = row; }
  template <class T>
  static void line(T* table, const T* row, int64_t n) { std::memcpy(table, row, static_cast<size_t>(n) * sizeof(T)); }
};
struct Add {
  static constexpr bool parallel = false;
  template <class T>
  static void element(T& table, const T& row) {
    if constexpr (std::is_same_v<T, bool>) table = table || row;
    else if constexpr (is_reduced_float_v<T>) table = T(static_cast<float>(table) + static_cast<float>(row));
    else if constexpr (std::is_integral_v<T>) table = static_cast<T>(static_cast<uint64_t>(table) + static_cast<uint64_t>(row));
    else table += row;
  }
  template <class T>
  static void line(T* table, const T* row, int64_t n) {
    for (int64_t k = 0; k < n; ++k) element(table[k], row[k]);
  }
};

// Does `What` to every pair of elements. `rows` has the result's shape.
template <class T, class What>
void walk(const Offsets& p, const Tensor& table, const Tensor& rows) {
  if (rows.numel() == 0) return;
  auto pos = static_cast<size_t>(p.position), nb = p.shape.size();
  DimVector b_strides(IntList(rows.strides().subspan(pos, nb)));
  int64_t row_step = single_stride(p.shape, b_strides).value();
  KeptAxes kept;
  for (size_t k = 0; k < p.kept.size(); ++k) {
    int64_t axis = static_cast<int64_t>(k < pos ? k : k + nb);
    kept.add(table.size(p.kept[k]), table.stride(p.kept[k]), rows.stride(axis));
  }
  // From outside in: the kept axes but the last, the places, and the last kept axis if it is dense or the longer one.
  int64_t inner = 1, inner_table = 1, inner_row = 1;
  if (!kept.sizes.empty()) {
    bool dense = kept.table_strides.back() == 1 && kept.row_strides.back() == 1;
    if (dense || kept.sizes.back() > p.n) {
      inner = kept.sizes.back();
      inner_table = kept.table_strides.back();
      inner_row = kept.row_strides.back();
      kept.sizes.pop_back();
    }
  }
  bool dense = inner_table == 1 && inner_row == 1;
  size_t outer_dims = kept.sizes.size();
  int64_t per_place = rows.numel() / p.n;
  auto part = [&](int64_t begin, int64_t end) {
    DimVector at(outer_dims);
    T* t = table.data_ptr<T>();
    T* r = rows.data_ptr<T>();
    while (true) {
      if (inner == 1) {
        for (int64_t i = begin; i < end; ++i) What::template element<T>(t[p.at[i] * p.scale], r[i * row_step]);
      } else if (dense) {
        for (int64_t i = begin; i < end; ++i) What::template line<T>(t + p.at[i] * p.scale, r + i * row_step, inner);
      } else {
        for (int64_t i = begin; i < end; ++i) {
          T *from = t + p.at[i] * p.scale, *to = r + i * row_step;
          for (int64_t k = 0; k < inner; ++k) What::template element<T>(from[k * inner_table], to[k * inner_row]);
        }
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
  if (What::parallel) parallel_for(0, p.n, std::max<int64_t>(kParallelWork / (2 * per_place), 1), part);
  else part(0, p.n);
}

struct Wide { uint64_t lo, hi; };

template <class F>
void visit_size(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f.template operator()<uint8_t>();
    case 2: return f.template operator()<uint16_t>();
    case 4: return f.template operator()<uint32_t>();
    case 8: return f.template operator()<uint64_t>();
    default: return f.template operator()<Wide>();
  }
}

// `values` in `shape`, with its elements for B at one stride, and in no memory that `self` has.
Tensor prepare_values(const Tensor& values, const Tensor& self, const Offsets& p, IntList shape) {
  size_t n = shape.size(), own = values.sizes().size();
  bool fits = own <= n;
  for (size_t d = 0; fits && d < own; ++d) fits = values.sizes()[own - 1 - d] == 1 || values.sizes()[own - 1 - d] == shape[n - 1 - d];
  TNP_CHECK(fits, ErrorKind::Shape, "shape mismatch: value array of shape ", values.sizes(),
            " could not be broadcast to indexing result of shape ", shape);
  bool plain = values.dtype() == self.dtype() && values.impl()->storage != self.impl()->storage;
  DimVector strides(n);
  for (size_t d = 0; d < own; ++d) {
    strides[n - own + d] = values.sizes()[d] == 1 ? 0 : values.strides()[d];
  }
  if (plain && single_stride(p.shape, IntList(strides).subspan(static_cast<size_t>(p.position), p.shape.size()))) {
    return view_of(values, shape, strides, values.data());
  }
  bool single = values.numel() == 1;
  Tensor out = empty_tensor(single ? IntList() : shape, self.dtype());
  copy_into(out, single ? view_of(values, {}, {}, values.data()) : values);
  return single ? view_of(out, shape, DimVector(n), out.data()) : out;
}

void add_at(const Tensor& table, const Offsets& p, const Tensor& values) {
  visit_dtype(table.dtype(), [&]<class T>() { walk<T, Add>(p, table, values); });
}

}  // namespace

DimVector indexed_shape(const Tensor& input, TensorList indices, int64_t position) {
  return result_shape(input, plan(input, indices, position));
}

namespace native {

Tensor index_cpu(const Tensor& input, TensorList indices, int64_t position) {
  Offsets p = make_offsets(input, indices, position);
  Tensor out = empty_tensor(result_shape(input, p), input.dtype(), input.device());
  visit_size(input.itemsize(), [&]<class T>() { walk<T, Gather>(p, input, out); });
  return out;
}

Tensor index_backward_cpu(const Tensor& source, IntList size, TensorList indices, int64_t position) {
  Tensor out = empty_tensor(size, source.dtype(), source.device());
  std::memset(out.data(), 0, static_cast<size_t>(out.numel() * out.itemsize()));
  Offsets p = make_offsets(out, indices, position);
  add_at(out, p, prepare_values(source, out, p, result_shape(out, p)));
  return out;
}

const Tensor& put_indexed_cpu(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate, int64_t position) {
  check_writeable(self, "assignment destination");
  Offsets p = make_offsets(self, indices, position);
  for (const Tensor& t : indices) {
    if (!t.defined() || p.own || t.impl()->storage != self.impl()->storage) continue;
    p.own = std::make_unique_for_overwrite<int64_t[]>(static_cast<size_t>(p.n));  // it would change while we read it
    std::copy(p.at, p.at + p.n, p.own.get());
    p.at = p.own.get();
  }
  Tensor rows = prepare_values(values, self, p, result_shape(self, p));
  if (accumulate) {
    add_at(self, p, rows);
  } else {
    visit_size(self.itemsize(), [&]<class T>() { walk<T, Scatter>(p, self, rows); });
  }
  self.storage().bump_version();
  return self;
}

}  // namespace native
}  // namespace tnp
