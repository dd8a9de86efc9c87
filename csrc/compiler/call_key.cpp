#include "csrc/compiler/call_key.h"

#include "aten/autograd/variable.h"
#include "aten/core/autocast.h"
#include "aten/core/devices/device.h"
#include "aten/core/numbers/matmul_precision.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/threads/thread_state.h"
#include "csrc/convert/convert.h"
#include "csrc/convert/held.h"
#include "csrc/objects/dialects.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

constexpr int kDeepest = 8;

enum class ValueKind : char {
  Array = 'a',
  Int = 'i',
  LargeInt = 'l',
  Float = 'f',
  Complex = 'c',
  Text = 't',
  Bytes = 'b',
  Tuple = '(',
  List = '[',
  Dict = '{',
  Slice = ':',
  Number = 'n',
  Object = 'o',
  OrderedDict = 'O',
  Instance = 'm',
  Absent = '0',
};

bool has_attributes(PyObject* o) {
  if (Py_TYPE(o)->tp_dictoffset == 0) return false;
  const Ref own(PyObject_GenericGetDict(o, nullptr));
  if (!own) return PyErr_Clear(), false;
  return PyDict_GET_SIZE(own.get()) > 0;
}

// Whether it may be an instance of a class written in Python.
bool may_have_members(PyObject* o) {
  const PyTypeObject* type = Py_TYPE(o);
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) && !is_variable(o) && !PyTuple_Check(o) && !PyType_Check(o);
}

// The attribute in an instance's own __dict__, or in a slot if `name` is a slot's descriptor; null
// if it has none.
Ref own_attribute(PyObject* o, PyObject* own, PyObject* name) {
  if (PyUnicode_CheckExact(name)) {
    PyObject* const found = own ? PyDict_GetItemWithError(own, name) : nullptr;
    return Ref(Py_XNewRef(found));
  }
  Ref found(Py_TYPE(name)->tp_descr_get(name, o, reinterpret_cast<PyObject*>(Py_TYPE(o))));
  if (!found) PyErr_Clear();
  return found;
}

}  // namespace

PyObject* own_attributes(const Tensor& t) {
  auto* const object = static_cast<THPVariable*>(t.impl()->python_objects[false]);
  return object && object->dict && PyDict_GET_SIZE(object->dict) > 0 ? object->dict : nullptr;
}

bool has_retain_grad(const Tensor& t) {
  const AutogradMeta* meta = autograd_meta(t);
  return meta && meta->retains_grad;
}

bool CallKey::read(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject* members) {
  members_ = members;
  constexpr size_t kUsualBytes = 1024;
  bytes_.reserve(kUsualBytes);
  put(grad_enabled());
  put(autocast_state.devices);
  put(autocast_state.dtypes);
  for (const Face face : {Face::Torch, Face::NumPy}) {
    put(default_dtype(face));
    put(face_dialects[face == Face::NumPy].promotion());
  }
  put(numpy_promotion_by_device);  // the GPU has the same rules as the CPU, or the other ones
  put(float32_matmul_precision());
  put(default_device());
  put(nargs);
  const Py_ssize_t named = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t i = 0; i < nargs + named; ++i) {
    if (i >= nargs && !add(PyTuple_GET_ITEM(kwnames, i - nargs), 0)) return false;
    PyObject* o = args[i];
    if (is_numpy_array(o)) {
      if (is_certainly_not_held(o))
        return reason_ = "an argument is a NumPy array of a dtype that the engine lacks", false;
      converted_.emplace_back(check(wrap<true>(as_tensor(o, true))));
      o = converted_.back().get();
    }
    call_.push_back(o);
    if (may_have_members(o)) {
      const Ref place(i < nargs ? check(PyLong_FromSsize_t(i)) : Py_NewRef(PyTuple_GET_ITEM(kwnames, i - nargs)));
      if (PyObject* const names = members_of(o, place.get()); names && add_instance(o, names)) continue;
      add_object(o);
      continue;
    }
    if (!add(o, 0)) return false;
  }
  num_argument_bytes_ = bytes_.size();
  const size_t count = arrays_.size();
  for (size_t i = 0; i < count; ++i) {
    const Tensor& t = arrays_[i];
    const Tensor grad = t.grad();
    put(grad.defined());
    if (!grad.defined()) continue;
    add_geometry(grad);
    arrays_.push_back(grad);
    array_objects_.push_back(nullptr);
  }
  return true;
}

PyObject* CallKey::members_of(PyObject* o, PyObject* place) const {
  if (!members_) return nullptr;
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(o));
  PyObject* places = PyDict_GetItemWithError(members_, type);
  if (!places) {
    const Ref made(check(PyDict_New()));
    check(PyDict_SetItem(members_, type, made.get()) == 0);
    places = made.get();  // members_ keeps it
  }
  PyObject* names = PyDict_GetItemWithError(places, place);
  if (!names) {
    const Ref kept(Py_NewRef(places));
    const Ref found(
        check(PyObject_CallFunctionObjArgs(PyDict_GetItemWithError(members_, Py_None), place, type, nullptr)));
    check(PyDict_SetItem(places, place, found.get()) == 0);
    names = found.get();
  }
  return names == Py_None ? nullptr : names;
}

bool CallKey::add_instance(PyObject* o, PyObject* names) {
  const size_t size = bytes_.size(), num_arrays = arrays_.size(), num_objects = objects_.size(),
               num_classes = classes_.size();
  const bool had_ndarray = has_ndarray_;
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(o));
  const Ref held(Py_NewRef(names));
  const Ref own(PyObject_GenericGetDict(o, nullptr));
  if (!own) PyErr_Clear();
  put(ValueKind::Instance);
  put(type);
  classes_.push_back(type);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    const Ref value = own_attribute(o, own.get(), PyTuple_GET_ITEM(names, i));
    if (!value) {
      put(ValueKind::Absent);
    } else if (is_numpy_array(value.get()) || (is_variable(value.get()) && !is_exact(value.get()))) {
      add_object(value.get());  // the instance keeps it
    } else if (!add(value.get(), 1)) {
      bytes_.resize(size);
      arrays_.resize(num_arrays);
      array_objects_.resize(num_arrays);
      objects_.resize(num_objects);
      classes_.resize(num_classes);
      has_ndarray_ = had_ndarray;
      reason_ = nullptr;
      return false;
    }
  }
  return true;
}

void CallKey::add_object(PyObject* o) {
  put(ValueKind::Object);
  put(o);
  objects_.push_back(o);
}

void CallKey::add_geometry(const Tensor& t) {
  const TensorImpl& impl = *t.impl();
  put(impl.dtype);
  put(static_cast<uint8_t>(t.dim()));
  bytes_.append(reinterpret_cast<const char*>(impl.sizes.data()), impl.sizes.size() * sizeof(int64_t));
  bytes_.append(reinterpret_cast<const char*>(impl.strides.data()), impl.strides.size() * sizeof(int64_t));
  // Whether it shares memory with an earlier array, and at which distance.
  for (size_t i = 0; i < arrays_.size(); ++i) {
    if (&arrays_[i].storage() != &t.storage()) continue;
    put(static_cast<int32_t>(i));
    put(t.address() - arrays_[i].address());
    const auto same =
        std::find_if(arrays_.begin(), arrays_.end(), [&](const Tensor& other) { return other.is_same(t); });
    put(static_cast<int32_t>(same - arrays_.begin()));
    return;
  }
  put(int32_t{-1});
}

bool CallKey::add_array(PyObject* o, int depth) {
  if (!is_exact(o)) return reason_ = "an argument is of a subclass of ndarray or Tensor", false;
  const Tensor& t = unwrap(o);
  const bool requires_grad = t.requires_grad();
  put(ValueKind::Array);
  put(Py_TYPE(o));
  put(t.device());
  put(static_cast<uint8_t>(requires_grad | (requires_grad && t.is_leaf()) << 1 | t.impl()->writeable << 2 |
                           t.impl()->is_value << 3 | t.is_unaligned() << 4 | has_retain_grad(t) << 5));
  add_geometry(t);
  has_ndarray_ = has_ndarray_ || Py_TYPE(o) == ndarray_type;
  arrays_.push_back(t);
  array_objects_.push_back(o);
  PyObject* const own = own_attributes(t);
  put(own != nullptr);
  return !own || add(own, depth + 1);
}

bool CallKey::add(PyObject* o, int depth) {
  if (depth > kDeepest) return reason_ = "arguments are nested too deeply", false;
  if (is_variable(o)) return add_array(o, depth);
  if (is_numpy_array(o)) return reason_ = "a NumPy array is nested in another argument", false;
  if (PyFloat_CheckExact(o)) {
    put(ValueKind::Float);
    put(PyFloat_AS_DOUBLE(o));
  } else if (PyLong_CheckExact(o)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    put(overflow ? ValueKind::LargeInt : ValueKind::Int);
    if (overflow)
      bytes_ += text_of(Ref(check(PyObject_Repr(o))).get());
    else
      put(value);
  } else if (PyUnicode_CheckExact(o)) {
    put(ValueKind::Text);
    // Python's own storage, as a string with a lone surrogate has no UTF-8.
    const auto width = static_cast<Py_ssize_t>(PyUnicode_KIND(o));
    const Py_ssize_t n = PyUnicode_GET_LENGTH(o);
    put(width);
    put(n);
    bytes_.append(static_cast<const char*>(PyUnicode_DATA(o)), static_cast<size_t>(n * width));
  } else if (PyComplex_CheckExact(o)) {
    put(ValueKind::Complex);
    put(PyComplex_AsCComplex(o));
  } else if (PyBytes_CheckExact(o)) {
    put(ValueKind::Bytes);
    put(PyBytes_GET_SIZE(o));
    bytes_.append(PyBytes_AS_STRING(o), static_cast<size_t>(PyBytes_GET_SIZE(o)));
  } else if (PyTuple_Check(o) || PyList_CheckExact(o)) {
    const bool is_tuple = PyTuple_Check(o);
    if (!is_tuple) containers_.push_back(o);
    put(is_tuple ? ValueKind::Tuple : ValueKind::List);
    put(Py_TYPE(o));
    if (is_tuple && !PyTuple_CheckExact(o)) {
      if (has_attributes(o)) return reason_ = "an argument is a tuple with attributes of its own", false;
      objects_.push_back(reinterpret_cast<PyObject*>(Py_TYPE(o)));  // whose attributes the function may read
    }
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    put(n);
    for (Py_ssize_t i = 0; i < n; ++i)
      if (!add(PySequence_Fast_GET_ITEM(o, i), depth + 1)) return false;
  } else if (PyDict_CheckExact(o)) {
    containers_.push_back(o);
    put(ValueKind::Dict);
    put(PyDict_GET_SIZE(o));
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);)
      if (!add(key, depth + 1) || !add(value, depth + 1)) return false;
  } else if (PyODict_CheckExact(o)) {
    put(ValueKind::OrderedDict);
    put(PyDict_GET_SIZE(o));
    const Ref iterator(check(PyObject_GetIter(o)));
    while (const Ref key{PyIter_Next(iterator.get())}) {
      PyObject* const value = PyDict_GetItemWithError(o, key.get());
      if (!value || !add(key.get(), depth + 1) || !add(value, depth + 1)) return false;
    }
    PyObject** const own = _PyObject_GetDictPtr(o);
    const bool has_own = own && *own;
    put(has_own);
    if (has_own) return add(*own, depth + 1);
  } else if (PySlice_Check(o)) {
    auto* slice = reinterpret_cast<PySliceObject*>(o);
    put(ValueKind::Slice);
    return add(slice->start, depth + 1) && add(slice->stop, depth + 1) && add(slice->step, depth + 1);
  } else if (is_numpy_scalar(o)) {
    const Ref array(array_of_value(o));
    if (!array) return reason_ = "an argument is a NumPy scalar of a dtype that torch_np does not support", false;
    const Tensor& t = unwrap(array.get());
    put(ValueKind::Number);
    put(t.dtype());
    bytes_.append(t.address(), static_cast<size_t>(t.itemsize()));
  } else {
    add_object(o);
  }
  return true;
}

}  // namespace tnp::python
