// Python bindings of autograd: backward and grad, hooks, grad_fn objects, autograd.Function, and
// the related attributes and methods of both types.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>

#include "aten/autograd/variable.h"
#include "csrc/args/call.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// Adds everything to torch_np._C and to the two types, which must be ready. -1 with a Python exception on failure.
int init_autograd(PyObject* module);

// --- its parts, one file each
int add_grad_fn_type(PyObject* module);                      // grad_fn.cpp
int add_hook_handle_type(PyObject* module);                  // hooks.cpp
int add_function_context_type(PyObject* module);             // function.cpp
int add_autograd_attributes();                               // attributes.cpp
PyObject* function_apply(PyObject* module, PyObject* args);  // function.cpp

// A reference to a Python object that any thread may drop, with or without the GIL.
using SharedObject = std::shared_ptr<PyObject>;
SharedObject share(PyObject* object);  // adds a reference

// A new torch_np.Tensor or ndarray object for `t`; None if undefined. Throws PythonError.
PyObject* wrap_face(const Tensor& t, bool numpy_face);
// A grad_fn object, or None. `numpy_face`: the type of the arrays that its hooks receive.
PyObject* wrap_node(const intrusive_ptr<Node>& node, bool numpy_face);
// register_hook: returns the handle that removes the hook. `after_accumulation`: the hook receives
// the tensor, a leaf, after its gradient has been accumulated.
PyObject* register_hook(const Tensor& t, PyObject* callable, bool numpy_face, bool after_accumulation = false);
// For garbage collection: visit or clear the objects that only `t`, and through it its Python
// object, keeps alive. These are its hooks, and the hooks and the ctx of its grad_fn.
int visit_graph(const Tensor& t, visitproc visit, void* arg);
void clear_graph(const Tensor& t);
// Visits the Python functions among a node's own hooks.
int visit_node_hooks(const Node& node, visitproc visit, void* arg);  // grad_fn.cpp
// A node that owns Python objects.
class PythonNode : public Node {
 public:
  virtual int visit(visitproc visit, void* arg) = 0;  // visits the objects that only this node owns
};
// Converts a gradient from the user: None (undefined) or one of our arrays; on the np face anything
// array-like.
Tensor gradient_from(PyObject* object, bool numpy_face);

}  // namespace tnp::python
