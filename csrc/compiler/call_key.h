// Call key: a compiled function's arguments as bytes to compare. A trace serves calls with
// an equal key.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "aten/core/tensor.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// The attributes that a program has given to the array's Tensor, borrowed; null if there are none.
PyObject* own_attributes(const Tensor& t);

bool has_retain_grad(const Tensor& t);

class CallKey {
 public:
  // Arguments are in vectorcall's form. Returns false if they cannot be distinguished; reason()
  // gives the reason.
  // `members`: a dict, from the class of an instance to a dict from its position among the
  // positional arguments, or its keyword, to the attributes that the function reads of it
  // (torch_np._argument_members.members). None: it is compared by identity. The key None has the
  // function that finds them. Borrowed.
  bool read(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject* members);

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
  // Classes of instances that are compared by their attributes. Borrowed.
  const std::vector<PyObject*>& classes() const { return classes_; }
  PyObject* members() const { return members_; }
  // Whether it is a list or dictionary among the arguments, or in one of them.
  bool has_container(PyObject* o) const {
    return std::find(containers_.begin(), containers_.end(), o) != containers_.end();
  }
  // Whether an argument is a torch_np.numpy array, or there are no arrays.
  bool is_numpy_face() const { return has_ndarray_ || arrays_.empty(); }
  const char* reason() const { return reason_; }

 private:
  bool add(PyObject* o, int depth);
  bool add_instance(PyObject* o, PyObject* names);
  void add_object(PyObject* o);
  // Returns the attributes that are read of an instance; null if it is compared by identity.
  PyObject* members_of(PyObject* o, PyObject* place) const;
  bool add_array(PyObject* o, int depth);
  void add_geometry(const Tensor& t);
  template <class T>
  void put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::string bytes_;
  size_t num_argument_bytes_ = 0;
  std::vector<Tensor> arrays_;
  std::vector<PyObject*> array_objects_;
  std::vector<PyObject*> objects_, call_, classes_, containers_;
  PyObject* members_ = nullptr;
  std::vector<Ref> converted_;
  bool has_ndarray_ = false;
  const char* reason_ = nullptr;
};

}  // namespace tnp::python
