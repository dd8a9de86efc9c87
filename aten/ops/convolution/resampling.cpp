// Interpolation of images, and padding with an image's own pixels.
#include "aten/functions/resampling.h"

#include "aten/core/errors/shape_errors.h"

#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/shape.h"
#include "aten/kernels/resampling.h"
#include "aten/native_functions/resampling.h"

namespace tnp::native {

namespace {

Resampling resampling_of(std::string_view mode, bool antialias) {
  if (mode == "nearest") return Resampling::Nearest;
  if (mode == "nearest-exact") return Resampling::NearestExact;
  if (mode == "bicubic") return antialias ? Resampling::CubicAntialias : Resampling::Cubic;
  TNP_CHECK(mode == "linear" || mode == "bilinear" || mode == "trilinear", ErrorKind::NotImplemented, "{mode} '", mode,
            "' must be nearest, nearest-exact, linear, bilinear, bicubic or trilinear");
  return antialias ? Resampling::LinearAntialias : Resampling::Linear;
}

}  // namespace

Tensor _resize(const Tensor& input, IntList size, std::string_view mode, bool align_corners, bool antialias,
               double scale_0, double scale_1, double scale_2) {
  const Resampling resampling = resampling_of(mode, antialias);
  TNP_CHECK(input.dim() == static_cast<int64_t>(size.size()) + 2, ErrorKind::Shape, "{input} of shape ", input.sizes(),
            " does not have two dimensions more than {size} ", size);
  for (int64_t d = 1; d < input.dim(); ++d)
    TNP_CHECK(input.size(d) > 0, ErrorKind::Shape, "{input} of shape ", input.sizes(),
              " is empty in other dimensions than the first");
  for (int64_t s : size) TNP_CHECK(s > 0, ErrorKind::Runtime, "{size} ", size, " has a number below 1");
  const ScalarType dtype = input.dtype();
  TNP_CHECK(is_floating(dtype) || dtype == ScalarType::UInt8, ErrorKind::NotImplemented, "not implemented for ", dtype);
  const IntList from(input.sizes().subspan(2));
  auto run = [&](const Tensor& x) {
    return tnp::resample(x, from, size, static_cast<int64_t>(resampling), {}, align_corners, scale_0, scale_1, scale_2,
                         false);
  };
  if (dtype != ScalarType::UInt8 || picks(resampling)) return run(input);
  const Tensor wide = run(tnp::cast(input, ScalarType::Float32));
  return tnp::cast(tnp::clip_both(tnp::rint(wide), wrapped_number(Scalar(0)), wrapped_number(Scalar(255))), dtype);
}

Tensor _pad_border(const Tensor& input, IntList pad, std::string_view mode) {
  const auto n = static_cast<int64_t>(pad.size()) / 2;
  const bool reflect = mode == "reflect", replicate = mode == "replicate";
  TNP_CHECK(reflect || replicate || mode == "circular", ErrorKind::NotImplemented, "{mode} '", mode,
            "' must be constant, reflect, replicate or circular");
  TNP_CHECK(pad.size() % 2 == 0, ErrorKind::Runtime, "{pad} ", pad, " must have an even number of elements");
  TNP_CHECK(n >= 1 && n <= 3 && (input.dim() == n + 1 || input.dim() == n + 2), ErrorKind::NotImplemented, "{pad} ",
            pad, " of {input} of shape ", input.sizes(), " in mode '", mode,
            "': there must be 2, 4 or 6 numbers, and one or two dimensions before those that are padded");
  const Tensor x = input.dim() == n + 2 ? input : tnp::unsqueeze(input, 0);
  DimVector from, to, parameters;
  const auto check_size = [&](int64_t size) {
    TNP_CHECK(size > 0, ErrorKind::Shape, "Expected ", n + 1, "D or ", n + 2,
              "D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for {input}, but got: ",
              AsList{input.sizes()});
  };
  check_size(x.size(1));
  for (int64_t d = 0; d < n; ++d) {
    const int64_t size = x.size(2 + d), low = pad[static_cast<size_t>(2 * (n - 1 - d))],
                  high = pad[static_cast<size_t>(2 * (n - 1 - d) + 1)];
    check_size(size);
    const int64_t most = reflect ? size - 1 : mode == "circular" ? size : int64_t{1} << 40;
    TNP_CHECK(low <= most && high <= most, ErrorKind::Runtime,
              reflect ? "Padding size should be less than the corresponding input dimension"
                      : "Padding value causes wrapping around more than once.",
              ": {pad} ", pad, " is too large for {input} of shape ", input.sizes());
    const int64_t kept = mode == "circular" ? size + std::min<int64_t>({low, high, 0}) : size;
    TNP_CHECK(kept > 0 && low + high + size > 0, ErrorKind::Runtime, "Negative {pad} ", pad,
              " is resulting in an empty dimension: {input} of shape ", input.sizes(), " is too small");
    from.push_back(size);
    to.push_back(size + low + high);
    parameters.append({low, high});
  }
  const Resampling kind = reflect ? Resampling::Reflect : replicate ? Resampling::Replicate : Resampling::Circular;
  const Tensor out = tnp::resample(x, from, to, static_cast<int64_t>(kind), parameters, false, 0, 0, 0, false);
  return input.dim() == n + 2 ? out : tnp::squeeze(out, IntList{0});
}

}  // namespace tnp::native
