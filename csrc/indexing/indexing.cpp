// x[key] and x[key] = value: translates the key to views and to index() and put_indexed_() (Note
// [Index arrays]).
//
// A key is parsed to items, one per entry (key.h). Integers, slices and np.newaxis make a view,
// axis by axis. Arrays and masks become index tensors for axes of that view. Views are built
// directly if nothing is recorded, and by operators if autograd must record them.
#include "csrc/indexing/indexing.h"

#include <algorithm>
#include <vector>

#include "aten/autograd/variable.h"
#include "aten/core/errors/dtype_names.h"
#include "aten/core/numbers/element_bits.h"
#include "aten/core/numbers/range.h"
#include "aten/core/observer.h"
#include "aten/core/shapes.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/indexing.h"
#include "aten/functions/shape.h"
#include "aten/iterator/cast.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/overlap.h"
#include "aten/kernels/pointwise.h"
#include "aten/ops/copying/beside.h"
#include "aten/ops/indexing/indexing.h"
#include "csrc/convert/convert.h"
#include "csrc/indexing/key.h"
#include "csrc/objects/floating_point_errors.h"
#include "csrc/objects/numpy_scalars.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// Reads an int, or an integer NumPy scalar.
static bool read_plain_integer(PyObject* o, int64_t& value) {
  if (TNP_LIKELY(PyLong_CheckExact(o))) {
    int overflow = 0;
    value = PyLong_AsLongLongAndOverflow(o, &overflow);
    return overflow == 0;
  }
  if (is_exact(o)) return false;  // an array, for which scalar_value() would search NumPy's types
  ScalarType dtype;
  const void* at = scalar_value(o, dtype);
  if (!at || !is_integer(dtype) || dtype == ScalarType::UInt64) return false;
  value = scalar_at(dtype, at).to<int64_t>();
  return true;
}

char* integer_key_address(const Tensor& self, PyObject* key) {
  PyObject** items = &key;
  Py_ssize_t n = 1;
  if (PyTuple_CheckExact(key)) {
    items = PySequence_Fast_ITEMS(key);
    n = PyTuple_GET_SIZE(key);
  }
  if (n != self.dim() || n == 0) return nullptr;
  int64_t offset = 0;
  for (Py_ssize_t d = 0; d < n; ++d) {
    int64_t i = 0;
    if (!read_plain_integer(items[d], i)) return nullptr;
    offset += wrap_index(i, d, self.size(d)) * self.stride(d);
  }
  return self.address() + offset * self.stride_unit();
}

namespace {

// Resolves a slice of None and ints for an axis of `size`, without running Python code. False for
// other slices.
bool read_plain_slice(PyObject* o, int64_t size, int64_t& start, int64_t& length, int64_t& step) {
  auto* slice = reinterpret_cast<PySliceObject*>(o);
  auto read = [](PyObject* value, int64_t& out) {
    if (!PyLong_CheckExact(value)) return false;
    int overflow = 0;
    out = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow == 0;
  };
  step = 1;
  if (slice->step != Py_None && (!read(slice->step, step) || step == 0 || step == INT64_MIN)) return false;
  const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
  auto bound = [&](PyObject* value, int64_t otherwise, int64_t& out) {
    if (value == Py_None) return out = otherwise, true;
    if (!read(value, out)) return false;
    if (out < 0) out = out < -size ? lowest : out + size;
    out = std::clamp(out, lowest, highest);
    return true;
  };
  int64_t stop = 0;
  if (!bound(slice->start, step > 0 ? 0 : size - 1, start) || !bound(slice->stop, step > 0 ? size : -1, stop))
    return false;
  length = step > 0 ? (stop > start ? (stop - start - 1) / step + 1 : 0)
                    : (start > stop ? (start - stop - 1) / -step + 1 : 0);
  return true;
}

// Fast path for keys of ints, slices of ints and `...`, without parsing the key to items: x[1:3,
// ::2], x[..., 0]. Returns an undefined tensor for all other keys and for invalid keys. The caller
// then uses Key, which also raises the errors.
Tensor basic_view(const Tensor& self, PyObject* key, bool numpy_face) {
  PyObject** items = &key;
  Py_ssize_t n = 1;
  if (PyTuple_CheckExact(key)) {
    items = PySequence_Fast_ITEMS(key);
    n = PyTuple_GET_SIZE(key);
  }
  bool ellipsis = false, integers = true;
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (PyLong_CheckExact(items[i])) continue;
    integers = false;
    if (PySlice_Check(items[i])) continue;
    if (items[i] != Py_Ellipsis || ellipsis) return {};
    ellipsis = true;
  }
  const int64_t rest = self.dim() - n + ellipsis;  // axes without an item
  if (rest < 0 || (integers && rest == 0)) return {};
  const int64_t *from_sizes = self.sizes().data(), *from_strides = self.strides().data();
  int64_t sizes[kMaxDims], strides[kMaxDims];
  size_t kept = 0;
  int64_t axis = 0, offset = 0;
  auto keep_rest = [&] {
    for (int64_t k = 0; k < rest; ++k, ++axis, ++kept)
      sizes[kept] = from_sizes[axis], strides[kept] = from_strides[axis];
  };
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (items[i] == Py_Ellipsis) {
      keep_rest();
      continue;
    }
    const int64_t size = from_sizes[axis], stride = from_strides[axis];
    if (PyLong_CheckExact(items[i])) {
      int overflow = 0;
      int64_t index = PyLong_AsLongLongAndOverflow(items[i], &overflow);
      if (overflow) return {};
      offset += wrap_index(index, axis, size) * stride;
    } else {
      int64_t start, length, step;
      if (!read_plain_slice(items[i], size, start, length, step) || (step < 0 && !numpy_face)) return {};
      if (length > 0) offset += start * stride;
      sizes[kept] = length;
      strides[kept++] = length <= 1 ? stride : stride * step;
    }
    ++axis;
  }
  if (!ellipsis) keep_rest();
  return view_of(self, IntList(sizes, kept), IntList(strides, kept), self.address() + offset * self.stride_unit());
}

// --- assignment

Tensor value_tensor(const Tensor& self, PyObject* value, bool numpy_face) {
  // NumPy converts its scalars by int() for signed integer dtypes, and casts them for all others.
  bool number =
      (is_integer(self.dtype()) && !is_unsigned(self.dtype()) && is_numpy_scalar(value)) || is_python_number(value);
  if (number) {
    if (Scalar s; !numpy_face && is_python_number(value) && scalar_from_number(value, s)) check_fits(s, self.dtype());
    Tensor t = empty_tensor({}, self.dtype());
    store_number(value, self.dtype(), t.data());
    return t;
  }
  Tensor t;
  if (is_variable(value))
    t = unwrap(value);
  else
    t = from_foreign(value);
  if (!t.defined()) {
    if (!numpy_face)
      raise_python(PyExc_TypeError, std::string("can't assign a ") + Py_TYPE(value)->tp_name + " to a torch_np.Tensor");
    return tensor_from_sequence(value, true, self.dtype());
  }
  if (TNP_UNLIKELY(numpy_face && t.is_complex() && !self.is_complex() && !is_bool(self.dtype()))) {
    // The warning is issued before the first write, because it may raise an exception.
    report_discarded_imaginary_part(self.dtype(), t.dtype());
    if (has_floating_point_errors() && !give_floating_point_errors()) throw PythonError();
    return tnp::real(t);  // the later cast to the target reports its own errors
  }
  return t;
}

// A shape in NumPy's notation for these messages: (3,4).
std::string shape_text(IntList shape) {
  std::string text, out;
  append(text, shape);
  for (char c : text) {
    if (c != ' ') out += c;
  }
  return out;
}

// Drops leading axes of size 1 beyond those of the target, as NumPy does.
Tensor fit_value(Tensor value, IntList target, const char* before, const char* between) {
  auto n = static_cast<int64_t>(target.size());
  int64_t extra = value.dim() - n;
  const IntList kept = value.sizes().subspan(static_cast<size_t>(std::max<int64_t>(extra, 0)));
  bool fits = broadcasts_to(kept, target);
  for (int64_t d = 0; d < extra; ++d) fits = fits && value.size(d) == 1;
  TNP_CHECK(fits, ErrorKind::Shape, before, shape_text(value.sizes()), between, shape_text(target));
  if (extra <= 0) return value;
  return reshape(value, kept);
}

// Reshapes an empty value to the target's axes. For assignment through index arrays, NumPy accepts
// leading axes of any size if the value is empty.
Tensor without_axes_of_nothing(const Tensor& value, IntList target) {
  if (value.numel() != 0 || value.dim() <= static_cast<int64_t>(target.size())) return value;
  const IntList kept = value.sizes().last(target.size());
  return numel_of(kept) == 0 && broadcasts_to(kept, target) ? reshape(value, kept) : value;
}

void assign(const Tensor& target, const Tensor& value) {
  if (value.dim() > 0) {
    check_elements_apart(target);
    check_apart(target, value);
  }
  Tensor fitting = fit_value(value, target.sizes(), "could not broadcast input array from shape ", " into shape ");
  if (needs_operators(target, value)) {
    copy_(target, fitting);
  } else {
    copy_into(target, fitting);
  }
}

}  // namespace

// Note [Elements are values]: if NumPy returns a scalar (x[1], x[1, 2], elements of an iteration,
// x[()]), np returns a new tensor, not a view. Otherwise `x[i], x[j] = x[j], x[i]` would not swap,
// and `largest = max(x)` would change with x. If possible, it becomes a scalar (Note [Values]). A
// key with `...` returns a view, as in NumPy. torch_np always returns views, as PyTorch does.
namespace {

Tensor element(const Tensor& self, char* at) {
  if (TNP_UNLIKELY(observer() != nullptr)) return clone(view_of(self, {}, {}, at));
  intrusive_ptr<Storage> storage = new_storage(static_cast<size_t>(self.itemsize()), Device{});
  char* data = storage->data();
  copy_element(self.itemsize(), data, at);
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), self.dtype(), IntList(), 1, data));
}

}  // namespace

// For x[mask] with contiguous arrays and no recording: returns a view of `self` in which the masked
// axes are flattened to one axis. Otherwise returns an undefined tensor.
static Tensor rows_of_mask(const Tensor& self, const Key& key) {
  const KeyItem* item = key.single();
  if (!item || item->kind != KeyItem::Mask || item->tensor.dim() == 0 || !item->tensor.is_contiguous() ||
      !self.is_contiguous() || needs_operators(self) || self.device() != item->tensor.device())
    return {};
  check_mask_shape(self, item->tensor, 0);
  DimVector sizes{item->tensor.numel()};
  sizes.append(self.sizes().subspan(static_cast<size_t>(item->tensor.dim())));
  return view_of(self, sizes, contiguous_strides(sizes), self.address());
}

// Whether `values` can be written to rows of `rows` as they are.
static bool is_dense_for(const Tensor& rows, const Tensor& values) {
  return values.is_contiguous() && values.device() == rows.device() && values.dtype() == rows.dtype() &&
         values.dim() == rows.dim() && IntList(values.sizes().subspan(1)) == IntList(rows.sizes().subspan(1)) &&
         !may_share_memory(rows, values);
}

// Whether x[index] is gather_line(): dense lines, and so few indices that the work of index() to
// find this out would count.
static bool are_few(const Tensor& x, const Tensor& index) {
  constexpr int64_t kFew = 4096;
  return index.dtype() == ScalarType::Int64 && index.numel() <= kFew && index.dim() == 1 && index.is_contiguous() &&
         x.dim() == 1 && x.is_contiguous() && x.device() == index.device();
}

static Tensor flat_mask(const Key& key) {
  const Tensor& mask = key.single()->tensor;
  return view_of(mask, {mask.numel()}, {1}, mask.address());
}

// Computes x[mask] by treating a mask with several axes as a mask with one axis. Returns an
// undefined tensor for all other keys.
static Tensor select_by_mask(const Tensor& self, const Key& key) {
  const Tensor rows = rows_of_mask(self, key);
  if (!rows.defined()) return {};
  return select_rows(rows, flat_mask(key));
}

Tensor flat_element(const Tensor& self, int64_t i) {
  i = wrap_index(i, 0, self.numel());
  if (!needs_operators(self) && self.device().is_cpu()) return element(self, tnp::element_address(self, i));
  Tensor view = self;
  for (int64_t d = self.dim(); d-- > 0; i /= self.size(d)) view = select(view, d, i % self.size(d));
  return clone(view);
}

Tensor get_item(const Tensor& self, int64_t i, bool numpy_face) {
  if (self.dim() == 0) raise_python(PyExc_TypeError, "iteration over a 0-d array");
  i = wrap_index(i, 0, self.size(0));
  bool is_element = numpy_face && self.dim() == 1;
  if (needs_operators(self)) return is_element ? clone(select(self, 0, i)) : select(self, 0, i);
  char* data = self.address() + i * self.byte_stride(0);
  if (is_element && self.device().is_cpu()) return element(self, data);
  Tensor view = view_of(self, IntList(self.sizes().subspan(1)), IntList(self.strides().subspan(1)), data);
  return is_element ? clone(view) : view;
}

Tensor get_item(const Tensor& self, PyObject* key, bool numpy_face, bool* is_value) {
  if (!needs_operators(self)) {
    // A caller that passes `is_value` has already tried elements in host memory.
    const bool looked = is_value && self.impl()->in_host_memory();
    if (char* at = looked ? nullptr : integer_key_address(self, key)) {
      if (is_value) *is_value = true;
      if (!numpy_face) return view_of(self, {}, {}, at);
      return self.device().is_cpu() ? element(self, at) : clone(view_of(self, {}, {}, at));
    }
    if (is_exact(key)) {
      if (are_few(self, unwrap(key))) return gather_line(self, unwrap(key));
    } else if (Tensor view = basic_view(self, key, numpy_face); view.defined()) {
      return view;
    }
  }
  Key parsed(self, key, numpy_face);
  if (Tensor chosen = select_by_mask(self, parsed); chosen.defined()) return chosen;
  std::vector<Tensor> indices;
  int64_t position = 0;
  Tensor view = parsed.view(self, indices, position);
  if (parsed.has_arrays()) {
    Tensor chosen = index(view, indices, position);
    if (is_value) *is_value = chosen.dim() == 0 && !parsed.has_ellipsis();
    return chosen;
  }
  const bool element = numpy_face && parsed.is_element(self);
  if (is_value) *is_value = element;
  return element ? clone(view) : view;
}

void set_item(const Tensor& self, PyObject* key, PyObject* value, bool numpy_face) {
  if (!value && !numpy_face) raise_python(PyExc_TypeError, "Tensor does not support deleting items");
  if (!value) raise_python(PyExc_ValueError, "cannot delete array elements");
  check_writeable(self, "assignment destination");
  if (!needs_operators(self) && self.device().is_cpu() && (PyFloat_CheckExact(value) || PyLong_CheckExact(value))) {
    if (char* at = integer_key_address(self, key)) {
      if (!numpy_face && PyFloat_CheckExact(value) &&
          (self.dtype() == ScalarType::Float32 || self.dtype() == ScalarType::Complex64))
        check_fits(Scalar(PyFloat_AS_DOUBLE(value)), self.dtype());
      store_number(value, self.dtype(), at);
      self.bump_version();
      return;
    }
  }
  if (ScalarType dtype; !needs_operators(self) && self.device().is_cpu()) {
    const void* number = scalar_value(value, dtype);
    // All other cases use the general path, which raises NumPy's errors and warnings.
    if (number && (dtype == self.dtype() || (is_floating(self.dtype()) && !is_complex(dtype)))) {
      if (char* at = integer_key_address(self, key)) {
        store_scalar(scalar_at(dtype, number), self.dtype(), at);
        self.bump_version();
        return;
      }
    }
  }
  Tensor source = value_tensor(self, value, numpy_face);
  // In NumPy an array of any size is not a valid element.
  const bool is_sequence = numpy_face && source.dim() > 0 && self.dim() > 0;
  TNP_CHECK(!is_sequence || !integer_key_address(self, key), ErrorKind::Value,
            "setting an array element with a sequence.");
  if (!needs_operators(self, source)) {
    if (Tensor view = basic_view(self, key, numpy_face); view.defined()) return assign(view, source);
  }
  Key parsed(self, key, numpy_face);
  if (const KeyItem* item = parsed.single(); item && item->kind == KeyItem::Mask && source.numel() == 1 &&
                                             source.dim() == 0 && item->tensor.sizes() == self.sizes() &&
                                             !needs_operators(self, source)) {
    check_mask_shape(self, item->tensor, 0);
    copyto(self, cast_tensor(source, self.dtype()), Casting::Unsafe, item->tensor);
    return;
  }
  TNP_CHECK(
      numpy_face || !parsed.has_arrays() || source.dim() == 0 || source.dtype() == self.dtype() || !is_variable(value),
      ErrorKind::Dtype, "Index put requires the source and destination dtypes match, got ", InTorch{self.dtype()},
      " for the destination and ", InTorch{source.dtype()}, " for the source.");
  const Tensor rows = needs_operators(source) ? Tensor() : rows_of_mask(self, parsed);
  if (rows.defined() && is_dense_for(rows, source) && put_rows_(rows, flat_mask(parsed), source)) return;
  if (rows.defined() && is_all_true(parsed.single()->tensor)) {
    return assign(rows, fit_value(beside(self.device(), source), rows.sizes(), "shape mismatch: value array of shape ",
                                  " could not be broadcast to indexing result of shape "));
  }
  std::vector<Tensor> indices;
  int64_t position = 0;
  // must come first, so that an index out of bounds is reported before other errors
  Tensor view = parsed.view(self, indices, position);
  TNP_CHECK(!is_sequence || !parsed.is_element(self), ErrorKind::Value, "setting an array element with a sequence.");
  if (!parsed.has_arrays()) return assign(view, source);
  DimVector shape = indexed_shape(view, indices, position);
  put_indexed_(
      view, indices,
      fit_value(without_axes_of_nothing(beside(self.device(), source), shape), shape,
                "shape mismatch: value array of shape ", " could not be broadcast to indexing result of shape "),
      false, position);
}

}  // namespace tnp::python
