// Random draws: checks and broadcasts parameters, creates outputs, and draws in row-major order, as
// NumPy does, so that the numbers are the same. Without a generator, operators use
// default_generator().
//
// Note [Random numbers on devices] The numbers depend on the generator alone, not on the device of
// the result. For a Philox generator, a GPU draws with its own kernels where they exist (`dispatch:
// CUDA:`). It leaves the generator in the state that the CPU would have left it in. In all other
// cases the CPU draws the numbers, which are then copied.
#include "aten/kernels/random.h"
#include "aten/functions/copies.h"
#include "aten/functions/random.h"
#include "aten/iterator/iterator.h"
#include "aten/native_functions/random.h"
#include "aten/ops/random/random_drawing.h"
#include "aten/random/base_draws.h"

namespace tnp::native {

DimVector drawn_shape(TensorList parameters, OptIntList size) {
  DimVector shape;
  for (const Tensor& p : parameters) shape = broadcast_shapes(shape, p.sizes());
  if (!size) return shape;
  numel_of(*size);
  DimVector both = broadcast_shapes(*size, shape);
  TNP_CHECK(IntList(both) == *size, ErrorKind::Value, "Output size ", *size,
            " is not compatible with broadcast dimensions of inputs ", IntList(shape), ".");
  return both;
}

namespace {

Tensor number_tensor(double number) {
  Tensor t = empty_tensor({}, ScalarType::Float64);
  *t.data_ptr<double>() = number;
  return t;
}

}  // namespace

Parameters::Parameters(TensorList given, ScalarType dtype, OptIntList size) {
  for (const Tensor& p : given) {
    TNP_CHECK(dtype != ScalarType::Float64 || !p.is_complex(), ErrorKind::Type, "complex parameters are not accepted");
    dense_.push_back(p.dim() == 0 && dtype == ScalarType::Float64 ? number_tensor(p.item().to<double>())
                                                                  : parameter_copy(p, dtype));
    scalar_ = scalar_ && p.numel() == 1;
  }
  shape_ = drawn_shape(given, size);
}

std::vector<Tensor> Parameters::broadcast() const {
  std::vector<Tensor> views;
  for (const Tensor& t : dense_) {
    DimVector strides(shape_.size());
    const size_t lead = shape_.size() - t.sizes().size();
    for (size_t d = lead; d < shape_.size(); ++d) {
      strides[d] = t.sizes()[d - lead] == 1 ? 0 : t.strides()[d - lead];
    }
    views.push_back(view_of(t, shape_, strides, t.address()));
  }
  return views;
}

Tensor draw_base(Distribution distribution, IntList size, double offset, double scale, ScalarType dtype, Device place,
                 Generator& g) {
  return filled(size, dtype, place,
                [&](const Tensor& out) { return tnp::random_fill(out, distribution, offset, scale, &g); });
}

namespace {

void check_parameters(Distribution distribution, bool legacy, const Parameters& p) {
  const auto& schema = random::kDistributions[static_cast<size_t>(distribution)];
  for (size_t i = 0; i < p.count(); ++i) {
    random::check_parameter(schema.parameters[i], p.dense(i).data_ptr<double>(), p.dense(i).numel());
  }
  if (p.count() < 2) return;
  if (p.scalar()) {
    double now[random::kMaxParameters] = {};
    for (size_t k = 0; k < p.count(); ++k) now[k] = p.number(k);
    return random::check_together(distribution, legacy, now);
  }
  Iterator iterator;
  for (size_t k = 0; k < p.count(); ++k) iterator.input(p.dense(k), ScalarType::Float64);
  iterator.build();
  iterator.for_each_serial([&](char* const* data, const int64_t* strides, int64_t n) {
    double now[random::kMaxParameters] = {};
    for (int64_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < p.count(); ++k) now[k] = *reinterpret_cast<const double*>(data[k] + i * strides[k]);
      random::check_together(distribution, legacy, now);
    }
  });
}

// The dtype of the draws. float32 is used only for distributions that NumPy's Generator can draw in
// float32, and never for legacy methods.
ScalarType drawn_dtype(Distribution distribution, std::optional<ScalarType> dtype, bool legacy) {
  const auto& schema = random::kDistributions[static_cast<size_t>(distribution)];
  const bool discrete = schema.dtype != ScalarType::Float64;
  const bool single = dtype && *dtype == ScalarType::Float32 && !discrete && !legacy;
  const auto base = random::base_draw(distribution);
  TNP_CHECK(!single || (base && base->plain) || distribution == Distribution::StandardGamma, ErrorKind::Type,
            "Unsupported dtype float32 for ", schema.name);
  TNP_CHECK(single || !dtype || *dtype == ScalarType::Float64 || discrete || legacy, ErrorKind::Type,
            "Unsupported dtype ", *dtype, " for ", schema.name);
  return single ? ScalarType::Float32 : schema.dtype;
}

}  // namespace

Tensor random_draw(Distribution distribution, TensorList parameters, OptIntList size, std::optional<ScalarType> dtype,
                   std::optional<Device> device, Generator* generator) {
  const auto& schema = random::kDistributions[static_cast<size_t>(distribution)];
  TNP_CHECK(schema.num_parameters == parameters.size(), ErrorKind::Type, schema.name, " has ",
            static_cast<int64_t>(schema.num_parameters), " parameters, got ", static_cast<int64_t>(parameters.size()));
  const Device to = result_device(device, parameters);
  if (to.is_meta()) {
    const bool legacy = (generator ? *generator : default_generator(Device{})).legacy;
    return empty_tensor(drawn_shape(parameters, size), drawn_dtype(distribution, dtype, legacy), to);
  }
  const Parameters p(parameters, ScalarType::Float64, size);
  Drawing drawing(generator, numel_of(p.shape()), to);
  Generator& g = drawing.generator();
  check_parameters(distribution, g.legacy, p);
  const ScalarType drawn_as = drawn_dtype(distribution, dtype, g.legacy);
  const bool discrete = is_integral(drawn_as), single = drawn_as == ScalarType::Float32;
  const auto base = random::base_draw(distribution);

  if (base && p.scalar()) {
    double offset = 0, scale = 1;
    if (distribution == Distribution::Normal) offset = p.number(0), scale = p.number(1);
    if (distribution == Distribution::Uniform) offset = p.number(0), scale = p.number(1) - p.number(0);
    if (distribution == Distribution::Exponential) scale = p.number(0);
    return on_device(draw_base(distribution, p.shape(), offset, scale, drawn_as, drawing.place(), g), to);
  }
  if (!drawing.place().is_cpu() && !discrete && !single) {
    if (Tensor out = draw_by_operators(distribution, p, g, drawing.place()); out.defined()) return out;
  }
  Tensor out = empty_tensor(p.shape(), drawn_as);
  draw_samples(out, distribution, p.broadcast(), g);
  return on_device(out, to);
}

// Float64 is drawn as float64. All other dtypes are drawn as float32 and cast; a legacy generator,
// which cannot draw float32, draws float64 instead.
Tensor draw_default(Distribution distribution, IntList size, ScalarType dtype, std::optional<Device> device,
                    Generator* generator) {
  const ScalarType drawn_as = dtype == ScalarType::Float64 ? ScalarType::Float64 : ScalarType::Float32;
  const Tensor drawn = native::random_draw(distribution, {}, size, drawn_as, device, generator);
  return drawn.dtype() == dtype ? drawn : tnp::cast(drawn, dtype);
}

Tensor random_randn(IntList size, std::optional<Device> device) {
  return draw_default(Distribution::StandardNormal, size, default_dtype(), device, &default_generator());
}

Tensor random_rand(IntList size, std::optional<Device> device) {
  return draw_default(Distribution::Random, size, default_dtype(), device, &default_generator());
}

}  // namespace tnp::native
