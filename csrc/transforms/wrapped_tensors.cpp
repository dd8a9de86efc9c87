// Wrapped tensors (aten/core/wrapped.h) of transformations in Python.
#include <optional>
#include <vector>

#include "csrc/args/readers.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/python_error.h"
#include "csrc/transforms/transforms.h"

namespace tnp::python {

std::vector<Tensor> tensors_of(PyObject* sequence) {
  std::vector<Tensor> list;
  const Ref fast(check(PySequence_Fast(sequence, "the parts of a wrapped tensor must be a sequence")));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.get()); ++i) {
    PyObject* const o = PySequence_Fast_GET_ITEM(fast.get(), i);
    TNP_CHECK(o == Py_None || is_variable(o), ErrorKind::Type, "the parts of a wrapped tensor must be Tensors");
    list.push_back(o == Py_None ? Tensor() : unwrap(o));
  }
  return list;
}

namespace {

PyObject* make(PyObject*, PyObject* args) {
  unsigned long long level = 0;
  long long number = 0;
  PyObject *parts = nullptr, *dtype = nullptr, *size = nullptr, *strides = nullptr, *base = Py_None;
  if (!PyArg_ParseTuple(args, "KOLOOO|O:_make_wrapped", &level, &parts, &number, &dtype, &size, &strides, &base))
    return nullptr;
  return protect<false>([&]() -> PyObject* {
    DimVector sizes, steps;
    read_int_list(size, 0, false, sizes);
    if (strides == Py_None)
      steps = contiguous_strides(sizes);
    else
      read_int_list(strides, 0, false, steps);
    TNP_CHECK(sizes.size() == steps.size(), ErrorKind::Value, "size and strides must have the same length");
    const std::optional<ScalarType> type = dtype_from_object(dtype);
    TNP_CHECK(type, ErrorKind::Type, "expected a dtype");
    TNP_CHECK(base == Py_None || (is_variable(base) && is_wrapped(unwrap(base))), ErrorKind::Type,
              "the base must be a wrapped tensor");
    return wrap<false>(make_wrapped({level, tensors_of(parts), number}, *type, sizes, steps,
                                    base == Py_None ? Tensor() : unwrap(base)));
  });
}

PyObject* parts_of(PyObject*, PyObject* o) {
  if (!is_wrapped_object(o)) Py_RETURN_NONE;
  return protect<false>([&]() -> PyObject* {
    const WrappedParts w = wrapped_parts(unwrap(o));
    const Ref parts(check(wrap_list<false>(w.parts, false, false)));
    return Py_BuildValue("KOL", static_cast<unsigned long long>(w.level), parts.get(),
                         static_cast<long long>(w.number));
  });
}

PyObject* replace(PyObject*, PyObject* args) {
  PyObject *wrapped = nullptr, *parts = nullptr;
  long long number = 0;
  if (!PyArg_ParseTuple(args, "OOL:_replace_wrapped", &wrapped, &parts, &number)) return nullptr;
  if (!is_wrapped_object(wrapped))
    return PyErr_SetString(PyExc_TypeError, "_replace_wrapped() takes a wrapped tensor"), nullptr;
  return protect<false>([&]() -> PyObject* {
    const Tensor& t = unwrap(wrapped);
    replace_wrapped(t, {wrapped_parts(t).level, tensors_of(parts), number});
    return Py_NewRef(wrapped);
  });
}

PyObject* bump(PyObject*, PyObject* o) {
  if (!is_variable(o)) return PyErr_SetString(PyExc_TypeError, "_bump_version() takes a Tensor"), nullptr;
  const Tensor& t = unwrap(o);
  t.bump_version();
  // A view of another object has a storage of its own.
  if (t.impl()->base && t.impl()->base->storage != t.impl()->storage) Tensor(t.impl()->base).bump_version();
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_make_wrapped", make, METH_VARARGS,
     "_make_wrapped(level, parts, number, dtype, size, strides, base=None): a wrapped tensor of a\n"
     "transformation; a view of `base`, if that is one. `strides` None: row-major."},
    {"_wrapped_parts", parts_of, METH_O, "(level, parts, number) of a wrapped tensor; None for any other object."},
    {"_replace_wrapped", replace, METH_VARARGS, "_replace_wrapped(wrapped, parts, number): gives it other parts."},
    {"_bump_version", bump, METH_O, "Counts a change in place of a tensor."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_wrapped_tensors(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
