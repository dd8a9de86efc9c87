// ndarray.resize: changes the shape and size of the array in place. Existing elements stay in
// front, new ones are zero.
//
// Note [Who else sees an array that is resized]: views, arrays of the other face and graph nodes
// own the old memory, so that none of them dangles. But they no longer see changes to the array,
// and NumPy refuses to resize. We refuse too, by the same reference counts, unless refcheck=False.
#include "csrc/array/resize.h"

#include <algorithm>

#include "aten/autograd/variable.h"
#include "aten/iterator/copy.h"
#include "csrc/args/readers.h"
#include "csrc/convert/convert.h"
#include "csrc/objects/errors.h"

namespace tnp::python {

namespace {

// References that the caller owns: a variable, and until CPython 3.13 the call itself. Since 3.14 a
// call may borrow its argument from a local variable. A second reference may then belong to the
// call or to another variable, so we refuse to resize, as NumPy does.
constexpr Py_ssize_t kReferencesOfCaller = PY_VERSION_HEX >= 0x030E0000 ? 1 : 2;

bool is_shared(PyObject* self) {
  const Tensor& t = unwrap(self);
  return Py_REFCNT(self) > 2 || t.impl()->use_count() > 1 || t.storage().use_count() > 1;
}

void check_resizable(PyObject* self, bool refcheck) {
  const Tensor& t = unwrap(self);
  t.storage().prepare_change();
  TNP_CHECK(!t.is_view() && t.storage().owns_memory(), ErrorKind::Value,
            "cannot resize this array: it does not own its data");
  const bool refused = reinterpret_cast<THPVariable*>(self)->weakrefs || (refcheck && is_shared(self));
  TNP_CHECK(!refused, ErrorKind::Value,
            "cannot resize an array that references or is referenced\nby another object in this way.\n"
            "Use the np.resize function to get a new resized copy or\n set refcheck=False to disable this check");
  TNP_CHECK(!refcheck || Py_REFCNT(self) <= kReferencesOfCaller, ErrorKind::Value,
            "cannot resize an array that may be referenced by another object.\n"
            "It is possible that this is a false positive.\n"
            "If you are sure that the array is uniquely referenced, set refcheck=False.");
}

int64_t checked_numel(IntList sizes, int64_t itemsize) {
  int64_t bytes = itemsize;
  bool fits = true;
  for (int64_t n : sizes) {
    TNP_CHECK(n >= 0, ErrorKind::Value, "negative dimensions not allowed");
    fits = fits && !__builtin_mul_overflow(bytes, n, &bytes);
  }
  for (int64_t n : sizes)
    if (n == 0) return 0;
  TNP_CHECK(fits, ErrorKind::Memory, "resize(): an array of shape ", sizes, " does not fit into memory");
  return bytes / itemsize;
}

// The first elements of a dense array, in memory order.
Tensor leading(const Tensor& t, int64_t count) { return view_of(t, IntList(&count, 1), {1}, t.address()); }

intrusive_ptr<Storage> resized_memory(const Tensor& t, int64_t numel) {
  const Tensor fresh = empty_tensor(IntList(&numel, 1), t.dtype(), t.device());
  const int64_t kept = std::min(numel, t.numel()), added = numel - kept;
  if (kept > 0) copy_into(leading(fresh, kept), leading(t, kept));
  if (added > 0)
    fill_with(view_of(fresh, IntList(&added, 1), {1}, fresh.address() + kept * fresh.itemsize()), Scalar(0));
  return fresh.impl()->storage;
}

void resize_to(PyObject* self, IntList sizes, bool refcheck) {
  const Tensor& t = unwrap(self);
  check_untracked(t, "resize()");
  const bool fortran = t.is_fortran_contiguous() && !t.is_contiguous();
  TNP_CHECK(fortran || t.is_contiguous(), ErrorKind::Value, "resize only works on single-segment arrays");
  const int64_t numel = checked_numel(sizes, t.itemsize());
  intrusive_ptr<Storage> memory = t.impl()->storage;
  char* data = t.address();
  if (numel != t.numel()) {
    memory = intrusive_ptr<Storage>();  // drop our own reference before the check
    check_resizable(self, refcheck);
    memory = resized_memory(t, numel);
    data = memory->data();
  }
  const DimVector strides = fortran ? fortran_strides(sizes) : contiguous_strides(sizes);
  auto impl = make_intrusive<TensorImpl>(std::move(memory), t.dtype(), sizes, strides, data);
  impl->base = t.impl()->base;
  impl->writeable = t.impl()->writeable;
  replace_tensor<true>(self, Tensor(std::move(impl)));
}

}  // namespace

PyObject* resize_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  bool refcheck = true;
  for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, i);
    if (PyUnicode_CompareWithASCIIString(name, "refcheck") != 0)
      return PyErr_Format(PyExc_TypeError, "%R is an invalid keyword argument for resize()", name), nullptr;
    const long truth = PyLong_AsLong(args[nargs + i]);
    if (truth == -1 && PyErr_Occurred()) return nullptr;
    refcheck = truth != 0;
  }
  if (nargs == 0 || (nargs == 1 && args[0] == Py_None)) Py_RETURN_NONE;
  return protect<true>([&]() -> PyObject* {
    DimVector sizes;
    if (nargs == 1 && !PyLong_Check(args[0])) {
      read_int_list(args[0], 0, true, sizes);
    } else {
      for (Py_ssize_t i = 0; i < nargs; ++i) sizes.push_back(read_integer(args[i], true));
    }
    resize_to(self, sizes, refcheck);
    Py_RETURN_NONE;
  });
}

}  // namespace tnp::python
