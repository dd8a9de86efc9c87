// Uniform integers.
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/random.h"
#include "aten/functions/reductions.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/random.h"
#include "aten/native_functions/random.h"
#include "aten/ops/random/random_drawing.h"

namespace tnp::native {

// `high` is inclusive.
Tensor random_integers(const Tensor& low, const Tensor& high, OptIntList size, ScalarType dtype,
                       std::optional<Device> device, Generator* generator) {
  TNP_CHECK(is_integral(dtype), ErrorKind::Type, "Unsupported dtype ", dtype, " for integers");
  const Tensor ends[] = {low, high};
  const Device to = result_device(device, ends);
  if (to.is_meta()) return empty_tensor(drawn_shape(ends, size), dtype, to);
  const Parameters p(ends, dtype, size);
  Drawing drawing(generator, numel_of(p.shape()), to);
  Generator& g = drawing.generator();
  if (!p.scalar()) {
    const Tensor above = tnp::gt(p.dense(0), p.dense(1));
    TNP_CHECK(!tnp::any(above, std::nullopt, false).item().to<bool>(), ErrorKind::Value, "low >= high");
    Tensor out = empty_tensor(p.shape(), dtype);
    const std::vector<Tensor> each = p.broadcast();
    draw_integers(out, each[0], each[1], g);
    return on_device(out, to);
  }
  bool one_value = false;
  visit<IntegralTypes>(dtype, [&]<class T>() {
    const T from = *p.dense(0).data_ptr<T>(), last = *p.dense(1).data_ptr<T>();
    TNP_CHECK(from <= last, ErrorKind::Value, "low >= high");
    one_value = from == last;
  });
  const Scalar from = p.dense(0).item(), last = p.dense(1).item();
  return on_device(filled(p.shape(), dtype, drawing.place(),
                          [&](const Tensor& out) {
                            if (!one_value) return tnp::random_fill_range(out, from, last, &g);
                            fill_with(out, from);
                            return true;
                          }),
                   to);
}

}  // namespace tnp::native
