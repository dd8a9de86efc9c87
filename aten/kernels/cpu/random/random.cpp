// Random numbers of continuous and discrete distributions, in NumPy's order of draws.
#include <algorithm>
#include <cmath>

#include "aten/iterator/iterator.h"
#include "aten/kernel_functions/random.h"
#include "aten/kernels/random.h"
#include "aten/random/base_draws.h"
#include "aten/random/blocks.h"
#include "aten/random/samplers.h"

namespace tnp::native {

namespace {

// Fills `out` with n numbers of a base distribution in blocks, without a call per number.
void fill_doubles(random::BaseDraw draw, Generator& g, double offset, double scale, double* out, int64_t n) {
  visit_bits(*g.bits, [&](auto& bits) {
    auto in_blocks = [&](auto fill) {
      for (int64_t done = 0; done < n; done += random::kBlock) {
        double* block = out + done;
        const int64_t m = std::min(random::kBlock, n - done);
        fill(block, m);
        if (!draw.plain)
          for (int64_t i = 0; i < m; ++i) block[i] = offset + scale * block[i];
      }
    };
    auto of_uniform = [&](auto function) {
      in_blocks([&](double* block, int64_t m) {
        random::next_doubles(bits, block, m);
        for (int64_t i = 0; i < m; ++i) block[i] = function(block[i]);
      });
    };
    auto one_by_one = [&](auto next) {
      random::with_ahead<uint64_t>(bits, n, [&](auto& from) {
        if (draw.plain)
          for (int64_t i = 0; i < n; ++i) out[i] = next(from);
        else
          for (int64_t i = 0; i < n; ++i) out[i] = offset + scale * next(from);
      });
    };
    switch (draw.base) {
      case random::Base::Uniform:
        return in_blocks([&](double* block, int64_t m) { random::next_doubles(bits, block, m); });
      case random::Base::Normal:
        if (g.legacy) return in_blocks([&](double* block, int64_t m) { random::fill_polar_normal(g, bits, block, m); });
        return one_by_one([](auto& from) { return random::standard_normal(from); });
      case random::Base::Exponential:
        if (g.legacy) return of_uniform([](double u) { return -std::log(1.0 - u); });
        return one_by_one([](auto& from) { return random::standard_exponential(from); });
      case random::Base::ExponentialInverse:
        return of_uniform([](double u) { return random::minus_log1p(u); });
    }
  });
}

void fill_floats(random::Base base, Generator& g, float* out, int64_t n) {
  visit_bits(*g.bits, [&](auto& bits) {
    auto fill = [&](auto next) {
      random::with_ahead<uint32_t>(bits, n, [&](auto& from) {
        for (int64_t i = 0; i < n; ++i) out[i] = next(from);
      });
    };
    switch (base) {
      case random::Base::Uniform:
        return fill([](auto& from) { return random::next_float(from); });
      case random::Base::Normal:
        return fill([](auto& from) { return random::standard_normal_float(from); });
      case random::Base::Exponential:
        return fill([](auto& from) { return random::standard_exponential_float(from); });
      case random::Base::ExponentialInverse:
        return fill([](auto& from) { return random::minus_log1p(random::next_float(from)); });
    }
  });
}

// Calls f(parameters) for each element of `out`, in row-major order, and stores the result.
template <class T, class F>
void for_each_draw(const Tensor& out, std::span<const Tensor> parameters, F f) {
  Tensor to = out;
  Iterator iterator;
  iterator.output(to, out.dtype(), out.dtype());
  for (const Tensor& p : parameters) iterator.input(p, ScalarType::Float64);
  iterator.build();
  const size_t count = parameters.size();
  iterator.for_each_serial([&](char* const* data, const int64_t* strides, int64_t n) {
    double now[random::kMaxParameters] = {};
    for (int64_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < count; ++k) now[k] = *reinterpret_cast<const double*>(data[k + 1] + i * strides[k + 1]);
      *reinterpret_cast<T*>(data[0] + i * strides[0]) = static_cast<T>(f(now));
    }
  });
}

}  // namespace

bool random_fill_cpu(const Tensor& out, Distribution distribution, double offset, double scale, Generator* generator) {
  const random::BaseDraw draw = random::known_base_draw(distribution);
  if (out.dtype() == ScalarType::Float32)
    fill_floats(draw.base, *generator, out.data_ptr<float>(), out.numel());
  else
    fill_doubles(draw, *generator, offset, scale, out.data_ptr<double>(), out.numel());
  return true;
}

void draw_samples(const Tensor& out, Distribution distribution, std::span<const Tensor> parameters, Generator& g) {
  if (out.dtype() == ScalarType::Float32) {
    TNP_INTERNAL_ASSERT(distribution == Distribution::StandardGamma);
    return for_each_draw<float>(out, parameters, [&](const double* p) {
      return random::standard_gamma_float(*g.bits, static_cast<float>(p[0]));
    });
  }
  random::visit_distribution(distribution, [&]<class Sampler>() {
    auto fill = [&](auto draw) {
      using T = decltype(Sampler::sample(draw, nullptr));
      for_each_draw<T>(out, parameters, [&](const double* p) { return Sampler::sample(draw, p); });
    };
    if (g.legacy)
      fill(random::Legacy(g));
    else
      fill(random::Modern(g));
  });
}

}  // namespace tnp::native
