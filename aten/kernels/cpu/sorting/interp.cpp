// Linear interpolation of data points, for np.interp.
#include <algorithm>
#include <cmath>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/sorting.h"

namespace tnp::native {

namespace {

struct Points {
  const double *x, *y;
  int64_t count;
  double left, right;
};

// The value at `x` between two points, with infinities as in NumPy: from the left point, or else from
// the right one, or else their common value.
double between(const Points& p, int64_t i, double x) {
  const double slope = (p.y[i + 1] - p.y[i]) / (p.x[i + 1] - p.x[i]);
  double value = slope * (x - p.x[i]) + p.y[i];
  if (std::isnan(value)) value = slope * (x - p.x[i + 1]) + p.y[i + 1];
  if (std::isnan(value) && p.y[i] == p.y[i + 1]) value = p.y[i];
  return value;
}

double value_at(const Points& p, double x) {
  const int64_t last = p.count - 1;
  if (x < p.x[0]) return p.left;
  if (x > p.x[last]) return p.right;
  if (last == 0) return p.y[0];
  if (std::isnan(x)) return x;
  // Of equal coordinates, the last; NaN is above all.
  const int64_t i = std::partition_point(p.x, p.x + p.count, [&](double at) { return x >= at; }) - p.x - 1;
  if (i < 0) return p.left;  // the first coordinate is NaN
  return i == last || p.x[i] == x ? p.y[i] : between(p, i, x);
}

}  // namespace

void interp_linear_cpu(const Tensor& x, const Tensor& xp, const Tensor& fp, std::optional<double> left,
                       std::optional<double> right, const Tensor& out) {
  const double* const values = fp.data_ptr<double>();
  const int64_t count = xp.numel();
  const Points points{xp.data_ptr<double>(), values, count, left.value_or(values[0]),
                      right.value_or(values[count - 1])};
  const double* const at = x.data_ptr<double>();
  double* const to = out.data_ptr<double>();
  constexpr int64_t kGrain = 4096;
  parallel_for(0, x.numel(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = value_at(points, at[i]);
  });
}

}  // namespace tnp::native
