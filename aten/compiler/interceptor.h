// Interceptor: hands calls of operators on wrapped tensors to a transformation.
//
// Note [Interceptors] While a transformation runs a function, its interceptor is the thread's
// observer, so operators report their calls to it before they run: below autograd, which records
// wrapped tensors like any other. Interceptors and tracers form a stack. The transformation computes
// a call with operators on the parts, while the observer below is the thread's: another
// transformation, a tracer, or none. A call that has none of its tensors goes below as it is.
#pragma once

#include <tuple>
#include <type_traits>

#include "aten/compiler/boxed.h"
#include "aten/core/observer.h"
#include "aten/core/operator_schema.h"
#include "aten/core/wrapped.h"

namespace tnp::compiler {

class TNP_API Interceptor : public Observer {
 public:
  enum class Outcome : uint8_t {
    Done,   // the results are there
    Below,  // the call has nothing to do with this transformation
    Inner,  // a composite operator: its inner operators shall be intercepted
  };
  Interceptor() : Observer(Kind::Interceptor) {}

  // Computes a call, or tells how it goes on.
  virtual Outcome call(BoxedCall& call, BoxedResults& results) = 0;

  Observer* below = nullptr;
  uint64_t level = 0;
  Device device;             // for new tensors beside wrapped ones
  bool takes_all = false;    // calls without tensors of this level, too
  bool grad_enabled = true;  // as the function that is transformed sees it: Note [Grad mode below]
  bool concerns(const Tensor& t) const { return t.defined() && is_wrapped(t) && wrapped_parts(t).level == level; }

  // Note [Results of the engine's own code] A composite or a derivative formula may allocate a tensor
  // and write a wrapped one into it. The new tensor, which nothing else refers to, becomes wrapped.

  // Note [Grad mode below] The tape disables recording while it runs an operator, but that means the
  // tape of the wrapped tensors. The parts may have a tape of their own, which records unless the
  // program itself has disabled it. So operators on parts run in the program's mode.

  bool pointwise(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options, Tensor* results) override;
  bool reduce(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype,
              const ReduceOptions& options, Tensor& result) override;
  bool copy(const Tensor& to, const Tensor& from, Casting casting) override;
  bool fill(const Tensor& t, const Scalar& value) override;
  void touched(const Tensor& t) override;
  void read_item(const Tensor& t, const Scalar& value) override;
  Scalar item_of_wrapped(const Tensor& t) override;
  Device device_of_parts() override { return device; }
  void drew() override;
  void made_view(const Tensor& of, TensorImpl& view) override;
  void lent(Storage& storage) override;
  void made_constant(const Tensor& t) override;
  void read_hidden(const Tensor& t, const char* what) override;
  void accessed_gradient(const Tensor& t) override;
};

// The calls of these have the schemas
//   copy_(Tensor self, Tensor src), fill_(Tensor self, Scalar value), item(Tensor self) -> Scalar.
extern TNP_API const OperatorSchema copy_schema, fill_schema, item_schema;

// The thread's interceptor, if the observer is one.
inline Interceptor* interceptor() {
  Observer* const o = observer();
  return o && o->kind == Observer::Kind::Interceptor ? static_cast<Interceptor*>(o) : nullptr;
}
// Tells the thread's interceptors that the program has set the mode.
TNP_API void set_grad_mode_of_interceptors(bool enabled);

inline bool has_wrapped(const Tensor& t) { return t.defined() && is_wrapped(t); }
inline bool has_wrapped(TensorList list) {
  for (const Tensor& t : list)
    if (has_wrapped(t)) return true;
  return false;
}
inline bool has_wrapped(const OutOptions& o) { return has_wrapped(o.out); }
inline bool has_wrapped(const PointwiseOptions& o) {
  return has_wrapped(o.out[0]) || has_wrapped(o.out[1]) || has_wrapped(o.where);
}
inline bool has_wrapped(const ReduceOptions& o) {
  return has_wrapped(o.out) || has_wrapped(o.where) || has_wrapped(o.initial_tensor);
}
inline bool has_wrapped(Device d) { return d.is_wrapped(); }
template <class T>
bool has_wrapped(const T&) {
  return false;
}
template <class T>
bool has_wrapped(const std::optional<T>& v) {
  return v && has_wrapped(*v);
}

using ObserverGuard = StateGuard<Observer*, &ThreadState::observer>;

// Runs an operator under an interceptor. `again` calls the operator from the beginning.
template <class R, class... P, class Again, class... A>
TNP_COLD R intercept(Interceptor& i, const OperatorSchema& op, BoxedCall::Kind kind, R (*f)(P...), Again&& again,
                     A&&... arguments) {
  if (i.takes_all || (has_wrapped(static_cast<const std::remove_cvref_t<P>&>(arguments)) || ...)) {
    BoxedCall call{&op, op.name, kind};
    BoxWriter writer(call, i.device);
    (writer.add(static_cast<const std::remove_cvref_t<P>&>(arguments)), ...);
    BoxedResults results;
    switch (i.call(call, results)) {
      case Interceptor::Outcome::Done:
        if constexpr (std::is_reference_v<R>)  // an operator in place returns its first argument
          return std::get<0>(std::tuple<const A&...>(arguments...));
        else
          return results.as<R>();
      case Interceptor::Outcome::Inner:
        return f(std::forward<A>(arguments)...);
      case Interceptor::Outcome::Below:
        break;
    }
  }
  const ObserverGuard guard(i.below);
  return again();
}

}  // namespace tnp::compiler
