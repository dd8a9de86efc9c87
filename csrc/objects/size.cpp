#include "csrc/objects/size.h"

#include "csrc/objects/python_error.h"

namespace tnp::python {

namespace {

PyTypeObject* size_type = nullptr;

PyObject* size_repr(PyObject* self) {
  std::string text = torch_face() + ".Size([";
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    int overflow = 0;
    PyObject* item = PyTuple_GET_ITEM(self, i);
    const long long n = PyLong_CheckExact(item) ? PyLong_AsLongLongAndOverflow(item, &overflow) : (overflow = 1);
    if (overflow) {
      Ref list(PySequence_List(self));
      return list ? PyUnicode_FromFormat("%s.Size(%R)", torch_face().c_str(), list.get()) : nullptr;
    }
    text += (i ? ", " : "") + std::to_string(n);
  }
  text += "])";
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

PyObject* size_numel(PyObject* self, PyObject*) {
  Ref product(PyLong_FromLong(1));
  for (Py_ssize_t i = 0; product && i < PyTuple_GET_SIZE(self); ++i)
    product = Ref(PyNumber_Multiply(product.get(), PyTuple_GET_ITEM(self, i)));
  return product.release();
}

PyObject* as_size(PyObject* tuple) {
  Ref owned(tuple);
  if (!tuple || !PyTuple_CheckExact(tuple)) return owned.release();
  return PyObject_CallOneArg(reinterpret_cast<PyObject*>(size_type), tuple);
}

PyObject* size_subscript(PyObject* self, PyObject* key) {
  return as_size(PyTuple_Type.tp_as_mapping->mp_subscript(self, key));
}
PyObject* size_concat(PyObject* a, PyObject* b) { return as_size(PyTuple_Type.tp_as_sequence->sq_concat(a, b)); }
PyObject* size_repeat(PyObject* a, Py_ssize_t n) { return as_size(PyTuple_Type.tp_as_sequence->sq_repeat(a, n)); }

PyMethodDef size_methods[] = {
    {"numel", size_numel, METH_NOARGS, "numel($self, /)\n--\n\nProduct of the sizes: the number of elements."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot size_slots[] = {{Py_tp_repr, reinterpret_cast<void*>(size_repr)},
                            {Py_tp_methods, size_methods},
                            {Py_mp_subscript, reinterpret_cast<void*>(size_subscript)},
                            {Py_sq_concat, reinterpret_cast<void*>(size_concat)},
                            {Py_sq_repeat, reinterpret_cast<void*>(size_repeat)},
                            {Py_tp_doc, const_cast<char*>("Shape of a Tensor: a tuple of ints.")},
                            {0, nullptr}};
PyType_Spec size_spec = {"torch_np.Size", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, size_slots};

}  // namespace

bool init_size_type(PyObject* module) {
  Ref bases(PyTuple_Pack(1, &PyTuple_Type));
  size_type = reinterpret_cast<PyTypeObject*>(bases ? PyType_FromSpecWithBases(&size_spec, bases.get()) : nullptr);
  return size_type && PyModule_AddObjectRef(module, "Size", reinterpret_cast<PyObject*>(size_type)) == 0;
}

std::string torch_face() {
  Ref module(size_type ? PyObject_GetAttrString(reinterpret_cast<PyObject*>(size_type), "__module__") : nullptr);
  const char* name = module ? PyUnicode_AsUTF8(module.get()) : nullptr;
  if (name) return name;
  PyErr_Clear();
  return "torch_np";
}

bool is_size(PyObject* obj) { return PyObject_TypeCheck(obj, size_type); }

PyObject* make_size(IntList sizes) {
  PyObject* out = size_type->tp_alloc(size_type, static_cast<Py_ssize_t>(sizes.size()));
  if (!out) return nullptr;
  for (size_t i = 0; i < sizes.size(); ++i) {
    PyObject* item = PyLong_FromLongLong(sizes[i]);
    if (!item) {
      Py_DECREF(out);
      return nullptr;
    }
    PyTuple_SET_ITEM(out, static_cast<Py_ssize_t>(i), item);
  }
  return out;
}

}  // namespace tnp::python
