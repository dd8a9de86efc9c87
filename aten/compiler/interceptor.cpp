#include "aten/compiler/interceptor.h"

#include <array>

#include "aten/core/all_calls.h"
#include "aten/dispatch/pointwise.h"
#include "aten/dispatch/reduce.h"
#include "aten/functions/copies.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"

namespace tnp::compiler {

const OperatorSchema copy_schema{"copy_"}, fill_schema{"fill_"}, item_schema{"item"};

namespace {

// Calls of operators whose function has been found: they have no inner operators to go on with.
bool is_done(Interceptor::Outcome outcome, const char* name) {
  TNP_CHECK(outcome != Interceptor::Outcome::Inner, ErrorKind::NotImplemented, name,
            "() has no rule for this transformation");
  return outcome == Interceptor::Outcome::Done;
}

// Note [Results of the engine's own code].
bool is_internal(const Tensor& t) {
  if (!t.defined() || is_wrapped(t) || t.is_view() || t.storage().use_count() != 1) return false;
  return !t.impl()->python_objects[0] && !t.impl()->python_objects[1] && !t.impl()->autograd;
}

// Writes `wrapped` to a new tensor of the engine's own code.
void write(const Tensor& to, const Tensor& wrapped) {
  Tensor value = wrapped.dtype() == to.dtype() ? wrapped : tnp::to(wrapped, to.dtype());
  if (value.sizes() != to.sizes()) value = tnp::expand(value, to.sizes());
  become_wrapped(to, clone(value));
}

}  // namespace

bool Interceptor::pointwise(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options,
                            Tensor* results) {
  if (has_wrapped(inputs) && is_internal(options.out[0]) && op.nout == 1) {
    PointwiseOptions without_out = options;
    without_out.out[0] = Tensor();
    tnp::pointwise(op, inputs, without_out, results);
    write(options.out[0], results[0]);
    results[0] = options.out[0];
    return true;
  }
  if (takes_all || has_wrapped(inputs) || has_wrapped(options)) {
    BoxedCall boxed{&op, op.name, BoxedCall::Kind::Pointwise};
    BoxWriter writer(boxed);
    for (const Tensor& t : inputs) writer.add(t);
    writer.add(options);
    BoxedResults made;
    if (is_done(call(boxed, made), op.name)) {
      if (op.nout == 2)
        std::tie(results[0], results[1]) = made.as<std::tuple<Tensor, Tensor>>();
      else
        results[0] = made.as<Tensor>();
      return true;
    }
  }
  const ObserverGuard guard(below);
  tnp::pointwise(op, inputs, options, results);
  return true;
}

bool Interceptor::reduce(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                         std::optional<ScalarType> dtype, const ReduceOptions& options, Tensor& result) {
  if (has_wrapped(input) && is_internal(options.out)) {
    ReduceOptions without_out = options;
    without_out.out = Tensor();
    write(options.out, tnp::reduce(op, input, dim, keepdim, dtype, without_out));
    result = options.out;
    return true;
  }
  if (takes_all || has_wrapped(input) || has_wrapped(options)) {
    BoxedCall boxed{&op, op.name, BoxedCall::Kind::Reduction};
    BoxWriter writer(boxed);
    writer.add(input);
    writer.add(dim);
    writer.add(keepdim);
    writer.add(dtype);
    writer.add(options);
    BoxedResults made;
    if (is_done(call(boxed, made), op.name)) {
      result = made.as<Tensor>();
      return true;
    }
  }
  const ObserverGuard guard(below);
  result = tnp::reduce(op, input, dim, keepdim, dtype, options);
  return true;
}

bool Interceptor::copy(const Tensor& to, const Tensor& from, Casting casting) {
  if (has_wrapped(from) && is_internal(to)) {
    write(to, from);
    return true;
  }
  if (takes_all || has_wrapped(to) || has_wrapped(from)) {
    BoxedCall boxed{&copy_schema, copy_schema.name, BoxedCall::Kind::Kernel};
    BoxWriter writer(boxed);
    writer.add(to);
    writer.add(from);
    BoxedResults made;
    if (is_done(call(boxed, made), copy_schema.name)) return true;
  }
  const ObserverGuard guard(below);
  copy_into(to, from, casting);
  return true;
}

bool Interceptor::fill(const Tensor& t, const Scalar& value) {
  if (takes_all || has_wrapped(t)) {
    BoxedCall boxed{&fill_schema, fill_schema.name, BoxedCall::Kind::Kernel};
    BoxWriter writer(boxed);
    writer.add(t);
    writer.add(value);
    BoxedResults made;
    if (is_done(call(boxed, made), fill_schema.name)) return true;
  }
  const ObserverGuard guard(below);
  fill_with(t, value);
  return true;
}

Scalar Interceptor::item_of_wrapped(const Tensor& t) {
  BoxedCall boxed{&item_schema, item_schema.name, BoxedCall::Kind::Kernel};
  BoxWriter writer(boxed);
  writer.add(t);
  BoxedResults made;
  if (is_done(call(boxed, made), item_schema.name)) return made.number;
  const ObserverGuard guard(below);
  return t.item();
}

void Interceptor::touched(const Tensor& t) {
  if (below) below->touched(t);
}
void Interceptor::read_item(const Tensor& t, const Scalar& value) {
  if (below) below->read_item(t, value);
}
void Interceptor::drew() {
  if (below) below->drew();
}
void Interceptor::made_view(const Tensor& of, TensorImpl& view) {
  if (below && !is_wrapped(of)) below->made_view(of, view);
}
void Interceptor::lent(Storage& storage) {
  if (below) below->lent(storage);
}
void Interceptor::made_constant(const Tensor& t) {
  if (below) below->made_constant(t);
}
void Interceptor::read_hidden(const Tensor& t, const char* what) {
  if (below && !is_wrapped(t)) below->read_hidden(t, what);
}
void Interceptor::accessed_gradient(const Tensor& t) {
  if (below && !is_wrapped(t)) below->accessed_gradient(t);
}

namespace {

bool takes_all(const Observer& o) {
  return o.kind == Observer::Kind::Interceptor && static_cast<const Interceptor&>(o).takes_all;
}
[[maybe_unused]] const bool is_registered = (takes_all_calls = &takes_all, true);

}  // namespace

void set_grad_mode_of_interceptors(bool enabled) {
  for (Observer* o = observer(); o && o->kind == Observer::Kind::Interceptor;) {
    auto* const i = static_cast<Interceptor*>(o);
    i->grad_enabled = enabled;
    o = i->below;
  }
}

}  // namespace tnp::compiler
