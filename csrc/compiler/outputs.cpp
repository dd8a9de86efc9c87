#include "csrc/compiler/outputs.h"

#include <algorithm>
#include <cstring>

#include "aten/autograd/variable.h"
#include "aten/functions/copies.h"
#include "csrc/convert/convert.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

bool is_numpy_dtype(PyObject* o) {
  PyTypeObject* root = Py_TYPE(numpy_dtype(ScalarType::Float32));
  while (root->tp_base != &PyBaseObject_Type) root = root->tp_base;
  return PyObject_TypeCheck(o, root);
}

// Whether a call made this function or class ("f.<locals>.g"): it may hold results of that call.
bool is_made_by_a_call(PyObject* o) {
  const Ref name(PyObject_GetAttrString(o, "__qualname__"));
  if (!name) PyErr_Clear();
  return !name || !PyUnicode_Check(name.get()) || text_of(name.get()).find("<locals>") != std::string::npos;
}

// Whether it is a bound method of C, which holds its object.
bool is_method(PyObject* o) {
  PyObject* const self = PyCFunction_GET_SELF(o);
  return self && !PyModule_Check(self);
}

// Whether it is returned as a constant: every caller receives the same object.
bool is_constant(PyObject* o) {
  if (PyFunction_Check(o)) return !PyFunction_GET_CLOSURE(o) && !is_made_by_a_call(o);
  if (PyType_Check(o)) return !is_made_by_a_call(o);
  if (PyCFunction_Check(o)) return !is_method(o);
  return o == Py_None || o == Py_Ellipsis || PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) ||
         PyUnicode_Check(o) || PyBytes_Check(o) || PyModule_Check(o) || is_numpy_scalar(o) || is_numpy_dtype(o);
}

}  // namespace

namespace {

// Whether `view` is a view of the tensor, or of its base.
bool have_same_base(const Tensor& view, const Tensor& t) {
  return view.impl()->base && view.impl()->base.get() == (t.impl()->base ? t.impl()->base.get() : t.impl());
}

}  // namespace

intrusive_ptr<Storage> copy_of_memory(const Tensor& t) {
  const Storage& storage = t.storage();
  intrusive_ptr<Storage> copy = new_storage(storage.bytes(), Device{});
  std::memcpy(copy->data(), storage.data(), storage.bytes());
  return copy;
}

Tensor with_memory(const Tensor& t, const intrusive_ptr<Storage>& copy) {
  char* const data = copy->data() + (t.address() - t.storage().data());
  return Tensor(make_intrusive<TensorImpl>(copy, t.dtype(), t.sizes(), t.strides(), data));
}

Output::Output(PyObject* o, compiler::Tracer& tracer, const CallKey& arguments, PyObject* outside, const Guards& guards,
               Returned& arrays) {
  const bool is_list = PyList_CheckExact(o), is_dict = PyDict_CheckExact(o);
  if (is_variable(o) || is_list || is_dict || PyTuple_Check(o)) {
    // The same object in several places of the result stays one object.
    const auto [at, is_first] = arrays.places.emplace(o, this);
    if (!is_first) {
      Output& first = *at->second;
      if (first.is_open_) tracer.fail("a result that contains itself");
      if (first.shared_ < 0) first.shared_ = arrays.num_shared++;
      kind_ = Kind::Repeated;
      number_ = first.shared_;
      return;
    }
  }
  if (is_variable(o)) {
    const Tensor& t = unwrap(o);
    is_numpy_face_ = Py_TYPE(o) == ndarray_type;
    const bool is_tensor = is_exact(o);
    for (size_t i = 0; i < arguments.array_objects().size(); ++i) {
      PyObject* const argument = arguments.array_objects()[i];
      if (argument != o && !(argument && is_tensor && t.is_same(arguments.arrays()[i]))) continue;
      kind_ = Kind::Argument;
      number_ = static_cast<int>(i);
      return;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(outside); ++i) {
      PyObject* const known = PyList_GET_ITEM(outside, i);
      if (known != o && !(is_tensor && t.is_same(unwrap(known)))) continue;
      object_ = Ref(Py_NewRef(o));
      return;
    }
    if (Py_TYPE(o) != ndarray_type && Py_TYPE(o) != tensor_type)
      tracer.fail("a result of a subclass of ndarray or Tensor");
    if (t.grad().defined()) tracer.fail("a result that has a gradient");
    if (own_attributes(t)) tracer.fail("a result to which the function gives attributes");
    if (t.requires_grad()) gradient_ = static_cast<int>(arrays.differentiable.size());
    (t.requires_grad() ? arrays.differentiable : arrays.others).push_back(t);
    kind_ = is_numpy_face_ && t.impl()->is_value && !t.impl()->writeable ? Kind::Value : Kind::Array;
    writeable_ = t.impl()->writeable;
    origin_ = t.impl()->origin;
    number_ = tracer.result(t);
    is_copied_ = number_ >= 0 && tracer.is_constant(number_);
    if (is_copied_) arrays.constants.push_back(number_);
    // Several arrays of the result may be equal views.
    const auto is_equal = [&](const auto& other) { return other.first == number_ && !other.second.is_same(t); };
    is_kept_ =
        number_ >= 0 && (tracer.is_outside(number_) || std::any_of(arrays.views.begin(), arrays.views.end(), is_equal));
    arrays.views.emplace_back(number_, t);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(outside); ++i)
      if (PyObject* const known = PyList_GET_ITEM(outside, i); have_same_base(t, unwrap(known)))
        object_ = Ref(Py_NewRef(known));
    for (size_t i = 0; i < arguments.arrays().size(); ++i)
      if (arguments.array_objects()[i] && have_same_base(t, arguments.arrays()[i])) base_ = static_cast<int>(i);
    return;
  }
  if ((is_list || is_dict) && (arguments.has_container(o) || guards.has_holder(o)))
    tracer.fail(std::string("a result that is a ") + (is_list ? "list" : "dictionary") +
                " from outside the function, which a caller may change");
  is_open_ = true;
  if (PyTuple_Check(o) || is_list) {
    kind_ = is_list ? Kind::List : Kind::Tuple;
    object_ = Ref(Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(o))));
    items_.reserve(static_cast<size_t>(PySequence_Fast_GET_SIZE(o)));  // their addresses are kept
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      items_.emplace_back(PySequence_Fast_GET_ITEM(o, i), tracer, arguments, outside, guards, arrays);
  } else if (is_dict) {
    kind_ = Kind::Dict;
    items_.reserve(2 * static_cast<size_t>(PyDict_GET_SIZE(o)));
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
      items_.emplace_back(key, tracer, arguments, outside, guards, arrays);
      items_.emplace_back(value, tracer, arguments, outside, guards, arrays);
    }
  } else {
    if (!is_constant(o))
      tracer.fail(std::string("a result of the class ") + Py_TYPE(o)->tp_name + ", which may hold values of the call");
    object_ = Ref(Py_NewRef(o));
  }
  is_open_ = false;
}

void Output::enter(const Tensor& t, const intrusive_ptr<Node>& node) const {
  if (gradient_ >= 0) set_history(t, node, static_cast<uint32_t>(gradient_));
}

PyObject* Output::tracked(PyObject* array) const {
  if (gradient_ >= 0) track(array);  // the node may be part of a reference cycle
  return array;
}

PyObject* Output::build(compiler::Frame& frame, const CallKey& arguments, const intrusive_ptr<Node>& node) const {
  Build b{frame, arguments, node, {}, {}};
  return build(b);
}

PyObject* Output::build(Build& b) const {
  PyObject* const o = made(b);
  if (shared_ >= 0) {
    b.shared.resize(std::max(b.shared.size(), static_cast<size_t>(shared_) + 1));
    b.shared[static_cast<size_t>(shared_)] = o;
  }
  return o;
}

PyObject* Output::made(Build& b) const {
  switch (kind_) {
    case Kind::Object:
      return Py_NewRef(object_.get());
    case Kind::Repeated:
      return Py_NewRef(b.shared[static_cast<size_t>(number_)]);
    case Kind::Argument: {
      PyObject* const o = b.arguments.array_objects()[static_cast<size_t>(number_)];
      if (!is_exact(o) || (Py_TYPE(o) == ndarray_type) == is_numpy_face_) return Py_NewRef(o);
      return check(is_numpy_face_ ? wrap<true>(unwrap(o)) : wrap<false>(unwrap(o)));
    }
    case Kind::Value: {
      Tensor t = b.frame.tensor(number_);
      enter(t, b.node);
      return tracked(check(wrap_value(std::move(t))));
    }
    case Kind::Array: {
      Tensor t = b.frame.tensor(number_);
      t.address();  // computes a pending result
      if (is_copied_) {
        const Storage* const kept = &t.storage();
        const auto is_copy = [&](const auto& copy) { return copy.first == kept; };
        if (std::none_of(b.copies.begin(), b.copies.end(), is_copy)) b.copies.emplace_back(kept, copy_of_memory(t));
        t = with_memory(t, std::find_if(b.copies.begin(), b.copies.end(), is_copy)->second);
      }
      if (base_ >= 0)
        t = view_of(b.arguments.arrays()[static_cast<size_t>(base_)], t.sizes(), t.strides(), t.address(), t.dtype());
      else if (object_)
        t = view_of(unwrap(object_.get()), t.sizes(), t.strides(), t.address(), t.dtype());
      else if (is_kept_)
        t = detach(t);
      t.impl()->writeable = writeable_;
      if (t.is_view()) t.impl()->origin = origin_;
      enter(t, b.node);
      return tracked(check(is_numpy_face_ ? wrap<true>(t) : wrap<false>(t)));
    }
    case Kind::Tuple:
    case Kind::List: {
      const auto n = static_cast<Py_ssize_t>(items_.size());
      Ref all(check(kind_ == Kind::List ? PyList_New(n) : PyTuple_New(n)));
      for (Py_ssize_t i = 0; i < n; ++i) {
        PyObject* item = items_[static_cast<size_t>(i)].build(b);
        kind_ == Kind::List ? PyList_SET_ITEM(all.get(), i, item) : PyTuple_SET_ITEM(all.get(), i, item);
      }
      auto* type = reinterpret_cast<PyTypeObject*>(object_.get());
      if (type == &PyTuple_Type || type == &PyList_Type) return all.release();
      const Ref make(PyObject_GetAttrString(object_.get(), "_make"));  // a namedtuple
      if (make) return check(PyObject_CallOneArg(make.get(), all.get()));
      PyErr_Clear();
      return check(PyObject_CallOneArg(object_.get(), all.get()));
    }
    case Kind::Dict: {
      Ref all(check(PyDict_New()));
      for (size_t i = 0; i < items_.size(); i += 2) {
        const Ref key(items_[i].build(b)), value(items_[i + 1].build(b));
        check(PyDict_SetItem(all.get(), key.get(), value.get()) == 0);
      }
      return all.release();
    }
  }
  return nullptr;
}

int Output::visit(visitproc visit, void* arg) const {
  Py_VISIT(object_.get());
  for (const Output& item : items_)
    if (const int found = item.visit(visit, arg)) return found;
  return 0;
}

namespace {

void add_differentiable(PyObject* o, const CallKey& arguments, const std::vector<Tensor>& outside,
                        std::vector<Tensor>& found) {
  if (is_variable(o)) {
    const Tensor& t = unwrap(o);
    if (std::any_of(found.begin(), found.end(), [&](const Tensor& other) { return other.is_same(t); })) return;
    const auto& given = arguments.array_objects();
    const bool is_given =
        std::find(given.begin(), given.end(), o) != given.end() ||
        std::any_of(outside.begin(), outside.end(), [&](const Tensor& other) { return other.is_same(t); });
    if (!is_given && t.requires_grad()) found.push_back(t);
  } else if (PyTuple_Check(o) || PyList_CheckExact(o)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      add_differentiable(PySequence_Fast_GET_ITEM(o, i), arguments, outside, found);
  } else if (PyDict_CheckExact(o)) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) add_differentiable(value, arguments, outside, found);
  }
}

}  // namespace

std::vector<Tensor> differentiable_arrays(PyObject* returned, const CallKey& arguments,
                                          const std::vector<Tensor>& outside) {
  std::vector<Tensor> found;
  add_differentiable(returned, arguments, outside, found);
  return found;
}

}  // namespace tnp::python
