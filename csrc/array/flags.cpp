// ndarray.flags: NumPy's flags object over a tensor.
#include <cstring>
#include <string>

#include "csrc/array/parts.h"
#include "csrc/objects/hidden_state.h"

namespace tnp::python {

namespace {

PyTypeObject* flags_type = nullptr;

struct Flags {
  PyObject_HEAD PyObject* array;
};
const Tensor& tensor_of(PyObject* self) { return unwrap(reinterpret_cast<Flags*>(self)->array); }

enum Flag { C, F, OwnData, Writeable, Aligned, WriteBack, FNC, FORC, Behaved, CArray, FArray, kNumFlags };
struct Name {
  const char *attribute, *item, *short_item;
};
constexpr Name kNames[kNumFlags] = {{"c_contiguous", "C_CONTIGUOUS", "C"},
                                    {"f_contiguous", "F_CONTIGUOUS", "F"},
                                    {"owndata", "OWNDATA", "O"},
                                    {"writeable", "WRITEABLE", "W"},
                                    {"aligned", "ALIGNED", "A"},
                                    {"writebackifcopy", "WRITEBACKIFCOPY", "X"},
                                    {"fnc", "FNC", "FNC"},
                                    {"forc", "FORC", "FORC"},
                                    {"behaved", "BEHAVED", "B"},
                                    {"carray", "CARRAY", "CA"},
                                    {"farray", "FARRAY", "FA"}};

// NumPy's ALIGNED. For complex dtypes NumPy's rule is weaker than the engine's: NumPy allows a
// stride that is an odd multiple of the size of the real part.
bool is_numpys_aligned(const Tensor& t) {
  const int64_t alignment = element_alignment(t.dtype());
  bool aligned = is_aligned(t.address(), t.dtype());
  for (int64_t d = 0; d < t.dim(); ++d) aligned = aligned && (t.size(d) == 1 || t.byte_stride(d) % alignment == 0);
  return aligned || t.numel() == 0;
}

bool value_of(const Tensor& t, int flag) {
  bool c = t.is_row_major(), f = t.is_column_major(), w = t.impl()->writeable;
  switch (flag) {
    case C:
      return c;
    case F:
      return f;
    case OwnData:
      note_hidden_read(t, "the flag OWNDATA");
      return !t.is_view() && t.storage().owns_memory();
    case Writeable:
      return w;
    case Aligned:
      return is_numpys_aligned(t);
    case WriteBack:
      return false;
    case FNC:
      return f && !c;
    case FORC:
      return f || c;
    case Behaved:
      return w && value_of(t, Aligned);
    case CArray:
      return c && value_of(t, Behaved);
    case FArray:
      return f && !c && value_of(t, Behaved);
    default:
      return false;
  }
}

PyObject* get(PyObject* self, void* flag) {
  return PyBool_FromLong(value_of(tensor_of(self), static_cast<int>(reinterpret_cast<intptr_t>(flag))));
}

int set_writeable(PyObject* self, PyObject* value) {
  int on = value ? PyObject_IsTrue(value) : -1;
  if (on < 0) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_AttributeError, "Cannot delete flags attribute");
    return -1;
  }
  const Tensor& t = tensor_of(self);
  // WRITEABLE can be set again only if the base or the owned memory is writeable.
  bool base_allows = t.impl()->base ? t.impl()->base->writeable : t.storage().owns_memory() || t.impl()->writeable;
  if (on && !base_allows) {
    PyErr_SetString(PyExc_ValueError, "cannot set WRITEABLE flag to True of this array");
    return -1;
  }
  t.impl()->writeable = on != 0;
  return 0;
}
int set(PyObject* self, PyObject* value, void*) { return set_writeable(self, value); }

PyObject* num(PyObject* self, void*) {
  const Tensor& t = tensor_of(self);
  return PyLong_FromLong(value_of(t, C) * 1 | value_of(t, F) * 2 | value_of(t, OwnData) * 4 |
                         value_of(t, Aligned) * 0x100 | value_of(t, Writeable) * 0x400);
}

int find(PyObject* key) {
  const char* name = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : nullptr;
  if (name && std::strcmp(name, "CONTIGUOUS") == 0) return C;
  if (name && std::strcmp(name, "FORTRAN") == 0) return F;
  for (int i = 0; name && i < kNumFlags; ++i) {
    if (std::strcmp(name, kNames[i].item) == 0 || std::strcmp(name, kNames[i].short_item) == 0) return i;
  }
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_KeyError, "Unknown flag");
  return -1;
}
PyObject* subscript(PyObject* self, PyObject* key) {
  int i = find(key);
  return i < 0 ? nullptr : PyBool_FromLong(value_of(tensor_of(self), i));
}
int assign(PyObject* self, PyObject* key, PyObject* value) {
  int i = find(key);
  if (i == Writeable) return set_writeable(self, value);
  if (i >= 0) PyErr_SetString(PyExc_KeyError, "Unknown flag");
  return -1;
}

PyObject* repr(PyObject* self) {
  std::string text;
  for (int i = C; i <= WriteBack; ++i)
    text.append("  ").append(kNames[i].item).append(" : ").append(value_of(tensor_of(self), i) ? "True\n" : "False\n");
  return PyUnicode_FromString(text.c_str());
}

PyObject* compare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || Py_TYPE(b) != flags_type) Py_RETURN_NOTIMPLEMENTED;
  Ref x(num(a, nullptr)), y(num(b, nullptr));
  return x && y ? PyObject_RichCompare(x.get(), y.get(), op) : nullptr;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(reinterpret_cast<Flags*>(self)->array);
  type->tp_free(self);
  Py_DECREF(type);
}

PyGetSetDef properties[kNumFlags + 5];

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_mp_subscript, reinterpret_cast<void*>(subscript)},
    {Py_mp_ass_subscript, reinterpret_cast<void*>(assign)},
    {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
    {Py_tp_getset, properties},
    {Py_tp_doc, const_cast<char*>("Flags of an array's memory layout, such as C_CONTIGUOUS and WRITEABLE.")},
    {0, nullptr}};
PyType_Spec spec = {"torch_np.numpy.flagsobj", sizeof(Flags), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

bool init_flags_type(PyObject* module) {
  for (int i = 0; i < kNumFlags; ++i) {
    properties[i] = {kNames[i].attribute, get, i == Writeable ? set : nullptr, nullptr,
                     reinterpret_cast<void*>(static_cast<intptr_t>(i))};
  }
  properties[kNumFlags] = {"contiguous", get, nullptr, nullptr, reinterpret_cast<void*>(static_cast<intptr_t>(C))};
  properties[kNumFlags + 1] = {"fortran", get, nullptr, nullptr, reinterpret_cast<void*>(static_cast<intptr_t>(F))};
  properties[kNumFlags + 2] = {"num", num, nullptr, nullptr, nullptr};
  // Private attribute that NumPy's own Python code reads when it creates views.
  properties[kNumFlags + 3] = {"_writeable_no_warn", get, nullptr, nullptr,
                               reinterpret_cast<void*>(static_cast<intptr_t>(Writeable))};
  flags_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return flags_type && PyModule_AddObjectRef(module, "flagsobj", reinterpret_cast<PyObject*>(flags_type)) == 0;
}

PyObject* make_flags(PyObject* array) {
  PyObject* out = flags_type->tp_alloc(flags_type, 0);
  if (out) reinterpret_cast<Flags*>(out)->array = Py_NewRef(array);
  return out;
}

}  // namespace tnp::python
