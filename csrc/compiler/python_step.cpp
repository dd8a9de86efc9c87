#include "csrc/compiler/python_step.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aten/compiler/traced.h"
#include "aten/core/autocast.h"
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

// A constant of a type whose values equal each other only if operators treat them alike.
compiler::ArgumentValue value_of(PyObject* o) {
  if (o == Py_None) return std::monostate();
  if (PyBool_Check(o)) return o == Py_True;
  if (PyFloat_CheckExact(o)) return PyFloat_AS_DOUBLE(o);
  if (PyUnicode_CheckExact(o) && PyUnicode_IS_COMPACT_ASCII(o)) return text_of(o);
  if (PyLong_CheckExact(o)) {
    int overflow = 0;
    const int64_t number = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (!overflow) return number;
  }
  if (PyList_CheckExact(o)) {
    DimVector numbers;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i) {
      const compiler::ArgumentValue item = value_of(PyList_GET_ITEM(o, i));
      if (!std::holds_alternative<int64_t>(item))
        return compiler::Opaque{o, text_of(Ref(check(PyObject_Repr(o))).get())};
      numbers.push_back(std::get<int64_t>(item));
    }
    return numbers;
  }
  return compiler::Opaque{o, text_of(Ref(check(PyObject_Repr(o))).get())};
}

// RAII guard that sets the thread's state of autocast.
class AutocastGuard {
 public:
  explicit AutocastGuard(const AutocastState& state) : saved_(std::exchange(autocast_state, state)) {}
  ~AutocastGuard() { autocast_state = saved_; }
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  const AutocastState saved_;
};

class PythonStep final : public compiler::Step {
 public:
  PythonStep(Tracer& r, const char* name, PyObject* function, PyObject* arguments)
      : name_(check(PyUnicode_InternFromString(name))), function_(Py_NewRef(function)) {
    is_foreign = true;
    // The operator's functions on several devices have one name.
    call = {name_.get(), PyUnicode_AsUTF8(name_.get()), r.dialect_of_step()};
    compiler::StepWriter writer(r, *this);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments); ++i) {
      PyObject* o = PyTuple_GET_ITEM(arguments, i);
      Ref& constant = constants_.emplace_back();
      if (is_tensor(o)) {
        writer.add(unwrap(o));
      } else if (is_list_of_tensors(o)) {
        writer.add(TensorList(tensors_of(o)));
      } else {
        constant = Ref(Py_NewRef(o));
        call.arguments.push_back({value_of(o)});
      }
    }
  }

  bool run(compiler::Frame& frame) const override {
    compiler::ArgumentReader reader(call, frame);
    const Ref arguments(check(PyTuple_New(static_cast<Py_ssize_t>(constants_.size()))));
    for (size_t i = 0; i < constants_.size(); ++i)
      PyTuple_SET_ITEM(arguments.get(), static_cast<Py_ssize_t>(i), argument(i, reader));
    const AutocastGuard state(autocast_);
    const Ref results(check(PyObject_Call(function_.get(), arguments.get(), nullptr)));
    return this->results.bind(frame, tensors_of(results.get()));
  }
  int visit(visitproc visit, void* arg) const {
    Py_VISIT(function_.get());
    for (const Ref& constant : constants_) Py_VISIT(constant.get());
    return 0;
  }

 private:
  PyObject* argument(size_t i, compiler::ArgumentReader& reader) const {  // returns a new reference
    if (constants_[i]) return reader.next(), Py_NewRef(constants_[i].get());
    if (std::holds_alternative<compiler::ViewNumber>(call.arguments[i].value))
      return check(wrap<false>(reader.tensor()));
    const TensorList tensors = reader.tensors();
    Ref list(check(PyList_New(static_cast<Py_ssize_t>(tensors.size()))));
    for (size_t k = 0; k < tensors.size(); ++k)
      PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(k), check(wrap<false>(tensors[k])));
    return list.release();
  }

  Ref name_, function_;
  std::vector<Ref> constants_;                     // null for tensors
  const AutocastState autocast_ = autocast_state;  // a replay runs without autocast
};

PyObject* traced(Tracer& r, const char* name, PyObject* function, PyObject* arguments, bool has_shapes) {
  compiler::TracedCall call(r, std::make_unique<PythonStep>(r, name, function, arguments));
  const uint64_t draws = draws_of_thread();
  Ref results;
  {
    const StateGuard<Observer*, &ThreadState::observer> nobody(nullptr);
    results = Ref(PyObject_Call(function, arguments, nullptr));
  }
  if (!results) r.note_raised();
  check(results.get());
  call.step().draws = draws_of_thread() != draws;
  call.note_changes();
  const std::vector<Tensor> made = tensors_of(results.get());
  call.step().looks = !has_shapes && !made.empty();
  call.note(made);
  call.add();
  return results.release();
}

int visit_step(const compiler::Step& step, visitproc visit, void* arg) {
  if (const auto* python = dynamic_cast<const PythonStep*>(&step)) return python->visit(visit, arg);
  for (const auto& part : step.parts)
    if (const int found = visit_step(*part, visit, arg)) return found;
  return 0;
}

}  // namespace

int visit_python_steps(const compiler::Trace& trace, visitproc visit, void* arg) {
  for (const auto& step : trace.steps)
    if (const int found = visit_step(*step, visit, arg)) return found;
  return 0;
}

PyObject* is_observed(PyObject*, PyObject*) { return PyBool_FromLong(is_tracing()); }

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
