// Autograd's attributes and methods of Tensor and ndarray. torch_np.Tensor has PyTorch's names.
// ndarray has the same names with a leading underscore, since NumPy does not define them.
#include "aten/autograd/backward_pass.h"
#include "aten/autograd/current_pass.h"
#include "aten/autograd/engine.h"
#include "aten/compiler/interceptor.h"
#include "aten/core/memory/inference.h"
#include "csrc/autograd/autograd.h"
#include "csrc/autograd/detached.h"
#include "csrc/convert/convert.h"
#include "csrc/objects/hidden_state.h"
#include "csrc/objects/methods.h"

namespace tnp::python {

Tensor gradient_from(PyObject* object, bool numpy_face) {
  if (!object || object == Py_None) return {};
  if (is_variable(object)) return unwrap(object);
  if (numpy_face) return as_tensor(object, true);
  PyErr_Format(PyExc_TypeError, "gradients can be either Tensors or None, but got %s", Py_TYPE(object)->tp_name);
  throw PythonError{};
}

// One array or a sequence of them.
Tensors tensors_from(PyObject* object, const char* what) {
  Tensors result;
  if (!object || object == Py_None) return result;
  if (is_variable(object)) return {unwrap(object)};
  PyObject* items = PySequence_Fast(object, "expected an array or a sequence of arrays");
  if (!items) throw PythonError{};
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(items, i);
    if (!is_variable(item)) {
      PyErr_Format(PyExc_TypeError, "%s must be arrays, got %s at position %zd", what, Py_TYPE(item)->tp_name, i);
      Py_DECREF(items);
      throw PythonError{};
    }
    result.push_back(unwrap(item));
  }
  Py_DECREF(items);
  return result;
}

namespace {

template <bool compat>
PyObject* get_requires_grad(PyObject* self, void*) {
  const NoGradGuard reads_the_flag;  // a use would raise for some views: Tensor::requires_grad()
  return PyBool_FromLong(unwrap(self).requires_grad());
}

template <bool compat>
int set_requires_grad(PyObject* self, PyObject* value, void*) {
  if (!value || !PyBool_Check(value)) {
    PyErr_SetString(PyExc_RuntimeError, "requires_grad must be a bool");
    return -1;
  }
  PyObject* done = guarded<compat>([&] {
    unwrap(self).set_requires_grad(value == Py_True);
    return Py_NewRef(Py_None);
  });
  Py_XDECREF(done);
  return done ? 0 : -1;
}

template <bool compat>
PyObject* get_grad(PyObject* self, void*) {
  return guarded<compat>([&] {
    note_gradient_access(self);
    return wrap_face(unwrap(self).grad(), compat);
  });
}

template <bool compat>
int set_grad(PyObject* self, PyObject* value, void*) {
  PyObject* done = guarded<compat>([&] {
    if (value && value != Py_None && !is_variable(value)) {
      PyErr_Format(PyExc_TypeError, "assigned grad expected to be %s or None but got grad of type %s",
                   compat ? "an array" : "a Tensor", Py_TYPE(value)->tp_name);
      throw PythonError{};
    }
    note_gradient_access(self);
    unwrap(self).set_grad(value && value != Py_None ? unwrap(value) : Tensor());
    return Py_NewRef(Py_None);
  });
  Py_XDECREF(done);
  return done ? 0 : -1;
}

template <bool compat>
PyObject* get_grad_fn(PyObject* self, void*) {
  return guarded<compat>([&] {
    if (!unwrap(self).is_leaf()) note_hidden_read(self, "the grad_fn");
    track(self);  // the node may get hooks later
    return wrap_node(grad_fn_of(unwrap(self)), compat);
  });
}
template <bool compat>
PyObject* get_is_leaf(PyObject* self, void*) {
  return guarded<compat>([&] { return PyBool_FromLong(unwrap(self).is_leaf()); });
}
template <bool compat>
PyObject* get_retains_grad(PyObject* self, void*) {
  AutogradMeta* meta = autograd_meta(unwrap(self));
  return PyBool_FromLong(meta && meta->retains_grad);
}
template <bool compat>
PyObject* get_output_nr(PyObject* self, void*) {
  if (!unwrap(self).is_leaf()) note_hidden_read(self, "the output_nr");
  const AutogradMeta* meta = autograd_meta(unwrap(self));
  return PyLong_FromUnsignedLong(meta ? meta->output_nr : 0);
}
template <bool compat>
PyObject* get_version(PyObject* self, void*) {
  note_hidden_read(self, "the version");
  if (unwrap(self).storage().is_inference())
    return PyErr_SetString(PyExc_RuntimeError, "Inference tensors do not track version counter."), nullptr;
  return PyLong_FromUnsignedLong(unwrap(self).version());
}

template <bool compat>
PyObject* requires_grad_(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"requires_grad", nullptr};
  PyObject* value = Py_True;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O!:requires_grad_", const_cast<char**>(names), &PyBool_Type, &value))
    return nullptr;
  return guarded<compat>([&] {
    unwrap(self).set_requires_grad(value == Py_True);
    return Py_NewRef(self);
  });
}

template <bool compat>
PyObject* py_detach(PyObject* self, PyObject*) {
  return guarded<compat>([&] { return wrap_face(detached(unwrap(self)), compat); });
}
template <bool compat>
PyObject* py_detach_(PyObject* self, PyObject*) {
  return guarded<compat>([&] {
    detach_(unwrap(self));
    return Py_NewRef(self);
  });
}
template <bool compat>
PyObject* py_retain_grad(PyObject* self, PyObject*) {
  return guarded<compat>([&] {
    retain_grad(unwrap(self));
    return Py_NewRef(Py_None);
  });
}
template <bool compat>
PyObject* py_register_hook(PyObject* self, PyObject* hook) {
  return guarded<compat>([&] {
    track(self);
    return register_hook(unwrap(self), hook, compat);
  });
}
template <bool compat>
PyObject* py_register_post_accumulate_grad_hook(PyObject* self, PyObject* hook) {
  return guarded<compat>([&] {
    track(self);
    return register_hook(unwrap(self), hook, compat, true);
  });
}

bool truth(PyObject* object, bool otherwise) {
  if (!object || object == Py_None) return otherwise;
  int value = PyObject_IsTrue(object);
  if (value < 0) throw PythonError{};
  return value != 0;
}

template <bool compat>
PyObject* py_backward(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"gradient", "retain_graph", "create_graph", "inputs", nullptr};
  PyObject *gradient = nullptr, *retain = nullptr, *create = nullptr, *inputs = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOOO:backward", const_cast<char**>(names), &gradient, &retain,
                                   &create, &inputs)) {
    return nullptr;
  }
  return guarded<compat>([&] {
    Tensor root = unwrap(self), seed = gradient_from(gradient, compat);
    Tensors only = tensors_from(inputs, "inputs");
    TNP_CHECK(!inputs || inputs == Py_None || !only.empty(), ErrorKind::Runtime,
              "'inputs' argument to backward cannot be empty.");
    bool create_graph = truth(create, false);
    backward(TensorList(&root, 1), TensorList(&seed, 1), truth(retain, create_graph), create_graph, only);
    return Py_NewRef(Py_None);
  });
}

template <bool compat>
int add_attributes() {
  // Tensor's names have no underscore: skip it.
  constexpr int skip = compat ? 0 : 1;
  static PyMethodDef methods[] = {
      {"_backward" + skip, as_method(py_backward<compat>), METH_VARARGS | METH_KEYWORDS,
       compat ? "_backward($self, gradient=None, retain_graph=None, create_graph=False, inputs=None)\n--\n\n"
                "Adds the gradients of this array to the `_grad` of every leaf that it depends on.\n\n"
                "Args:\n"
                "  gradient: Gradient with respect to this array; None is 1, for an array with one element.\n"
                "  retain_graph: Whether to keep the graph for another backward; None is `create_graph`.\n"
                "  create_graph: Whether to record the computation of the gradients, so that they have\n"
                "    gradients too.\n"
                "  inputs: The arrays that receive gradients; None is every leaf.\n\n"
                "Errors: RuntimeError if the array does not require a gradient, or if `gradient` is missing\n"
                "and the array has several elements."
              : "backward($self, gradient=None, retain_graph=None, create_graph=False, inputs=None)\n--\n\n"
                "Adds the gradients of this tensor to the `grad` of every leaf that it depends on.\n\n"
                "Args:\n"
                "  gradient: Gradient with respect to this tensor; None is 1, for a tensor with one\n"
                "    element.\n"
                "  retain_graph: Whether to keep the graph for another backward; None is `create_graph`.\n"
                "  create_graph: Whether to record the computation of the gradients, so that they have\n"
                "    gradients too.\n"
                "  inputs: The tensors that receive gradients; None is every leaf.\n\n"
                "Errors: RuntimeError if the tensor does not require a gradient, or if `gradient` is\n"
                "missing and the tensor has several elements."},
      {"_requires_grad_" + skip, as_method(requires_grad_<compat>), METH_VARARGS | METH_KEYWORDS,
       compat ? "_requires_grad_($self, requires_grad=True)\n--\n\n"
                "Sets `_requires_grad` and returns the array.\n\n"
                "Args:\n"
                "  requires_grad: Whether the array requires a gradient.\n\n"
                "Errors: RuntimeError if the dtype is neither floating-point nor complex, or if\n"
                "`requires_grad` is False and the array is not a leaf."
              : "requires_grad_($self, requires_grad=True)\n--\n\n"
                "Sets `requires_grad` and returns the tensor.\n\n"
                "Args:\n"
                "  requires_grad: Whether the tensor requires a gradient.\n\n"
                "Errors: RuntimeError if the dtype is neither floating-point nor complex, or if\n"
                "`requires_grad` is False and the tensor is not a leaf."},
      {"_detach" + skip, py_detach<compat>, METH_NOARGS,
       compat ? "_detach($self)\n--\n\nView of the same memory that is detached from the graph."
              : "detach($self)\n--\n\nView of the same memory that is detached from the graph."},
      {"_detach_" + skip, py_detach_<compat>, METH_NOARGS,
       compat ? "_detach_($self)\n--\n\nDetaches the array from the graph in place and returns it."
              : "detach_($self)\n--\n\nDetaches the tensor from the graph in place and returns it."},
      {"_retain_grad" + skip, py_retain_grad<compat>, METH_NOARGS,
       compat ? "_retain_grad($self)\n--\n\n"
                "Lets backward set `_grad` of this array although it is not a leaf.\n\n"
                "Errors: RuntimeError if the array does not require a gradient."
              : "retain_grad($self)\n--\n\n"
                "Lets backward set `grad` of this tensor although it is not a leaf.\n\n"
                "Errors: RuntimeError if the tensor does not require a gradient."},
      {"_register_hook" + skip, py_register_hook<compat>, METH_O,
       compat ? "_register_hook($self, hook)\n--\n\n"
                "Registers a function that backward calls with the gradient of this array.\n\n"
                "Args:\n"
                "  hook: Function hook(gradient). Its result replaces the gradient, unless it is None.\n\n"
                "Returns a handle; its method remove() unregisters the hook.\n"
                "Errors: RuntimeError if the array does not require a gradient; TypeError if `hook` is not\n"
                "callable."
              : "register_hook($self, hook)\n--\n\n"
                "Registers a function that backward calls with the gradient of this tensor.\n\n"
                "Args:\n"
                "  hook: Function hook(gradient). Its result replaces the gradient, unless it is None.\n\n"
                "Returns a handle; its method remove() unregisters the hook.\n"
                "Errors: RuntimeError if the tensor does not require a gradient; TypeError if `hook` is not\n"
                "callable."},
  };
  static PyMethodDef post_accumulate = {
      "_register_post_accumulate_grad_hook" + skip, py_register_post_accumulate_grad_hook<compat>, METH_O,
      compat ? "_register_post_accumulate_grad_hook($self, hook)\n--\n\n"
               "Registers a function that backward calls after it has added to `_grad` of this leaf.\n\n"
               "Args:\n"
               "  hook: Function hook(array), which is called with this array.\n\n"
               "Returns a handle; its method remove() unregisters the hook.\n"
               "Errors: RuntimeError if the array does not require a gradient or is not a leaf; TypeError\n"
               "if `hook` is not callable."
             : "register_post_accumulate_grad_hook($self, hook)\n--\n\n"
               "Registers a function that backward calls after it has added to `grad` of this leaf.\n\n"
               "Args:\n"
               "  hook: Function hook(tensor), which is called with this tensor.\n\n"
               "Returns a handle; its method remove() unregisters the hook.\n"
               "Errors: RuntimeError if the tensor does not require a gradient or is not a leaf; TypeError\n"
               "if `hook` is not callable."};
  static PyGetSetDef properties[] = {
      {"_requires_grad" + skip, get_requires_grad<compat>, set_requires_grad<compat>,
       "Whether operators on this array are recorded, so that backward computes its gradient.", nullptr},
      {"_grad" + skip, get_grad<compat>, set_grad<compat>, "Gradient that backward has accumulated, or None.", nullptr},
      {"_grad_fn" + skip, get_grad_fn<compat>, nullptr, "Node of the graph that made this array, or None.", nullptr},
      {"_is_leaf" + skip, get_is_leaf<compat>, nullptr,
       "Whether the array is a leaf of the graph: no recorded operator made it.", nullptr},
      {"_retains_grad" + skip, get_retains_grad<compat>, nullptr, "Whether retain_grad was called.", nullptr},
      {"_output_nr" + skip, get_output_nr<compat>, nullptr, "Index of this array among the outputs of its grad_fn.",
       nullptr},
      {"_version", get_version<compat>, nullptr, "Number of in-place changes of the memory so far.", nullptr},
  };
  PyTypeObject* type = face_type<compat>();
  auto add = [type](const char* name, PyObject* descriptor) {
    int failed = descriptor ? PyDict_SetItemString(type->tp_dict, name, descriptor) : -1;
    Py_XDECREF(descriptor);
    return failed;
  };
  for (PyMethodDef& m : methods) {
    if (add(m.ml_name, PyDescr_NewMethod(type, &m)) < 0) return -1;
  }
  if (add(post_accumulate.ml_name, PyDescr_NewMethod(type, &post_accumulate)) < 0) return -1;
  for (PyGetSetDef& p : properties) {
    if (add(p.name, PyDescr_NewGetSet(type, &p)) < 0) return -1;
  }
  PyType_Modified(type);
  return 0;
}

PyObject* module_backward(PyObject*, PyObject* args) {
  PyObject *roots, *grads, *inputs;
  int retain, create, numpy_face;
  if (!PyArg_ParseTuple(args, "OO!ppOp", &roots, &PyTuple_Type, &grads, &retain, &create, &inputs, &numpy_face))
    return nullptr;
  return guarded<false>([&] {
    Tensors gradients;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(grads); ++i)
      gradients.push_back(gradient_from(PyTuple_GET_ITEM(grads, i), numpy_face));
    backward(tensors_from(roots, "tensors"), gradients, retain, create, tensors_from(inputs, "inputs"));
    return Py_NewRef(Py_None);
  });
}

PyObject* module_grad(PyObject*, PyObject* args) {
  PyObject *roots, *inputs, *grads;
  int retain, create, allow_unused, numpy_face;
  if (!PyArg_ParseTuple(args, "OO!O!pppp", &roots, &PyTuple_Type, &inputs, &PyTuple_Type, &grads, &retain, &create,
                        &allow_unused, &numpy_face)) {
    return nullptr;
  }
  return guarded<false>([&] {
    Tensors gradients;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(grads); ++i)
      gradients.push_back(gradient_from(PyTuple_GET_ITEM(grads, i), numpy_face));
    Tensors of = tensors_from(inputs, "inputs");
    Tensors results = grad(tensors_from(roots, "outputs"), of, gradients, retain, create, allow_unused);
    PyObject* result = PyTuple_New(static_cast<Py_ssize_t>(results.size()));
    if (!result) throw PythonError{};
    for (size_t i = 0; i < results.size(); ++i) {
      auto at = static_cast<Py_ssize_t>(i);
      PyTuple_SET_ITEM(result, at, wrap_face(results[i], is_ndarray(PyTuple_GET_ITEM(inputs, at))));
    }
    return result;
  });
}

PyObject* current_pass_id(PyObject*, PyObject*) { return PyLong_FromLongLong(current_pass().id); }
PyObject* current_pass_keeps(PyObject*, PyObject*) { return PyBool_FromLong(current_pass().retains_graph); }
PyObject* current_node(PyObject*, PyObject*) {
  return protect<false>([&]() -> PyObject* {
    Node* const node = current_pass().node;
    return node ? wrap_node(intrusive_ptr<Node>(node), false) : Py_NewRef(Py_None);
  });
}

PyObject* module_is_grad_enabled(PyObject*, PyObject*) { return PyBool_FromLong(grad_enabled()); }
PyObject* module_set_grad_enabled(PyObject*, PyObject* value) {
  int on = PyObject_IsTrue(value);
  if (on < 0) return nullptr;
  thread_state.grad_mode = on ? GradMode::On : GradMode::Off;
  if (TNP_UNLIKELY(observer() != nullptr)) compiler::set_grad_mode_of_interceptors(on != 0);
  Py_RETURN_NONE;
}

PyObject* module_is_inference(PyObject*, PyObject* array) {
  if (!is_variable(array)) return PyErr_SetString(PyExc_TypeError, "is_inference() takes a Tensor"), nullptr;
  return PyBool_FromLong(unwrap(array).storage().is_inference());
}
PyObject* module_set_inference(PyObject*, PyObject* value) {
  const int on = PyObject_IsTrue(value);
  if (on < 0) return nullptr;
  inference_mode = on != 0;
  Py_RETURN_NONE;
}

PyObject* module_nan_check(PyObject*, PyObject*) { return PyBool_FromLong(nan_check_enabled()); }
PyObject* module_set_nan_check(PyObject*, PyObject* value) {
  const int on = PyObject_IsTrue(value);
  if (on < 0) return nullptr;
  set_nan_check(on != 0);
  Py_RETURN_NONE;
}

PyObject* module_queue_callback(PyObject*, PyObject* function) {
  return guarded<false>([&] {
    check_hook(function);
    BackwardPass::queue([callback = share(function)] {
      GilGuard gil;
      Ref result(check(call_python([&] { return PyObject_CallNoArgs(callback.get()); })));
    });
    return Py_NewRef(Py_None);
  });
}

PyObject* module_backward_pass(PyObject*, PyObject*) { return PyLong_FromUnsignedLongLong(BackwardPass::number()); }

PyObject* module_increment_version(PyObject*, PyObject* array) {
  return guarded<false>([&] {
    unwrap(array).bump_version();
    return Py_NewRef(Py_None);
  });
}

PyMethodDef module_functions[] = {
    {"_is_inference", module_is_inference, METH_O, "_is_inference(Tensor)"},
    {"_set_inference", module_set_inference, METH_O, "_set_inference(whether new memory of this thread is marked)"},
    {"_nan_check_enabled", module_nan_check, METH_NOARGS, nullptr},
    {"_set_nan_check", module_set_nan_check, METH_O, nullptr},
    {"_queue_callback", module_queue_callback, METH_O, "_queue_callback(function of a backward pass)"},
    {"_backward_pass", module_backward_pass, METH_NOARGS, nullptr},
    {"_increment_version", module_increment_version, METH_O, "_increment_version(Tensor)"},
    {"_autograd_backward", module_backward, METH_VARARGS,
     "_autograd_backward(tensors, grads, retain_graph, create_graph, inputs, numpy_face)"},
    {"_autograd_grad", module_grad, METH_VARARGS,
     "_autograd_grad(outputs, inputs, grads, retain_graph, create_graph, allow_unused,\n"
     "numpy_face); `inputs` and `grads` are tuples."},
    {"_function_apply", function_apply, METH_VARARGS, "_function_apply(function class, context, inputs)"},
    {"_current_graph_task_id", current_pass_id, METH_NOARGS,
     "Number of the backward pass of this thread; -1 outside of one."},
    {"_current_autograd_node", current_node, METH_NOARGS,
     "The node that the backward pass of this thread runs, or None."},
    {"_get_current_graph_task_keep_graph", current_pass_keeps, METH_NOARGS,
     "Whether the backward pass keeps the graph."},
    {"_is_grad_enabled", module_is_grad_enabled, METH_NOARGS, nullptr},
    {"_set_grad_enabled", module_set_grad_enabled, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

int add_autograd_attributes() { return add_attributes<false>() < 0 || add_attributes<true>() < 0 ? -1 : 0; }

int init_autograd(PyObject* module) {
  if (add_grad_fn_type(module) < 0 || add_hook_handle_type(module) < 0 || add_function_context_type(module) < 0 ||
      add_saved_tensor_hooks(module) < 0 || add_autograd_attributes() < 0 || add_batched_gradients(module) < 0 ||
      add_autocast(module) < 0) {
    return -1;
  }
  return PyModule_AddFunctions(module, module_functions);
}

}  // namespace tnp::python
