// Max pooling on GPUs: one thread per window. Indices outside a plane are skipped and reported.
#include "aten/kernels/max_pool.h"

#include "aten/cuda/fault.h"
#include "aten/functors/extrema.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/pooling.h"
#include "aten/kernels/cuda/atomic_add.h"
#include "aten/kernels/cuda/for_each.h"

namespace tnp {

namespace gpu {
namespace {

template <class T>
struct LargestOfWindow {
  using C = std::conditional_t<is_reduced_float_v<T>, float, T>;
  MaxPool p;
  const T* in;
  T* out;
  int64_t* indices;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t o[3] = {i / p.out[2] / p.out[1] % p.out[0], i / p.out[2] % p.out[1], i % p.out[2]};
    const int64_t plane = i / p.out_plane();
    const T* from = in + plane * p.in_plane();
    int64_t start[3], taps[3];
    for (int d = 0; d < 3; ++d) start[d] = p.start(plane, d, o[d]), taps[d] = p.taps(d, o[d], start[d]);
    int64_t place = p.place(p.first_tap(0, start[0]), p.first_tap(1, start[1]), p.first_tap(2, start[2]));
    bool found = false;
    C best = reduction_detail::lowest<C>();
    for (int64_t a = 0; a < taps[0]; ++a) {
      const int64_t z = start[0] + a * p.dilation[0];
      for (int64_t b = 0; b < taps[1] && z >= 0 && z < p.in[0]; ++b) {
        const int64_t y = start[1] + b * p.dilation[1];
        for (int64_t c = 0; c < taps[2] && y >= 0 && y < p.in[1]; ++c) {
          const int64_t x = start[2] + c * p.dilation[2];
          if (x < 0 || x >= p.in[2]) continue;
          const int64_t at = p.place(z, y, x);
          const C value = convert<C>(from[at]);
          if (!found || value > best || value != value) best = value, place = at, found = true;
        }
      }
    }
    indices[i] = place;
    out[i] = found ? from[place] : convert<T>(best);
  }
};

template <class T>
struct Scatter {
  const T* from;
  const int64_t* places;
  T* to;
  int64_t from_plane, to_plane;
  bool add;
  IndexFault* fault;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t place = places[i];
    if (place < 0 || place >= to_plane) return fault->report(ErrorKind::Runtime, place, 0, to_plane);
    T* at = to + i / from_plane * to_plane + place;
    if (add)
      atomic_add(at, from[i]);
    else
      *at = from[i];
  }
};

template <class T>
struct Gather {
  const T* from;
  const int64_t* places;
  T* to;
  int64_t from_plane, to_plane;
  IndexFault* fault;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t place = places[i];
    if (place < 0 || place >= from_plane) return fault->report(ErrorKind::Runtime, place, 0, from_plane);
    to[i] = from[i / to_plane * from_plane + place];
  }
};

template <class T>
T* at(const Tensor& t) {
  return reinterpret_cast<T*>(t.address());
}
int64_t plane_of(const Tensor& t) { return t.numel() / std::max<int64_t>(t.size(0) * t.size(1), 1); }
Tensor dense_like(const Tensor& t) { return t.is_contiguous() ? t : empty_tensor(t.sizes(), t.dtype(), t.device()); }

}  // namespace
}  // namespace gpu

void native::max_pool_windows_cuda(const Tensor& input, IntList output_size, int64_t kind, IntList kernel_size,
                                   IntList stride, IntList padding, IntList dilation, const Tensor& samples,
                                   const Tensor& values, const Tensor& indices) {
  if (values.numel() == 0) return;
  const MaxPool p = max_pool_of(input, output_size, kind, kernel_size, stride, padding, dilation, samples);
  const Tensor from = to_dense(input, input.dtype()), to = gpu::dense_like(values), places = gpu::dense_like(indices);
  visit<Join<IntegerTypes, TypeList<Half, BFloat16, float, double>>>(input.dtype(), [&]<class T>() {
    gpu::for_each(to.numel(), gpu::LargestOfWindow<T>{p, gpu::at<T>(from), gpu::at<T>(to), gpu::at<int64_t>(places)},
                  to.device());
  });
  if (!to.is_same(values)) copy_into(values, to);
  if (!places.is_same(indices)) copy_into(indices, places);
}

void native::scatter_planes_cuda(const Tensor& input, const Tensor& indices, IntList, bool add, const Tensor& out) {
  if (out.numel() == 0) return;
  fill_with(out, Scalar(0));
  visit_dtype(out.dtype(), [&]<class T>() {
    gpu::for_each(input.numel(),
                  gpu::Scatter<T>{gpu::at<T>(input), gpu::at<int64_t>(indices), gpu::at<T>(out), gpu::plane_of(input),
                                  gpu::plane_of(out), add, gpu::fault_of(out.device())},
                  out.device());
  });
  gpu::check_fault(out.device());
}

void native::gather_planes_cuda(const Tensor& input, const Tensor& indices, const Tensor& out) {
  visit_dtype(out.dtype(), [&]<class T>() {
    gpu::for_each(out.numel(),
                  gpu::Gather<T>{gpu::at<T>(input), gpu::at<int64_t>(indices), gpu::at<T>(out), gpu::plane_of(input),
                                 gpu::plane_of(out), gpu::fault_of(out.device())},
                  out.device());
  });
  gpu::check_fault(out.device());
}

}  // namespace tnp
