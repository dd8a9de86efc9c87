// Operators call traced(): it runs the operator's function, and adds the call to the trace of a
// function that is being compiled. Note [Calls].
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "aten/compiler/arguments.h"
#include "aten/compiler/frame.h"
#include "aten/compiler/interceptor.h"
#include "aten/compiler/tracer.h"
#include "aten/core/autocast.h"
#include "aten/core/operator_schema.h"
#include "aten/core/profiler/profiler.h"
#include "aten/iterator/device_of.h"
#include "aten/kernels/out_options.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"

namespace tnp::compiler {

// --- the step

// A function without its type, and the code that calls it with arguments of a call. The code may do
// without the function, if the call's operator is enough.
struct TracedFunction {
  void (*function)();
  bool (*run)(void (*function)(), const Call& call, const Results& results, Frame& frame);
};

template <class R, class... P>
bool run_traced(void (*function)(), const Call& call, const Results& results, Frame& frame) {
  const auto f = reinterpret_cast<R (*)(P...)>(function);
  ArgumentReader reader(call, frame);
  // Braces: arguments are read from the first to the last.
  std::tuple<decltype(reader.read(std::type_identity<std::remove_cvref_t<P>>()))...> arguments{
      reader.read(std::type_identity<std::remove_cvref_t<P>>())...};
  if constexpr (std::is_void_v<R>)
    return std::apply(f, arguments), true;
  else
    return with_results(std::apply(f, arguments), [&](auto made) { return results.bind(frame, made); });
}

template <class R, class... P>
TracedFunction traced_function(R (*f)(P...)) {
  return {reinterpret_cast<void (*)()>(f), &run_traced<R, P...>};
}

class TNP_API CallStep final : public Step {
 public:
  CallStep(Call c, TracedFunction f) : function_(f) { call = std::move(c); }
  bool run(Frame& frame) const override;
  std::unique_ptr<Step> clone() const override { return std::unique_ptr<Step>(new CallStep(*this)); }

 private:
  TracedFunction function_;
};

// Writes the arguments of a step.
class TNP_API StepWriter final : public ArgumentWriter {
 public:
  StepWriter(Tracer& tracer, Step& step) : ArgumentWriter(step.call.arguments), tracer_(tracer), step_(step) {}

 private:
  int number_of(const Tensor& t) override { return tracer_.read(t, step_); }
  void note_generator() override { step_.draws = true; }
  Tracer& tracer_;
  Step& step_;
};

// What surrounds the operator's call, for all operators.
class TNP_API TracedCall {
 public:
  // The step's arguments are set, or follow by set_arguments().
  TracedCall(Tracer& r, std::unique_ptr<Step> step)
      : tracer_(r), step_(std::move(step)), versions_(r.versions(*step_)) {}
  TracedCall(Tracer& r, const OperatorSchema& op, TracedFunction f)
      : TracedCall(r, std::make_unique<CallStep>(Call(&op, op.name, r.dialect_of_step()), f)) {}
  template <class... A>
  void set_arguments(const A&... arguments) {
    StepWriter writer(tracer_, *step_);
    (writer.add(arguments), ...);
    versions_ = tracer_.versions(*step_);
  }
  // Of a pointwise operator: each operand is an argument.
  void set_arguments_of_pointwise(TensorList operands, const PointwiseOptions& options);
  Step& step() { return *step_; }
  void note(TensorList results) { step_->results.note(tracer_, *step_, results); }
  void note(double number) { step_->results.note(tracer_, *step_, number); }
  void note_changes() { tracer_.note_changes(*step_, versions_); }
  // Adds the step, unless it only made views.
  void add();

  // Of a composite operator: the arguments have been set.
  void begin_composite() { with_arguments_ = tracer_.mark(); }
  // Whether its inner operators have been traced, so that no step of its own is needed. Else drops
  // them.
  bool is_complete(TensorList results);
  bool is_complete(double number);
  void add_composite();

 private:
  Tracer& tracer_;
  std::unique_ptr<Step> step_;
  std::vector<uint32_t> versions_;
  Tracer::Mark with_arguments_ = {};
};

template <class R, class... P, class... A>
TNP_COLD R trace_call(Tracer& r, const OperatorSchema& op, R (*f)(P...), A&&... arguments) {
  TracedCall call(r, op, traced_function(f));
  call.set_arguments(static_cast<const std::remove_cvref_t<P>&>(arguments)...);
  if constexpr (std::is_void_v<R>) {
    {
      const Tracer::Within within(r);
      f(std::forward<A>(arguments)...);
    }
    call.note_changes();
    call.add();
  } else {
    auto run = [&]() -> R {
      const Tracer::Within within(r);
      return f(std::forward<A>(arguments)...);
    };
    R result = run();
    call.note_changes();
    with_results(result, [&](auto made) { call.note(made); });
    call.add();
    return result;
  }
}

// As traced(), for a composite operator. `is_tracked`: its inner operators are on the autograd
// tape, which saves their results, so they are traced individually. So are they within autocast,
// where the inner operators may cast; a replay runs without autocast.
template <class R, class... P, class... A>
TNP_COLD R trace_composite(Tracer& r, const OperatorSchema& op, bool is_tracked, R (*f)(P...), A&&... arguments) {
  if (is_tracked || is_autocast_on() || !r.failure().empty()) return f(std::forward<A>(arguments)...);
  TracedCall call(r, op, traced_function(f));
  call.set_arguments(static_cast<const std::remove_cvref_t<P>&>(arguments)...);
  if (!r.failure().empty()) return f(std::forward<A>(arguments)...);
  call.begin_composite();
  if constexpr (std::is_void_v<R>) {
    f(std::forward<A>(arguments)...);
    if (!call.is_complete(TensorList())) call.note_changes(), call.add_composite();
  } else {
    R result = f(std::forward<A>(arguments)...);
    with_results(result, [&](auto made) {
      if (call.is_complete(made)) return;
      call.note_changes();
      call.note(made);
      call.add_composite();
    });
    return result;
  }
}

template <class... A>
TNP_COLD profiler::Ticket begin_profiled(const char* name, const A&... arguments) {
  Device device;
  const auto look = [&](const auto& a) {
    if constexpr (requires { find_device(device, a); }) find_device(device, a);
  };
  (look(arguments), ...);
  return profiler::begin(name, profiler::Kind::Operator, device);
}

template <class R, class... P, class... A>
TNP_INLINE R traced(const OperatorSchema& op, R (*f)(P...), A&&... arguments) {
  const profiler::Operation profiled([&] { return begin_profiled(op.name, arguments...); });
  if (TNP_UNLIKELY(observer() != nullptr)) {
    if (Interceptor* i = interceptor())
      return intercept(
          *i, op, BoxedCall::Kind::Kernel, f, [&]() -> R { return traced(op, f, std::forward<A>(arguments)...); },
          arguments...);
    if (Tracer* r = active_tracer()) return trace_call(*r, op, f, std::forward<A>(arguments)...);
  }
  return f(std::forward<A>(arguments)...);
}
// As traced(), for an operator whose result shapes depend on values.
template <class R, class... P, class... A>
TNP_INLINE R traced_look(const OperatorSchema& op, R (*f)(P...), A&&... arguments) {
  const profiler::Operation profiled([&] { return begin_profiled(op.name, arguments...); });
  if (TNP_UNLIKELY(observer() != nullptr)) {
    if (Interceptor* i = interceptor())
      return intercept(
          *i, op, BoxedCall::Kind::Kernel, f, [&]() -> R { return traced_look(op, f, std::forward<A>(arguments)...); },
          arguments...);
    if (Tracer* r = active_tracer()) {
      r->fail_after_changes();
      return trace_call(*r, op, f, std::forward<A>(arguments)...);
    }
  }
  return f(std::forward<A>(arguments)...);
}
template <class IsTracked, class R, class... P, class... A>
TNP_INLINE R traced_composite(const OperatorSchema& op, IsTracked&& is_tracked, R (*f)(P...), A&&... arguments) {
  const profiler::Operation profiled([&] { return begin_profiled(op.name, arguments...); });
  if (TNP_UNLIKELY(observer() != nullptr)) {
    if (Interceptor* i = interceptor())
      return intercept(
          *i, op, BoxedCall::Kind::Composite, f,
          [&]() -> R { return traced_composite(op, is_tracked, f, std::forward<A>(arguments)...); }, arguments...);
    if (Tracer* r = active_tracer()) return trace_composite(*r, op, is_tracked(), f, std::forward<A>(arguments)...);
  }
  return f(std::forward<A>(arguments)...);
}

}  // namespace tnp::compiler
