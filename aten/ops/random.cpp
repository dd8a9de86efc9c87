// Drawing random tensors: parameters checked and broadcast, then one draw after the other in row-major order, so that
// the stream is NumPy's. Operators that were given no generator use default_generator().
//
// Note [Random numbers on devices] The numbers depend on the generator alone, not on where the result is. Of a Philox,
// a GPU draws those by itself that it has kernels for (`dispatch: CUDA:`), and leaves the generator in the state that
// the CPU would have left it in; all else is drawn on the CPU and copied.
#include "aten/functions.h"
#include "aten/native_functions.h"
#include "aten/ops/random_distributions.h"
#include "aten/ops/random_drawing.h"
#include "aten/random/base_draws.h"
#include "aten/random/blocks.h"

namespace tnp::native {

namespace {

// n numbers of a base distribution, without a call per number.
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

Tensor draw_float_gamma(const Broadcast& parameters, Generator& g) {
  Tensor out = empty_tensor(parameters.shape(), ScalarType::Float32);
  float* data = out.data_ptr<float>();
  const double* shape = parameters.value(0).data_ptr<double>();
  parameters.for_each([&](int64_t i, const int64_t* at) {
    data[i] = random::standard_gamma_float(*g.bits, static_cast<float>(shape[at[0]]));
  });
  return out;
}

// One call per number: any distribution, any parameters.
Tensor draw_one_by_one(const Distribution& distribution, const Broadcast& p, Generator& g) {
  Tensor out = empty_tensor(p.shape(), distribution.discrete ? ScalarType::Int64 : ScalarType::Float64);
  double now[4] = {};
  auto fill = [&](auto draw, auto function, auto* to) {
    p.for_each([&](int64_t i, const int64_t* at) {
      for (size_t k = 0; k < p.count(); ++k) now[k] = p.value(k).data_ptr<double>()[at[k]];
      to[i] = function(draw, now);
    });
  };
  if (distribution.discrete) {
    if (g.legacy)
      fill(Legacy(g), distribution.legacy_int, out.data_ptr<int64_t>());
    else
      fill(Modern(g), distribution.modern_int, out.data_ptr<int64_t>());
  } else {
    if (g.legacy)
      fill(Legacy(g), distribution.legacy, out.data_ptr<double>());
    else
      fill(Modern(g), distribution.modern, out.data_ptr<double>());
  }
  return out;
}

}  // namespace

Tensor random_numbers_cpu(std::string_view distribution, IntList size, double offset, double scale, ScalarType dtype,
                          Device, Generator* generator) {
  const random::BaseDraw draw = *random::base_draw(distribution);
  Tensor out = empty_tensor(size, dtype);
  if (dtype == ScalarType::Float32)
    fill_floats(draw.base, *generator, out.data_ptr<float>(), out.numel());
  else
    fill_doubles(draw, *generator, offset, scale, out.data_ptr<double>(), out.numel());
  return out;
}

Tensor random_draw(std::string_view distribution, TensorList parameters, OptIntList size,
                   std::optional<ScalarType> dtype, std::optional<Device> device, Generator* generator) {
  const auto& table = distributions();
  auto found = std::find_if(table.begin(), table.end(), [&](const Distribution& d) { return d.name == distribution; });
  TNP_CHECK(found != table.end(), ErrorKind::Value, "no distribution is named ", distribution);
  TNP_CHECK(found->parameters.size() == parameters.size(), ErrorKind::Type, distribution, " has ",
            static_cast<int64_t>(found->parameters.size()), " parameters, got ",
            static_cast<int64_t>(parameters.size()));
  const Device to = result_device(device, parameters);
  Broadcast p(parameters, ScalarType::Float64, size);
  Drawing drawing(generator, numel_of(p.shape()), to);
  Generator& g = drawing.generator();
  for (size_t i = 0; i < parameters.size(); ++i) {
    check_parameter(found->parameters[i].name, found->parameters[i].must, p.value(i).data_ptr<double>(),
                    p.value(i).numel());
  }
  const auto base = random::base_draw(distribution);
  if (dtype && *dtype == ScalarType::Float32 && !found->discrete && !g.legacy) {
    if (base && base->plain)
      return on_device(tnp::random_numbers(distribution, p.shape(), 0, 1, *dtype, drawing.place(), &g), to);
    TNP_CHECK(distribution == "standard_gamma", ErrorKind::Type, "Unsupported dtype float32 for ", distribution);
    return on_device(draw_float_gamma(p, g), to);
  }
  TNP_CHECK(!dtype || *dtype == ScalarType::Float64 || found->discrete || g.legacy, ErrorKind::Type,
            "Unsupported dtype ", *dtype, " for ", distribution);

  double now[4] = {};
  if (p.scalar()) {
    for (size_t i = 0; i < parameters.size(); ++i) now[i] = *p.value(i).data_ptr<double>();
    check_together(distribution, g.legacy, now);
    if (base) {
      const bool uniform = base->base == random::Base::Uniform, exponential = base->base == random::Base::Exponential;
      const double offset = exponential ? 0 : now[0], scale = exponential ? now[0] : uniform ? now[1] - now[0] : now[1];
      return on_device(
          tnp::random_numbers(distribution, p.shape(), offset, scale, ScalarType::Float64, drawing.place(), &g), to);
    }
  } else if (parameters.size() > 1) {
    p.for_each([&](int64_t, const int64_t* at) {
      for (size_t k = 0; k < parameters.size(); ++k) now[k] = p.value(k).data_ptr<double>()[at[k]];
      check_together(distribution, g.legacy, now);
    });
  }
  if (!drawing.place().is_cpu() && !found->discrete) {
    if (Tensor out = draw_by_operators(distribution, p, g, drawing.place()); out.defined()) return out;
  }
  return on_device(draw_one_by_one(*found, p, g), to);
}

namespace {

// Of a modern generator single precision comes from single-precision draws; the legacy one has none.
Tensor draw_default(std::string_view distribution, IntList size, std::optional<ScalarType> dtype,
                    std::optional<Device> device, bool requires_grad, Generator* generator) {
  const ScalarType result = dtype.value_or(default_dtype());
  TNP_CHECK(is_floating(result), ErrorKind::Dtype, "\"", distribution, "\" not implemented for '", result, "'");
  const ScalarType drawn_as = result == ScalarType::Float64 ? ScalarType::Float64 : ScalarType::Float32;
  const Tensor drawn = native::random_draw(distribution, {}, size, drawn_as, device, generator);
  Tensor out = drawn.dtype() == result ? drawn : tnp::cast(drawn, result);
  return requires_grad ? out.set_requires_grad(true) : out;
}

}  // namespace

Tensor randn(IntList size, std::optional<ScalarType> dtype, std::optional<Device> device, bool requires_grad,
             Generator* generator) {
  return draw_default("standard_normal", size, dtype, device, requires_grad, generator);
}

Tensor rand(IntList size, std::optional<ScalarType> dtype, std::optional<Device> device, bool requires_grad,
            Generator* generator) {
  return draw_default("random", size, dtype, device, requires_grad, generator);
}

Tensor random_randn(IntList size, std::optional<Device> device) {
  return native::randn(size, std::nullopt, device, false, &default_generator());
}

Tensor random_rand(IntList size, std::optional<Device> device) {
  return native::rand(size, std::nullopt, device, false, &default_generator());
}

void manual_seed(int64_t seed) { tnp::manual_seed(static_cast<uint64_t>(seed)); }

}  // namespace tnp::native
