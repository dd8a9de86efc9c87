#include "csrc/compiler/outputs.h"

#include <algorithm>

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

Output::Output(PyObject* o, compiler::Tracer& tracer, const CallKey& arguments, PyObject* outside, Returned& arrays) {
  if (is_variable(o)) {
    for (size_t i = 0; i < arguments.array_objects().size(); ++i) {
      if (arguments.array_objects()[i] != o) continue;
      kind_ = Kind::Argument;
      number_ = static_cast<int>(i);
      return;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(outside); ++i) {
      if (PyList_GET_ITEM(outside, i) != o) continue;
      kind_ = Kind::Object;
      object_ = Ref(Py_NewRef(o));
      return;
    }
    const Tensor& t = unwrap(o);
    if (!is_exact(o)) tracer.fail("a result of a subclass of ndarray or Tensor");
    if (t.requires_grad()) gradient_ = static_cast<int>(arrays.differentiable.size());
    (t.requires_grad() ? arrays.differentiable : arrays.others).push_back(t);
    kind_ = t.impl()->is_value ? Kind::Value : Kind::Array;
    is_numpy_face_ = Py_TYPE(o) == ndarray_type;
    writeable_ = t.impl()->writeable;
    number_ = tracer.result(t);
    is_copied_ = tracer.is_constant(t);
    for (size_t i = 0; i < arguments.arrays().size() && t.impl()->base; ++i)
      if (arguments.array_objects()[i] && &arguments.arrays()[i].storage() == &t.storage()) base_ = static_cast<int>(i);
    return;
  }
  if (PyTuple_Check(o) || PyList_CheckExact(o)) {
    kind_ = PyTuple_Check(o) ? Kind::Tuple : Kind::List;
    object_ = Ref(Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(o))));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      items_.emplace_back(PySequence_Fast_GET_ITEM(o, i), tracer, arguments, outside, arrays);
    return;
  }
  if (PyDict_CheckExact(o)) {
    kind_ = Kind::Dict;
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
      items_.emplace_back(key, tracer, arguments, outside, arrays);
      items_.emplace_back(value, tracer, arguments, outside, arrays);
    }
    return;
  }
  kind_ = Kind::Object;
  if (!is_constant(o))
    tracer.fail(std::string("a result of the class ") + Py_TYPE(o)->tp_name + ", which may hold values of the call");
  object_ = Ref(Py_NewRef(o));
}

void Output::enter(const Tensor& t, const intrusive_ptr<Node>& node) const {
  if (gradient_ >= 0) set_history(t, node, static_cast<uint32_t>(gradient_));
}

PyObject* Output::tracked(PyObject* array) const {
  if (gradient_ >= 0) track(array);  // the node may be part of a reference cycle
  return array;
}

PyObject* Output::build(compiler::Frame& frame, const CallKey& arguments, const intrusive_ptr<Node>& node) const {
  switch (kind_) {
    case Kind::Object:
      return Py_NewRef(object_.get());
    case Kind::Argument:
      return Py_NewRef(arguments.array_objects()[static_cast<size_t>(number_)]);
    case Kind::Value: {
      Tensor t = frame.tensor(number_);
      enter(t, node);
      return tracked(check(wrap_value(std::move(t))));
    }
    case Kind::Array: {
      Tensor t = frame.tensor(number_);
      t.address();  // computes a pending result
      if (is_copied_) t = clone(t);
      if (base_ >= 0)
        t = view_of(arguments.arrays()[static_cast<size_t>(base_)], t.sizes(), t.strides(), t.address(), t.dtype());
      t.impl()->writeable = writeable_;
      enter(t, node);
      return tracked(check(is_numpy_face_ ? wrap<true>(t) : wrap<false>(t)));
    }
    case Kind::Tuple:
    case Kind::List: {
      const auto n = static_cast<Py_ssize_t>(items_.size());
      Ref all(check(kind_ == Kind::List ? PyList_New(n) : PyTuple_New(n)));
      for (Py_ssize_t i = 0; i < n; ++i) {
        PyObject* item = items_[static_cast<size_t>(i)].build(frame, arguments, node);
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
        const Ref key(items_[i].build(frame, arguments, node)), value(items_[i + 1].build(frame, arguments, node));
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
