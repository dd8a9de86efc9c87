// Fourier transforms along one axis, for any layout, with cached cuFFT plans.
//
// Note [Lines for a plan] A plan transforms lines at one constant distance, with any strides. Lines
// along the middle axis of three are not at one constant distance. If there are few groups of
// lines, or the groups are large, they are transformed one after the other. Otherwise copies move
// the axis to the end, and one call transforms all lines.
#include "aten/kernels/cuda/fourier/fourier.h"

#include <algorithm>
#include <array>

#include "aten/core/devices/plan_caches.h"
#include "aten/core/threads/parallel.h"
#include "aten/cuda/plan_cache.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/fft.h"
#include "aten/kernels/cuda/linalg/conjugates.h"
#include "aten/kernels/line_groups.h"

namespace tnp {

namespace gpu {
namespace {

constexpr size_t kKept = 4096;     // limit of cached plans, as in PyTorch
constexpr int64_t kFewGroups = 8;  // up to this many transforms in sequence cost less than two copies
// The number of elements with which a single transform keeps the device busy.
constexpr int64_t kLargeGroup = int64_t{1} << 16;

using Cache = PlanCache<FourierLayout, FourierPlan>;

class Caches final : public PlanCaches {
 public:
  explicit Caches(int devices) {
    for (int i = 0; i < devices; ++i) caches_.push_back(std::make_unique<Cache>(kKept));
  }
  Cache& of(int device) { return *caches_.at(static_cast<size_t>(device)); }

  int64_t size(int device) override { return static_cast<int64_t>(of(device).size()); }
  int64_t max_size(int device) override { return static_cast<int64_t>(of(device).limit()); }
  void set_max_size(int device, int64_t max_size) override {
    TNP_CHECK(max_size >= 0, ErrorKind::Runtime, "cuFFT plan cache size must be non-negative, but got ", max_size);
    of(device).set_limit(static_cast<size_t>(max_size));
  }
  void clear(int device) override { of(device).clear(); }

 private:
  std::vector<std::unique_ptr<Cache>> caches_;
};
Caches* caches = nullptr;  // never destroyed: other threads may use plans until the process ends

std::shared_ptr<FourierPlan> plan_for(const FourierLayout& layout, Device device) {
  Cache& cache = caches->of(device.index);
  if (std::shared_ptr<FourierPlan> plan = cache.find(layout)) return plan;
  std::shared_ptr<FourierPlan> plan;
  {
    LongWork planning;
    plan = make_fourier_plan(layout, device);
  }
  return cache.insert(layout, std::move(plan));
}

// A view whose last axis is axis `dim`.
Tensor axis_last(const Tensor& t, int64_t dim) {
  DimVector sizes, strides;
  for (int64_t d = 0; d < t.dim(); ++d) {
    if (d != dim) sizes.push_back(t.size(d)), strides.push_back(t.stride(d));
  }
  sizes.push_back(t.size(dim)), strides.push_back(t.stride(dim));
  return view_of(t, sizes, strides, t.address());
}

bool has_positive_strides(const Tensor& t) {
  for (int64_t d = 0; d < t.dim(); ++d)
    if (t.size(d) != 1 && t.stride(d) <= 0) return false;
  return true;
}

// Whether all groups of lines begin at addresses that are aligned to a complex number.
bool is_aligned(const Tensor& t, const DimVector& steps) {
  const int64_t size = 2 * element_size(to_real(t.dtype()));
  return reinterpret_cast<uintptr_t>(t.address()) % static_cast<uintptr_t>(size) == 0 &&
         std::all_of(steps.begin(), steps.end(), [&](int64_t step) { return step * t.itemsize() % size == 0; });
}

// Transforms without scaling. n >= 2; `in` and `out` have elements, and the dtypes of `kind`.
// ComplexToReal may overwrite `in`.
void transform(Fourier kind, bool forward, int64_t n, const Tensor& in, const Tensor& out, int64_t dim) {
  const LineGroups layout(in, out, dim);
  const int64_t groups = layout.num_groups();
  const bool worthwhile = groups <= kFewGroups || layout.lines * n >= kLargeGroup;
  if (!worthwhile || !has_positive_strides(in) || !is_aligned(in, layout.steps_in) ||
      !is_aligned(out, layout.steps_out)) {
    const Tensor shown = axis_last(out, dim), dense = empty_tensor(shown.sizes(), out.dtype(), out.device());
    transform(kind, forward, n, native::dense_copy(axis_last(in, dim), in.dtype()), dense, in.dim() - 1);
    return copy_into(shown, dense);
  }
  const int64_t step_in = in.stride(dim), step_out = out.stride(dim);
  const bool one = layout.lines == 1;  // for one line, cuFFT does not use the distance but validates it
  const std::shared_ptr<FourierPlan> plan =
      plan_for({kind, element_size(to_real(in.dtype())) == 8, n, layout.lines, step_in,
                one ? step_in * n : layout.distance_in, step_out, one ? step_out * n : layout.distance_out},
               out.device());
  for (int64_t g = 0; g < groups; ++g) {
    int64_t at_in = 0, at_out = 0;
    layout.locate(g, at_in, at_out);
    plan->run(forward, in.address() + at_in * in.itemsize(), out.address() + at_out * out.itemsize());
  }
}

// A view of `length` elements along `dim`, from `start`.
Tensor part_of(const Tensor& t, int64_t dim, int64_t start, int64_t length) {
  DimVector sizes(t.sizes());
  sizes[static_cast<size_t>(dim)] = length;
  return view_of(t, sizes, t.strides(), t.address() + start * t.stride(dim) * t.itemsize());
}

// A view of the imaginary parts of the k-th elements along `dim`.
Tensor imaginary_part(const Tensor& t, int64_t dim, int64_t k) {
  const Tensor part = part_of(t, dim, k, 1);
  const ScalarType real = to_real(t.dtype());
  DimVector strides(part.strides());
  for (int64_t& s : strides) s *= 2;
  return view_of(part, part.sizes(), strides, part.address() + element_size(real), real);
}

// The transform of a single point is the point itself.
void transform_point(const Tensor& in, const Tensor& out, double factor) {
  copy_into(out, in);
  gpu::scale(out, factor);
}

}  // namespace

void register_fourier_plans(int devices) {
  caches = new Caches(devices);
  register_plan_caches(caches);
}

}  // namespace gpu

namespace native {

void fft_c2c_cuda(const Tensor& input, int64_t dim, bool forward, double scale, const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t n = out.size(dim);
  if (n == 1) return gpu::transform_point(input, out, scale);
  if (input.is_complex()) {
    gpu::transform(Fourier::Complex, forward, n, input, out, dim);
    return gpu::scale(out, scale);
  }
  gpu::transform(Fourier::RealToComplex, true, n, input, gpu::part_of(out, dim, 0, n / 2 + 1), dim);
  gpu::complete_conjugates(out, dim, forward, scale);
}

void fft_r2c_cuda(const Tensor& input, int64_t dim, double scale, const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t n = input.size(dim);
  if (n == 1) return gpu::transform_point(input, out, scale);
  gpu::transform(Fourier::RealToComplex, true, n, input, out, dim);
  gpu::scale(out, scale);
}

void fft_c2r_cuda(const Tensor& input, int64_t n, int64_t dim, double scale, const Tensor& out) {
  if (out.numel() == 0) return;
  if (n == 1) return gpu::transform_point(input, out, scale);
  // Works on a copy, because cuFFT may use its input as workspace. The copy also applies the scale.
  const Tensor half = empty_tensor(input.sizes(), to_complex(out.dtype()), input.device());
  if (input.dtype() == half.dtype() && input.is_contiguous() && scale != 1)
    gpu::scale_into(half, input, scale);
  else
    copy_into(half, input), gpu::scale(half, scale);
  // The values at frequencies 0 and n / 2 are their own conjugates, hence real. cuFFT leaves the
  // result undefined if their imaginary parts are not 0, so these are cleared.
  for (int64_t k = 0; k <= n / 2; k += (n % 2 == 0 ? n / 2 : n))
    fill_with(gpu::imaginary_part(half, dim, k), Scalar(0));
  gpu::transform(Fourier::ComplexToReal, false, n, half, out, dim);
}

}  // namespace native
}  // namespace tnp
