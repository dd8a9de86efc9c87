// Matrix products of the emulated device: BLAS, one matrix after the other. multiply() rejects
// integers and 16-bit floats, so callers use multiply_elements() for these.
#include "aten/kernels/cuda/linalg/blas_emulated.h"

#include "aten/cuda/emulation.h"
#include "aten/kernels/blas.h"

namespace tnp::gpu {

emulation::ProductsAsked& emulation::products_asked() {
  thread_local ProductsAsked asked;
  return asked;
}

bool multiply(const MatrixProduct& p, Device device) {
  ++emulation::products_asked().count;
  emulation::products_asked().last = p;
  if (is_integral(p.dtype) || is_reduced_float(p.dtype)) return false;
  if (emulation::is_capturing()) {
    emulation::add_to_graph([=] { multiply(p, device); });
    return true;
  }
  emulation::Access access;
  visit<Join<FloatTypes, ComplexTypes>>(p.dtype, [&]<class T>() {
    for (int64_t i = 0; i < p.count; ++i) {
      blas::gemm(p.a.transposed, p.b.transposed, p.m, p.n, p.k, static_cast<const T*>(p.a.data) + i * p.a.step,
                 p.a.leading, static_cast<const T*>(p.b.data) + i * p.b.step, p.b.leading,
                 static_cast<T*>(p.out) + i * p.out_step, p.n);
    }
  });
  return true;
}

}  // namespace tnp::gpu
