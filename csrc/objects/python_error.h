// PythonError: the C++ exception for a Python exception that is already set.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>

namespace tnp::python {

struct PythonError {};

// Throws PythonError if a call of Python's API has failed, that is, if `o` is null.
inline PyObject* check(PyObject* o) {
  if (!o) throw PythonError();
  return o;
}
inline void check(bool ok) {
  if (!ok) throw PythonError();
}

// Sets a Python exception of class `type` and throws PythonError.
[[noreturn]] void raise_python(PyObject* type, const std::string& message);
// The text of a str, for messages and dtype names.
std::string text_of(PyObject* o);

// An owned reference to a Python object, released by the destructor.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& o) noexcept : object_(o.release()) {}
  Ref& operator=(Ref&& o) noexcept {
    PyObject* old = object_;
    object_ = o.release();
    Py_XDECREF(old);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() {
    PyObject* o = object_;
    object_ = nullptr;
    return o;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace tnp::python
