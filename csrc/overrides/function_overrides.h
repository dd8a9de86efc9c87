// The __array_function__ protocol (NEP 18): finds arguments of a call that override it, and calls
// their overrides.
#pragma once

#include "csrc/objects/numpy_api.h"
#include "csrc/objects/variable.h"
#include "csrc/overrides/candidates.h"

namespace tnp::python {

// Whether `o` has a type that certainly has no override, so that no attribute need be looked up.
inline bool is_plain(PyObject* o) {
  PyTypeObject* t = Py_TYPE(o);
  return t == ndarray_type || t == tensor_type || t == &PyLong_Type || t == &PyFloat_Type || t == &PyTuple_Type ||
         t == &PyList_Type || t == &PyUnicode_Type || t == &PyBool_Type || o == Py_None ||
         t == numpy_api().ndarray_type;
}

// Whether the object's class has an __array_function__ that is neither NumPy's nor ours.
bool overrides_functions(PyObject* o);

// Adds the argument if it overrides functions.
inline void look_at(PyObject* o, Candidates& found) {
  if (TNP_LIKELY(is_plain(o)) || !overrides_functions(o)) return;
  found.add(o);
}
// Also adds items of a list of arrays and, unless `depth` is negative, of lists nested down to that
// depth. Returns false if the lists are nested more deeply, possibly infinitely.
inline bool look_into(PyObject* o, Candidates& found, int depth) {
  look_at(o, found);
  if (!PyList_CheckExact(o) && !PyTuple_CheckExact(o)) return true;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(o, i);
    if (depth < 0 || !PyList_CheckExact(item))
      look_at(item, found);
    else if (depth == 0 || !look_into(item, found, depth - 1))
      return false;
  }
  return true;
}

// Calls the candidates' overrides in order, until one accepts.
PyObject* dispatch(PyObject* function, const Candidates& found, PyObject* args, PyObject* kwargs);
// Same as the other dispatch(), with the arguments of a vectorcall. `without`: the value of a
// keyword argument that is not passed on.
PyObject* dispatch(PyObject* function, const Candidates& found, PyObject* const* args, Py_ssize_t nargs,
                   PyObject* kwnames, PyObject* without);

// Returns the value of a vectorcall's keyword argument (borrowed), and its index in `*at`. Returns
// null if the argument is not given.
PyObject* keyword_of(const char* name, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                     Py_ssize_t* at = nullptr);
// The value of the keyword like= if it is given and not None; borrowed.
PyObject* like_of(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Py_ssize_t* at = nullptr);
// Whether `like` implements the protocol; a TypeError is set if not.
bool can_be_like(PyObject* like);

}  // namespace tnp::python
