// Export through the buffer protocol: memoryview(x) and other consumers of buffers.
#include <memory>
#include <optional>

#include "aten/core/observer.h"
#include "aten/core/profiler/marks.h"
#include "aten/functions/copies.h"
#include "csrc/convert/internal.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

// Keeps the memory of an exported Py_buffer alive, even if the Python object's tensor is replaced.
struct Lease {
  Tensor tensor;
  std::optional<Loan> loan;  // nullopt for a read-only buffer
  Py_ssize_t shape[kMaxDims], strides[kMaxDims];
};

const char* format_of(ScalarType t) {
  switch (t) {
    case ScalarType::Bool:
      return "?";
    case ScalarType::UInt8:
      return "B";
    case ScalarType::UInt16:
      return "H";
    case ScalarType::UInt32:
      return "I";
    case ScalarType::UInt64:
      return "L";
    case ScalarType::Int8:
      return "b";
    case ScalarType::Int16:
      return "h";
    case ScalarType::Int32:
      return "i";
    case ScalarType::Int64:
      return "l";
    case ScalarType::Float16:
      return "e";
    case ScalarType::Float32:
      return "f";
    case ScalarType::Float64:
      return "d";
    case ScalarType::Complex64:
      return "Zf";
    case ScalarType::Complex128:
      return "Zd";
    default:
      TNP_RAISE(ErrorKind::Buffer, "cannot include dtype ", t, " in a buffer");
  }
}

void fill(Py_buffer* view, const Tensor& t, int flags) {
  check_exportable(t, false, "a buffer", ErrorKind::Buffer);
  const char* format = format_of(t.dtype());
  bool c = t.is_row_major(), f = t.is_column_major();
  auto wants = [&](int flag) { return (flags & flag) == flag; };
  TNP_CHECK(t.impl()->writeable || !wants(PyBUF_WRITABLE), ErrorKind::Buffer, "buffer source array is read-only");
  TNP_CHECK(c || !wants(PyBUF_C_CONTIGUOUS), ErrorKind::Buffer, "ndarray is not C-contiguous");
  TNP_CHECK(f || !wants(PyBUF_F_CONTIGUOUS), ErrorKind::Buffer, "ndarray is not Fortran contiguous");
  TNP_CHECK(c || f || !wants(PyBUF_ANY_CONTIGUOUS), ErrorKind::Buffer, "ndarray is not contiguous");
  TNP_CHECK(c || wants(PyBUF_STRIDES), ErrorKind::Buffer, "ndarray is not C-contiguous");
  int64_t bytes = 0;  // size of a dense copy; a view with strides of 0 may have more elements than its memory has bytes
  TNP_CHECK(!__builtin_mul_overflow(t.numel(), t.itemsize(), &bytes), ErrorKind::Buffer, "ndarray of shape ", t.sizes(),
            " has more bytes than a buffer can count");
  auto lease = std::make_unique<Lease>();
  lease->tensor = t;
  if (t.impl()->writeable)
    lease->loan.emplace(t.impl()->storage);
  else if (observer())
    observer()->lent(t.storage());
  for (int64_t d = 0; d < t.dim(); ++d) {
    lease->shape[d] = t.size(d);
    lease->strides[d] = t.byte_stride(d);
  }
  profiler::note_crossing("to NumPy", bytes);
  view->buf = t.address();  // check_exportable() has verified that the memory is on the host
  view->len = bytes;
  view->itemsize = t.itemsize();
  view->readonly = !t.impl()->writeable;
  view->ndim = wants(PyBUF_ND) ? static_cast<int>(t.dim()) : 1;
  view->format = wants(PyBUF_FORMAT) ? const_cast<char*>(format) : nullptr;
  view->shape = wants(PyBUF_ND) ? lease->shape : nullptr;
  view->strides = wants(PyBUF_STRIDES) ? lease->strides : nullptr;
  view->suboffsets = nullptr;
  view->internal = lease.release();
}

}  // namespace

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  if (!view) {
    PyErr_SetString(PyExc_BufferError, "no buffer to fill in");
    return -1;
  }
  view->obj = nullptr;
  return protect<true>(-1, [&] {
    // During tracing, a 0-d value stands for a NumPy scalar, which shares no memory: export a
    // copy.
    const bool is_apart = TNP_UNLIKELY(observer() != nullptr) && unwrap(self).impl()->is_value;
    Ref owner(is_apart ? check(wrap<true>(clone(unwrap(self)))) : Py_NewRef(self));
    fill(view, unwrap(owner.get()), flags);
    view->obj = owner.release();
    return 0;
  });
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Lease*>(view->internal); }

}  // namespace tnp::python
