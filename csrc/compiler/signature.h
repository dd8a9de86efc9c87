// What a compiled function is called with, as bytes that are compared: a record serves calls of the same signature.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <string_view>
#include <vector>

#include "aten/core/tensor.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

class CallSignature {
 public:
  // Arguments as vectorcall has them. False: they cannot be told apart, and `reason` says why.
  bool read(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

  const std::string& bytes() const { return bytes_; }
  // Without what is said of gradients.
  std::string_view argument_bytes() const { return std::string_view(bytes_).substr(0, num_argument_bytes_); }
  // In order; gradients of those that have one after all of them.
  const std::vector<Tensor>& arrays() const { return arrays_; }
  // Borrowed; null for gradients.
  const std::vector<PyObject*>& array_objects() const { return array_objects_; }
  // What the function is to be called with: NumPy's arrays are ours there. Borrowed.
  const std::vector<PyObject*>& call() const { return call_; }
  // What is told by its identity alone, borrowed.
  const std::vector<PyObject*>& objects() const { return objects_; }
  // Whether torch_np.numpy's arrays are among them, or there are none.
  bool is_numpy_face() const { return has_ndarray_ || arrays_.empty(); }
  const char* reason() const { return reason_; }

 private:
  bool add(PyObject* o, int depth);
  bool add_array(PyObject* o);
  void add_geometry(const Tensor& t);
  template <class T>
  void put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::string bytes_;
  size_t num_argument_bytes_ = 0;
  std::vector<Tensor> arrays_;
  std::vector<PyObject*> array_objects_;
  std::vector<PyObject*> objects_, call_;
  std::vector<Ref> converted_;
  bool has_ndarray_ = false;
  const char* reason_ = nullptr;
};

}  // namespace tnp::python
