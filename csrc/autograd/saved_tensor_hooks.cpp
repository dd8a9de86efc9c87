// Hooks of saved tensors in Python: pairs of functions that pack and unpack the tensors that nodes
// save.
#include "aten/autograd/saved_tensor_hooks.h"
#include "csrc/autograd/autograd.h"

#include <utility>

namespace tnp::python {

namespace {

struct PackedObject final : PackedTensor {
  PackedObject(SharedObject of, SharedObject by) : value(std::move(of)), function(std::move(by)) {}

  Tensor unpack() const override {
    GilGuard gil;
    Ref result(check(call_python([&] { return PyObject_CallOneArg(function.get(), value.get()); })));
    if (!is_variable(result.get())) {
      PyErr_Format(PyExc_TypeError,
                   "Output of saved tensor unpack_hook expected to be a Tensor but got result of type %s",
                   Py_TYPE(result.get())->tp_name);
      throw PythonError{};
    }
    return unwrap(result.get());
  }

  SharedObject value, function;
};

struct PythonHooks final : SavedTensorHooks {
  PythonHooks(PyObject* pack, PyObject* unpack) : pack_(share(pack)), unpack_(share(unpack)) {}

  std::unique_ptr<PackedTensor> pack(const Tensor& t) const override {
    GilGuard gil;
    Ref argument(check(wrap<false>(t)));
    Ref value(check(call_python([&] { return PyObject_CallOneArg(pack_.get(), argument.get()); })));
    if (value.get() == Py_NotImplemented) return nullptr;  // a hook of ours that only looks: utils/checkpoint
    return std::make_unique<PackedObject>(share(value.get()), unpack_);
  }

 private:
  SharedObject pack_, unpack_;
};

PyObject* push_hooks(PyObject*, PyObject* args) {
  PyObject *pack, *unpack;
  if (!PyArg_ParseTuple(args, "OO:_push_saved_tensor_hooks", &pack, &unpack)) return nullptr;
  return guarded<false>([&] {
    push_saved_tensor_hooks(saved_tensor_hooks_of(pack, unpack));
    return Py_NewRef(Py_None);
  });
}

PyObject* pop_hooks(PyObject*, PyObject*) {
  return guarded<false>([&] {
    pop_saved_tensor_hooks();
    return Py_NewRef(Py_None);
  });
}

PyMethodDef functions[] = {
    {"_push_saved_tensor_hooks", push_hooks, METH_VARARGS, "_push_saved_tensor_hooks(pack, unpack)"},
    {"_pop_saved_tensor_hooks", pop_hooks, METH_NOARGS, "_pop_saved_tensor_hooks()"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

std::shared_ptr<const SavedTensorHooks> saved_tensor_hooks_of(PyObject* pack, PyObject* unpack) {
  check_hook(pack);
  check_hook(unpack);
  return std::make_shared<PythonHooks>(pack, unpack);
}

int add_saved_tensor_hooks(PyObject* module) { return PyModule_AddFunctions(module, functions); }

}  // namespace tnp::python
