// The low-level constructor of ndarray: allocates memory, or creates a bounds-checked view of a
// buffer.
#include "csrc/array/ndarray_new.h"

#include <memory>
#include <string>

#include "csrc/args/fallback.h"
#include "csrc/args/plain_call.h"
#include "csrc/array/parts.h"
#include "csrc/convert/convert.h"
#include "csrc/convert/held.h"
#include "csrc/objects/gil.h"

namespace tnp::python {

namespace {

struct HeldBuffer {
  Py_buffer view{};
  ~HeldBuffer() {
    if (!Py_IsInitialized()) return;  // after finalisation of the interpreter, the buffer must be leaked
    GilGuard gil;                     // any thread may free the last array
    PyBuffer_Release(&view);
  }
};

// Raises NumPy's error unless all elements are within the buffer.
void check_extent(IntList sizes, IntList strides, int64_t itemsize, int64_t offset, int64_t length,
                  bool strides_given) {
  std::optional<ByteRange> range = byte_range(sizes, strides, 1, itemsize);
  int64_t low = 0, high = 0;
  bool overflow =
      !range || __builtin_add_overflow(range->high, offset, &high) || __builtin_add_overflow(range->low, offset, &low);
  if (!overflow && low >= 0 && high <= length && offset >= 0) return;
  TNP_CHECK(!strides_given, ErrorKind::Value,
            "strides is incompatible with shape of requested array and size of buffer");
  TNP_RAISE(ErrorKind::Type, "buffer is too small for requested array");
}

Tensor over_buffer(PyObject* object, IntList sizes, IntList strides, ScalarType dtype, int64_t offset,
                   bool strides_given) {
  auto held = std::make_shared<HeldBuffer>();
  bool writeable = true;
  if (PyObject_GetBuffer(object, &held->view, PyBUF_WRITABLE | PyBUF_SIMPLE) < 0) {
    PyErr_Clear();
    writeable = false;
    if (PyObject_GetBuffer(object, &held->view, PyBUF_SIMPLE) < 0) throw PythonError();
  }
  check_extent(sizes, strides, element_size(dtype), offset, held->view.len, strides_given);
  char* data = static_cast<char*>(held->view.buf);
  auto storage =
      make_intrusive<Storage>(data, static_cast<size_t>(held->view.len), Device{}, [held]() mutable { held.reset(); });
  Tensor t(make_impl_with_byte_strides(std::move(storage), dtype, sizes, strides, data + offset));
  t.impl()->writeable = writeable;
  return t;
}

Tensor empty_with_byte_strides(IntList sizes, IntList strides, ScalarType dtype) {
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): check_extent() succeeded, or the strides are dense
  const ByteRange range = byte_range(sizes, strides, 1, element_size(dtype)).value();
  auto storage = new_storage(static_cast<size_t>(range.high - range.low), Device{});
  char* data = storage->data() - range.low;
  return Tensor(make_impl_with_byte_strides(std::move(storage), dtype, sizes, strides, data));
}

}  // namespace

static PyObject* make_ndarray(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"shape", "dtype", "buffer", "offset", "strides", "order", nullptr};
  PyObject *shape = nullptr, *dtype_object = Py_None, *buffer = Py_None, *strides_object = Py_None,
           *order_object = Py_None;
  long long offset = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOLOO:ndarray", const_cast<char**>(names), &shape, &dtype_object,
                                   &buffer, &offset, &strides_object, &order_object)) {
    return nullptr;
  }
  return protect<true>([&]() -> PyObject* {
    DimVector sizes, strides;
    read_int_list(shape, 0, true, sizes);
    ScalarType dtype =
        dtype_object == Py_None ? ScalarType::Float64 : dtype_from_object(dtype_object).value_or(ScalarType::Float64);
    if (order_object != Py_None && !PyUnicode_Check(order_object)) TNP_RAISE(ErrorKind::Type, "order must be str");
    Order order = order_object == Py_None ? Order::C : read_order(order_object);
    TNP_CHECK(sizes.size() <= kMaxDims, ErrorKind::Value, "maximum supported dimension for an ndarray is ", kMaxDims,
              ", found ", static_cast<int64_t>(sizes.size()));
    int64_t count = numel_of(sizes), bytes = 0;
    TNP_CHECK(!__builtin_mul_overflow(count, element_size(dtype), &bytes), ErrorKind::Value, "array is too big; shape ",
              sizes);
    bool strides_given = strides_object != Py_None;
    if (strides_given) {
      read_int_list(strides_object, 0, true, strides);
      TNP_CHECK(strides.size() == sizes.size(), ErrorKind::Value,
                "strides, if given, must be the same length as shape");
    } else {
      strides = order == Order::F ? fortran_strides(sizes) : contiguous_strides(sizes);
      for (int64_t& s : strides) s *= element_size(dtype);
    }
    Tensor t;
    if (buffer == Py_None) {
      if (strides_given) check_extent(sizes, strides, element_size(dtype), offset, bytes, true);
      t = empty_with_byte_strides(sizes, strides, dtype);
    } else {
      t = over_buffer(buffer, sizes, strides, dtype, offset, strides_given);
    }
    return wrap_as<true>(type, t, nullptr);
  });
}

// Calls NumPy's class, if the argument `dtype` certainly names a dtype that only NumPy has.
static PyObject* make_numpys(PyObject* args, PyObject* kwargs, bool* called) {
  PyObject* dtype = PyTuple_GET_SIZE(args) > 1 ? PyTuple_GET_ITEM(args, 1) : nullptr;
  if (!dtype && kwargs) dtype = PyDict_GetItemString(kwargs, "dtype");
  if (!dtype || !names_foreign_dtype(dtype) || !may_fall_back()) return nullptr;
  return call_plainly(reinterpret_cast<PyObject*>(numpy_api().ndarray_type), args, kwargs, called);
}

PyObject* new_ndarray(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  if (type == ndarray_type) {
    bool called = false;
    PyObject* const result = make_numpys(args, kwargs, &called);
    if (called) return result;
  }
  PyObject* made = make_ndarray(type, args, kwargs);
  return made || type != ndarray_type ? made : fall_back("ndarray", nullptr, args, kwargs);
}

}  // namespace tnp::python
