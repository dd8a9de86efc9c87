// The __array_function__ protocol (NEP 18): which arguments of a call override it, and the call of theirs.
#pragma once

#include "csrc/objects/numpy_api.h"
#include "csrc/objects/variable.h"
#include "csrc/overrides/candidates.h"

namespace tnp::python {

// Types of arguments that are not worth a look-up.
inline bool is_plain(PyObject* o) {
  PyTypeObject* t = Py_TYPE(o);
  return t == ndarray_type || t == tensor_type || t == &PyLong_Type || t == &PyFloat_Type || t == &PyTuple_Type ||
         t == &PyList_Type || t == &PyUnicode_Type || t == &PyBool_Type || o == Py_None ||
         t == numpy_api().ndarray_type;
}

// Whether its class has an __array_function__ that is neither NumPy's nor ours.
bool overrides_functions(PyObject* o);

// Adds the argument if it overrides functions.
inline void look_at(PyObject* o, Candidates& found) {
  if (TNP_LIKELY(is_plain(o)) || !overrides_functions(o)) return;
  found.add(o);
}
// Also at the items of a list of arrays, and, unless `depth` is negative, of the lists in it
// down to that depth. False: there are deeper ones, which may be endless.
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

// Tries them in turn.
PyObject* dispatch(PyObject* function, const Candidates& found, PyObject* args, PyObject* kwargs);
// The same for a vectorcall's arguments; `without`: the value of a keyword argument that is left out.
PyObject* dispatch(PyObject* function, const Candidates& found, PyObject* const* args, Py_ssize_t nargs,
                   PyObject* kwnames, PyObject* without);

// The value of a keyword argument of a vectorcall, and its place among them; borrowed, null if it is not given.
PyObject* keyword_of(const char* name, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                     Py_ssize_t* at = nullptr);
// The value of like= if it is given and not None; borrowed. A keyword of a vectorcall.
PyObject* like_of(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Py_ssize_t* at = nullptr);
// Whether `like` has the protocol; a TypeError is set if not.
bool can_be_like(PyObject* like);

}  // namespace tnp::python
