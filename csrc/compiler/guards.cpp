#include "csrc/compiler/guards.h"

namespace tnp::python {

namespace {

// Whether both are the same object, or equal numbers or strings.
bool is_same(PyObject* now, PyObject* then) {
  if (now == then) return true;
  if (!now || !then || Py_TYPE(now) != Py_TYPE(then)) return false;
  if (!PyFloat_CheckExact(now) && !PyLong_CheckExact(now) && !PyUnicode_CheckExact(now) && !PyComplex_CheckExact(now) &&
      !PyBytes_CheckExact(now))
    return false;
  return PyObject_RichCompareBool(now, then, Py_EQ) == 1;
}

}  // namespace

bool Guard::holds() const {
  switch (kind) {
    case Kind::Cell:
      return is_same(PyCell_GET(holder.get()), value.get());
    case Kind::Item:
      return is_same(PyDict_GetItemWithError(holder.get(), key.get()), value.get());
    case Kind::Absent:
      return PyDict_GetItemWithError(holder.get(), key.get()) == nullptr;
    case Kind::Length:
      return PyDict_GET_SIZE(holder.get()) == PyLong_AsSsize_t(value.get());
    case Kind::List: {
      const Py_ssize_t n = PyList_GET_SIZE(holder.get());
      if (n != PyTuple_GET_SIZE(value.get())) return false;
      for (Py_ssize_t i = 0; i < n; ++i)
        if (!is_same(PyList_GET_ITEM(holder.get(), i), PyTuple_GET_ITEM(value.get(), i))) return false;
      return true;
    }
  }
  return false;
}

Guards::Guards(PyObject* found) {
  check(PyList_CheckExact(found));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(found); ++i) {
    PyObject* entry = PyList_GET_ITEM(found, i);
    int kind;
    PyObject *holder, *key, *value;
    check(PyArg_ParseTuple(entry, "iOOO", &kind, &holder, &key, &value) != 0);
    guards_.push_back(
        {static_cast<Guard::Kind>(kind), Ref(Py_NewRef(holder)), Ref(Py_NewRef(key)), Ref(Py_NewRef(value))});
  }
}

bool Guards::hold() const {
  for (const Guard& g : guards_)
    if (!g.holds()) return PyErr_Clear(), false;
  return true;
}

}  // namespace tnp::python
