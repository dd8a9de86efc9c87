// Affine grids, and the grid_sampler functions.
#include "aten/functions/grid_sampling.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/creation.h"
#include "aten/functions/joining.h"
#include "aten/functions/products.h"
#include "aten/functions/shape.h"
#include "aten/native_functions/grid_sampling.h"
#include "aten/ops/operators.h"

namespace tnp::native {

Tensor grid_sampler(const Tensor& input, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode,
                    bool align_corners) {
  return tnp::grid_sample_nd(input, grid, interpolation_mode, padding_mode, align_corners);
}

Tensor grid_sampler_2d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode,
                       bool align_corners) {
  TNP_CHECK(input.dim() == 4, ErrorKind::Shape, "{input} of shape ", input.sizes(), " does not have 4 dimensions");
  return tnp::grid_sample_nd(input, grid, interpolation_mode, padding_mode, align_corners);
}

Tensor grid_sampler_3d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode,
                       bool align_corners) {
  TNP_CHECK(input.dim() == 5, ErrorKind::Shape, "{input} of shape ", input.sizes(), " does not have 5 dimensions");
  return tnp::grid_sample_nd(input, grid, interpolation_mode, padding_mode, align_corners);
}

Tensor affine_grid_generator(const Tensor& theta, IntList size, bool align_corners) {
  TNP_CHECK(is_floating(theta.dtype()), ErrorKind::Runtime, "{theta} must have a floating-point dtype, got ",
            theta.dtype());
  TNP_CHECK(size.size() == 4 || size.size() == 5, ErrorKind::Runtime, "{size} ", size, " must have 4 or 5 numbers");
  const int64_t axes = static_cast<int64_t>(size.size()) - 2;
  for (int64_t s : size) TNP_CHECK(s > 0, ErrorKind::Runtime, "{size} ", size, " has a number below 1");
  TNP_CHECK(theta.sizes() == IntList({size[0], axes, axes + 1}), ErrorKind::Runtime, "{theta} of shape ", theta.sizes(),
            " must have the shape (", size[0], ", ", axes, ", ", axes + 1, ")");
  // The pixels' coordinates along each axis (x first), followed by a column of ones.
  std::vector<Tensor> columns;
  const IntList spatial(size.subspan(2));
  for (int64_t d = axes - 1; d >= 0; --d) {
    const int64_t n = spatial[static_cast<size_t>(d)];
    Tensor places;
    if (n == 1) {
      places = tnp::zeros(IntList{1}, theta.dtype(), theta.device());
    } else {
      const double step = 2.0 / static_cast<double>(align_corners ? n - 1 : n),
                   first = align_corners ? -1.0 : -1.0 + step / 2;
      places =
          tnp::arange(Scalar(0), Scalar(n), Scalar(1), theta.dtype(), theta.device()) * Scalar(step) + Scalar(first);
    }
    DimVector shape(static_cast<size_t>(axes), 1);
    shape[static_cast<size_t>(d)] = n;
    columns.push_back(tnp::broadcast_to(tnp::reshape(places, shape), spatial));
  }
  columns.push_back(tnp::broadcast_to(tnp::ones(IntList{1}, theta.dtype(), theta.device()), spatial));
  const int64_t count = numel_of(spatial);
  const Tensor base = tnp::reshape(tnp::stack(columns, -1), IntList{1, count, axes + 1});
  DimVector shape{size[0]};
  shape.append(spatial);
  shape.push_back(axes);
  return tnp::reshape(tnp::matmul(base, tnp::transpose(theta, 1, 2)), shape);
}

}  // namespace tnp::native
