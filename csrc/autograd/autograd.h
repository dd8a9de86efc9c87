// The tape as Python sees it: backward and grad, hooks, grad_fn objects, autograd.Function, and the attributes and
// methods of both types that belong to them.
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

// A reference to a Python object that may be dropped by any thread, with or without the GIL.
using SharedObject = std::shared_ptr<PyObject>;
SharedObject share(PyObject* object);  // takes a reference of its own

// torch_np.Tensor's or ndarray's object for `t`; None if undefined. A new reference; throws PythonError.
PyObject* wrap_face(const Tensor& t, bool numpy_face);
// A grad_fn object, or None. `numpy_face`: what its hooks are called with.
PyObject* wrap_node(const intrusive_ptr<Node>& node, bool numpy_face);
// register_hook: returns the handle that removes it.
// `after_accumulation`: it is called with the tensor, a leaf, once its gradient has been added up.
PyObject* register_hook(const Tensor& t, PyObject* callable, bool numpy_face, bool after_accumulation = false);
// For garbage collection: what only `t`, and through it its Python object, keeps alive: its hooks, and the hooks and
// the ctx of the node that made it.
int visit_graph(const Tensor& t, visitproc visit, void* arg);
void clear_graph(const Tensor& t);
// The Python functions among the hooks of a node itself.
int visit_node_hooks(const Node& node, visitproc visit, void* arg);  // grad_fn.cpp
// A node that owns Python objects.
class PythonNode : public Node {
 public:
  virtual int visit(visitproc visit, void* arg) = 0;  // those that nobody else shares
};
// A gradient that the user gave: None (undefined) or one of our arrays; on the np face anything array-like.
Tensor gradient_from(PyObject* object, bool numpy_face);

}  // namespace tnp::python
