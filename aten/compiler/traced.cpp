#include "aten/compiler/traced.h"

namespace tnp::compiler {

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
  StepWriter writer(tracer_, *step_);
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
