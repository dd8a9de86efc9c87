// Linear interpolation of data points, for np.interp.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/threads/parallel.h"
#include "aten/functors/arithmetic.h"
#include "aten/kernel_functions/sorting.h"

namespace tnp::native {

namespace {

using Value = std::array<double, 2>;  // of a data point: one number, or the parts of a complex one

struct Points {
  const double *x, *y;
  int64_t count, parts;
  Value left, right;

  double value(int64_t i, int64_t part) const { return y[i * parts + part]; }
};

// Python's x % period.
double wrapped(double x, double period) { return Remainder<double>()(x, period); }

// Data points of a periodic function in ascending order, with the last one before and the first one
// behind, at their distances of a period.
struct PeriodicPoints {
  std::vector<double> x, y;

  PeriodicPoints(const double* xp, const double* fp, int64_t count, int64_t parts, double period) {
    std::vector<double> at(static_cast<size_t>(count));
    std::transform(xp, xp + count, at.begin(), [&](double v) { return wrapped(v, period); });
    std::vector<int64_t> order(static_cast<size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    const auto is_before = [&](int64_t a, int64_t b) {  // NaN is above all numbers
      const double u = at[static_cast<size_t>(a)], v = at[static_cast<size_t>(b)];
      return u < v || (std::isnan(v) && !std::isnan(u));
    };
    std::stable_sort(order.begin(), order.end(), is_before);
    const auto add = [&](int64_t i, double shift) {
      x.push_back(at[static_cast<size_t>(i)] + shift);
      y.insert(y.end(), fp + i * parts, fp + (i + 1) * parts);
    };
    add(order.back(), -period);
    for (const int64_t i : order) add(i, 0);
    add(order.front(), period);
  }
};

// The value at `x` between two points, with infinities as in NumPy: from the left point, or else from
// the right one, or else their common value. NumPy multiplies complex values by the inverse distance.
double between(const Points& p, int64_t i, double x, int64_t part) {
  const double first = p.value(i, part), second = p.value(i + 1, part), distance = p.x[i + 1] - p.x[i];
  const double slope = p.parts == 1 ? (second - first) / distance : (second - first) * (1 / distance);
  double value = slope * (x - p.x[i]) + first;
  if (std::isnan(value)) value = slope * (x - p.x[i + 1]) + second;
  if (std::isnan(value) && first == second) value = first;
  return value;
}

Value point(const Points& p, int64_t i) { return {p.value(i, 0), p.value(i, p.parts - 1)}; }

Value value_at(const Points& p, double x) {
  const int64_t last = p.count - 1;
  if (x < p.x[0]) return p.left;
  if (x > p.x[last]) return p.right;
  if (last == 0) return point(p, 0);
  if (std::isnan(x)) return {x, 0};
  // Of equal coordinates, the last; NaN is above all.
  const int64_t i = std::partition_point(p.x, p.x + p.count, [&](double at) { return x >= at; }) - p.x - 1;
  if (i < 0) return p.left;  // the first coordinate is NaN
  if (i == last || p.x[i] == x) return point(p, i);
  return {between(p, i, x, 0), p.parts == 1 ? 0 : between(p, i, x, 1)};
}

Value value_of(const std::optional<Scalar>& end, Value standard) {
  if (!end) return standard;
  const auto number = end->to<Complex<double>>();
  return {number.re, number.im};
}

bool any_infinite(const double* x, int64_t count) {
  return std::any_of(x, x + count, [](double v) { return std::isinf(v); });
}

}  // namespace

void interp_linear_cpu(const Tensor& x, const Tensor& xp, const Tensor& fp, const std::optional<Scalar>& left,
                       const std::optional<Scalar>& right, std::optional<double> period, const Tensor& out) {
  const int64_t parts = fp.is_complex() ? 2 : 1, count = x.numel();
  const double *const at = x.data_ptr<double>(), *const values = reinterpret_cast<const double*>(fp.data());
  Points points{xp.data_ptr<double>(), values, xp.numel(), parts, {}, {}};
  std::optional<PeriodicPoints> periodic;
  if (period) {
    if (wants_floating_point_errors() && (any_infinite(at, count) || any_infinite(points.x, points.count)))
      report_floating_point_errors("remainder", kInvalid);
    periodic.emplace(points.x, points.y, points.count, parts, *period);
    points.x = periodic->x.data(), points.y = periodic->y.data(), points.count += 2;
  }
  points.left = value_of(left, point(points, 0));
  points.right = value_of(right, point(points, points.count - 1));
  auto* const to = reinterpret_cast<double*>(out.data());
  constexpr int64_t kGrain = 4096;
  parallel_for(0, count, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Value value = value_at(points, period ? wrapped(at[i], *period) : at[i]);
      std::copy_n(value.begin(), parts, to + i * parts);
    }
  });
}

}  // namespace tnp::native
