#include "aten/kernels/index_geometry.h"

#include <string>

namespace tnp {

namespace {

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

}  // namespace

void raise_out_of_bounds(int64_t i, int64_t axis, int64_t size, ErrorKind kind) {
  TNP_CHECK(size > 0 || dialect().errors_are_numpys(), kind, "index ", i,
            " is out of bounds for dimension with size 0");
  TNP_RAISE(kind, "index ", i, " is out of bounds for ", dialect().errors_are_numpys() ? "axis " : "dimension ", axis,
            " with size ", size);
}

void raise_too_many_indices(int64_t ndim, int64_t given) {
  TNP_CHECK(dialect().errors_are_numpys(), ErrorKind::Index, "too many indices for tensor of dimension ", ndim,
            " (got ", given, ")");
  TNP_RAISE(ErrorKind::Index, "too many indices for array: array is ", ndim, "-dimensional, but ", given,
            " were indexed");
}

IndexGeometry index_geometry(IntList sizes, TensorList indices, int64_t position) {
  const auto ndim = static_cast<int64_t>(sizes.size());
  if (indices.size() > sizes.size()) raise_too_many_indices(ndim, static_cast<int64_t>(indices.size()));
  IndexGeometry out;
  int64_t first = -1, last = -1, count = 0;
  for (int64_t d = 0; d < ndim; ++d) {
    auto i = static_cast<size_t>(d);
    if (i >= indices.size() || !indices[i].defined()) {
      out.kept.push_back(d);
      continue;
    }
    TNP_CHECK(is_integer(indices[i].dtype()), ErrorKind::Index,
              "arrays used as indices must be of integer (or boolean) type");
    if (first < 0) first = d;
    last = d;
    ++count;
  }
  bool together = count > 0 && last - first + 1 == count;
  out.position = position >= 0 ? position : together ? first : 0;
  TNP_CHECK(out.position <= static_cast<int64_t>(out.kept.size()), ErrorKind::Value, "{position} ", out.position,
            " is out of range");
  out.shape = broadcast_indices(indices);
  return out;
}

DimVector indexed_shape(IntList sizes, const IndexGeometry& p) {
  DimVector shape;
  for (size_t k = 0; k <= p.kept.size(); ++k) {
    if (k == static_cast<size_t>(p.position)) shape.append(p.shape);
    if (k < p.kept.size()) shape.push_back(sizes[static_cast<size_t>(p.kept[k])]);
  }
  TNP_CHECK(shape.size() <= kMaxDims, ErrorKind::Index, "the result of indexing has ",
            static_cast<int64_t>(shape.size()), " dimensions, more than ", kMaxDims);
  return shape;
}

IndexGeometry checked_geometry(const Tensor& table, TensorList indices, int64_t position, const Tensor& rows) {
  IndexGeometry out;
  out.position = position;
  for (size_t d = 0; d < table.sizes().size(); ++d) {
    if (d >= indices.size() || !indices[d].defined()) out.kept.push_back(static_cast<int64_t>(d));
  }
  out.shape = IntList(rows.sizes().subspan(static_cast<size_t>(position), rows.sizes().size() - out.kept.size()));
  return out;
}

}  // namespace tnp
