#include "aten/core/errors/shape_errors.h"

#include "aten/core/dialect.h"
#include "aten/core/errors/error.h"

namespace tnp {

void append(std::string& out, AsList list) {
  out += '[';
  for (size_t i = 0; i < list.shape.size(); ++i) {
    if (i > 0) out += ", ";
    append(out, list.shape[i]);
  }
  out += ']';
}

// "2x3"
static std::string by_x(std::span<const int64_t> shape) {
  std::string out;
  for (int64_t size : shape) {
    if (!out.empty()) out += 'x';
    append(out, size);
  }
  return out;
}

void raise_not_multipliable(std::span<const int64_t> a, std::span<const int64_t> b) {
  if (a.size() == 1 && b.size() == 1) {
    TNP_RAISE(ErrorKind::Shape, "inconsistent tensor size, expected tensor ", AsList{a}, " and src ", AsList{b},
              " to have the same number of elements, but got ", a[0], " and ", b[0], " elements respectively");
  }
  if (a.size() == 2 && b.size() == 1)
    TNP_RAISE(ErrorKind::Shape, "size mismatch, got input (", a[0], "), mat (", by_x(a), "), vec (", b[0], ")");
  TNP_RAISE(ErrorKind::Shape, "mat1 and mat2 shapes cannot be multiplied (", by_x(a), " and ", by_x(b), ")");
}

void raise_not_broadcastable(int64_t a, int64_t b, size_t dim, const std::string& shapes) {
  TNP_CHECK(!dialect().errors_are_numpys(), ErrorKind::Shape, "operands could not be broadcast together with shapes ",
            shapes);
  TNP_RAISE(ErrorKind::Shape, "The size of tensor a (", a, ") must match the size of tensor b (", b,
            ") at non-singleton dimension ", static_cast<int64_t>(dim), "; the shapes are ", shapes);
}

}  // namespace tnp
