#include "csrc/compiler/guards.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>
#include <string_view>

namespace tnp::python {

namespace {

bool is_same_bits(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

// Whether both are the same object, or equal numbers or strings. 0.0 and -0.0 differ.
bool is_same(PyObject* now, PyObject* then) {
  if (now == then) return true;
  if (!now || !then || Py_TYPE(now) != Py_TYPE(then)) return false;
  if (PyFloat_CheckExact(now)) return is_same_bits(PyFloat_AS_DOUBLE(now), PyFloat_AS_DOUBLE(then));
  if (PyComplex_CheckExact(now)) {
    const Py_complex a = PyComplex_AsCComplex(now), b = PyComplex_AsCComplex(then);
    return is_same_bits(a.real, b.real) && is_same_bits(a.imag, b.imag);
  }
  if (!PyLong_CheckExact(now) && !PyUnicode_CheckExact(now) && !PyBytes_CheckExact(now)) return false;
  return PyObject_RichCompareBool(now, then, Py_EQ) == 1;
}

PyObject* part(const Ref& tuple, Py_ssize_t i) { return PyTuple_GET_ITEM(tuple.get(), i); }

bool is_same_dict(PyObject* dict, const Ref& tuple) {
  if (2 * PyDict_GET_SIZE(dict) != PyTuple_GET_SIZE(tuple.get())) return false;
  PyObject *key, *value;
  Py_ssize_t i = 0;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value); i += 2)
    if (!is_same(key, part(tuple, i)) || !is_same(value, part(tuple, i + 1))) return false;
  return true;
}

// `notes`: the names of attributes that Python's library may add.
bool is_same_class(const PyTypeObject* type, PyObject* notes, const Ref& tuple) {
  if (type->tp_mro != part(tuple, 0)) return false;
  const bool is_named = type->tp_flags & Py_TPFLAGS_HEAPTYPE;
  if (is_named && !is_same(reinterpret_cast<const PyHeapTypeObject*>(type)->ht_name, part(tuple, 1))) return false;
  const Py_ssize_t n = PyTuple_GET_SIZE(tuple.get());
  PyObject *key, *value;
  Py_ssize_t i = 2;
  for (Py_ssize_t at = 0; PyDict_Next(type->tp_dict, &at, &key, &value);) {
    if (i < n && is_same(key, part(tuple, i))) {
      PyObject* const then = part(tuple, i + 1);
      if (then != Py_NotImplemented && !is_same(value, then)) return false;
      i += 2;
    } else if (!PyUnicode_CheckExact(key) || PySet_Contains(notes, key) != 1) {
      return false;
    }
  }
  return i == n;
}

bool has_same_items(PyObject* container, PyTypeObject* base, const Ref& tuple) {
  const auto* const methods = base->tp_as_sequence;
  if (methods && methods->sq_length && methods->sq_length(container) != PyTuple_GET_SIZE(tuple.get())) return false;
  if (PyTuple_GET_SIZE(tuple.get()) == 0 && methods && methods->sq_length) return true;
  const Ref iterator(base->tp_iter(container));
  if (!iterator) return false;
  const iternextfunc next = Py_TYPE(iterator.get())->tp_iternext;
  Py_ssize_t i = 0;
  const Py_ssize_t n = PyTuple_GET_SIZE(tuple.get());
  while (const Ref item{next(iterator.get())}) {
    if (i == n || !is_same(item.get(), part(tuple, i))) return false;
    ++i;
  }
  return i == n && !PyErr_Occurred();
}

bool is_same_slot(PyObject* holder, PyObject* descriptor, PyObject* then) {
  const descrgetfunc get = Py_TYPE(descriptor)->tp_descr_get;
  const Ref now(get(descriptor, holder, reinterpret_cast<PyObject*>(Py_TYPE(holder))));
  if (!now) PyErr_Clear();
  return now ? is_same(now.get(), then) : then == descriptor;
}

bool is_same_function(PyObject* function, const Ref& parts) {
  const auto is = [&](PyObject* now, Py_ssize_t i) { return (now ? now : Py_None) == part(parts, i); };
  const auto* const f = reinterpret_cast<const PyFunctionObject*>(function);
  return is(PyFunction_GET_CODE(function), 0) && is(PyFunction_GET_DEFAULTS(function), 1) &&
         is(PyFunction_GET_KW_DEFAULTS(function), 2) && is(f->func_name, 3) && is(f->func_qualname, 4) &&
         is(f->func_doc, 5);
}

constexpr Py_ssize_t kMostBufferBytes = 4096;

// False if the object has no buffer that a guard compares.
bool read_buffer(PyObject* o, std::string& state) {
  Py_buffer view;
  if (PyObject_GetBuffer(o, &view, PyBUF_FULL_RO) != 0) return PyErr_Clear(), false;
  const bool is_comparable = view.len <= kMostBufferBytes && PyBuffer_IsContiguous(&view, 'A');
  if (is_comparable) {
    const auto put = [&](const void* bytes, size_t n) { state.append(static_cast<const char*>(bytes), n); };
    const auto n = static_cast<size_t>(view.ndim) * sizeof(Py_ssize_t);
    put(&view.readonly, sizeof view.readonly);
    put(&view.ndim, sizeof view.ndim);
    if (view.shape) put(view.shape, n);
    if (view.strides) put(view.strides, n);
    if (view.format) state += view.format;
    state += '\0';
    put(view.buf, static_cast<size_t>(view.len));
  }
  PyBuffer_Release(&view);
  return is_comparable;
}

bool is_same_buffer(PyObject* o, PyObject* then) {
  std::string now;
  return read_buffer(o, now) &&
         now == std::string_view(PyBytes_AS_STRING(then), static_cast<size_t>(PyBytes_GET_SIZE(then)));
}

}  // namespace

bool Guard::holds() const {
  PyObject* const o = holder.get();
  switch (kind) {
    case Kind::Cell:
      return is_same(PyCell_GET(o), value.get());
    case Kind::Item:
      return is_same(PyDict_GetItemWithError(o, key.get()), value.get());
    case Kind::Absent:
      return PyDict_GetItemWithError(o, key.get()) == nullptr;
    case Kind::List: {
      const Py_ssize_t n = PyList_GET_SIZE(o);
      if (n != PyTuple_GET_SIZE(value.get())) return false;
      for (Py_ssize_t i = 0; i < n; ++i)
        if (!is_same(PyList_GET_ITEM(o, i), part(value, i))) return false;
      return true;
    }
    case Kind::Items:
      return has_same_items(o, reinterpret_cast<PyTypeObject*>(key.get()), value);
    case Kind::Dict:
      return is_same_dict(o, value);
    case Kind::Attributes: {
      const Ref own(PyObject_GenericGetDict(o, nullptr));
      return own && PyDict_Check(own.get()) && is_same_dict(own.get(), value);
    }
    case Kind::Slot:
      return is_same_slot(o, key.get(), value.get());
    case Kind::Type:
      return reinterpret_cast<PyObject*>(Py_TYPE(o)) == value.get();
    case Kind::Function:
      return is_same_function(o, value);
    case Kind::Class:
      return is_same_class(reinterpret_cast<PyTypeObject*>(o), key.get(), value);
    case Kind::Method:
      return _PyType_Lookup(reinterpret_cast<PyTypeObject*>(o), key.get()) == value.get();
    case Kind::Buffer:
      return is_same_buffer(o, value.get());
  }
  return false;
}

Guards::Guards(PyObject* found) {
  check(PyList_CheckExact(found));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(found); ++i) {
    PyObject* entry = PyList_GET_ITEM(found, i);
    int kind;
    PyObject *holder, *key, *value, *where;
    check(PyArg_ParseTuple(entry, "iOOOO", &kind, &holder, &key, &value, &where) != 0);
    guards_.push_back(
        {static_cast<Guard::Kind>(kind), Ref(Py_NewRef(holder)), Ref(Py_NewRef(key)), Ref(Py_NewRef(value))});
    where_.emplace_back(Py_NewRef(where));
  }
}

bool Guards::hold() const {
  for (const Guard& g : guards_)
    if (!g.holds()) return PyErr_Clear(), false;
  return true;
}

bool Guards::has_holder(PyObject* o) const {
  return std::any_of(guards_.begin(), guards_.end(), [o](const Guard& g) { return g.holder.get() == o; });
}

Ref Guards::described() const {
  Ref all(check(PyList_New(0)));
  for (size_t i = 0; i < guards_.size(); ++i) {
    const Guard& g = guards_[i];
    const Ref one(check(Py_BuildValue("iOOO", static_cast<int>(g.kind), g.key.get(), g.value.get(), where_[i].get())));
    check(PyList_Append(all.get(), one.get()) == 0);
  }
  return all;
}

int Guards::visit(visitproc visit, void* arg) const {
  for (const Guard& g : guards_) {
    Py_VISIT(g.holder.get());
    Py_VISIT(g.key.get());
    Py_VISIT(g.value.get());
  }
  return 0;
}

PyObject* guard_kinds(PyObject*, PyObject*) {
  const Ref all(PyList_New(0));
  if (!all) return nullptr;
#define TNP_KIND(kind, guarded, compared, part)                            \
  {                                                                        \
    const Ref row(Py_BuildValue("ssss", #kind, guarded, compared, #part)); \
    if (!row || PyList_Append(all.get(), row.get()) != 0) return nullptr;  \
  }
  TNP_GUARDS_OF_STATE(TNP_KIND)
  TNP_GUARDS_OF_CALLS(TNP_KIND)
#undef TNP_KIND
  return Py_NewRef(all.get());
}

PyObject* buffer_state(PyObject*, PyObject* o) {
  std::string state;
  if (!read_buffer(o, state)) Py_RETURN_NONE;
  return PyBytes_FromStringAndSize(state.data(), static_cast<Py_ssize_t>(state.size()));
}

}  // namespace tnp::python
