// Fourier transforms of length n = p m, computed from transforms of lengths p and m.
//
// Note [Large prime factors] oneMKL's DFTI is inaccurate for lengths that are the product of a
// prime and another factor; the error grows with the prime. On Intel's processors it is 13 to 28
// times float64's precision for primes from 17 to 31, and 25 to 150 times from 37 to 149. The error
// is as large for larger primes if the other factor is at least 4. For a prime alone, or for small
// factors alone, the error is one to three times that precision. So this class splits such lengths
// into m transforms of p numbers with stride m, products with roots of unity, and p transforms of m
// numbers. This happens on every processor, so that results do not depend on it. It takes up to
// twice as long (three times for real numbers), so DFTI transforms lengths whose primes are all
// below 37.
//
// Source: J. W. Cooley and J. W. Tukey, An algorithm for the machine calculation of complex Fourier
// series, Mathematics of Computation 19 (1965) 297.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "aten/core/numbers/complex.h"
#include "aten/kernels/cpu/fourier/line_transform.h"

namespace tnp {

// The largest prime factor of n, or 1 for n = 1.
inline int64_t largest_prime_factor(int64_t n) {
  int64_t largest = 1;
  for (int64_t p = 2; p * p <= n; ++p) {
    while (n % p == 0) n /= p, largest = p;
  }
  return n > 1 ? n : largest;
}

class FactoredTransform final : public LineTransform {
 public:
  // The prime to split off, or 0 if the library is accurate for the whole length.
  static int64_t factor_of(const LinePlan& p) {
    constexpr int64_t kLeast = 37, kLarge = 150, kSmallRest = 3;
    const int64_t factor = p.single_precision ? 1 : largest_prime_factor(p.n), rest = p.n / factor;
    const bool inexact = factor >= kLeast && rest > 1 && (factor < kLarge || rest > kSmallRest);
    return inexact ? factor : 0;
  }

  FactoredTransform(const LinePlan& plan, int64_t p) : plan_(plan), p_(p), m_(plan.n / p) {
    const bool complex = plan.kind == Fourier::Complex;
    LinePlan part = plan;
    part.kind = Fourier::Complex;
    part.alone = false;
    // Complex transforms read from the line. Real ones run in place in a buffer that holds the
    // line's numbers and receives the results.
    part.n = p_, part.lines = m_, part.in_place = !complex;
    part.stride_in = complex ? m_ * plan.stride_in : m_, part.distance_in = complex ? plan.stride_in : 1;
    part.stride_out = m_, part.distance_out = 1;
    part.forward_scale = part.backward_scale = 1;
    first_ = make_line_transform(part);
    part.n = m_, part.lines = p_, part.in_place = false;
    part.stride_in = 1, part.distance_in = m_;
    part.stride_out = complex ? p_ * plan.stride_out : p_, part.distance_out = complex ? plan.stride_out : 1;
    part.forward_scale = plan.forward_scale, part.backward_scale = plan.backward_scale;
    second_ = make_line_transform(part);
    roots_.reserve(static_cast<size_t>(plan.n));
    for (int64_t j = 0; j < p_; ++j) {
      for (int64_t k = 0; k < m_; ++k) roots_.push_back(root(j * k, plan.n));
    }
  }

  void run(bool forward, char* in, char* out) const override {
    const bool complex = plan_.kind == Fourier::Complex;
    const auto size = static_cast<size_t>(plan_.n);
    std::vector<Number> numbers(size), results(complex ? 0 : size);
    const int64_t size_in = plan_.kind == Fourier::RealToComplex ? sizeof(double) : sizeof(Number);
    const int64_t size_out = plan_.kind == Fourier::ComplexToReal ? sizeof(double) : sizeof(Number);
    for (int64_t line = 0; line < plan_.lines; ++line) {
      char* from = in + line * plan_.distance_in * size_in;
      char* to = out + line * plan_.distance_out * size_out;
      if (!complex) read(from, numbers.data());
      char* buffer = reinterpret_cast<char*>(numbers.data());
      first_->run(forward, complex ? from : buffer, buffer);
      for (size_t i = 0; i < size; ++i) {
        const Number w = roots_[i];
        numbers[i] = numbers[i] * (forward ? Number{w.re, -w.im} : w);
      }
      second_->run(forward, buffer, complex ? to : reinterpret_cast<char*>(results.data()));
      if (!complex) write(results.data(), to);
    }
  }

 private:
  using Number = Complex<double>;

  // exp(2 pi i j / n). The angle is reduced to at most an eighth of a turn, so that its rounding
  // error is negligible.
  static Number root(int64_t j, int64_t n) {
    const int64_t eighth = 8 * j / n, rest = 8 * j % n;  // j / n = (eighth + rest / n) / 8
    const bool odd = eighth % 2 != 0;
    const double angle = std::numbers::pi / 4 * static_cast<double>(odd ? n - rest : rest) / static_cast<double>(n);
    const double c = std::cos(angle), s = std::sin(angle);
    switch (eighth) {
      case 0:
        return {c, s};
      case 1:
        return {s, c};
      case 2:
        return {-s, c};
      case 3:
        return {-c, s};
      case 4:
        return {-c, -s};
      case 5:
        return {-s, -c};
      case 6:
        return {s, -c};
      default:
        return {c, -s};
    }
  }

  // Expands a line to all n complex numbers: from real numbers, or from the first half of their
  // transform.
  void read(const char* line, Number* numbers) const {
    if (plan_.kind == Fourier::RealToComplex) {
      const auto* x = reinterpret_cast<const double*>(line);
      for (int64_t i = 0; i < plan_.n; ++i) numbers[i] = Number(x[i * plan_.stride_in]);
      return;
    }
    const auto* x = reinterpret_cast<const Number*>(line);
    numbers[0] = Number(x[0].re);
    for (int64_t i = 1; 2 * i <= plan_.n; ++i) {
      const Number z = 2 * i == plan_.n ? Number(x[i * plan_.stride_in].re) : x[i * plan_.stride_in];
      numbers[i] = z, numbers[plan_.n - i] = {z.re, -z.im};
    }
  }
  void write(const Number* results, char* line) const {
    if (plan_.kind == Fourier::RealToComplex) {
      auto* y = reinterpret_cast<Number*>(line);
      for (int64_t i = 0; 2 * i <= plan_.n; ++i) y[i * plan_.stride_out] = results[i];
      y[0].im = 0;
      if (plan_.n % 2 == 0) y[plan_.n / 2 * plan_.stride_out].im = 0;
    } else {
      auto* y = reinterpret_cast<double*>(line);
      for (int64_t i = 0; i < plan_.n; ++i) y[i * plan_.stride_out] = results[i].re;
    }
  }

  const LinePlan plan_;
  const int64_t p_, m_;
  std::shared_ptr<const LineTransform> first_, second_;
  std::vector<Number> roots_;  // [k1 * m + j2]: the root of unity to the power of k1 j2
};

}  // namespace tnp
