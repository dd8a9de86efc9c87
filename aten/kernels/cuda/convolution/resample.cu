// Resampling of images, as linear maps along their axes, on GPUs: one thread per element of the
// result.
#include <cstring>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/numbers/element_bits.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/resampling.h"
#include "aten/kernels/cuda/for_each.h"
#include "aten/kernels/resampling.h"

namespace tnp {

namespace gpu {
namespace {

struct DeviceMap {
  const int64_t *offsets, *indices;
  const double* weights;
  int64_t in, out;
};

template <class T, class A>
struct Resample {
  DeviceMap d, h, w;
  const T* from;
  T* to;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t ow = i % w.out, oh = i / w.out % h.out, od = i / w.out / h.out % d.out,
                  plane = i / w.out / h.out / d.out;
    A sum(0);
    for (int64_t a = d.offsets[od]; a < d.offsets[od + 1]; ++a) {
      for (int64_t b = h.offsets[oh]; b < h.offsets[oh + 1]; ++b) {
        const T* row = from + ((plane * d.in + d.indices[a]) * h.in + h.indices[b]) * w.in;
        const double weight = d.weights[a] * h.weights[b];
        for (int64_t c = w.offsets[ow]; c < w.offsets[ow + 1]; ++c)
          sum += convert<A>(weight * w.weights[c]) * convert<A>(row[w.indices[c]]);
      }
    }
    to[i] = convert<T>(sum);
  }
};

template <class Bits>
struct Pick {
  DeviceMap d, h, w;
  const Bits* from;
  Bits* to;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t ow = i % w.out, oh = i / w.out % h.out, od = i / w.out / h.out % d.out,
                  plane = i / w.out / h.out / d.out;
    to[i] = from[((plane * d.in + d.indices[od]) * h.in + h.indices[oh]) * w.in + w.indices[ow]];
  }
};

// Copies host numbers to device memory.
template <class V>
Tensor uploaded(const std::vector<V>& values, ScalarType dtype, Device device) {
  const Tensor host = empty_tensor({static_cast<int64_t>(values.size())}, dtype);
  if (!values.empty()) std::memcpy(host.data(), values.data(), values.size() * sizeof(V));
  const Tensor there = empty_tensor(host.sizes(), dtype, device);
  if (!values.empty()) copy_into(there, host);
  return there;
}

struct Uploaded {
  Uploaded(const AxisMap& m, int64_t inputs, Device device)
      : offsets(uploaded(m.offsets, ScalarType::Int64, device)),
        indices(uploaded(m.indices, ScalarType::Int64, device)),
        weights(uploaded(m.weights, ScalarType::Float64, device)),
        map{reinterpret_cast<const int64_t*>(offsets.address()), reinterpret_cast<const int64_t*>(indices.address()),
            reinterpret_cast<const double*>(weights.address()), inputs, m.size()} {}
  Tensor offsets, indices, weights;
  DeviceMap map;
};

}  // namespace
}  // namespace gpu

void native::resample_cuda(const Tensor& input, IntList input_size, IntList output_size, int64_t mode,
                           IntList parameters, bool align_corners, double scale_0, double scale_1, double scale_2,
                           bool transposed, const Tensor& out) {
  if (out.numel() == 0) return;
  const double scales[] = {scale_0, scale_1, scale_2};
  std::vector<AxisMap> maps =
      axis_maps(input_size, output_size, mode, parameters, align_corners, scales, transposed, input.dtype());
  while (maps.size() < 3) maps.insert(maps.begin(), axis_map({Resampling::Average, 1, 1, false, 0, {}, false}));
  int64_t in[3] = {1, 1, 1};
  for (int64_t d = 2; d < input.dim(); ++d) in[3 - (input.dim() - d)] = input.size(d);
  const Device device = out.device();
  const gpu::Uploaded d(maps[0], in[0], device), h(maps[1], in[1], device), w(maps[2], in[2], device);
  const Tensor from = to_dense(input, input.dtype());
  const Tensor to = out.is_contiguous() ? out : empty_tensor(out.sizes(), out.dtype(), device);
  if (picks(static_cast<Resampling>(mode)) && !transposed) {
    visit_size(input.dtype(), [&]<class Bits>() {
      gpu::for_each(to.numel(),
                    gpu::Pick<Bits>{d.map, h.map, w.map, reinterpret_cast<const Bits*>(from.address()),
                                    reinterpret_cast<Bits*>(to.address())},
                    device);
    });
  } else {
    visit<Join<TypeList<Half, BFloat16>, InexactTypes>>(input.dtype(), [&]<class T>() {
      using A = accumulate_t<T>;
      gpu::for_each(to.numel(),
                    gpu::Resample<T, A>{d.map, h.map, w.map, reinterpret_cast<const T*>(from.address()),
                                        reinterpret_cast<T*>(to.address())},
                    device);
    });
  }
  if (!to.is_same(out)) copy_into(out, to);
}

}  // namespace tnp
