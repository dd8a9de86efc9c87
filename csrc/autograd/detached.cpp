#include "csrc/autograd/detached.h"

#include "aten/autograd/variable.h"
#include "aten/compiler/interceptor.h"

namespace tnp::python {

namespace {
const OperatorSchema detach_schema{"detach"};
}  // namespace

Tensor detached(const Tensor& t) {
  compiler::Interceptor* const i = TNP_UNLIKELY(observer() != nullptr) ? compiler::interceptor() : nullptr;
  if (!i || !(i->takes_all || is_wrapped(t))) return detach(t);
  Tensor (*const plain)(const Tensor&) = &detach;
  return compiler::intercept(
      *i, detach_schema, compiler::BoxedCall::Kind::Composite, plain, [&] { return detached(t); }, t);
}

}  // namespace tnp::python
