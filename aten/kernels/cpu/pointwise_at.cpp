// One call of the operator's own loop per place, in order, so that a place named twice sees its first result.
#include "aten/kernels/pointwise_at.h"

#include <string_view>

#include "aten/iterator/cast.h"
#include "aten/kernels/functors/arithmetic.h"
#include "aten/kernels/functors/comparison.h"
#include "aten/kernels/pointwise_choice.h"

namespace tnp {

namespace {

// Bytes from the start of `a` to its `place`-th element in C order.
int64_t offset_of(const Tensor& a, int64_t place) {
  int64_t offset = 0;
  for (int64_t d = a.dim(); d-- > 0; place /= a.size(d)) offset += place % a.size(d) * a.stride(d);
  return offset * a.itemsize();
}

// Note [Indexed loops] A loop called for one element costs 15 to 25 ns, most of it in finding out that there is only one.
// The operators that histograms and sparse sums are made of have a loop over places for arrays of one axis, as in NumPy.
template <template <class> class F>
void indexed_loop(const Tensor& a, const int64_t* place, const Tensor& values) {
  visit<NumericTypes>(a.dtype(), [&]<class T>() {
    const F<T> f{};
    auto* base = reinterpret_cast<T*>(a.data());
    const auto* value = reinterpret_cast<const T*>(values.data());
    const int64_t n = values.numel(), stride = a.stride(0);
    for (int64_t i = 0; i < n; ++i) base[place[i] * stride] = f(base[place[i] * stride], value[i]);
  });
}

bool run_indexed(const PointwiseOp& op, const Tensor& a, const int64_t* place, const Tensor& values) {
  if (a.dim() != 1 || a.dtype() != values.dtype() || is_bool(a.dtype()) || compute_type(a.dtype()) != a.dtype()) return false;
  std::string_view name(op.name);
  if (name == "add") indexed_loop<Add>(a, place, values);
  else if (name == "sub") indexed_loop<Subtract>(a, place, values);
  else if (name == "mul") indexed_loop<Multiply>(a, place, values);
  else if (name == "maximum") indexed_loop<Maximum>(a, place, values);
  else if (name == "minimum") indexed_loop<Minimum>(a, place, values);
  else return false;
  return true;
}

// `t`, contiguous, as the loop takes it.
Tensor in_dtype(const Tensor& t, ScalarType dtype) {
  if (t.dtype() == dtype) return t;
  Tensor cast = empty_tensor(t.sizes(), dtype);
  copy_into(cast, t);
  return cast;
}

// int64 compared with uint64: no single loop does that.
void one_by_one(const PointwiseOp& op, const Tensor& a, const Tensor& places, const Tensor& values) {
  for (int64_t i = 0; i < places.numel(); ++i) {
    Tensor element = view_of(a, {}, {}, a.data() + offset_of(a, places.data_ptr<int64_t>()[i]));
    Tensor operands[2] = {element, view_of(values, {}, {}, values.data() + i * values.itemsize())};
    copy_into(element, pointwise(op, operands));
  }
}

}  // namespace

void pointwise_at(const PointwiseOp& op, const Tensor& a, const Tensor& places, const Tensor& values) {
  TNP_CHECK(a.device().is_cpu(), ErrorKind::NotImplemented, op.name, ".at on ", a.device());
  const bool binary = op.nin == 2;
  // As in NumPy, the result goes back into `a` whatever the cast.
  Tensor operands[2] = {a, values};
  TensorList inputs(operands, op.nin);
  PointwiseChoice choice = choose_loop(op, inputs, std::nullopt, DeviceType::CPU);
  if (mixes_signs(op, choice, inputs)) return one_by_one(op, a, places, values);
  if (op.check) op.check(inputs, choice.types.compute);

  const PointwiseLoop& loop = *choice.loop;
  const int64_t n = places.numel();
  const auto* place = places.data_ptr<int64_t>();
  if (binary && loop.types[0] == a.dtype() && run_indexed(op, a, place, values)) return;
  Tensor second = binary ? in_dtype(values, loop.types[2]) : Tensor();
  const char* value = binary ? second.data() : nullptr;
  const int64_t value_size = binary ? second.itemsize() : 0;
  const int64_t strides[3] = {0, 0, 0};
  const bool flat = a.dim() == 1;
  const int64_t stride = flat ? a.stride(0) * a.itemsize() : 0;
  const bool direct = loop.types[0] == a.dtype() && loop.types[1] == a.dtype();
  char* base = a.data();
  alignas(16) char buffer[2][16];
  for (int64_t i = 0; i < n; ++i) {
    char* element = base + (flat ? place[i] * stride : offset_of(a, place[i]));
    char* operand = const_cast<char*>(value + i * value_size);
    if (TNP_LIKELY(direct)) {
      char* data[3] = {element, element, operand};
      loop.loop(data, strides, 1);
      continue;
    }
    cast_element(buffer[1], loop.types[1], element, a.dtype());
    char* data[3] = {buffer[0], buffer[1], operand};
    loop.loop(data, strides, 1);
    cast_element(element, a.dtype(), buffer[0], loop.types[0]);
  }
}

}  // namespace tnp
