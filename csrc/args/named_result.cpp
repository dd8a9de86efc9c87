// Several results as an object of a class with names. The classes: csrc/functions/named_results.cpp.
#include "csrc/args/call.h"

#include <structseq.h>

namespace tnp::python {

template <>
PyObject* named_result<false>(PyTypeObject* type, PyObject* results) {
  if (!results) return nullptr;
  Ref owned(results);
  PyObject* named = PyStructSequence_New(type);
  for (Py_ssize_t i = 0; named && i < PyTuple_GET_SIZE(results); ++i) {
    PyStructSequence_SetItem(named, i, Py_NewRef(PyTuple_GET_ITEM(results, i)));
  }
  return named;
}

// By tuple's own __new__: that of a named tuple would only collect its arguments into a tuple.
template <>
PyObject* named_result<true>(PyTypeObject* type, PyObject* results) {
  if (!results) return nullptr;
  Ref owned(results), args(PyTuple_Pack(1, results));
  return args ? PyTuple_Type.tp_new(type, args.get(), nullptr) : nullptr;
}

}  // namespace tnp::python
