#include "csrc/transforms/dispatch_stack.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "aten/core/requires_grad.h"
#include "aten/core/threads/thread_object.h"
#include "csrc/args/readers.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"
#include "csrc/objects/wrapper_objects.h"
#include "csrc/transforms/transforms.h"

namespace tnp::python {

namespace {

using compiler::BoxedCall;
using compiler::BoxedResults;
using compiler::Interceptor;

PyObject* handler = nullptr;
uint64_t dispatch_level = 0;

// Whether the tape has yet to record a call: of a composite operator without a derivative, whose inner
// operators have one.
bool is_recorded_within(const BoxedCall& call) {
  if (call.kind != BoxedCall::Kind::Composite || !grad_enabled() || !compiler::find_boxed(call.op)) return false;
  if (std::string_view(call.name).ends_with("_like")) return false;  // values do not matter
  return std::any_of(call.tensors.begin(), call.tensors.end(), [](const Tensor& t) { return t.requires_grad(); });
}

// Runs a handler below autograd: what it computes is not recorded.
Interceptor::Outcome run_below_autograd(PyObject* function, BoxedCall& boxed, BoxedResults& results) {
  if (is_recorded_within(boxed)) return Interceptor::Outcome::Inner;
  const RecordedGuard guard;
  return run_handler(function, std::move(boxed), results);
}

class DispatchInterceptor final : public Interceptor {
 public:
  Outcome call(BoxedCall& boxed, BoxedResults& results) override {
    const auto of_subclass = [&](const Tensor& t) { return concerns(t); };
    if (std::none_of(boxed.tensors.begin(), boxed.tensors.end(), of_subclass)) {
      // Its only wrapped argument may be a device, which has become another one.
      const compiler::BoxedFunction* const function = compiler::find_boxed(boxed.op);
      if (!function || std::any_of(boxed.tensors.begin(), boxed.tensors.end(), is_wrapped)) return Outcome::Below;
      const compiler::ObserverGuard observer(below);
      results = (*function)(boxed);
      return Outcome::Done;
    }
    // Operators make tensors beside the one that they have last met.
    device = visible_device(*std::find_if(boxed.tensors.begin(), boxed.tensors.end(), of_subclass));
    return run_below_autograd(handler, boxed, results);
  }
};

class ModeInterceptor final : public Interceptor {
 public:
  explicit ModeInterceptor(PyObject* function) : function_(Py_NewRef(function)) { takes_all = true; }
  Outcome call(BoxedCall& boxed, BoxedResults& results) override {
    const compiler::ObserverGuard observer(below);
    return run_below_autograd(function_.get(), boxed, results);
  }

 private:
  Ref function_;
};

struct Stack {
  std::vector<Interceptor*> pushed;
  std::vector<std::unique_ptr<ModeInterceptor>> modes;
  DispatchInterceptor innermost;
};
Stack& stack() { return ThreadObject<Stack>::get(); }

bool is_interceptor(const Observer* o) { return o && o->kind == Observer::Kind::Interceptor; }

void remove_if_unused() {
  Stack& s = stack();
  if (num_wrapper_objects() == 0 && s.pushed.empty() && observer() == &s.innermost) thread_state.observer = nullptr;
}

PyObject* set_handler(PyObject*, PyObject* args) {
  PyObject* function = nullptr;
  unsigned long long level = 0;
  if (!PyArg_ParseTuple(args, "OK:_set_dispatch", &function, &level)) return nullptr;
  Py_XSETREF(handler, Py_NewRef(function));
  dispatch_level = level;
  on_death_of_wrapper = remove_if_unused;
  Py_RETURN_NONE;
}

PyObject* make_wrapper(PyObject*, PyObject* args) {
  PyObject *type = nullptr, *part = nullptr, *dtype = nullptr, *size = nullptr, *strides = nullptr;
  int has_data = 0, requires_grad = 0;
  if (!PyArg_ParseTuple(args, "O!O!pOOOp:_make_wrapper", &PyType_Type, &type, tensor_type, &part, &has_data, &dtype,
                        &size, &strides, &requires_grad))
    return nullptr;
  if (!PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), tensor_type) ||
      type == reinterpret_cast<PyObject*>(tensor_type))
    return PyErr_SetString(PyExc_TypeError, "_make_wrapper() takes a class derived from Tensor"), nullptr;
  return protect<false>([&]() -> PyObject* {
    DimVector sizes, steps;
    read_int_list(size, 0, false, sizes);
    read_int_list(strides, 0, false, steps);
    TNP_CHECK(sizes.size() == steps.size(), ErrorKind::Value, "size and strides must have the same length");
    const std::optional<ScalarType> of = dtype_from_object(dtype);
    TNP_CHECK(of, ErrorKind::Type, "expected a dtype");
    ensure_dispatch();
    stack().innermost.device = unwrap(part).device();
    Ref made(make_wrapper_object(reinterpret_cast<PyTypeObject*>(type), dispatch_level, unwrap(part), has_data != 0,
                                 *of, sizes, steps));
    if (requires_grad) unwrap(made.get()).set_requires_grad(true);
    return made.release();
  });
}

PyObject* push_mode(PyObject*, PyObject* function) {
  Stack& s = stack();
  auto mode = std::make_unique<ModeInterceptor>(function);
  mode->below = observer();
  thread_state.observer = mode.get();
  note_pushed(mode.get());
  s.modes.push_back(std::move(mode));
  Py_RETURN_NONE;
}

PyObject* pop_mode(PyObject*, PyObject*) {
  Stack& s = stack();
  if (s.modes.empty() || observer() != s.modes.back().get())
    return PyErr_SetString(PyExc_RuntimeError, "a mode that is not the innermost transformation of this thread ends"),
           nullptr;
  const std::unique_ptr<ModeInterceptor> mode = std::move(s.modes.back());
  s.modes.pop_back();
  thread_state.observer = mode->below;
  note_popped(mode.get());
  Py_RETURN_NONE;
}

PyObject* enter_dispatch(PyObject*, PyObject*) {
  return protect<false>([&]() -> PyObject* {
    if (num_wrapper_objects() && !observer()) ensure_dispatch();
    Py_RETURN_NONE;
  });
}

PyObject* leave_transforms(PyObject*, PyObject*) {
  PyObject* const token = PyLong_FromVoidPtr(thread_state.observer);
  if (!token) return nullptr;
  Stack& s = stack();
  Observer* o = observer();
  while (is_interceptor(o) && o != &s.innermost) o = static_cast<Interceptor*>(o)->below;
  thread_state.observer = o;
  return token;
}

PyObject* return_to_transforms(PyObject*, PyObject* token) {
  void* const saved = PyLong_AsVoidPtr(token);
  if (!saved && PyErr_Occurred()) return nullptr;
  thread_state.observer = static_cast<Observer*>(saved);
  remove_if_unused();
  return enter_dispatch(nullptr, nullptr);  // the first object may have been made meanwhile
}

PyObject* become_view_of(PyObject*, PyObject* args) {
  PyObject *view = nullptr, *of = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!:_become_view", tensor_type, &view, tensor_type, &of)) return nullptr;
  const Tensor &v = unwrap(view), &base = unwrap(of);
  if (!v.is_same(base) && !v.is_view() && !v.requires_grad()) become_view(*v.impl(), base);
  return Py_NewRef(view);
}

PyObject* number_of(PyObject*, PyObject* o) {
  if (!is_variable(o) || !unwrap(o).is_wrapped_number()) Py_RETURN_NONE;
  return protect<false>([&] { return python_number(unwrap(o).item()); });
}

PyMethodDef functions[] = {
    {"_set_dispatch", set_handler, METH_VARARGS,
     "_set_dispatch(handler, level): sets the handler of calls with objects of subclasses with\n__torch_dispatch__."},
    {"_make_wrapper", make_wrapper, METH_VARARGS,
     "_make_wrapper(cls, part, has_data, dtype, size, strides, requires_grad): object of a subclass with\n"
     "__torch_dispatch__. `part` has its data, or only its device."},
    {"_push_dispatch_mode", push_mode, METH_O,
     "_push_dispatch_mode(handler): all calls of this thread go to the handler, which runs below\nautograd."},
    {"_pop_dispatch_mode", pop_mode, METH_NOARGS, "Ends the innermost mode."},
    {"_enter_dispatch", enter_dispatch, METH_NOARGS, "Lets this thread see calls with objects of other threads."},
    {"_leave_transforms", leave_transforms, METH_NOARGS,
     "Turns all interceptors of this thread off but the one of subclasses. Returns a token "
     "for\n_return_to_transforms()."},
    {"_return_to_transforms", return_to_transforms, METH_O, "Ends what _leave_transforms() began."},
    {"_become_view", become_view_of, METH_VARARGS,
     "_become_view(view, of): autograd regards the new tensor `view` as a view of `of`."},
    {"_number_of", number_of, METH_O, "The Python number that a 0-d tensor stands for in a call; otherwise None."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void note_pushed(Interceptor* i) { stack().pushed.push_back(i); }
void note_popped(Interceptor* i) {
  std::erase(stack().pushed, i);
  remove_if_unused();
}

Interceptor& ensure_dispatch() {
  Stack& s = stack();
  DispatchInterceptor& innermost = s.innermost;
  innermost.level = dispatch_level;
  const auto check_no_tracer = [](const Observer* o) {
    TNP_CHECK(!o || is_interceptor(o), ErrorKind::NotImplemented,
              "torch_np.compile: a tensor of a subclass with __torch_dispatch__ in a compiled function");
  };
  check_no_tracer(observer());
  for (Interceptor* i : s.pushed) {
    if (is_interceptor(i->below)) continue;
    check_no_tracer(i->below);
    i->below = &innermost;
  }
  if (!observer()) thread_state.observer = &innermost;
  return innermost;
}

bool add_dispatch(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
