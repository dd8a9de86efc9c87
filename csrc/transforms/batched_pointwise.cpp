#include "csrc/transforms/batched_pointwise.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "aten/functions/shape.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/methods.h"
#include "csrc/objects/variable.h"
#include "csrc/transforms/transforms.h"

namespace tnp::python {

namespace {

using compiler::ViewNumber;

constexpr size_t kOptions = 6;  // out, out1, where, dtype, casting and order come after the operands

bool is_given(const compiler::Argument& a) {
  const auto* v = std::get_if<ViewNumber>(&a.value);
  return v && v->view >= 0;
}

// A batch of samples with `rank` axes: new ones, of size 1, come behind the batch.
Tensor padded(const Tensor& part, int64_t rank) {
  const int64_t missing = rank + 1 - part.dim();
  if (missing <= 0) return part;
  DimVector sizes{part.size(0)};
  for (int64_t i = 0; i < missing; ++i) sizes.push_back(1);
  sizes.append(IntList(part.sizes().subspan(1)));
  return tnp::reshape(part, sizes);
}

}  // namespace

Tensor wrap_batch(uint64_t level, const Tensor& part, const Tensor& base) {
  TNP_CHECK(part.dim() > 0, ErrorKind::Runtime, "the part of a batched tensor must have an axis of the batch");
  return make_wrapped({level, {part}, 0}, part.dtype(), IntList(part.sizes().subspan(1)),
                      IntList(part.strides().subspan(1)), base);
}

Tensor lift(uint64_t level, const Tensor& part, const Tensor& base) {
  return make_wrapped({level, {part}, kLifted}, part.dtype(), part.sizes(), part.strides(), base);
}

namespace {

// The part of a tensor of the level, if it is batched, or lifted.
const Tensor* part_of(uint64_t level, const Tensor& t, bool is_lifted) {
  if (!t.defined() || !is_wrapped(t)) return nullptr;
  const WrappedParts& w = wrapped_parts(t);
  if (w.level != level || (w.number == kLifted) != is_lifted) return nullptr;
  const Tensor& part = w.parts.at(0);
  const size_t batch_axes = is_lifted ? 0 : 1;
  TNP_CHECK(IntList(part.sizes().subspan(batch_axes)) == IntList(t.sizes()) &&
                IntList(part.strides().subspan(batch_axes)) == IntList(t.strides()),
            ErrorKind::NotImplemented, "a view that an operator made of a transformed tensor by itself");
  return &part;
}

}  // namespace

const Tensor* batch_part(uint64_t level, const Tensor& t) { return part_of(level, t, false); }
const Tensor* lifted_part(uint64_t level, const Tensor& t) { return part_of(level, t, true); }

bool batched_pointwise(uint64_t level, compiler::BoxedCall& call, const compiler::BoxedFunction& function,
                       compiler::BoxedResults& results) {
  const size_t n = call.arguments.size() - kOptions;
  if (n != call.tensors.size()) return false;
  for (size_t i = n; i < n + 3; ++i)
    if (is_given(call.arguments[i])) return false;
  int64_t rank = 0;
  const Tensor* first = nullptr;
  bool has_scalars = false, has_dtypes = false;
  for (const Tensor& t : call.tensors) {
    rank = std::max(rank, t.dim());
    if (t.is_wrapped_number()) continue;
    has_scalars = has_scalars || t.dim() == 0;
    if (!first) first = &t;
    has_dtypes = has_dtypes || t.dtype() != first->dtype();
  }
  if (has_scalars && has_dtypes && call.dialect.promotion() != PromotionRules::NumPy) return false;
  bool is_batched = false;
  for (Tensor& t : call.tensors) {
    if (const Tensor* part = batch_part(level, t))
      t = padded(Tensor(*part), rank), is_batched = true;
    else if (const Tensor* same = lifted_part(level, t))
      t = Tensor(*same);
  }
  results = function(call);
  for (Tensor& t : results.tensors)
    if (t.defined()) t = is_batched ? wrap_batch(level, t) : lift(level, t);
  return true;
}

namespace {

// (level, part, base=None)
template <Tensor (*make)(uint64_t level, const Tensor& part, const Tensor& base)>
PyObject* wrapped_by(PyObject*, PyObject* const* args, Py_ssize_t n) {
  if (n < 2 || n > 3 || !is_variable(args[1]))
    return PyErr_SetString(PyExc_TypeError, "expected a level, a Tensor and a base"), nullptr;
  const unsigned long long level = PyLong_AsUnsignedLongLong(args[0]);
  if (PyErr_Occurred()) return nullptr;
  return protect<false>([&]() -> PyObject* {
    return wrap<false>(make(level, unwrap(args[1]), n == 3 && is_wrapped_object(args[2]) ? unwrap(args[2]) : Tensor()));
  });
}

// (level, t)
template <const Tensor* (*find)(uint64_t level, const Tensor& t)>
PyObject* part_by(PyObject*, PyObject* const* args, Py_ssize_t n) {
  if (n != 2) return PyErr_SetString(PyExc_TypeError, "expected a level and an object"), nullptr;
  if (!is_wrapped_object(args[1])) Py_RETURN_NONE;
  const unsigned long long level = PyLong_AsUnsignedLongLong(args[0]);
  if (PyErr_Occurred()) return nullptr;
  return protect<false>([&]() -> PyObject* {
    const Tensor* const part = find(level, unwrap(args[1]));
    return part ? wrap<false>(*part) : Py_NewRef(Py_None);
  });
}

PyMethodDef functions[] = {
    {"_batched", as_method(wrapped_by<wrap_batch>), METH_FASTCALL,
     "_batched(level, part, base=None): the wrapped tensor of one sample, whose batch is the first axis\n"
     "of `part`; a view of `base`, if that is a wrapped tensor."},
    {"_lifted", as_method(wrapped_by<lift>), METH_FASTCALL,
     "_lifted(level, part, base=None): the wrapped tensor of a tensor that is the same for all samples."},
    {"_lifted_part", as_method(part_by<lifted_part>), METH_FASTCALL,
     "_lifted_part(level, t): the part of such a tensor; None for any other object."},
    {"_batch_of", as_method(part_by<batch_part>), METH_FASTCALL,
     "_batch_of(level, t): the part of a wrapped tensor of the level; None for any other object."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_batches(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
