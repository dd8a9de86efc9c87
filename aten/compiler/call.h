// Call steps: trace an operator as a call of its function, with its arguments.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "aten/compiler/frame.h"
#include "aten/compiler/text.h"
#include "aten/compiler/tracer.h"
#include "aten/core/profiler/profiler.h"
#include "aten/iterator/device_of.h"
#include "aten/kernels/out_options.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"

namespace tnp {
class Generator;
}

namespace tnp::compiler {

// Stored form of an argument of type T. in() returns a value convertible to T for the duration of a
// call.
template <class T>
struct Kept {  // numbers, flags, dtypes
  T value;
  Kept(Tracer&, Step&, T v) : value(v) {}
  T in(Frame&) const { return value; }
  void print(std::string& to) const { print_value(to, value); }
};
template <>
struct Kept<Tensor> {
  int view;
  Kept(Tracer& r, Step& step, const Tensor& t) : view(r.read(t, step)) {}
  const Tensor& in(Frame& frame) const { return frame.tensor(view); }
  void print(std::string& to) const { print_view(to, view); }
};
template <>
struct Kept<TensorList> {
  std::vector<Kept<Tensor>> items;
  Kept(Tracer& r, Step& step, TensorList list) {
    for (const Tensor& t : list) items.emplace_back(r, step, t);
  }
  std::vector<Tensor> in(Frame& frame) const {
    std::vector<Tensor> list;
    for (const auto& item : items) list.push_back(item.in(frame));
    return list;
  }
  void print(std::string& to) const {
    to += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) to += ", ";
      items[i].print(to);
    }
    to += ']';
  }
};
template <>
struct Kept<IntList> {
  DimVector value;
  Kept(Tracer&, Step&, IntList v) : value(v) {}
  IntList in(Frame&) const { return value; }
  void print(std::string& to) const { print_value(to, IntList(value)); }
};
template <>
struct Kept<OptIntList> {
  std::optional<DimVector> value;
  Kept(Tracer&, Step&, const OptIntList& v) : value(v ? std::optional<DimVector>(*v) : std::nullopt) {}
  OptIntList in(Frame&) const { return value ? OptIntList(IntList(*value)) : std::nullopt; }
  void print(std::string& to) const { value ? print_value(to, IntList(*value)) : print_none(to); }
};
template <class T>
struct Kept<std::span<const T>> {
  std::vector<T> value;
  Kept(Tracer&, Step&, std::span<const T> v) : value(v.begin(), v.end()) {}
  std::span<const T> in(Frame&) const { return value; }
  void print(std::string& to) const { print_list(to, std::span<const T>(value)); }
};
template <>
struct Kept<std::span<const bool>> {
  std::unique_ptr<bool[]> value;
  size_t count;
  Kept(Tracer&, Step&, std::span<const bool> v) : value(new bool[v.size()]), count(v.size()) {
    std::copy(v.begin(), v.end(), value.get());
  }
  std::span<const bool> in(Frame&) const { return {value.get(), count}; }
  void print(std::string& to) const { print_list(to, std::span<const bool>(value.get(), count)); }
};
template <>
struct Kept<std::string_view> {
  std::string value;
  Kept(Tracer&, Step&, std::string_view v) : value(v) {}
  std::string_view in(Frame&) const { return value; }
  void print(std::string& to) const { print_value(to, std::string_view(value)); }
};
template <class T>
struct Kept<std::optional<T>> {
  std::optional<Kept<T>> value;
  Kept(Tracer& r, Step& step, const std::optional<T>& v) {
    if (v) value.emplace(r, step, *v);
  }
  std::optional<T> in(Frame& frame) const { return value ? std::optional<T>(value->in(frame)) : std::nullopt; }
  void print(std::string& to) const { value ? value->print(to) : print_none(to); }
};
template <>
struct Kept<Generator*> {
  Generator* value;
  Kept(Tracer&, Step& step, Generator* v) : value(v) { step.draws = true; }
  Generator* in(Frame&) const { return value; }
  void print(std::string& to) const { to += "generator"; }
};
template <>
struct Kept<OutOptions> {
  Kept<Tensor> out;
  Kept(Tracer& r, Step& step, const OutOptions& o) : out(r, step, o.out) {}
  OutOptions in(Frame& frame) const { return {out.in(frame)}; }
  void print(std::string& to) const {
    to += "out=";
    out.print(to);
  }
};
template <>
struct Kept<PointwiseOptions> {
  Kept<Tensor> out0, out1, where;
  std::optional<ScalarType> dtype;
  Casting casting;
  Order order;
  Kept(Tracer& r, Step& step, const PointwiseOptions& o)
      : out0(r, step, o.out[0]),
        out1(r, step, o.out[1]),
        where(r, step, o.where),
        dtype(o.dtype),
        casting(o.casting),
        order(o.order) {}
  PointwiseOptions in(Frame& frame) const {
    return {{out0.in(frame), out1.in(frame)}, where.in(frame), dtype, casting, order};
  }
  void print(std::string& to) const;
};
template <>
struct Kept<ReduceOptions> {
  Kept<Tensor> out, where, initial_tensor;
  std::optional<Scalar> initial;
  double parameter;
  Kept(Tracer& r, Step& step, const ReduceOptions& o)
      : out(r, step, o.out),
        where(r, step, o.where),
        initial_tensor(r, step, o.initial_tensor),
        initial(o.initial),
        parameter(o.parameter) {}
  ReduceOptions in(Frame& frame) const {
    return {out.in(frame), initial, where.in(frame), parameter, initial_tensor.in(frame)};
  }
  void print(std::string& to) const;
};

template <>
struct Kept<ReductionOp> {
  const ReductionOp* op;
  Kept(Tracer&, Step&, const ReductionOp& o) : op(&o) {}
  const ReductionOp& in(Frame&) const { return *op; }
  void print(std::string& to) const { to += op->name; }
};

// Results of a call: views, or a number that Python reads.
class TNP_API Results {
 public:
  void note(Tracer& r, Step& step, const Tensor& t) { views_.push_back(r.made(t, step)); }
  void note(Tracer& r, Step& step, const std::vector<Tensor>& list) {
    for (const Tensor& t : list) note(r, step, t);
  }
  template <class... Ts>
  void note(Tracer& r, Step& step, const std::tuple<Ts...>& all) {
    std::apply([&](const auto&... t) { (note(r, step, t), ...); }, all);
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  void note(Tracer&, Step& step, T number) {
    number_ = static_cast<double>(number);
    step.looks = true;
  }
  bool bind(Frame& frame, const Tensor& t) const { return bind_next(frame, 0, t); }
  bool bind(Frame& frame, const std::vector<Tensor>& list) const {
    if (list.size() != views_.size()) return false;
    for (size_t i = 0; i < list.size(); ++i)
      if (!bind_next(frame, i, list[i])) return false;
    return true;
  }
  template <class... Ts>
  bool bind(Frame& frame, const std::tuple<Ts...>& all) const {
    size_t i = 0;
    return std::apply([&](const auto&... t) { return (bind_next(frame, i++, t) && ...); }, all);
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  bool bind(Frame&, T number) const {
    return static_cast<double>(number) == number_;
  }

 private:
  bool bind_next(Frame& frame, size_t i, const Tensor& t) const {
    return views_[i] < 0 ? !t.defined() : frame.bind(views_[i], t);
  }
  std::vector<int> views_;
  double number_ = 0;
};

template <class R, class... P>
class CallStep final : public Step {
 public:
  using Function = R (*)(P...);
  template <class... A>
  CallStep(Tracer& r, const char* name, Function f, const A&... arguments)
      : name_(name),
        function_(f),
        dialect_(r.dialect_of_step()),
        arguments_(Kept<std::remove_cvref_t<P>>(r, *this, arguments)...) {}

  bool run(Frame& frame) const override {
    const DialectGuard guard(dialect_);
    return std::apply(
        [&](const auto&... kept) {
          if constexpr (std::is_void_v<R>) {
            function_(kept.in(frame)...);
            return true;
          } else {
            return results.bind(frame, function_(kept.in(frame)...));
          }
        },
        arguments_);
  }
  std::string name() const override { return name_; }
  std::string text() const override {
    std::string s = name_;
    s += '(';
    std::apply(
        [&](const auto&... kept) {
          const char* between = "";
          ((s += std::exchange(between, ", "), kept.print(s)), ...);
        },
        arguments_);
    return s += ')';
  }
  Results results;

 private:
  const char* name_;
  Function function_;
  Dialect dialect_;
  std::tuple<Kept<std::remove_cvref_t<P>>...> arguments_;
};

// Calls f, and traces the call if a function is being traced.
template <class R, class... P, class... A>
TNP_COLD R trace_call(Tracer& r, const char* name, R (*f)(P...), A&&... arguments) {
  auto step = std::make_unique<CallStep<R, P...>>(r, name, f, arguments...);
  const std::vector<uint32_t> before = r.versions(*step);
  if constexpr (std::is_void_v<R>) {
    {
      const Tracer::Within within(r);
      f(std::forward<A>(arguments)...);
    }
    r.note_changes(*step, before);
    if (r.is_needed(*step)) r.add(std::move(step));
  } else {
    auto call = [&]() -> R {
      const Tracer::Within within(r);
      return f(std::forward<A>(arguments)...);
    };
    R result = call();
    r.note_changes(*step, before);
    step->results.note(r, *step, result);
    if (r.is_needed(*step)) r.add(std::move(step));
    return result;
  }
}
inline bool are_known(const Tracer& r, const Tensor& t) { return r.knows(t); }
inline bool are_known(const Tracer& r, const std::vector<Tensor>& list) {
  return std::all_of(list.begin(), list.end(), [&](const Tensor& t) { return r.knows(t); });
}
template <class... Ts>
bool are_known(const Tracer& r, const std::tuple<Ts...>& all) {
  return std::apply([&](const auto&... t) { return (are_known(r, t) && ...); }, all);
}
template <class T>
  requires std::is_arithmetic_v<T>
bool are_known(const Tracer&, T) {
  return false;
}

// As traced(), for a composite operator. `is_tracked`: its inner operators are on the autograd
// tape, which saves their results, so they are traced individually.
template <class R, class... P, class... A>
TNP_COLD R trace_composite(Tracer& r, const char* name, bool is_tracked, R (*f)(P...), A&&... arguments) {
  if (is_tracked || !r.failure().empty()) return f(std::forward<A>(arguments)...);
  auto step = std::make_unique<CallStep<R, P...>>(r, name, f, arguments...);
  if (!r.failure().empty()) return f(std::forward<A>(arguments)...);
  const Tracer::Mark with_arguments = r.mark();
  const std::vector<uint32_t> versions = r.versions(*step);
  const auto keep = [&](auto&&... results) {
    if (r.is_complete(with_arguments) && (are_known(r, results) && ...)) return;
    r.go_back(with_arguments);
    r.note_changes(*step, versions);
    (step->results.note(r, *step, results), ...);
    // Reading values may have determined the shapes of its results.
    const bool makes = r.mark().slots > with_arguments.slots;
    if (makes && !step->reads.empty() && !step->draws && !r.is_same_without_data(*step)) step->looks = true;
    if (r.is_needed(*step)) r.add(std::move(step));
  };
  if constexpr (std::is_void_v<R>) {
    f(std::forward<A>(arguments)...);
    keep();
  } else {
    R result = f(std::forward<A>(arguments)...);
    keep(result);
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
TNP_INLINE R traced(const char* name, R (*f)(P...), A&&... arguments) {
  const profiler::Operation profiled([&] { return begin_profiled(name, arguments...); });
  if (TNP_UNLIKELY(observer() != nullptr)) {
    if (Tracer* r = active_tracer()) return trace_call(*r, name, f, std::forward<A>(arguments)...);
  }
  return f(std::forward<A>(arguments)...);
}
// As traced(), for an operator whose result shapes depend on values.
template <class R, class... P, class... A>
TNP_INLINE R traced_look(const char* name, R (*f)(P...), A&&... arguments) {
  const profiler::Operation profiled([&] { return begin_profiled(name, arguments...); });
  if (TNP_UNLIKELY(observer() != nullptr)) {
    if (Tracer* r = active_tracer()) {
      r->fail_after_changes();
      return trace_call(*r, name, f, std::forward<A>(arguments)...);
    }
  }
  return f(std::forward<A>(arguments)...);
}
template <class IsTracked, class R, class... P, class... A>
TNP_INLINE R traced_composite(const char* name, IsTracked&& is_tracked, R (*f)(P...), A&&... arguments) {
  const profiler::Operation profiled([&] { return begin_profiled(name, arguments...); });
  if (TNP_UNLIKELY(observer() != nullptr)) {
    if (Tracer* r = active_tracer()) return trace_composite(*r, name, is_tracked(), f, std::forward<A>(arguments)...);
  }
  return f(std::forward<A>(arguments)...);
}

}  // namespace tnp::compiler
