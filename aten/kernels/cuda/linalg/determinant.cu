// Determinants from the diagonals of LU factorisations: one block multiplies each diagonal, in
// float64 for every dtype.
#include <cmath>
#include <limits>

#include "aten/cuda/launch.h"
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/linalg.h"
#include "aten/kernels/cuda/element.h"
#include "aten/kernels/cuda/linalg/linalg.h"

namespace tnp {

namespace gpu {
namespace {

template <class T>
using wide_t = std::conditional_t<is_complex_v<T>, Complex<double>, double>;

// The product of the diagonal, with a separate exponent, so that intermediate results do not
// overflow.
template <class T>
struct Determinant {
  using Wide = wide_t<T>;
  struct Acc {
    Wide value;
    int32_t exponent;
  };
  T* det;

  TNP_HOST_DEVICE static Acc scaled(Wide v, int32_t exponent) {
    int size = 0;
    if constexpr (is_complex_v<T>) {
      const double re = ::fabs(v.re), im = ::fabs(v.im);
      ::frexp(re > im ? re : im, &size);
      return {Wide(::ldexp(v.re, -size), ::ldexp(v.im, -size)), exponent + size};
    } else {
      v = ::frexp(v, &size);
      return {v, exponent + size};
    }
  }
  TNP_HOST_DEVICE static Acc identity() { return {Wide(1), 0}; }
  TNP_HOST_DEVICE static Acc lift(T diagonal, bool exchanged) {
    const Wide v = static_cast<Wide>(diagonal);
    return scaled(exchanged ? -v : v, 0);
  }
  TNP_HOST_DEVICE static Acc combine(const Acc& a, const Acc& b) {
    return scaled(a.value * b.value, a.exponent + b.exponent);
  }
  TNP_HOST_DEVICE void store(int64_t i, const Acc& acc, bool singular) const {
    if (singular)
      det[i] = T(0);
    else if constexpr (is_complex_v<T>)
      det[i] = T(Wide(::ldexp(acc.value.re, acc.exponent), ::ldexp(acc.value.im, acc.exponent)));
    else
      det[i] = static_cast<T>(::ldexp(acc.value, acc.exponent));
  }
};

// The sign of the determinant (of modulus 1; 0 if singular), and the logarithm of its absolute
// value.
template <class T>
struct SignAndLogarithm {
  using Wide = wide_t<T>;
  struct Acc {
    Wide sign;
    double log;
  };
  T* sign;
  real_t<T>* log;

  TNP_HOST_DEVICE static Acc identity() { return {Wide(1), 0}; }
  TNP_HOST_DEVICE static Acc lift(T diagonal, bool exchanged) {
    const Wide v = static_cast<Wide>(exchanged ? -diagonal : diagonal);
    if constexpr (is_complex_v<T>) {
      const double size = ::hypot(v.re, v.im);
      return {v / Wide(size), ::log(size)};
    } else {
      return {v < 0 ? -1.0 : 1.0, ::log(::fabs(v))};
    }
  }
  TNP_HOST_DEVICE static Acc combine(const Acc& a, const Acc& b) { return {a.sign * b.sign, a.log + b.log}; }
  TNP_HOST_DEVICE void store(int64_t i, const Acc& acc, bool singular) const {
    using R = real_t<T>;
    sign[i] = singular ? T(0) : static_cast<T>(acc.sign);
    log[i] = singular ? -std::numeric_limits<R>::infinity() : static_cast<R>(acc.log);
  }
};

template <class T, template <class> class F>
struct DiagonalProduct {
  using Acc = typename F<T>::Acc;
  static constexpr uint32_t kThreads = 128;
  static constexpr int kSteps = 7;
  static_assert((1u << kSteps) == kThreads);
  struct Shared {
    Acc products[kThreads];
  };
  struct Private {};
  const T* factors;
  const char* pivots;
  ScalarType pivot_type;
  int64_t pivot_size;
  const int32_t* info;
  int64_t n;
  F<T> result;

  TNP_HOST_DEVICE int phases() const { return kSteps + 1; }
  TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private&) const {
    const int64_t matrix = place.block;
    const uint32_t half = kThreads >> phase;
    if (phase == 0) {
      Acc product = F<T>::identity();
      for (int64_t j = place.thread; j < n; j += kThreads) {
        const int64_t pivot = load_element<int64_t>(pivots + (matrix * n + j) * pivot_size, pivot_type);
        product = F<T>::combine(product, F<T>::lift(factors[(matrix * n + j) * n + j], pivot != j + 1));
      }
      shared.products[place.thread] = product;
      return;
    }
    if (place.thread < half)
      shared.products[place.thread] =
          F<T>::combine(shared.products[place.thread], shared.products[place.thread + half]);
    if (phase == kSteps && place.thread == 0) result.store(matrix, shared.products[0], info[matrix] > 0);
  }
};

template <class T, template <class> class F>
void multiply_diagonals(const Tensor& a, const F<T>& result) {
  const Tensor stack = stack_of(a);
  const solver::Lu lu = solver::getrf(stack);
  TNP_CHECK(stack.size(0) <= kMaxBlocks, ErrorKind::NotImplemented, stack.size(0), " determinants at once on ",
            a.device(), " are not implemented");
  launch(DiagonalProduct<T, F>{reinterpret_cast<const T*>(a.address()), lu.pivots.address(), lu.pivots.dtype(),
                               lu.pivots.itemsize(), reinterpret_cast<const int32_t*>(lu.info.address()), stack.size(1),
                               result},
         static_cast<uint32_t>(stack.size(0)), a.device());
}

}  // namespace
}  // namespace gpu

namespace native {

void linalg_det_cuda(const Tensor& input, const Tensor& out) {
  if (out.numel() == 0) return;
  if (input.numel() == 0) return fill_with(out, Scalar(1));
  const Tensor a = dense_copy(input, out.dtype());
  visit<BlasTypes>(a.dtype(), [&]<class T>() {
    gpu::multiply_diagonals(a, gpu::Determinant<T>{reinterpret_cast<T*>(out.address())});
  });
}

void linalg_slogdet_cuda(const Tensor& input, const Tensor& sign, const Tensor& logabsdet) {
  if (sign.numel() == 0) return;
  if (input.numel() == 0) return fill_with(sign, Scalar(1)), fill_with(logabsdet, Scalar(0));
  const Tensor a = dense_copy(input, sign.dtype());
  visit<BlasTypes>(a.dtype(), [&]<class T>() {
    gpu::multiply_diagonals(a, gpu::SignAndLogarithm<T>{reinterpret_cast<T*>(sign.address()),
                                                        reinterpret_cast<real_t<T>*>(logabsdet.address())});
  });
}

}  // namespace native
}  // namespace tnp
