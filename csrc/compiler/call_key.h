// Call key: a compiled function's arguments as bytes to compare. A trace serves calls with
// an equal key.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <string_view>
#include <vector>

#include "aten/core/tensor.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

class CallKey {
 public:
  // Arguments are in vectorcall's form. Returns false if they cannot be distinguished; reason()
  // gives the reason.
  bool read(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

  const std::string& bytes() const { return bytes_; }
  // Without the part about gradients.
  std::string_view argument_bytes() const { return std::string_view(bytes_).substr(0, num_argument_bytes_); }
  // In order, followed by the gradients of those that have one.
  const std::vector<Tensor>& arrays() const { return arrays_; }
  // Borrowed; null for gradients.
  const std::vector<PyObject*>& array_objects() const { return array_objects_; }
  // Arguments for calling the function: NumPy's arrays are converted to ours. Borrowed.
  const std::vector<PyObject*>& call() const { return call_; }
  // Objects that are compared by identity only. Borrowed.
  const std::vector<PyObject*>& objects() const { return objects_; }
  // Whether an argument is a torch_np.numpy array, or there are no arrays.
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
