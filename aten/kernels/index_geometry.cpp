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

IndexGeometry index_geometry(const Tensor& table, TensorList indices, int64_t position) {
  TNP_CHECK(static_cast<int64_t>(indices.size()) <= table.dim(), ErrorKind::Index,
            "too many indices for array: array is ", table.dim(), "-dimensional, but ",
            static_cast<int64_t>(indices.size()), " were indexed");
  IndexGeometry out;
  int64_t first = -1, last = -1, count = 0;
  for (int64_t d = 0; d < table.dim(); ++d) {
    auto i = static_cast<size_t>(d);
    if (i >= indices.size() || !indices[i].defined()) {
      out.kept.push_back(d);
      continue;
    }
    TNP_CHECK(is_integer(indices[i].dtype()), ErrorKind::Index,
              "arrays used as indices must be of integer (or boolean) type");
    TNP_CHECK(indices[i].device() == table.device(), ErrorKind::Runtime, "indices on ", indices[i].device(),
              " for a tensor on ", table.device());
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

DimVector indexed_shape(const Tensor& table, const IndexGeometry& p) {
  DimVector shape;
  for (size_t k = 0; k <= p.kept.size(); ++k) {
    if (k == static_cast<size_t>(p.position)) shape.append(p.shape);
    if (k < p.kept.size()) shape.push_back(table.size(p.kept[k]));
  }
  TNP_CHECK(shape.size() <= kMaxDims, ErrorKind::Index, "the result of indexing has ",
            static_cast<int64_t>(shape.size()), " dimensions, more than ", kMaxDims);
  return shape;
}

void check_values_shape(const Tensor& values, IntList shape) {
  const IntList own = values.sizes();
  bool fits = own.size() <= shape.size();
  for (size_t d = 0; fits && d < own.size(); ++d) {
    const int64_t length = own[own.size() - 1 - d];
    fits = length == 1 || length == shape[shape.size() - 1 - d];
  }
  TNP_CHECK(fits, ErrorKind::Shape, "shape mismatch: value array of shape ", own,
            " could not be broadcast to indexing result of shape ", shape);
}

}  // namespace tnp
