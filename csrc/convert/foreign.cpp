// Import of foreign arrays as tensors over the same memory: NumPy arrays, buffers, and objects with
// an array protocol.
//
// Note [No NumPy headers] The extension is built without NumPy's headers and works with every version.
// Arrays of common dtypes are read by the fields of their C structure, which are verified when the
// module is created (csrc/objects/numpys_arrays.h), others through Python's buffer protocol. Only
// bfloat16, which has no buffer
// format, is read through a view as uint16. NumPy copies arrays in a foreign byte order to native
// order, if the caller accepts a copy.
#include <algorithm>
#include <cstring>

#include "aten/autograd/variable.h"
#include "aten/core/profiler/marks.h"
#include "aten/functions/copies.h"
#include "aten/kernels/pointwise.h"
#include "csrc/convert/array_method.h"
#include "csrc/convert/internal.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/numpys_arrays.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

struct Format {
  char kind = 0;  // as NumPy's dtype.kind; 0 if the engine has no such kind
  bool native = true;
};

Format parse_format(const char* f) {
  Format out;
  if (!f) return {'u', true};  // without a format, elements are bytes
  if (*f == '>' || *f == '!') out.native = false;
  if (std::strchr("@=<>!^|", *f) && *f) ++f;
  bool complex = *f == 'Z';
  if (complex) ++f;
  if (f[0] == 0 || f[1] != 0) return {};
  if (complex)
    out.kind = *f == 'f' || *f == 'd' ? 'c' : 0;
  else if (*f == '?')
    out.kind = 'b';
  else if (std::strchr("bhilqn", *f))
    out.kind = 'i';
  else if (std::strchr("BHILQN", *f))
    out.kind = 'u';
  else if (std::strchr("efd", *f))
    out.kind = 'f';
  return out;
}

class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (held_) PyBuffer_Release(&view_);
  }
  bool get(PyObject* o) { return held_ = PyObject_GetBuffer(o, &view_, PyBUF_RECORDS_RO) == 0; }
  const Py_buffer& operator*() const { return view_; }

 private:
  Py_buffer view_;
  bool held_ = false;
};

// NumPy converts any array-like to a contiguous array in native byte order.
Ref plain_copy(PyObject* o) {
  Ref array(check(PyObject_CallOneArg(numpy_api().asarray, o)));
  Ref dtype(check(PyObject_GetAttrString(array.get(), "dtype")));
  Ref native(check(PyObject_CallMethod(dtype.get(), "newbyteorder", "s", "=")));
  return Ref(check(PyObject_CallMethod(array.get(), "astype", "Os", native.get(), "C")));
}

[[noreturn]] void raise_dtype_of(PyObject* o) {
  PyErr_Clear();
  Ref array(check(PyObject_CallOneArg(numpy_api().asarray, o)));
  Ref dtype(check(PyObject_GetAttrString(array.get(), "dtype")));
  Ref kind(check(PyObject_GetAttrString(dtype.get(), "kind")));
  const std::string letter = text_of(kind.get());
  if (letter == "O") raise_no_such_dtype("'object'");
  // str(dtype) runs a slow Python function. Calls that fall back to NumPy do not need its text.
  const bool is_text = letter == "U" || letter == "S";
  Ref name(check(is_text ? PyObject_GetAttrString(dtype.get(), "str") : PyObject_Str(dtype.get())));
  raise_no_such_dtype("'" + text_of(name.get()) + "'");
}

// Creates a tensor over a buffer. `as`: the dtype, if the buffer format cannot express it
// (bfloat16).
Tensor from_buffer(PyObject* o, Buffer& buffer, bool is_numpy, Foreign how,
                   std::optional<ScalarType> as = std::nullopt) {
  const Py_buffer& view = *buffer;
  Format format = parse_format(view.format);
  std::optional<ScalarType> dtype = as ? as : dtype_of_kind(format.kind, view.itemsize);
  if (format.kind == 0 || !dtype) raise_dtype_of(o);
  auto n = static_cast<size_t>(view.ndim);
  DimVector sizes(n), strides(n);
  for (size_t d = 0; d < n; ++d) {
    sizes[d] = view.shape ? view.shape[d] : view.len / view.itemsize;
    strides[d] = view.strides ? view.strides[d] : 0;
  }
  if (!view.strides) {
    strides = contiguous_strides(sizes);
    for (int64_t& s : strides) s *= view.itemsize;
  }
  if (!format.native || view.suboffsets) {
    if (!format.native && how != Foreign::Copy) raise_dtype_of(o);
    if (how == Foreign::View) raise_not_held("buffers of pointers to rows (suboffsets) are not supported");
    profiler::note_crossing("copied from NumPy", view.len);
    Ref copy = plain_copy(o);
    Buffer plain;
    check(plain.get(copy.get()));
    return from_buffer(copy.get(), plain, true, Foreign::Copy, as);
  }
  profiler::note_crossing("from NumPy", view.len);
  bool readonly = view.readonly;
  void* data = view.buf;
  if (is_numpy) return from_memory(data, *dtype, sizes, strides, readonly, o);
  // The exporter may move its memory after the buffer is released (bytearray, array.array): hold
  // the buffer.
  Ref owner(check(PyMemoryView_FromObject(o)));
  return from_memory(data, *dtype, sizes, strides, readonly, owner.get());
}

// Reads a bfloat16 array or scalar through a uint16 view, since bfloat16 has no buffer format.
Tensor from_bfloat16(PyObject* o, Foreign how) {
  const NumpyApi& np = numpy_api();
  Ref array(check(PyObject_CallOneArg(np.asarray, o)));
  Ref bits(check(PyObject_CallMethod(array.get(), "view", "O", np.dtypes[static_cast<int>(ScalarType::UInt16)])));
  Buffer buffer;
  check(buffer.get(bits.get()));
  return from_buffer(bits.get(), buffer, true, how, ScalarType::BFloat16);
}

ScalarType dtype_attribute(PyObject* o) {
  Ref dtype(check(PyObject_GetAttrString(o, "dtype")));
  return dtype_from_object(dtype.get()).value();  // raises if the engine has no such dtype
}

// Copies a NumPy scalar to a tensor. Checks the scalar's type first, because datetimes export
// buffers too, with the format of bytes.
Tensor from_numpy_scalar(PyObject* o) {
  const NumpyApi& np = numpy_api();
  int i = 0;
  while (i < kNumScalarTypes && np.scalars[i] != Py_TYPE(o)) ++i;
  ScalarType dtype = i < kNumScalarTypes ? static_cast<ScalarType>(i) : dtype_attribute(o);
  Tensor value = empty_tensor({}, dtype);
  auto size = static_cast<size_t>(value.itemsize());
  if (dtype == ScalarType::BFloat16) {
    std::memcpy(value.data(), from_bfloat16(o, Foreign::Copy).data(), size);
    return value;
  }
  Buffer buffer;
  check(buffer.get(o));
  if ((*buffer).len != value.itemsize()) raise_dtype_of(o);
  std::memcpy(value.data(), (*buffer).buf, size);
  return value;
}

// Creates a tensor over a NumPy array whose dtype is NumPy's own object for a dtype of the engine;
// undefined for other arrays.
Tensor from_known_array(PyObject* o) {
  const ArrayFields* const array = fields_of_array(o);
  if (!array) return {};
  const auto& dtypes = numpy_api().dtypes;
  int i = 0;
  while (i < kNumScalarTypes && dtypes[i] != array->dtype) ++i;
  if (i == kNumScalarTypes) return {};
  const auto n = static_cast<size_t>(array->num_axes);
  DimVector sizes(n), strides(n);
  std::copy_n(array->sizes, n, sizes.begin());
  std::copy_n(array->strides, n, strides.begin());
  return from_memory(array->data, static_cast<ScalarType>(i), sizes, strides, !array->writeable(), o);
}

Tensor from_numpy_array(PyObject* o, Foreign how) {
  if (Tensor t = from_known_array(o); t.defined()) {
    profiler::note_crossing("from NumPy", t.numel() * t.itemsize());
    return t;
  }
  Buffer buffer;
  if (buffer.get(o)) return from_buffer(o, buffer, true, how);
  PyErr_Clear();
  if (dtype_attribute(o) == ScalarType::BFloat16) return from_bfloat16(o, how);
  raise_dtype_of(o);
}

// Looks up a protocol on the instance, as NumPy does. Types are excluded: they have their
// instances' protocols as attributes.
Ref protocol(PyObject* o, const char* name) {
  Ref found(PyObject_GetAttrString(o, name));
  if (!found) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw PythonError();
    PyErr_Clear();
  }
  return found;
}

// Looks up __dlpack__ on the type, like a special method. An object may forward unknown attributes
// to an array, and its own __array__ may then convert better than that array's DLPack.
bool has_dlpack(PyObject* o) {
  static PyObject* names[] = {PyUnicode_InternFromString("__dlpack__"),
                              PyUnicode_InternFromString("__dlpack_device__")};
  return _PyType_Lookup(Py_TYPE(o), names[0]) && _PyType_Lookup(Py_TYPE(o), names[1]);
}

Tensor from_numpys_view_of(PyObject* o, Foreign how) {
  Ref array(check(PyObject_CallOneArg(numpy_api().asarray, o)));
  return from_numpy_array(array.get(), how);
}

// Calls o.__array__(), which returns a NumPy array, or our array if the class was written for
// torch_np.numpy.
Ref call_array_method(PyObject* method) {
  Ref array(check(PyObject_CallNoArgs(method)));
  if (!is_variable(array.get()) && !is_numpy_array(array.get()))
    raise_python(PyExc_ValueError, "object __array__ method not producing an array");
  return array;
}

// Whether the current exception reports an unknown keyword `copy`.
bool is_of_unknown_copy() {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  Ref text(value ? PyObject_Str(value) : nullptr);
  const bool found = text && text_of(text.get()).find("unexpected keyword argument 'copy'") != std::string::npos;
  PyErr_Restore(type, value, traceback);
  return found;
}

// Calls o.__array__(copy=copy). Returns null if the method has no such parameter.
Ref call_array_method(PyObject* method, bool copy) {
  Ref name(check(Py_BuildValue("(s)", "copy")));
  PyObject* values[] = {copy ? Py_True : Py_False};
  Ref array(PyObject_Vectorcall(method, values, 0, name.get()));
  if (!array && !is_of_unknown_copy()) throw PythonError();
  if (array && !is_variable(array.get()) && !is_numpy_array(array.get()))
    raise_python(PyExc_ValueError, "object __array__ method not producing an array");
  if (array) return array;
  PyErr_Clear();
  check(PyErr_WarnEx(PyExc_DeprecationWarning,
                     "__array__ implementation doesn't accept a copy keyword, so passing copy=False failed. __array__ "
                     "must implement 'dtype' and 'copy' keyword arguments. To learn more, see the migration guide "
                     "https://numpy.org/devdocs/numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword",
                     1) == 0);
  TNP_CHECK(
      copy, ErrorKind::Value,
      "Unable to avoid copy while creating an array as requested.\nIf using `np.array(obj, copy=False)` replace it "
      "with `np.asarray(obj)` to allow a copy when needed (no behavior change in NumPy 1.x).\nFor more details, see "
      "https://numpy.org/devdocs/numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword.");
  return {};
}

Tensor from_array_method(PyObject* method, Foreign how) {
  Ref array = call_array_method(method);
  return is_variable(array.get()) ? unwrap(array.get()) : from_numpy_array(array.get(), how);
}

}  // namespace

bool is_builtin(PyObject* o) {
  return PyList_CheckExact(o) || PyTuple_CheckExact(o) || PyUnicode_Check(o) || PyBytes_Check(o) || PyDict_Check(o) ||
         PyAnySet_Check(o) || PyRange_Check(o) || PySlice_Check(o) || PyType_Check(o) || PyGen_CheckExact(o) ||
         o == Py_None || o == Py_Ellipsis || PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) ||
         PyComplex_CheckExact(o);
}

Tensor from_foreign(PyObject* o, Foreign how) {
  if (is_builtin(o)) return Tensor();
  if (is_numpy_array(o)) return from_numpy_array(o, how);
  if (is_numpy_scalar(o)) return from_numpy_scalar(o);
  if (PyObject_CheckBuffer(o)) {
    Buffer buffer;
    if (buffer.get(o)) return from_buffer(o, buffer, false, how);
    PyErr_Clear();
  }
  if (protocol(o, "__array_interface__") || protocol(o, "__array_struct__")) return from_numpys_view_of(o, how);
  Ref array_method = protocol(o, "__array__");
  if (has_dlpack(o)) {
    try {
      return from_dlpack(o, std::nullopt);
    } catch (PythonError&) {
      if (!array_method || !PyErr_ExceptionMatches(PyExc_BufferError)) throw;
      PyErr_Clear();
    }
  }
  if (array_method) return from_array_method(array_method.get(), how);
  return Tensor();
}

Ref array_of_method(PyObject* o, std::optional<bool> copy, bool* asked) {
  if (is_builtin(o) || is_numpy_array(o) || is_numpy_scalar(o) || PyObject_CheckBuffer(o)) return {};
  if (has_dlpack(o) || protocol(o, "__array_interface__") || protocol(o, "__array_struct__")) return {};
  Ref method = protocol(o, "__array__");
  if (!method) return {};
  Ref array = copy ? call_array_method(method.get(), *copy) : Ref();
  if (asked) *asked = static_cast<bool>(array);
  return array ? std::move(array) : call_array_method(method.get());
}

void drop_reference(PyObject* o) noexcept {
  if (!Py_IsInitialized()) return;  // after finalisation of the interpreter, the object must be leaked
  GilGuard gil;
  PyObject *type, *value, *traceback;  // a destructor must preserve a pending exception
  PyErr_Fetch(&type, &value, &traceback);
  Py_DECREF(o);
  PyErr_Restore(type, value, traceback);
}

Tensor from_memory(void* data, ScalarType dtype, IntList sizes, IntList byte_strides, bool readonly, PyObject* owner) {
  int64_t item = element_size(dtype);
  std::optional<ByteRange> range = byte_range(sizes, byte_strides, 1, item);
  TNP_CHECK(range, ErrorKind::Value, "memory of shape ", sizes, " and strides ", byte_strides,
            " in bytes is larger than an address");
  DimVector strides(byte_strides);
  // Axes of size 1: the stride a contiguous array would have, so that layouts are recognised.
  int64_t next = item;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] <= 1) strides[d] = next;
    next = std::max<int64_t>(strides[d] * std::max<int64_t>(sizes[d], 1), item);
  }
  if (numel_of(sizes) == 0) {
    strides = contiguous_strides(sizes);
    for (int64_t& s : strides) s *= item;
  }
  auto* first = static_cast<char*>(data);
  Py_INCREF(owner);
  auto storage = make_intrusive<Storage>(first + range->low, static_cast<size_t>(range->high - range->low), Device{},
                                         OwnerRelease{owner});
  auto impl = make_impl_with_byte_strides(std::move(storage), dtype, sizes, strides, first);
  impl->writeable = !readonly;
  return Tensor(std::move(impl));
}

Ref owner_of_memory(const Tensor& t) {
  const OwnerRelease* held = t.storage().release_function<OwnerRelease>();
  if (!held) return {};
  Ref owner(Py_NewRef(held->owner));
  if (!is_numpy_array(owner.get())) return owner;
  Ref base(check(PyObject_GetAttrString(owner.get(), "base")));
  return base.get() == Py_None ? std::move(owner) : std::move(base);
}

Tensor cast_tensor(const Tensor& t, ScalarType dtype) {
  if (t.dtype() == dtype && !t.is_wrapped_number()) return t;
  return copy_tensor(t, dtype);
}

Tensor copy_tensor(const Tensor& t, ScalarType dtype) { return cast(t, dtype, Order::K); }

}  // namespace tnp::python
