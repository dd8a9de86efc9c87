#include "csrc/compiler/python_step.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aten/compiler/call.h"
#include "aten/compiler/foreign_code.h"
#include "aten/random/draws.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

using compiler::Tracer;

bool is_list_of_tensors(PyObject* o) {
  if (!PyList_Check(o)) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i)
    if (!is_tensor(PyList_GET_ITEM(o, i))) return false;
  return true;
}

std::vector<Tensor> tensors_of(PyObject* results) {
  std::vector<Tensor> list;
  if (is_variable(results)) {
    list.push_back(unwrap(results));
  } else if (PyTuple_Check(results) || PyList_Check(results)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(results); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(results, i);
      if (!is_variable(item))
        raise_python(PyExc_TypeError, std::string("an operator must return Tensors, not ") + Py_TYPE(item)->tp_name);
      list.push_back(unwrap(item));
    }
  }
  return list;
}

class PythonStep final : public compiler::Step, public compiler::ForeignCode {
 public:
  PythonStep(Tracer& r, std::string name, PyObject* function, PyObject* arguments)
      : name_(std::move(name)), function_(Py_NewRef(function)) {
    const Py_ssize_t n = PyTuple_GET_SIZE(arguments);
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* o = PyTuple_GET_ITEM(arguments, i);
      Argument& a = arguments_.emplace_back();
      if (is_tensor(o)) {
        a.views.push_back(r.read(unwrap(o), *this));
      } else if (is_list_of_tensors(o)) {
        a.is_list = true;
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(o); ++k)
          a.views.push_back(r.read(unwrap(PyList_GET_ITEM(o, k)), *this));
      } else {
        a.constant = Ref(Py_NewRef(o));
        const Ref text(check(PyObject_Repr(o)));
        for (char c : text_of(text.get())) {
          if (c == '%') a.text += '\\';  // not a view: print_value() in aten/compiler/text.cpp
          a.text += c;
        }
      }
    }
  }

  bool run(compiler::Frame& frame) const override {
    const Ref arguments(check(PyTuple_New(static_cast<Py_ssize_t>(arguments_.size()))));
    for (size_t i = 0; i < arguments_.size(); ++i)
      PyTuple_SET_ITEM(arguments.get(), static_cast<Py_ssize_t>(i), arguments_[i].in(frame));
    const Ref results(check(PyObject_Call(function_.get(), arguments.get(), nullptr)));
    return this->results.bind(frame, tensors_of(results.get()));
  }
  std::string name() const override { return name_; }
  std::string text() const override {
    std::string s = name_ + "(";
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (i > 0) s += ", ";
      arguments_[i].print(s);
    }
    return s += ')';
  }
  compiler::Results results;

 private:
  struct Argument {
    bool is_list = false;
    std::vector<int> views;
    Ref constant;
    std::string text;
    PyObject* in(compiler::Frame& frame) const {  // returns a new reference
      if (constant) return Py_NewRef(constant.get());
      if (!is_list) return check(wrap<false>(frame.tensor(views[0])));
      Ref list(check(PyList_New(static_cast<Py_ssize_t>(views.size()))));
      for (size_t k = 0; k < views.size(); ++k)
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(k), check(wrap<false>(frame.tensor(views[k]))));
      return list.release();
    }
    void print(std::string& to) const {
      if (constant) {
        to += text;
        return;
      }
      if (is_list) to += '[';
      for (size_t k = 0; k < views.size(); ++k) {
        if (k > 0) to += ", ";
        compiler::print_view(to, views[k]);
      }
      if (is_list) to += ']';
    }
  };
  std::string name_;
  Ref function_;
  std::vector<Argument> arguments_;
};

PyObject* traced(Tracer& r, const char* name, PyObject* function, PyObject* arguments, bool has_shapes) {
  auto step = std::make_unique<PythonStep>(r, name, function, arguments);
  const std::vector<uint32_t> before = r.versions(*step);
  const uint64_t draws = draws_of_thread();
  Ref results;
  {
    const StateGuard<Observer*, &ThreadState::observer> nobody(nullptr);
    results = Ref(PyObject_Call(function, arguments, nullptr));
  }
  if (!results) r.note_raised();
  check(results.get());
  step->draws = draws_of_thread() != draws;
  r.note_changes(*step, before);
  const std::vector<Tensor> made = tensors_of(results.get());
  step->looks = !has_shapes && !made.empty();
  step->results.note(r, *step, made);
  if (r.is_needed(*step)) r.add(std::move(step));
  return results.release();
}

}  // namespace

PyObject* is_observed(PyObject*, PyObject*) { return PyBool_FromLong(observer() != nullptr); }

PyObject* call_opaque(PyObject*, PyObject* args) {
  const char* name;
  PyObject *function, *arguments;
  int has_shapes;
  if (!PyArg_ParseTuple(args, "sOO!p", &name, &function, &PyTuple_Type, &arguments, &has_shapes)) return nullptr;
  Tracer* r = observer() ? compiler::active_tracer() : nullptr;
  if (!r) return PyObject_Call(function, arguments, nullptr);
  return guarded<false>([&] { return traced(*r, name, function, arguments, has_shapes != 0); });
}

}  // namespace tnp::python
