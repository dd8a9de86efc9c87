#include "aten/compiler/arguments.h"

#include "aten/compiler/frame.h"

namespace tnp::compiler {

// --- ArgumentWriter

void ArgumentWriter::put(ArgumentValue v, const char* keyword) { to_.push_back({std::move(v), keyword}); }

ArgumentValue ArgumentWriter::value_of(const Tensor& t) {
  if (!t.defined()) return std::monostate();
  return ViewNumber{number_of(t)};
}

void ArgumentWriter::add(TensorList list) {
  std::vector<ViewNumber> views;
  for (const Tensor& t : list) views.push_back({number_of(t)});
  put(std::move(views));
}

void ArgumentWriter::add(Generator* v) {
  note_generator();
  put(v);
}

void ArgumentWriter::add(const OutOptions& o) { put(value_of(o.out), "out"); }

void ArgumentWriter::add(const PointwiseOptions& o) {
  const PointwiseOptions defaults;
  const auto unless = [](auto v, auto default_value) -> ArgumentValue {
    if (v == default_value) return std::monostate();
    return Enumerator{static_cast<int64_t>(v)};
  };
  put(value_of(o.out[0]), "out");
  put(value_of(o.out[1]), "out1");
  put(value_of(o.where), "where");
  put(o.dtype ? ArgumentValue(*o.dtype) : std::monostate(), "dtype");
  put(unless(o.casting, defaults.casting), "casting");
  put(unless(o.order, defaults.order), "order");
}

void ArgumentWriter::add(const ReduceOptions& o) {
  put(value_of(o.out), "out");
  put(o.initial ? ArgumentValue(*o.initial) : std::monostate(), "initial");
  put(value_of(o.where), "where");
  if (o.parameter != 0)
    put(o.parameter);
  else
    put(std::monostate(), "parameter");
  put(value_of(o.initial_tensor), "initial_tensor");
}

// --- ArgumentReader

const Tensor& ArgumentReader::tensor_of(int number) {
  static const Tensor undefined;
  if (frame_) return frame_->tensor(number);
  return number < 0 ? undefined : values_[number];
}

const Tensor& ArgumentReader::tensor() {
  const ArgumentValue& v = next();
  return tensor_of(is_none(v) ? -1 : std::get<ViewNumber>(v).view);
}

TensorList ArgumentReader::tensors() {
  std::vector<Tensor>& list = lists_.emplace_back();
  for (ViewNumber v : std::get<std::vector<ViewNumber>>(next())) list.push_back(tensor_of(v.view));
  return list;
}

std::span<const bool> ArgumentReader::flags() {
  static_assert(sizeof(bool) == 1);
  const auto& bytes = std::get<std::vector<uint8_t>>(next());
  return {reinterpret_cast<const bool*>(bytes.data()), bytes.size()};
}

PointwiseOptions ArgumentReader::pointwise_options() {
  PointwiseOptions o;
  o.out[0] = tensor();
  o.out[1] = tensor();
  o.where = tensor();
  o.dtype = read(std::type_identity<std::optional<ScalarType>>());
  o.casting = read(std::type_identity<std::optional<Casting>>()).value_or(o.casting);
  o.order = read(std::type_identity<std::optional<Order>>()).value_or(o.order);
  return o;
}

ReduceOptions ArgumentReader::reduce_options() {
  ReduceOptions o;
  o.out = tensor();
  o.initial = read(std::type_identity<std::optional<Scalar>>());
  o.where = tensor();
  o.parameter = read(std::type_identity<std::optional<double>>()).value_or(0);
  o.initial_tensor = tensor();
  return o;
}

}  // namespace tnp::compiler
