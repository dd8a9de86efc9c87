// Tensor hooks in Python, and the handles that remove them.
#include "csrc/autograd/autograd.h"

#include <utility>

namespace tnp::python {

SharedObject share(PyObject* object) {
  Py_INCREF(object);
  return SharedObject(object, [](PyObject* o) {
    if (!Py_IsInitialized()) return;  // the interpreter has been finalised, and with it all objects
    GilGuard gil;
    Py_DECREF(o);
  });
}

PyObject* wrap_face(const Tensor& t, bool numpy_face) {
  PyObject* o = numpy_face ? wrap<true>(t) : wrap<false>(t);
  if (!o) throw PythonError{};
  return o;
}

namespace {

struct PythonHook {
  SharedObject function;
  bool numpy_face, after_accumulation;

  Tensor operator()(const Tensor& grad) const {
    GilGuard gil;
    PyObject* argument = wrap_face(grad, numpy_face);
    PyObject* result = call_python([&] { return PyObject_CallOneArg(function.get(), argument); });
    const bool is_argument = result == argument;
    Py_DECREF(argument);
    if (!result) throw PythonError{};
    Tensor replacement;
    if (after_accumulation) {  // the leaf itself is what its methods in place return
      const bool is_none = result == Py_None;
      Py_DECREF(result);
      if (!is_none && !is_argument)
        raise_python(PyExc_RuntimeError, "Tensor post accumulate grad hooks should return None.");
      return replacement;
    }
    if (result != Py_None) {
      if (PyObject* array = array_of_value(result)) Py_SETREF(result, array);
      if (!is_variable(result)) {
        PyErr_Format(PyExc_TypeError, "a hook must return an array or None, got %s", Py_TYPE(result)->tp_name);
        Py_DECREF(result);
        throw PythonError{};
      }
      replacement = unwrap(result);
    }
    Py_DECREF(result);
    return replacement;
  }
};

// Returns the hooks of a tensor if they would be freed together with the tensor. Null if the tensor
// has another owner, or if its hooks are shared with a graph or with a handle. (The tensor's own
// grad_fn may share them.)
TensorHooks* own_hooks(const Tensor& t) {
  if (!t.defined() || t.impl()->use_count() != 1) return nullptr;
  AutogradMeta* meta = autograd_meta(t);
  if (!meta || !meta->hooks) return nullptr;
  const long holders = meta->grad_fn && meta->grad_fn->use_count() == 1 ? 2 : 1;
  return meta->hooks.use_count() == holders ? meta->hooks.get() : nullptr;
}

// Returns the grad_fn of `t` if `t` has one owner and no other tensor or node refers to the
// grad_fn. Otherwise returns null.
Node* own_node(const Tensor& t) {
  if (!t.defined() || t.impl()->use_count() != 1) return nullptr;
  AutogradMeta* meta = autograd_meta(t);
  return meta && meta->grad_fn && meta->grad_fn->use_count() == 1 ? meta->grad_fn.get() : nullptr;
}

struct HookHandle {
  PyObject_HEAD std::function<void()> remove;  // empty after the first call of remove()
};

void handle_dealloc(PyObject* self) {
  reinterpret_cast<HookHandle*>(self)->remove.~function();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* handle_remove(PyObject* self, PyObject*) {
  // Objects that the hook's function owns may run Python code on deletion: the handle is empty by
  // then.
  if (auto remove = std::exchange(reinterpret_cast<HookHandle*>(self)->remove, nullptr)) remove();
  Py_RETURN_NONE;
}

PyObject* handle_enter(PyObject* self, PyObject*) { return Py_NewRef(self); }
PyObject* handle_exit(PyObject* self, PyObject*) { return handle_remove(self, nullptr); }

PyMethodDef handle_methods[] = {
    {"remove", handle_remove, METH_NOARGS, "remove()\n--\n\nUnregisters the hook. A second call does nothing."},
    {"__enter__", handle_enter, METH_NOARGS, nullptr},
    {"__exit__", handle_exit, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot handle_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(handle_dealloc)},
    {Py_tp_methods, handle_methods},
    {Py_tp_doc,
     const_cast<char*>("Handle of a registered hook. As a context manager it unregisters the hook at the end.")},
    {0, nullptr}};
PyType_Spec handle_spec = {"torch_np._C.RemovableHandle", sizeof(HookHandle), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, handle_slots};
PyTypeObject* handle_type = nullptr;

}  // namespace

int add_hook_handle_type(PyObject* module) {
  handle_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&handle_spec));
  if (!handle_type) return -1;
  return PyModule_AddObjectRef(module, "RemovableHandle", reinterpret_cast<PyObject*>(handle_type));
}

int visit_tensor_hooks(const TensorHooks& hooks, visitproc visit, void* arg) {
  for (const auto* list : {&hooks.hooks, &hooks.after_accumulation}) {
    for (const auto& [id, hook] : *list) {
      const auto* python = hook.target<PythonHook>();
      if (python && python->function.use_count() == 1) Py_VISIT(python->function.get());
    }
  }
  return 0;
}

int visit_graph(const Tensor& t, visitproc visit, void* arg) {
  if (TensorHooks* own = own_hooks(t)) {
    if (int stop = visit_tensor_hooks(*own, visit, arg)) return stop;
  }
  if (Node* node = own_node(t)) {
    if (int stop = visit_node_hooks(*node, visit, arg)) return stop;
    if (auto* python = dynamic_cast<PythonNode*>(node)) return python->visit(visit, arg);
  }
  return 0;
}

void clear_graph(const Tensor& t) {
  if (TensorHooks* own = own_hooks(t)) {
    auto gone = std::exchange(own->hooks, {}), gone_too = std::exchange(own->after_accumulation, {});
  }
  if (own_node(t)) auto gone = std::exchange(autograd_meta(t)->grad_fn, nullptr);
}

void check_hook(PyObject* callable) {
  if (PyCallable_Check(callable)) return;
  PyErr_Format(PyExc_TypeError, "a hook must be callable, got %s", Py_TYPE(callable)->tp_name);
  throw PythonError{};
}

PyObject* hook_handle(std::function<void()> remove) {
  auto* handle = reinterpret_cast<HookHandle*>(handle_type->tp_alloc(handle_type, 0));
  if (!handle) throw PythonError{};
  new (&handle->remove) std::function<void()>(std::move(remove));
  return reinterpret_cast<PyObject*>(handle);
}

PyObject* register_hook(const Tensor& t, PyObject* callable, bool numpy_face, bool after_accumulation) {
  check_hook(callable);
  const PythonHook hook{share(callable), numpy_face, after_accumulation};
  const size_t id = after_accumulation ? add_hook_after_accumulation(t, hook) : add_hook(t, hook);
  return hook_handle([hooks = autograd_meta(t)->hooks, id] { remove_hook(hooks, id); });
}

}  // namespace tnp::python
