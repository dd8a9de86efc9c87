#include "aten/kernels/resampling.h"

#include <algorithm>
#include <cmath>

namespace tnp {

namespace {

void begin(AxisMap& m) { m.offsets.push_back(static_cast<int64_t>(m.indices.size())); }
void tap(AxisMap& m, int64_t index, double weight) {
  m.indices.push_back(index);
  m.weights.push_back(weight);
}

// The distance between neighbouring outputs, in input pixels. R: the type in which positions are
// computed.
template <class R>
R step_of(const AxisRule& r) {
  if (r.align_corners) return r.output > 1 ? static_cast<R>(r.input - 1) / static_cast<R>(r.output - 1) : R(0);
  return r.scale > 0 ? static_cast<R>(1.0 / r.scale) : static_cast<R>(r.input) / static_cast<R>(r.output);
}

// The position of output i, in input pixels.
template <class R>
R position(const AxisRule& r, R step, int64_t i) {
  return r.align_corners ? step * static_cast<R>(i) : step * (static_cast<R>(i) + R(0.5)) - R(0.5);
}

// Keys' cubic kernel. a = -0.75 is usual for images; antialiasing uses -0.5.
template <class R>
R cubic(R x, R a) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : R(0);
}

template <class R>
void interpolate(const AxisRule& r, AxisMap& m) {
  const R step = step_of<R>(r);
  const int64_t last = r.input - 1;
  for (int64_t i = 0; i < r.output; ++i, begin(m)) {
    switch (r.mode) {
      case Resampling::Nearest:
        tap(m, std::min(static_cast<int64_t>(std::floor(static_cast<R>(i) * step)), last), 1);
        break;
      case Resampling::NearestExact:
        tap(m, std::min(static_cast<int64_t>(std::floor((static_cast<R>(i) + R(0.5)) * step)), last), 1);
        break;
      case Resampling::Linear: {
        const R x = std::max(position(r, step, i), R(0));
        const int64_t low = std::min(static_cast<int64_t>(x), last);
        const R part = std::clamp(x - static_cast<R>(low), R(0), R(1));
        tap(m, low, static_cast<double>(1 - part));
        if (low < last)
          tap(m, low + 1, static_cast<double>(part));
        else
          m.weights.back() = 1;
        break;
      }
      default: {
        const R x = position(r, step, i), low = std::floor(x), part = x - low;
        for (int64_t k = -1; k <= 2; ++k)
          tap(m, std::clamp<int64_t>(static_cast<int64_t>(low) + k, 0, last),
              static_cast<double>(cubic<R>(part - static_cast<R>(k), R(-0.75))));
      }
    }
  }
}

// Antialiased resampling with a triangle or a cubic kernel. The kernel is widened to the step if
// the step is longer than a pixel. The weights inside the image are normalised to sum 1.
template <class R>
void antialias(const AxisRule& r, AxisMap& m) {
  const bool linear = r.mode == Resampling::LinearAntialias;
  const R step = step_of<R>(r), half = linear ? R(1) : R(2), support = step >= 1 ? half * step : half,
          inverse = step >= 1 ? 1 / step : R(1);
  for (int64_t i = 0; i < r.output; ++i, begin(m)) {
    const R centre = step * (static_cast<R>(i) + R(0.5));
    const int64_t first = std::max<int64_t>(static_cast<int64_t>(centre - support + R(0.5)), 0);
    const int64_t end = std::min<int64_t>(static_cast<int64_t>(centre + support + R(0.5)), r.input);
    R total(0);
    const size_t at = m.weights.size();
    for (int64_t j = first; j < end; ++j) {
      const R x = (static_cast<R>(j) - centre + R(0.5)) * inverse;
      const R w = linear ? std::max(R(1) - std::abs(x), R(0)) : cubic<R>(x, R(-0.5));
      total += w;
      tap(m, j, static_cast<double>(w));
    }
    for (size_t j = at; total != 0 && j < m.weights.size(); ++j) m.weights[j] /= static_cast<double>(total);
  }
}

void average(const AxisRule& r, AxisMap& m) {
  for (int64_t i = 0; i < r.output; ++i, begin(m)) {
    const int64_t first = i * r.input / r.output, end = ((i + 1) * r.input + r.output - 1) / r.output;
    for (int64_t j = first; j < end; ++j) tap(m, j, 1.0 / static_cast<double>(end - first));
  }
}

void window(const AxisRule& r, AxisMap& m) {
  const auto [kernel, stride, padding, counts_padding] = r.parameters;
  for (int64_t i = 0; i < r.output; ++i, begin(m)) {
    const int64_t start = i * stride - padding, stop = std::min(start + kernel, r.input + padding);
    const int64_t first = std::max<int64_t>(start, 0), end = std::min(stop, r.input);
    // counts_padding == 2: the caller divides by its own divisor, so the count is 1.
    const int64_t count = counts_padding == 2 ? 1 : counts_padding ? stop - start : end - first;
    for (int64_t j = first; j < end; ++j) tap(m, j, 1.0 / static_cast<double>(count));
  }
}

void border(const AxisRule& r, AxisMap& m) {
  // Cropped pixels do not wrap around to the other side.
  const int64_t cut = std::max<int64_t>(-r.parameters[0], 0),
                rest = r.input - cut - std::max<int64_t>(-r.parameters[1], 0);
  for (int64_t i = 0; i < r.output; ++i, begin(m)) {
    int64_t j = i - r.parameters[0];
    switch (r.mode) {
      case Resampling::Reflect:
        j = j < 0 ? -j : j >= r.input ? 2 * (r.input - 1) - j : j;
        break;
      case Resampling::Replicate:
        j = std::clamp<int64_t>(j, 0, r.input - 1);
        break;
      default:
        j -= cut;
        j = (j < 0 ? j + rest : j >= rest ? j - rest : j) + cut;
    }
    tap(m, j, 1);
  }
}

void find_identity(AxisMap& m, int64_t inputs) {
  const int64_t n = m.size();
  m.identity = n == inputs && static_cast<int64_t>(m.indices.size()) == n;
  for (int64_t i = 0; m.identity && i < n; ++i) {
    const auto k = static_cast<size_t>(i);
    m.identity = m.offsets[k] == i && m.indices[k] == i && m.weights[k] == 1;
  }
}

}  // namespace

AxisMap axis_map(const AxisRule& r) {
  AxisMap m;
  m.offsets.reserve(static_cast<size_t>(r.output) + 1);
  begin(m);
  switch (r.mode) {
    case Resampling::Average:
      average(r, m);
      break;
    case Resampling::Window:
      window(r, m);
      break;
    case Resampling::Reflect:
    case Resampling::Replicate:
    case Resampling::Circular:
      border(r, m);
      break;
    case Resampling::LinearAntialias:
    case Resampling::CubicAntialias:
      r.single ? antialias<float>(r, m) : antialias<double>(r, m);
      break;
    default:
      r.single ? interpolate<float>(r, m) : interpolate<double>(r, m);
  }
  find_identity(m, r.input);
  return m;
}

AxisMap transposed(const AxisMap& map, int64_t inputs) {
  AxisMap t;
  t.offsets.assign(static_cast<size_t>(inputs) + 1, 0);
  for (int64_t j : map.indices) ++t.offsets[static_cast<size_t>(j) + 1];
  for (size_t j = 0; j < static_cast<size_t>(inputs); ++j) t.offsets[j + 1] += t.offsets[j];
  t.indices.resize(map.indices.size());
  t.weights.resize(map.indices.size());
  std::vector<int64_t> next(t.offsets.begin(), t.offsets.end() - 1);
  for (int64_t i = 0; i < map.size(); ++i) {
    for (int64_t k = map.offsets[static_cast<size_t>(i)]; k < map.offsets[static_cast<size_t>(i) + 1]; ++k) {
      const auto at = static_cast<size_t>(next[static_cast<size_t>(map.indices[static_cast<size_t>(k)])]++);
      t.indices[at] = i;
      t.weights[at] = map.weights[static_cast<size_t>(k)];
    }
  }
  t.identity = map.identity;
  return t;
}

std::vector<AxisMap> axis_maps(IntList input_size, IntList output_size, int64_t mode, IntList parameters,
                               bool align_corners, const double* scales, bool transpose, ScalarType dtype) {
  std::vector<AxisMap> maps;
  const size_t n = input_size.size(), each = parameters.size() / std::max<size_t>(n, 1);
  for (size_t d = 0; d < n; ++d) {
    AxisRule rule{static_cast<Resampling>(mode), input_size[d], output_size[d], align_corners, scales[d], {},
                  dtype != ScalarType::Float64};
    for (size_t i = 0; i < std::min<size_t>(each, 4); ++i) rule.parameters[i] = parameters[d * each + i];
    maps.push_back(axis_map(rule));
    if (transpose) maps.back() = transposed(maps.back(), input_size[d]);
  }
  return maps;
}

}  // namespace tnp
