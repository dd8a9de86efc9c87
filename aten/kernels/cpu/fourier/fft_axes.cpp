// Fourier transforms along several axes: the first one goes to new memory, the others work there in
// place. Results are row-major.
#include <algorithm>
#include <utility>

#include "aten/core/threads/parallel.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/fft.h"
#include "aten/kernels/fourier_lines.h"

namespace tnp::native {

namespace {

// `t` without its elements before `start` and after `start` + `n` along `dim`.
Tensor part(const Tensor& t, int64_t dim, int64_t start, int64_t n) {
  DimVector sizes(t.sizes());
  sizes[static_cast<size_t>(dim)] = n;
  return view_of(t, sizes, t.strides(), t.address() + start * t.byte_stride(dim));
}

// A complex array whose first elements along each axis hold values. The others are padding, which
// becomes 0 when its axis is transformed.
class Padded {
 public:
  // `known`: the sizes of the part with values, those of the input.
  Padded(const Tensor& whole, IntList known) : whole_(whole), known_(known) {}

  Tensor values() const {
    return whole_.sizes() == IntList(known_) ? whole_ : view_of(whole_, known_, whole_.strides(), whole_.address());
  }
  void transform(int64_t dim, bool forward, double scale) {
    clear_padding(dim);
    const Tensor x = values();
    transform_lines(Fourier::Complex, forward, scale, x.size(dim), x, x, dim);
  }
  void clear_padding() {
    for (int64_t d = 0; d < whole_.dim(); ++d) clear_padding(d);
  }
  void transform_all(IntList dims, bool forward, std::span<const double> scales) {
    for (size_t i = 0; i < dims.size(); ++i) transform(dims[i], forward, scales[i]);
  }

 private:
  void clear_padding(int64_t dim) {
    const int64_t n = whole_.size(dim), before = std::exchange(known_[static_cast<size_t>(dim)], n);
    if (before < n) fill_with(part(values(), dim, before, n - before), Scalar(0));
  }

  const Tensor& whole_;
  DimVector known_;
};

// Transforms along all of `dims`. `whole` receives the values; elements beyond those of the input
// along other axes are padding.
void transform_axes(const Tensor& input, IntList dims, bool forward, std::span<const double> scales,
                    const Tensor& whole) {
  Padded x(whole, input.sizes());
  if (input.is_complex() || whole.sizes() == input.sizes()) {
    fft_c2c_cpu(input, dims[0], forward, scales[0], x.values());
  } else {  // complex values of real numbers need row-major memory
    const Tensor first = empty_tensor(input.sizes(), whole.dtype());
    fft_c2c_cpu(input, dims[0], forward, scales[0], first);
    copy_into(x.values(), first);
  }
  x.transform_all(dims.subspan(1), forward, scales.subspan(1));
  x.clear_padding();
}

// Fills in all frequencies along the last axis of a real transform over that axis and `dims`. `half`
// holds the first n / 2 + 1; the remaining ones are the conjugates at negative frequencies.
template <class T>
void unfold_half(const Tensor& half, const Tensor& out, IntList dims) {
  const bool in_place = half.data() == out.data();
  const int64_t n = out.size(-1), h = half.size(-1), rows = out.numel() / n, step_in = in_place ? n : h;
  DimVector negated(static_cast<size_t>(out.dim()), 0);
  for (int64_t d : dims) negated[static_cast<size_t>(d)] = 1;
  parallel_for(0, rows, std::max<int64_t>(kParallelWork / n, 1), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      // The row with the negative frequencies along the transformed axes.
      int64_t mirrored = 0, rest = row, step = 1;
      for (int64_t d = out.dim() - 1; d-- > 0;) {
        const int64_t size = out.size(d), i = rest % size;
        rest /= size;
        mirrored += (negated[static_cast<size_t>(d)] && i > 0 ? size - i : i) * step;
        step *= size;
      }
      Complex<T>* to = out.data_ptr<Complex<T>>() + row * n;
      if (!in_place) std::copy_n(half.data_ptr<Complex<T>>() + row * step_in, h, to);
      const Complex<T>* from = half.data_ptr<Complex<T>>() + mirrored * step_in + 1;
      for (int64_t k = 0; k < n - h; ++k) to[h + k] = Complex<T>(from[n - h - 1 - k].re, -from[n - h - 1 - k].im);
    }
  });
}

// A forward transform of real numbers over the last axis and others: computes half of the
// frequencies and fills in the others.
void transform_real_axes(const Tensor& input, IntList dims, std::span<const double> scales, const Tensor& out) {
  const int64_t last = out.dim() - 1, n = out.size(last);
  DimVector sizes(out.sizes()), known(input.sizes());
  sizes.back() = known.back() = n / 2 + 1;
  // Half of each row of the result, unless the rows would begin at multiples of a page, because the
  // columns of such rows conflict in the cache.
  const bool apart = n * out.itemsize() % 4096 == 0;
  const Tensor half = apart ? empty_tensor(sizes, out.dtype()) : view_of(out, sizes, out.strides(), out.address());
  Padded x(half, known);
  transform_lines(Fourier::RealToComplex, true, scales[0], n, to_dense(input, input.dtype()), x.values(), last);
  x.transform_all(dims.subspan(1), true, scales.subspan(1));
  if (out.dtype() == ScalarType::Complex64)
    unfold_half<float>(half, out, dims.subspan(1));
  else
    unfold_half<double>(half, out, dims.subspan(1));
}

}  // namespace

void fft_c2c_axes_cpu(const Tensor& input, IntList /*lengths*/, IntList dims, bool forward,
                      std::span<const double> scales, const Tensor& out) {
  if (out.numel() == 0) return;
  if (input.numel() == 0) return fill_with(out, Scalar(0));
  if (forward && !input.is_complex() && dims[0] == input.dim() - 1)
    transform_real_axes(input, dims, scales, out);
  else
    transform_axes(input, dims, forward, scales, out);
}

void fft_r2c_axes_cpu(const Tensor& input, IntList lengths, IntList dims, std::span<const double> scales,
                      const Tensor& out) {
  if (out.numel() == 0) return;
  if (input.numel() == 0) return fill_with(out, Scalar(0));
  DimVector known(input.sizes());
  known[static_cast<size_t>(dims[0])] = out.size(dims[0]);
  Padded x(out, known);
  transform_lines(Fourier::RealToComplex, true, scales[0], lengths[0], to_dense(input, input.dtype()), x.values(),
                  dims[0]);
  x.transform_all(dims.subspan(1), true, scales.subspan(1));
}

void fft_c2r_axes_cpu(const Tensor& input, IntList lengths, IntList dims, std::span<const double> scales,
                      const Tensor& out) {
  if (out.numel() == 0) return;
  if (input.numel() == 0) return fill_with(out, Scalar(0));
  const size_t last = dims.size() - 1;
  const Tensor half = with_length(out, dims[last], lengths[last] / 2 + 1, to_complex(out.dtype()));
  transform_axes(input.is_complex() ? input : to_dtype(input, out.dtype()), dims.first(last), false, scales.first(last),
                 half);
  transform_lines(Fourier::ComplexToReal, false, scales[last], lengths[last], half, out, dims[last]);
}

}  // namespace tnp::native
