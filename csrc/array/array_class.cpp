// The metaclass of ndarray. It makes NumPy arrays instances of ndarray, because calls return NumPy
// arrays if the engine has no dtype for the result (Note [Fallback]). It derives from ABCMeta, so
// that a class can inherit from ndarray and an abstract class.
#include "csrc/array/parts.h"
#include "csrc/convert/convert.h"

namespace tnp::python {

namespace {

bool is_ndarrays_own(PyObject* cls) { return cls == reinterpret_cast<PyObject*>(ndarray_type); }

// What ABCMeta's methods call; found when the metaclass is made.
PyObject *abc_instance_check = nullptr, *abc_subclass_check = nullptr;

PyObject* ask_abc(PyObject* check, PyObject* cls, PyObject* of) {
  PyObject* const arguments[] = {cls, of};
  return PyObject_Vectorcall(check, arguments, 2, nullptr);
}

PyObject* instance_check(PyObject* cls, PyObject* o) {
  if (PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(cls))) Py_RETURN_TRUE;
  if (is_ndarrays_own(cls) && is_numpy_array(o)) Py_RETURN_TRUE;
  return ask_abc(abc_instance_check, cls, o);
}

PyObject* subclass_check(PyObject* cls, PyObject* of) {
  if (PyType_Check(of)) {
    auto* type = reinterpret_cast<PyTypeObject*>(of);
    if (PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(cls))) Py_RETURN_TRUE;
    if (is_ndarrays_own(cls) && PyType_IsSubtype(type, numpy_api().ndarray_type)) Py_RETURN_TRUE;
  }
  return ask_abc(abc_subclass_check, cls, of);
}

PyMethodDef methods[] = {{"__instancecheck__", instance_check, METH_O,
                          "Implements isinstance(x, cls). NumPy's arrays are instances of\n"
                          "ndarray."},
                         {"__subclasscheck__", subclass_check, METH_O,
                          "Implements issubclass(x, cls). NumPy's array classes are subclasses of\n"
                          "ndarray."},
                         {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {
    {Py_tp_methods, methods},
    {Py_tp_doc, const_cast<char*>("Metaclass of ndarray. It makes NumPy's arrays instances of ndarray.")},
    {0, nullptr}};
PyType_Spec spec = {"torch_np._C.ArrayMeta", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

bool init_array_class() {
  Ref abc(PyImport_ImportModule("abc"));
  Ref abc_meta(abc ? PyObject_GetAttrString(abc.get(), "ABCMeta") : nullptr);
  Ref bases(abc_meta ? PyTuple_Pack(1, abc_meta.get()) : nullptr);
  Ref made(bases ? PyType_FromSpecWithBases(&spec, bases.get()) : nullptr);
  if (!made) return false;
  // Before Python 3.12, PyType_FromSpec ignores a custom metaclass, so it is set here. Both have
  // the memory layout of `type`.
  Py_SET_TYPE(reinterpret_cast<PyObject*>(ndarray_type), reinterpret_cast<PyTypeObject*>(made.release()));
  Ref own(PyImport_ImportModule("_abc"));  // ABCMeta.__new__ calls it for a new class
  abc_instance_check = own ? PyObject_GetAttrString(own.get(), "_abc_instancecheck") : nullptr;
  abc_subclass_check = abc_instance_check ? PyObject_GetAttrString(own.get(), "_abc_subclasscheck") : nullptr;
  return abc_subclass_check && Ref(PyObject_CallMethod(own.get(), "_abc_init", "O", ndarray_type));
}

}  // namespace tnp::python
