// Gamma distributions of scale 1, with the numbers of PyTorch's CPU generator.
#include <cmath>
#include <limits>

#include "aten/core/errors/error.h"
#include "aten/iterator/copy.h"
#include "aten/native_functions/sampling.h"
#include "aten/ops/random/random_drawing.h"
#include "aten/ops/with_grad.h"
#include "aten/random/torch_stream.h"

namespace tnp {

namespace {

// Steps are rounded to T, or to double, where PyTorch rounds them.
//
// Source: Marsaglia and Tsang, ACM Trans. Math. Softw. 26 (2000) 363-372.
template <class T>
T one_gamma(random::TorchStream& stream, T shape) {
  double scale = 1;
  if (shape < T(1)) {
    if (shape == T(0)) return T(0);
    scale *= std::pow(1 - stream.uniform(), T(1) / shape);
    shape += T(1);
  }
  const double d = shape - T(1.0f / 3.0f), c = 1 / std::sqrt(9 * d);
  while (true) {
    double x, y;
    do {
      x = stream.normal();
      y = 1 + c * x;
    } while (y <= 0);
    const double v = y * y * y, u = 1 - stream.uniform(), xx = x * x;
    if (u < 1 - static_cast<double>(0.0331f) * xx * xx || std::log(u) < 0.5 * xx + d * (1 - v + std::log(v)))
      return static_cast<T>(scale * d * v);
  }
}

}  // namespace

Tensor native::_standard_gamma(const Tensor& input, Generator* generator) {
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "is not implemented for {input} of ", input.dtype());
  TNP_CHECK(input.device().is_cpu(), ErrorKind::NotImplemented, "is not implemented for ", input.device());
  const ScalarType type = input.dtype() == ScalarType::Float64 ? ScalarType::Float64 : ScalarType::Float32;
  const Tensor shapes = empty_tensor(input.sizes(), type, input.device()),
               drawn = empty_tensor(input.sizes(), type, {});
  copy_into(shapes, without_history(input));
  if (input.numel() > 0) {
    Drawing drawing(generator, input.numel(), input.device(), true);
    TNP_CHECK(drawing.generator().torch, ErrorKind::Type, "{generator} must be a torch_np.Generator");
    random::TorchStream stream(drawing.generator());
    visit<FloatTypes>(type, [&]<class T>() {
      const T* const from = shapes.data_ptr<T>();
      T* const to = drawn.data_ptr<T>();
      for (int64_t i = 0; i < input.numel(); ++i)
        to[i] = std::max(std::numeric_limits<T>::min(), one_gamma(stream, from[i]));
    });
  }
  if (type == input.dtype()) return drawn;
  const Tensor result = empty_tensor(input.sizes(), input.dtype(), input.device());
  copy_into(result, drawn);
  return result;
}

}  // namespace tnp
