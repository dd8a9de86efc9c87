// Fourier transforms of lines, compared with the defining sums in a wider type, in all layouts.
// test/python/numpy_face/test_fft.py compares with NumPy.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "aten/kernels/fourier_lines.h"

namespace tnp {
namespace {

template <class T>
using Wider = std::conditional_t<sizeof(T) == 4, double, long double>;

template <class Real>
std::vector<std::complex<Real>> by_definition(const std::vector<std::complex<Real>>& x, bool forward, int64_t outputs) {
  using Exact = std::complex<Real>;
  const auto n = static_cast<int64_t>(x.size());
  std::vector<Exact> roots;
  for (int64_t j = 0; j < n; ++j) {
    const Real angle = 2 * std::numbers::pi_v<Real> * static_cast<Real>(j) / static_cast<Real>(n);
    roots.emplace_back(std::cos(angle), forward ? -std::sin(angle) : std::sin(angle));
  }
  std::vector<Exact> y;
  for (int64_t k = 0; k < outputs; ++k) {
    Exact sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += x[static_cast<size_t>(j)] * roots[static_cast<size_t>(j * k % n)];
    y.push_back(sum);
  }
  return y;
}

template <class T>
std::complex<Wider<T>> read(const Tensor& t, int64_t i) {
  if (!t.is_complex()) return t.data_ptr<T>()[i];
  const Complex<T> z = t.data_ptr<Complex<T>>()[i];
  return {z.re, z.im};
}

// `lines` lines as rows, or as columns.
template <class T>
void check(Fourier kind, bool forward, int64_t n, int64_t lines, bool columns) {
  using Exact = std::complex<Wider<T>>;
  const ScalarType real = sizeof(T) == 4 ? ScalarType::Float32 : ScalarType::Float64;
  const int64_t half = n / 2 + 1, dim = columns ? 0 : 1;
  const int64_t from = kind == Fourier::ComplexToReal ? half : n, to = kind == Fourier::RealToComplex ? half : n;
  auto make = [&](int64_t length, bool is_real) {
    const int64_t sizes[] = {columns ? length : lines, columns ? lines : length};
    return empty_tensor(IntList(sizes), is_real ? real : to_complex(real));
  };
  auto place = [&](int64_t line, int64_t i, int64_t length) { return columns ? i * lines + line : line * length + i; };
  Tensor in = make(from, kind == Fourier::RealToComplex), out = make(to, kind == Fourier::ComplexToReal);
  const T scale = forward ? T(1) : T(0.25);
  std::vector<std::vector<Exact>> expected;
  for (int64_t line = 0; line < lines; ++line) {
    std::vector<Exact> x;
    for (int64_t i = 0; i < from; ++i) {
      const auto a = static_cast<T>(std::sin(1 + i * 1.7 + line)), b = static_cast<T>(std::cos(2 + i * 2.3 - line));
      const int64_t p = place(line, i, from);
      if (!in.is_complex())
        in.data_ptr<T>()[p] = a;
      else
        in.data_ptr<Complex<T>>()[p] = Complex<T>(a, b);
      x.push_back(read<T>(in, p));
    }
    if (kind == Fourier::ComplexToReal) {
      x[0] = x[0].real();
      if (n % 2 == 0) x[static_cast<size_t>(n / 2)] = x[static_cast<size_t>(n / 2)].real();
      for (int64_t i = half; i < n; ++i) x.push_back(std::conj(x[static_cast<size_t>(n - i)]));
    }
    expected.push_back(by_definition(x, forward, to));
  }
  transform_lines(kind, forward, scale, n, in, out, dim);
  // Rounding errors grow with the logarithm of the length. Bluestein's algorithm needs two
  // transforms of about three times that length.
  const double bound = 4 * std::numeric_limits<T>::epsilon() * (1 + std::log2(static_cast<double>(n)));
  for (int64_t line = 0; line < lines; ++line) {
    const std::vector<Exact>& y = expected[static_cast<size_t>(line)];
    Wider<T> size = 0, error = 0;
    for (int64_t k = 0; k < to; ++k) {
      const Exact exact = y[static_cast<size_t>(k)] * static_cast<Wider<T>>(scale);
      size += std::norm(exact), error += std::norm(read<T>(out, place(line, k, to)) - exact);
    }
    EXPECT_LE(std::sqrt(error / size), bound)
        << "kind " << static_cast<int>(kind) << ", forward " << forward << ", line " << line << " of " << lines
        << (columns ? " columns" : " rows") << " of " << n;
  }
}

// Lengths with small factors, primes, and lengths with one or two large prime factors.
constexpr int64_t kLengths[] = {1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 16, 30, 34, 37, 64, 77, 128, 146, 206, 210, 211, 278};

TEST(Fourier, IsTheSumOfItsDefinition) {
  for (int64_t n : kLengths) {
    for (int64_t lines : {1, 3, 18}) {  // one, a few, and more than a vector's lanes, with a remainder
      for (bool columns : {false, true}) {
        for (bool forward : {true, false}) {
          check<float>(Fourier::Complex, forward, n, lines, columns);
          check<double>(Fourier::Complex, forward, n, lines, columns);
        }
        check<float>(Fourier::RealToComplex, true, n, lines, columns);
        check<double>(Fourier::RealToComplex, true, n, lines, columns);
        check<float>(Fourier::ComplexToReal, false, n, lines, columns);
        check<double>(Fourier::ComplexToReal, false, n, lines, columns);
      }
    }
  }
}

TEST(Fourier, OfLongLines) {  // sums of a few values only: x_j = 1 for one j
  for (int64_t n : {9000, 10007, 32768}) {
    for (int64_t lines : {1, 3}) {
      Tensor x = empty_tensor({lines, n}, ScalarType::Complex128);
      auto* values = x.data_ptr<Complex<double>>();
      for (int64_t i = 0; i < x.numel(); ++i) values[i] = Complex<double>(i % n == 7 + i / n ? 1.0 : 0.0);
      transform_lines(Fourier::Complex, true, 1.0, n, x, x, 1);
      for (int64_t line = 0; line < lines; ++line) {
        for (int64_t k = 0; k < n; ++k) {
          const double angle = 2 * std::numbers::pi * static_cast<double>((7 + line) * k % n) / static_cast<double>(n);
          ASSERT_NEAR(values[line * n + k].re, std::cos(angle), 1e-13) << n << " " << k;
          ASSERT_NEAR(values[line * n + k].im, -std::sin(angle), 1e-13) << n << " " << k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tnp
