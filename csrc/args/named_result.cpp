// Wraps several results in a class with named fields. csrc/functions/named_results.cpp creates
// these classes.
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

// Calls tuple.__new__ directly: a named tuple's own __new__ would only collect its arguments into a
// tuple.
template <>
PyObject* named_result<true>(PyTypeObject* type, PyObject* results) {
  if (!results) return nullptr;
  Ref owned(results), args(PyTuple_Pack(1, results));
  return args ? PyTuple_Type.tp_new(type, args.get(), nullptr) : nullptr;
}

}  // namespace tnp::python
