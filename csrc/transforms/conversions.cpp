// Tensors that become wrapped ones, and back: the same objects, with other memory.
#include <utility>

#include "aten/autograd/variable.h"
#include "aten/core/wrapped.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"
#include "csrc/transforms/transforms.h"

namespace tnp::python {

namespace {

const Tensor& tensor_of(PyObject* o) {
  TNP_CHECK(is_variable(o), ErrorKind::Type, "expected a Tensor, but got ", Py_TYPE(o)->tp_name);
  return unwrap(o);
}

void take_memory(TensorImpl& to, const Tensor& from) {
  to.data = from.address();
  to.storage = from.impl()->storage;
  to.sizes = from.impl()->sizes;
  to.strides = from.impl()->strides;
  to.set_access(from.impl()->access());
  to.refresh();
}

PyObject* without_history(PyObject*, PyObject* o) {
  return protect<false>([&] { return wrap<false>(detach(tensor_of(o))); });
}

PyObject* tells_wrapped(PyObject*, PyObject* o) { return PyBool_FromLong(is_wrapped_object(o)); }

PyObject* shares_storage(PyObject*, PyObject* args) {
  PyObject *a = nullptr, *b = nullptr;
  if (!PyArg_ParseTuple(args, "OO:_shares_storage", &a, &b)) return nullptr;
  return protect<false>([&] { return PyBool_FromLong(&tensor_of(a).storage() == &tensor_of(b).storage()); });
}

PyObject* storage_users(PyObject*, PyObject* o) {
  return protect<false>([&] { return PyLong_FromUnsignedLong(tensor_of(o).storage().use_count()); });
}

// Removes the tensors of a list that nothing else refers to.
PyObject* drop_unused(PyObject*, PyObject* list) {
  if (!PyList_CheckExact(list)) return PyErr_SetString(PyExc_TypeError, "expected a list"), nullptr;
  Py_ssize_t kept = 0;
  const Py_ssize_t n = PyList_GET_SIZE(list);
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* const o = PyList_GET_ITEM(list, i);
    if (Py_REFCNT(o) == 1 && is_variable(o) && unwrap(o).impl()->use_count() == 1) continue;
    PyList_SET_ITEM(list, i, PyList_GET_ITEM(list, kept));
    PyList_SET_ITEM(list, kept++, o);
  }
  return PyList_SetSlice(list, kept, n, nullptr) == 0 ? PyLong_FromSsize_t(kept) : nullptr;
}

// The parts of the caller's next step: the tensor that `t` has been, with its memory and history.
PyObject* split_off(PyObject*, PyObject* args) {
  PyObject *object = nullptr, *base = Py_None;
  if (!PyArg_ParseTuple(args, "O|O:_split_off", &object, &base)) return nullptr;
  return protect<false>([&] {
    const Tensor& t = tensor_of(object);
    TensorImpl& from = *t.impl();
    TNP_CHECK(!t.is_leaf() || !t.requires_grad(), ErrorKind::NotImplemented,
              "an operator of a transformation changes a leaf that requires a gradient");
    TNP_CHECK(!t.is_unaligned(), ErrorKind::NotImplemented, "an operator of a transformation changes unaligned memory");
    Tensor made = detach(t);
    TensorImpl& to = *made.impl();
    to.origin = from.origin;
    to.base = base == Py_None ? nullptr : tensor_of(base).impl_ptr();
    to.autograd = std::move(from.autograd);
    return wrap<false>(made);
  });
}

PyObject* become_wrapped(PyObject*, PyObject* args) {
  PyObject *object = nullptr, *parts = nullptr, *base = Py_None;
  unsigned long long level = 0;
  long long number = 0;
  if (!PyArg_ParseTuple(args, "OKOL|O:_become_wrapped", &object, &level, &parts, &number, &base)) return nullptr;
  return protect<false>([&] {
    const Tensor& t = tensor_of(object);
    const Tensor of = base == Py_None ? Tensor() : tensor_of(base);
    const Tensor made = make_wrapped({level, tensors_of(parts), number}, t.dtype(), t.sizes(), t.strides(), of);
    take_memory(*t.impl(), made);
    return Py_NewRef(object);
  });
}

PyObject* become_plain(PyObject*, PyObject* args) {
  PyObject *object = nullptr, *as = nullptr;
  if (!PyArg_ParseTuple(args, "OO:_become_plain", &object, &as)) return nullptr;
  return protect<false>([&] {
    const Tensor &t = tensor_of(object), &from = tensor_of(as);
    take_memory(*t.impl(), from);
    const intrusive_ptr<Node> history = from.requires_grad() ? grad_fn_of(from) : nullptr;
    t.impl()->autograd = nullptr;
    if (history) {
      AutogradMeta& meta = make_autograd_meta(t);
      meta.grad_fn = history;
      meta.output_nr = autograd_meta(from)->output_nr;
    }
    return Py_NewRef(object);
  });
}

PyMethodDef functions[] = {
    {"_without_history", without_history, METH_O,
     "As detach(), of wrapped tensors too: the parts keep their history and derivatives."},
    {"_is_wrapped", tells_wrapped, METH_O, "Whether an object is a tensor of a transformation."},
    {"_shares_storage", shares_storage, METH_VARARGS, "Whether two tensors are views of one storage."},
    {"_storage_users", storage_users, METH_O, "The number of tensors that share the storage."},
    {"_drop_unused", drop_unused, METH_O,
     "Removes the tensors of a list that nothing else refers to; returns how many are left."},
    {"_split_off", split_off, METH_VARARGS,
     "_split_off(t, base=None): a tensor with the memory and the history of `t`, a view of `base` if\n"
     "that is given. `t` loses its history."},
    {"_become_wrapped", become_wrapped, METH_VARARGS,
     "_become_wrapped(t, level, parts, number, base=None): makes `t` a wrapped tensor."},
    {"_become_plain", become_plain, METH_VARARGS,
     "_become_plain(t, plain): gives `t` the memory and history of `plain`."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_conversions(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
