#include "aten/compiler/traced.h"

namespace tnp::compiler {

// --- ArgumentWriter

void ArgumentWriter::put(ArgumentValue v, const char* keyword) {
  step_.call.arguments.push_back({std::move(v), keyword});
}

ArgumentValue ArgumentWriter::value_of(const Tensor& t) {
  if (!t.defined()) return std::monostate();
  return ViewNumber{tracer_.read(t, step_)};
}

void ArgumentWriter::add(TensorList list) {
  std::vector<ViewNumber> views;
  for (const Tensor& t : list) views.push_back({tracer_.read(t, step_)});
  put(std::move(views));
}

void ArgumentWriter::add(Generator* v) {
  step_.draws = true;
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

const Tensor& ArgumentReader::tensor() {
  const ArgumentValue& v = next();
  return frame_->tensor(is_none(v) ? -1 : std::get<ViewNumber>(v).view);
}

TensorList ArgumentReader::tensors() {
  std::vector<Tensor>& list = lists_.emplace_back();
  for (ViewNumber v : std::get<std::vector<ViewNumber>>(next())) list.push_back(frame_->tensor(v.view));
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

// --- Results

void Results::note(Tracer& r, Step& step, TensorList list) {
  for (const Tensor& t : list) views_.push_back(r.made(t, step));
}

void Results::note(Tracer&, Step& step, double number) {
  number_ = number;
  step.looks = true;
}

void Results::renumber(int by) {
  for (int& v : views_) v += v >= 0 ? by : 0;
}

bool Results::bind(Frame& frame, TensorList list) const {
  if (list.size() != views_.size()) return false;
  for (size_t i = 0; i < list.size(); ++i)
    if (views_[i] < 0 ? list[i].defined() : !frame.bind(views_[i], list[i])) return false;
  return true;
}

// --- CallStep, TracedCall

bool CallStep::run(Frame& frame) const {
  const DialectGuard guard(call.dialect);
  return function_.run(function_.function, call, results, frame);
}

void TracedCall::set_arguments_of_pointwise(TensorList operands, const PointwiseOptions& options) {
  ArgumentWriter writer(tracer_, *step_);
  for (const Tensor& t : operands) writer.add(t);
  writer.add(options);
  versions_ = tracer_.versions(*step_);
}

void TracedCall::add() {
  if (tracer_.is_needed(*step_)) tracer_.add(std::move(step_));
}

bool TracedCall::is_complete(TensorList results) {
  const auto is_known = [&](const Tensor& t) { return tracer_.knows(t); };
  if (tracer_.is_complete(with_arguments_) && std::all_of(results.begin(), results.end(), is_known)) return true;
  tracer_.go_back(with_arguments_);
  return false;
}

bool TracedCall::is_complete(double) {
  tracer_.go_back(with_arguments_);
  return false;
}

void TracedCall::add_composite() {
  // Reading values may have determined the shapes of its results.
  const bool makes = tracer_.mark().slots > with_arguments_.slots;
  if (makes && !step_->reads.empty() && !step_->draws && !tracer_.is_same_without_data(*step_)) step_->looks = true;
  add();
}

}  // namespace tnp::compiler
