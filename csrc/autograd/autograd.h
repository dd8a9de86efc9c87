// Python bindings of autograd: backward and grad, hooks, grad_fn objects, autograd.Function, and
// the related attributes and methods of both types.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <functional>
#include <memory>

#include "aten/autograd/variable.h"
#include "csrc/args/call.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// Adds everything to torch_np._C and to the two types, which must be ready. Returns -1 with a
// Python exception set on failure.
int init_autograd(PyObject* module);

// --- parts of init_autograd(), one per file
int add_grad_fn_type(PyObject* module);                      // grad_fn.cpp
int add_hook_handle_type(PyObject* module);                  // hooks.cpp
int add_saved_tensor_hooks(PyObject* module);                // saved_tensor_hooks.cpp
int add_function_context_type(PyObject* module);             // function.cpp
int add_autograd_attributes();                               // attributes.cpp
int add_batched_gradients(PyObject* module);                 // batched_gradients.cpp
int add_autocast(PyObject* module);                          // autocast.cpp
PyObject* function_apply(PyObject* module, PyObject* args);  // function.cpp

// A reference to a Python object. Any thread may release the reference, with or without the GIL.
using SharedObject = std::shared_ptr<PyObject>;
SharedObject share(PyObject* object);  // adds a reference

// A new torch_np.Tensor or ndarray object for `t`; An undefined `t` gives None. Throws PythonError.
PyObject* wrap_face(const Tensor& t, bool numpy_face);
// A grad_fn object, or None. `numpy_face`: whether the node's hooks receive ndarrays or Tensors.
PyObject* wrap_node(const intrusive_ptr<Node>& node, bool numpy_face);
// Hooks of saved tensors from two Python functions.
std::shared_ptr<const SavedTensorHooks> saved_tensor_hooks_of(PyObject* pack, PyObject* unpack);
// Registers a hook and returns the Python handle that removes the hook. `after_accumulation`: the
// hook receives the tensor, a leaf, after its gradient has been accumulated.
PyObject* register_hook(const Tensor& t, PyObject* callable, bool numpy_face, bool after_accumulation = false);
// Raises TypeError unless `callable` is callable.
void check_hook(PyObject* callable);
// A Python handle whose method remove() calls `remove` once.
PyObject* hook_handle(std::function<void()> remove);
// For garbage collection: visit or clear the Python objects that are kept alive only by `t`, and
// thus by the Python object of `t`. These are the hooks of `t`, and the hooks and the ctx of its
// grad_fn.
int visit_graph(const Tensor& t, visitproc visit, void* arg);
void clear_graph(const Tensor& t);
// Visits those hooks of a tensor that are Python functions and that only the tensor owns.
int visit_tensor_hooks(const TensorHooks& hooks, visitproc visit, void* arg);  // hooks.cpp
// Visits those hooks of a node that are Python functions.
int visit_node_hooks(const Node& node, visitproc visit, void* arg);  // grad_fn.cpp
// A node that owns Python objects.
class PythonNode : public Node {
 public:
  virtual int visit(visitproc visit, void* arg) = 0;  // visits the objects that only this node owns
  virtual PyObject* attributes() { return nullptr; }  // an object with further attributes of the grad_fn, or null
  // A new reference to the class of the node's Python object. Null without an exception: a class of the node's name.
  virtual PyObject* class_of_object() const { return nullptr; }
};
// Converts a gradient that the user passed. None gives an undefined tensor. The np face accepts any
// array-like, the torch face only our arrays.
Tensor gradient_from(PyObject* object, bool numpy_face);
// The tensors of an array or a sequence of arrays, or none for None. `what` names them in errors.
Tensors tensors_from(PyObject* object, const char* what);

}  // namespace tnp::python
