// Nested sequences to tensors, by NumPy's rules for shapes and dtypes.
//
// Note [Two ways] A nest of plain lists, tuples and Python numbers is read twice: first for shape
// and dtype, then for values. No Python code can run in between, so nothing needs to be stored. If
// any other object is found, the general path starts over. It copies each sequence before reading
// it (methods of elements may modify the sequence), and stores the elements as tensors or objects.
#include <vector>

#include "aten/autograd/variable.h"
#include "aten/core/numbers/element_bits.h"
#include "aten/core/numbers/promotion.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/joining.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/pointwise.h"
#include "csrc/convert/internal.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/numpy_scalars.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

// Finds the shape of a nest, depth first, as NumPy's update_shape (array_coercion.c). The first
// element at each depth sets the size, and later ones must agree. At a disagreement, the axes from
// that depth on are dropped, and the nest is ragged.
class ShapeFinder {
 public:
  // Registers a sequence of n elements at this depth. False: do not descend into it.
  bool sequence(size_t depth, int64_t n) {
    if (depth >= kMaxDims) raise();  // at once: a list that contains itself twice has 2^64 elements at this depth
    if (depth >= max_ndim_) return ragged_ = true, false;
    if (!complete_) {
      sizes_.resize(std::max(sizes_.size(), depth + 1));
      sizes_[depth] = n;
    } else if (sizes_[depth] != n) {
      max_ndim_ = depth;
      return ragged_ = true, false;
    }
    if (n == 0) {  // an axis of size 0 must be the last axis
      if (complete_ && max_ndim_ != depth + 1) ragged_ = true;
      max_ndim_ = std::min(max_ndim_, depth + 1);
      complete_ = true;
      return false;
    }
    return true;
  }
  // Registers an element at this depth. `shape`: the element's own axes, empty for a number.
  void element(size_t depth, IntList shape) {
    size_t n = shape.size();
    if (depth + n > max_ndim_) {
      ragged_ = true;
      n = max_ndim_ - depth;
    } else if (max_ndim_ != depth + n) {
      if (complete_) ragged_ = true;
      max_ndim_ = depth + n;
    }
    for (size_t i = 0; i < n; ++i) {
      if (!complete_) {
        sizes_.resize(std::max(sizes_.size(), depth + i + 1));
        sizes_[depth + i] = shape[i];
      } else if (sizes_[depth + i] != shape[i]) {
        ragged_ = true;
        max_ndim_ -= n - i;
        break;
      }
    }
    complete_ = true;
  }
  bool ragged() const { return ragged_; }
  DimVector sizes() const {
    DimVector out = sizes_;
    out.resize(std::min(sizes_.size(), max_ndim_));
    return out;
  }
  [[noreturn]] void raise() const {
    if (max_ndim_ >= kMaxDims) {
      raise_python(PyExc_ValueError,
                   "setting an array element with a sequence. The requested array would exceed the maximum "
                   "number of dimension of " +
                       std::to_string(kMaxDims) + ".");
    }
    DimVector shape = sizes();
    std::string text;
    append(text, IntList(shape));
    raise_python(PyExc_ValueError,
                 "setting an array element with a sequence. The requested array has an inhomogeneous shape "
                 "after " +
                     std::to_string(shape.size()) + " dimensions. The detected shape was " + text +
                     " + inhomogeneous part.");
  }

 private:
  DimVector sizes_;
  size_t max_ndim_ = kMaxDims;
  bool complete_ = false, ragged_ = false;
};

// Finds the common dtype of the elements. Python numbers count as int64, float64, complex128
// (torch: its default dtype).
class DtypeFinder {
 public:
  explicit DtypeFinder(bool numpy_face) : numpy_(numpy_face) {}
  void add(ScalarType t) {
    unsigned bit = 1u << static_cast<int>(t);
    if (seen_ & bit) return;
    seen_ |= bit;
    dtype_ = any_ ? promote_types(dtype_, t, numpy_ ? PromotionRules::NumPy : PromotionRules::Torch) : t;
    any_ = true;
  }
  // Returns false if `o` is not a number. For an integer beyond 64 bits, an exception is set in
  // addition.
  bool add_number(PyObject* o) {
    if (PyFloat_CheckExact(o)) return add_inexact(floating());
    if (PyBool_Check(o)) return add(ScalarType::Bool), true;
    if (PyLong_Check(o)) {
      int overflow = 0;
      const int64_t value = PyLong_AsLongLongAndOverflow(o, &overflow);
      if (!overflow) {
        any_integer_ = true;
        wide_integer_ |= value != static_cast<int32_t>(value);
        return true;
      }
      Scalar s;
      if (!scalar_from_number(o, s)) raise_out_of_bounds(o);
      return add(ScalarType::UInt64), true;
    }
    if (PyComplex_Check(o)) return add_inexact(to_complex(floating()));
    if (PyFloat_Check(o)) return add_inexact(floating());
    return false;
  }
  ScalarType get() {
    if (any_integer_ && !any_inexact_) add(wide_integer_ ? ScalarType::Int64 : default_integer_dtype(face()));
    return any_ ? dtype_ : floating();
  }

 private:
  // Raises for an integer beyond 64 bits, which NumPy stores as an object.
  [[noreturn]] void raise_out_of_bounds(PyObject* o) const {
    if (!numpy_ || !fallback_allowed() || !PyErr_ExceptionMatches(PyExc_OverflowError)) throw PythonError();
    PyErr_Clear();
    Ref text(check(PyObject_Repr(o)));
    raise_not_held("Python integer " + text_of(text.get()) + " is out of bounds for int64 and uint64");
  }
  bool add_inexact(ScalarType t) {
    add(t);
    return any_inexact_ = true;
  }
  Face face() const { return numpy_ ? Face::NumPy : Face::Torch; }
  ScalarType floating() const { return default_dtype(face()); }
  bool numpy_, any_ = false;
  // Python integers are promoted last, and skipped if there are Python floats, which represent them
  // by definition.
  bool any_integer_ = false, wide_integer_ = false, any_inexact_ = false;
  unsigned seen_ = 0;
  ScalarType dtype_ = ScalarType::Bool;
};

bool is_plain_number(PyObject* o) {
  return PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) || PyComplex_CheckExact(o);
}
bool is_plain_sequence(PyObject* o) { return PyList_CheckExact(o) || PyTuple_CheckExact(o); }

// --- plain path

// Returns false if the nest contains an object that is not plain, or an integer that needs more
// than 64 bits.
bool discover_plain(PyObject* o, size_t depth, ShapeFinder& shape, DtypeFinder* dtype) {
  if (!is_plain_sequence(o)) {
    ScalarType its;
    const bool number = is_plain_number(o);
    if (!number && !(dtype && scalar_value(o, its))) return false;
    shape.element(depth, {});
    if (dtype && number) dtype->add_number(o);
    if (dtype && !number) dtype->add(its);
    return true;
  }
  Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  if (!shape.sequence(depth, n)) return true;
  PyObject** items = PySequence_Fast_ITEMS(o);
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!discover_plain(items[i], depth + 1, shape, dtype)) return false;
  }
  return true;
}

template <class T>
void store_plain(PyObject* o, ScalarType dtype, T*& at) {
  if (is_plain_sequence(o)) {
    Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    PyObject** items = PySequence_Fast_ITEMS(o);
    for (Py_ssize_t i = 0; i < n; ++i) store_plain(items[i], dtype, at);
    return;
  }
  if constexpr (is_floating_v<T>) {
    if (PyFloat_CheckExact(o)) {
      *at++ = convert<T>(PyFloat_AS_DOUBLE(o));
      return;
    }
  }
  if constexpr (std::is_same_v<T, int64_t>) {
    if (PyLong_CheckExact(o)) {
      int overflow = 0;
      int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
      if (!overflow) {
        *at++ = v;
        return;
      }
    }
  }
  ScalarType its;
  if (const void* value = is_plain_number(o) ? nullptr : scalar_value(o, its))
    *at++ = scalar_at(its, value).to<T>();
  else
    store_number(o, dtype, reinterpret_cast<char*>(at++));
}

// --- general path

struct Element {
  Ref object;     // a number, or any object that the dtype's constructor accepts
  Tensor tensor;  // defined if the element is an array
};

class Discovery {
 public:
  Discovery(bool numpy_face, std::optional<ScalarType> wanted)
      : dtype(numpy_face), dtype_given_(wanted.has_value()), as_integers_(wanted && is_integer(*wanted)) {}

  void visit(PyObject* o, size_t depth) {
    if (is_variable(o)) return add_tensor(unwrap(o), depth);
    // int() converts NumPy scalars to integers and fails for NaN; NumPy arrays are cast instead.
    if (!is_plain_number(o) && !is_plain_sequence(o) && !(as_integers_ && is_numpy_scalar(o))) {
      Tensor t = from_foreign(o);
      if (t.defined()) return add_tensor(std::move(t), depth);
    }
    if (!is_plain_number(o) && !PyUnicode_Check(o) && !PyBytes_Check(o) && is_sequence(o))
      return walk_sequence(o, depth);
    shape.element(depth, {});
    if (!dtype_given_ && !dtype.add_number(o)) raise_not_a_number(o);
    elements.push_back({Ref(Py_NewRef(o)), Tensor()});
  }

  ShapeFinder shape;
  DtypeFinder dtype;
  std::vector<Element> elements;

 private:
  void add_tensor(Tensor t, size_t depth) {
    shape.element(depth, t.sizes());
    dtype.add(t.dtype());
    elements.push_back({Ref(), std::move(t)});
  }

  static bool is_sequence(PyObject* o) {
    if (!PySequence_Check(o)) return false;
    if (PySequence_Size(o) >= 0) return true;
    if (PyErr_ExceptionMatches(PyExc_RecursionError) || PyErr_ExceptionMatches(PyExc_MemoryError)) throw PythonError();
    PyErr_Clear();
    return false;
  }

  void walk_sequence(PyObject* o, size_t depth) {
    Ref copy(PySequence_Tuple(o));
    if (!copy) {
      if (!PyErr_ExceptionMatches(PyExc_KeyError)) throw PythonError();
      PyErr_Clear();  // a mapping-like object
      raise_not_a_number(o);
    }
    Py_ssize_t n = PyTuple_GET_SIZE(copy.get());
    if (!shape.sequence(depth, n)) return;
    check(Py_EnterRecursiveCall(" while making an array of nested sequences") == 0);
    struct Leave {
      ~Leave() { Py_LeaveRecursiveCall(); }
    } leave;
    for (Py_ssize_t i = 0; i < n; ++i) visit(PyTuple_GET_ITEM(copy.get(), i), depth + 1);
    if (PyList_Check(o) && PyList_GET_SIZE(o) > n)
      raise_python(PyExc_RuntimeError,
                   "Inconsistent object during array creation? Content of sequences changed (length inconsistent).");
  }

  [[noreturn]] void raise_not_a_number(PyObject* o) {
    if (shape.ragged()) shape.raise();
    const char* hint = PyGen_CheckExact(o)                      ? " (make a list of the generator)"
                       : PyUnicode_Check(o) || PyBytes_Check(o) ? "; torch_np has no dtype of strings"
                                                                : "; torch_np has no dtype of objects";
    raise_not_held(std::string("cannot make an array element of an object of type ") + Py_TYPE(o)->tp_name + hint);
  }

  bool dtype_given_, as_integers_;
};

Tensor element_tensor(const Element& e, ScalarType dtype) {
  if (e.tensor.defined()) return cast_tensor(e.tensor, dtype);
  Tensor t = empty_tensor({}, dtype);
  store_number(e.object.get(), dtype, t.data());
  return t;
}

// Joins elements of which some are tracked by autograd; the result is tracked too.
Tensor join_differentiably(const std::vector<Element>& elements, ScalarType dtype, IntList sizes) {
  std::vector<Tensor> flat;
  flat.reserve(elements.size());
  for (const Element& e : elements) flat.push_back(reshape(element_tensor(e, dtype), {-1}));
  return reshape(cat(flat, 0), sizes);
}

}  // namespace

Tensor tensor_from_sequence(PyObject* o, bool numpy_face, std::optional<ScalarType> dtype) {
  {
    ShapeFinder shape;
    DtypeFinder found(numpy_face);
    if (discover_plain(o, 0, shape, dtype ? nullptr : &found)) {
      if (shape.ragged()) shape.raise();
      ScalarType type = dtype ? *dtype : found.get();
      Tensor t = empty_tensor(shape.sizes(), type);
      if (t.numel() == 0) return t;
      visit_dtype(type, [&]<class T>() {
        T* at = t.data_ptr<T>();
        store_plain(o, type, at);
      });
      return t;
    }
  }
  Discovery d(numpy_face, dtype);
  d.visit(o, 0);
  if (d.shape.ragged()) d.shape.raise();
  ScalarType type = dtype ? *dtype : d.dtype.get();
  DimVector sizes = d.shape.sizes();
  for (const Element& e : d.elements) {
    if (e.tensor.defined() && compute_requires_grad(e.tensor)) return join_differentiably(d.elements, type, sizes);
  }
  for (const Element& e : d.elements) {
    if (e.tensor.defined() && e.tensor.device().is_meta()) return empty_tensor(sizes, type, e.tensor.device());
  }
  Tensor t = empty_tensor(sizes, type);
  char* at = t.data();
  for (const Element& e : d.elements) {
    if (e.tensor.defined() && e.tensor.dim() == 0 && e.tensor.dtype() == type && e.tensor.device().is_cpu()) {
      copy_element(t.itemsize(), at, e.tensor.data());  // frequent: lists of our own elements (x[i], sums)
      at += t.itemsize();
    } else if (e.tensor.defined()) {
      copy_into(view_of(t, e.tensor.sizes(), contiguous_strides(e.tensor.sizes()), at), e.tensor);
      at += e.tensor.numel() * t.itemsize();
    } else {
      store_number(e.object.get(), type, at);
      at += t.itemsize();
    }
  }
  return t;
}

}  // namespace tnp::python
