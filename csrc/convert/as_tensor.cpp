// as_tensor: selects the conversion of an object.
#include "aten/autograd/variable.h"
#include "aten/core/observer.h"
#include "aten/functions/copies.h"
#include "aten/functions/shape.h"
#include "csrc/convert/internal.h"
#include "csrc/objects/mixed_operands.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

[[noreturn]] void raise_copy_needed() {
  raise_python(
      PyExc_ValueError,
      "Unable to avoid copy while creating an array as requested. Use `asarray(obj)` to allow a copy when needed.");
}

Tensor with_leading_axes(const Tensor& t, int min_dims) {
  if (t.dim() >= min_dims) return t;
  DimVector sizes(static_cast<size_t>(min_dims - t.dim()), 1);
  sizes.append(t.sizes());
  return reshape(t, sizes);
}

// Moves a tensor that was created from foreign memory or from a list to the default device.
Tensor placed(const Tensor& t) {
  return TNP_LIKELY(default_device().is_cpu()) || t.is_wrapped_number() ? t
                                                                        : tnp::to(t, std::optional(default_device()));
}

// Reports a tensor created from a Python object to the observer. See Note [Observers] in
// aten/core/observer.h.
Tensor noted(Tensor t) {
  if (TNP_UNLIKELY(observer() != nullptr) && t.defined()) observer()->made_constant(t);
  return t;
}

// Whether `o` is of a subclass of NumPy's ndarray, such as MaskedArray, matrix and those of packages.
// NumPy's functions return that class, and look at its mask. A memory-mapped file is only memory.
bool keeps_its_class(PyObject* o) {
  if (TNP_LIKELY(Py_TYPE(o) == numpy_api().ndarray_type) || !is_numpy_array(o)) return false;
  static PyObject* const memmap = check(PyObject_GetAttrString(numpy_api().module, "memmap"));
  return !PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(memmap));
}

// Lets NumPy's function compute.
void leave_to_numpy(PyObject* o) {
  if (keeps_its_class(o))
    raise_not_held(std::string("torch_np cannot keep the class numpy.") + Py_TYPE(o)->tp_name +
                   "; numpy.asarray(x) makes an array of it");
}

// Selects the treatment of a foreign byte order. Within a composite, a copy is acceptable even
// where NumPy returns a view.
Foreign foreign_kind(bool numpy_face, std::optional<ScalarType> dtype, std::optional<bool> copy) {
  if (copy == false) return Foreign::View;
  if (!numpy_face || !fallback_allowed() || (dtype && copy == true)) return Foreign::Copy;
  return copy == true || !Within::outermost() ? Foreign::SameDtype : Foreign::View;
}

// The 0-d array that stands for a NumPy scalar in a traced function, as a Python number: PyTorch
// promotes NumPy's scalars in this way.
Tensor number_of(const Tensor& t) {
  const ScalarType of = t.dtype();
  const ScalarType dtype = is_complex(of)                            ? ScalarType::Complex128
                           : is_floating(of)                         ? ScalarType::Float64
                           : is_bool(of) || of == ScalarType::UInt64 ? of
                                                                     : ScalarType::Int64;
  Tensor number = of == dtype ? tnp::alias(t) : tnp::cast(t, dtype);
  number.impl()->is_wrapped_number = true;
  return number;
}

}  // namespace

Tensor as_tensor(PyObject* o, bool numpy_face) {
  if (is_variable(o)) return !numpy_face && stands_for_scalar(o) ? number_of(unwrap(o)) : unwrap(o);
  if (PyFloat_CheckExact(o)) return wrapped_number(Scalar(PyFloat_AS_DOUBLE(o)));
  if (PyLong_Check(o) || PyComplex_CheckExact(o)) {
    Scalar s;
    if (!scalar_from_number(o, s)) throw PythonError();
    return wrapped_number(s);
  }
  if (numpy_face && fallback_allowed()) leave_to_numpy(o);
  // In PyTorch, NumPy's scalars are promoted as Python's numbers.
  if (!numpy_face && is_numpy_scalar(o)) return wrapped_number(from_foreign(o).item());
  Tensor t = noted(from_foreign(o, numpy_face && fallback_allowed() ? Foreign::SameDtype : Foreign::Copy));
  if (t.defined()) return is_numpy_scalar(o) ? t : placed(t);  // a NumPy scalar is a number, like Python's
  if (PyFloat_Check(o) || PyComplex_Check(o)) {                // subclasses other than NumPy's scalars
    Scalar s;
    if (!scalar_from_number(o, s)) throw PythonError();
    return wrapped_number(s);
  }
  return placed(noted(tensor_from_sequence(o, numpy_face, std::nullopt)));
}

Tensor as_tensor(PyObject* o, bool numpy_face, std::optional<ScalarType> dtype, std::optional<bool> copy,
                 int min_dims) {
  // np.asarray() makes an array of any class. Within a composite it stands for an operand.
  if (numpy_face && !Within::outermost() && fallback_allowed()) leave_to_numpy(o);
  Tensor t;
  if (is_variable(o))
    t = is_tracing() && unwrap(o).impl()->is_value ? clone(unwrap(o)) : unwrap(o);
  else
    t = noted(from_foreign(o, foreign_kind(numpy_face, dtype, copy)));
  if (!t.defined()) {
    if (copy == false) raise_copy_needed();
    return with_leading_axes(noted(tensor_from_sequence(o, numpy_face, dtype)), min_dims);
  }
  ScalarType type = dtype.value_or(t.dtype());
  bool different = type != t.dtype() || t.is_wrapped_number();
  if (different && copy == false) raise_copy_needed();
  if (different || copy == true) t = copy_tensor(t, type);
  return with_leading_axes(t, min_dims);
}

}  // namespace tnp::python
