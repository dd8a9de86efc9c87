#include "csrc/indexing/key.h"

#include <algorithm>

#include "aten/functions/copies.h"
#include "aten/functions/shape.h"
#include "aten/ops/copying/beside.h"
#include "aten/ops/indexing/indexing.h"
#include "csrc/convert/convert.h"
#include "csrc/indexing/indexing.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

constexpr const char* kInvalidKey =
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices";

[[noreturn]] void raise_index(const char* message) { raise_python(PyExc_IndexError, message); }

KeyItem integer_item(PyObject* o) {
  KeyItem item{KeyItem::Integer};
  item.value = PyNumber_AsSsize_t(o, PyExc_IndexError);
  if (item.value == -1 && PyErr_Occurred()) throw PythonError();
  return item;
}

void warn(const char* text) {
  if (PyErr_WarnEx(PyExc_UserWarning, text, 1) < 0) throw PythonError();
}

// Whether PyTorch reads the list `key` as a tuple of keys: it has at most 31 items, and one of them is
// no number.
bool is_list_of_keys(PyObject* key) {
  if (!PyList_CheckExact(key) || PyList_GET_SIZE(key) >= 32) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(key); ++i) {
    PyObject* o = PyList_GET_ITEM(key, i);
    if (PyList_Check(o) || PyTuple_Check(o) || PySlice_Check(o) || o == Py_Ellipsis || o == Py_None ||
        (is_variable(o) && unwrap(o).dim() > 0))
      return true;
  }
  return false;
}

KeyItem truth_item(bool value) { return KeyItem{KeyItem::Truth, value}; }

KeyItem array_item(KeyItem::Kind kind, Tensor t) {
  KeyItem item{kind};
  item.tensor = std::move(t);
  return item;
}

KeyItem tensor_item(Tensor t, bool numpy_face, bool from_list) {
  if (!numpy_face && t.dtype() == ScalarType::UInt8) {  // PyTorch's old masks
    warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.");
    t = cast_tensor(t, ScalarType::Bool);
  }
  if (is_bool(t.dtype())) {
    if (t.dim() > 0) return array_item(KeyItem::Mask, std::move(t));
    return truth_item(t.item<bool>());
  }
  if (!is_integer(t.dtype())) {
    if (!from_list || t.numel() > 0) {
      raise_index(t.dim() == 0 ? kInvalidKey : "arrays used as indices must be of integer (or boolean) type");
    }
    t = empty_tensor(t.sizes(), ScalarType::Int64);  // []
  }
  // One index for all samples of a batch, or one for each.
  if (t.dim() == 0 && !t.device().is_wrapped()) return KeyItem{KeyItem::Integer, t.item<int64_t>()};
  return array_item(KeyItem::Array, std::move(t));
}

KeyItem sequence_item(PyObject* o, bool numpy_face) {
  Tensor t;
  try {
    t = from_foreign(o);
    if (t.defined()) return tensor_item(std::move(t), numpy_face, false);
    if (PyUnicode_Check(o) || !PySequence_Check(o)) raise_index(kInvalidKey);
    t = tensor_from_sequence(o, true, std::nullopt);
  } catch (PythonError&) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) raise_index(kInvalidKey);
    throw;
  }
  return tensor_item(std::move(t), numpy_face, true);
}

KeyItem parse_item(PyObject* o, bool numpy_face) {
  if (PyLong_CheckExact(o)) return integer_item(o);
  if (PySlice_Check(o)) {
    KeyItem item{KeyItem::Slice};
    item.slice = o;
    return item;
  }
  if (o == Py_Ellipsis) return KeyItem{KeyItem::Ellipsis};
  if (o == Py_None) return KeyItem{KeyItem::NewAxis};
  if (PyBool_Check(o)) return truth_item(o == Py_True);
  if (is_variable(o)) return tensor_item(unwrap(o), numpy_face, false);
  if (PyIndex_Check(o) && !is_numpy_array(o)) {
    Ref index(PyNumber_Index(o));
    if (index) return integer_item(index.get());
    PyErr_Clear();  // __index__ may raise any exception, as NumPy's floats do: not an integer, as in NumPy
  }
  return sequence_item(o, numpy_face);
}

void check_view_ndim(int64_t n) {
  TNP_CHECK(n <= kMaxDims, ErrorKind::Index, "number of dimensions must be within [0, ", kMaxDims,
            "], indexing result would have ", n);
}

}  // namespace

Key::Key(const Tensor& self, PyObject* key, bool numpy_face) : numpy_(numpy_face) {
  Ref items;
  if (TNP_UNLIKELY(!numpy_face && is_list_of_keys(key))) {
    items = Ref(PyList_AsTuple(key));
    if (!items) throw PythonError();
    warn(
        "Using a non-tuple sequence for multidimensional indexing is deprecated; use x[tuple(seq)] instead of x[seq].");
    key = items.get();
  }
  if (PyTuple_Check(key)) {
    // Elements' __index__ or __array__ may run Python code, but a tuple is immutable.
    Py_ssize_t n = PyTuple_GET_SIZE(key);
    items_.reserve(static_cast<size_t>(n));
    for (Py_ssize_t i = 0; i < n; ++i) items_.push_back(parse_item(PyTuple_GET_ITEM(key, i), numpy_face));
  } else {
    items_.push_back(parse_item(key, numpy_face));
  }
  int64_t used = 0, ellipses = 0;
  for (const KeyItem& item : items_) {
    used += item.num_axes();
    ellipses += item.kind == KeyItem::Ellipsis;
    has_arrays_ |= item.is_array();
  }
  if (ellipses > 1) raise_index("an index can only have a single ellipsis ('...')");
  auto count_rest = [&] {
    TNP_CHECK(used == 0 || self.dim() > 0 || numpy_face, ErrorKind::Index,
              "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert "
              "a 0-dim tensor to a number");
    if (used > self.dim()) raise_too_many_indices(self.dim(), used);
    rest_ = self.dim() - used;  // axes covered by `...`, or the trailing ones
  };
  count_rest();  // reported before errors in a slice
  for (KeyItem& item : items_) {
    if (item.kind != KeyItem::Slice) continue;
    check(PySlice_Unpack(item.slice, &item.start, &item.stop, &item.step) == 0);
    if (item.step < 0 && !numpy_face) raise_python(PyExc_ValueError, "step must be greater than zero");
  }
  count_rest();
}

bool Key::has_ellipsis() const {
  return std::any_of(items_.begin(), items_.end(), [](const KeyItem& i) { return i.kind == KeyItem::Ellipsis; });
}

bool Key::is_element(const Tensor& self) const {
  bool integers =
      std::all_of(items_.begin(), items_.end(), [](const KeyItem& item) { return item.kind == KeyItem::Integer; });
  return integers && static_cast<int64_t>(items_.size()) == self.dim();
}

// Applies the items in order. `builder` builds the view and counts its axes.
template <class Builder>
void Key::apply(const Tensor& self, std::vector<Tensor>& indices, int64_t& position, Builder& builder) const {
  int64_t axis = 0;  // of self
  int64_t kept = 0;  // axes of the result so far, without those of the index arrays
  enum { None, Inside, After, Apart } arrays = None;
  auto place = [&] {
    if (arrays == None)
      position = kept, arrays = Inside;
    else if (arrays == After)
      position = 0, arrays = Apart;
  };
  for (const KeyItem& item : items_) {
    bool joins_arrays = item.is_array() || (item.kind == KeyItem::Integer && numpy_);
    if (joins_arrays)
      place();
    else if (arrays == Inside)
      arrays = After;
    switch (item.kind) {
      case KeyItem::Integer:
        builder.select(axis, wrap_index(item.value, axis, self.size(axis)));
        break;
      case KeyItem::Slice: {
        Py_ssize_t start = item.start, stop = item.stop;
        Py_ssize_t n = PySlice_AdjustIndices(self.size(axis), &start, &stop, item.step);
        builder.slice(axis, n == 0 ? 0 : start, n, n <= 1 ? 1 : item.step);
        ++kept;
        break;
      }
      case KeyItem::Ellipsis:
        for (int64_t k = 0; k < rest_; ++k) builder.keep(axis + k);
        axis += rest_;
        kept += rest_;
        break;
      case KeyItem::NewAxis:
        builder.new_axis();
        ++kept;
        break;
      case KeyItem::Truth:
        indices.resize(static_cast<size_t>(builder.num_axes()));
        builder.new_axis();
        indices.push_back(empty_tensor({item.value}, ScalarType::Int64));
        if (item.value) *indices.back().data_ptr<int64_t>() = 0;
        indices.back() = beside(self.device(), indices.back());
        break;
      case KeyItem::Mask:
        check_mask_shape(self, item.tensor, axis);
        indices.resize(static_cast<size_t>(builder.num_axes()));
        for (Tensor& t : mask_indices(item.tensor)) indices.push_back(beside(self.device(), t));
        for (int64_t k = 0; k < item.tensor.dim(); ++k) builder.keep(axis + k);
        break;
      case KeyItem::Array:
        indices.resize(static_cast<size_t>(builder.num_axes()));
        indices.push_back(beside(self.device(), item.tensor));
        builder.keep(axis);
    }
    axis += item.num_axes();
  }
  for (; axis < self.dim(); ++axis) builder.keep(axis);
}

struct Key::PlainBuilder {
  const Tensor& self;
  char* data;
  DimVector sizes, strides;
  int64_t num_axes() const { return static_cast<int64_t>(sizes.size()); }
  void add(int64_t n, int64_t stride) { sizes.push_back(n), strides.push_back(stride); }
  void move(int64_t axis, int64_t i) { data += i * self.byte_stride(axis); }
  void select(int64_t axis, int64_t i) { move(axis, i); }
  void slice(int64_t axis, int64_t start, int64_t n, int64_t step) {
    move(axis, start);
    add(n, self.stride(axis) * step);
  }
  void keep(int64_t axis) { add(self.size(axis), self.stride(axis)); }
  void new_axis() { add(1, 0); }
};

Tensor Key::plain_view(const Tensor& self, std::vector<Tensor>& indices, int64_t& position) const {
  PlainBuilder builder{self, self.address(), {}, {}};
  apply(self, indices, position, builder);
  check_view_ndim(builder.num_axes());
  return view_of(self, builder.sizes, builder.strides, builder.data);
}

struct Key::DifferentiableBuilder {
  Tensor view;
  int64_t cursor = 0;
  int64_t num_axes() const { return cursor; }
  void select(int64_t, int64_t i) { view = tnp::select(view, cursor, i); }
  void slice(int64_t, int64_t start, int64_t n, int64_t step) {
    if (n != view.size(cursor) || step != 1) view = tnp::slice(view, cursor, start, n, step);
    ++cursor;
  }
  void keep(int64_t) { ++cursor; }
  void new_axis() { view = tnp::unsqueeze(view, cursor++); }
};

Tensor Key::differentiable_view(const Tensor& self, std::vector<Tensor>& indices, int64_t& position) const {
  DifferentiableBuilder builder{self};
  apply(self, indices, position, builder);
  return builder.view.is_same(self) && !has_arrays_ ? tnp::alias(self) : builder.view;
}

Tensor Key::view(const Tensor& self, std::vector<Tensor>& indices, int64_t& position) const {
  return needs_operators(self) ? differentiable_view(self, indices, position) : plain_view(self, indices, position);
}

}  // namespace tnp::python
