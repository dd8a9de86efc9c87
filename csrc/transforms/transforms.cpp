#include "csrc/transforms/transforms.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>

#include "aten/autograd/variable.h"
#include "aten/compiler/interceptor.h"
#include "aten/core/new_wrapped.h"
#include "aten/core/requires_grad.h"
#include "aten/functions/creation.h"
#include "csrc/args/readers.h"
#include "csrc/objects/device.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/methods.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"
#include "csrc/transforms/batched_pointwise.h"
#include "csrc/transforms/boxed_values.h"
#include "csrc/transforms/dispatch_stack.h"

namespace tnp::python {

namespace {

using compiler::BoxedCall;
using compiler::BoxedFunction;
using compiler::BoxedResults;
using compiler::Interceptor;

// --- OperatorCall: a call that a handler gets

struct OperatorCall {
  PyObject_HEAD BoxedCall* call;
  const BoxedFunction* function;  // null: copy_, fill_ and item, which handlers compute themselves
  PyObject* arguments;            // a list
  bool is_recorded;
};

PyTypeObject* call_type = nullptr;

bool returns_list(const BoxedFunction& f) {
  return std::string_view(f.schema).find("-> Tensor[]") != std::string_view::npos;
}
bool returns_number(const BoxedFunction& f) {
  const std::string_view text(f.schema);
  const std::string_view result = text.substr(text.rfind("-> ") + 3);
  return result == "bool" || result == "int" || result == "float";
}

Ref called(const BoxedFunction& f, const BoxedCall& call) {
  const BoxedResults results = f(call);
  return returns_number(f) ? Ref(check(python_number(results.number))) : object_of(results, returns_list(f));
}

PyObject* make_call(BoxedCall&& call, const BoxedFunction* function, bool is_recorded) {
  Ref arguments = list_of_arguments(call);
  auto* made = PyObject_New(OperatorCall, call_type);
  if (!made) return nullptr;
  made->function = function;
  made->is_recorded = is_recorded;
  made->arguments = arguments.release();
  made->call = new BoxedCall(std::move(call));
  return reinterpret_cast<PyObject*>(made);
}

void call_dealloc(PyObject* self) {
  auto* const c = reinterpret_cast<OperatorCall*>(self);
  delete c->call;
  Py_CLEAR(c->arguments);
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* call_name(PyObject* self, void*) {
  const auto* c = reinterpret_cast<OperatorCall*>(self);
  return PyUnicode_FromString(c->function ? c->function->name : c->call->name);
}
PyObject* call_schema(PyObject* self, void*) {
  const auto* c = reinterpret_cast<OperatorCall*>(self);
  return c->function ? PyUnicode_FromString(c->function->schema) : Py_NewRef(Py_None);
}
PyObject* call_kind(PyObject* self, void*) {
  static const char* const names[] = {"kernel", "composite", "pointwise", "reduction"};
  return PyUnicode_InternFromString(names[static_cast<int>(reinterpret_cast<OperatorCall*>(self)->call->kind)]);
}
PyObject* call_arguments(PyObject* self, void*) {
  return PyList_GetSlice(reinterpret_cast<OperatorCall*>(self)->arguments, 0, PY_SSIZE_T_MAX);
}

PyObject* call_lifted(PyObject* self, void*) {
  for (const Tensor& t : reinterpret_cast<OperatorCall*>(self)->call->tensors)
    if (t.defined() && is_wrapped(t) && wrapped_parts(t).number == kLifted) Py_RETURN_TRUE;
  Py_RETURN_FALSE;
}

PyObject* call_promotes(PyObject* self, void*) {
  return PyBool_FromLong(reinterpret_cast<OperatorCall*>(self)->call->dialect.promotion() == PromotionRules::NumPy);
}

PyObject* call_recorded(PyObject* self, void*) {
  return PyBool_FromLong(reinterpret_cast<OperatorCall*>(self)->is_recorded);
}

PyObject* call_run(PyObject* self, PyObject* arguments) {
  const auto* c = reinterpret_cast<OperatorCall*>(self);
  return protect<false>([&]() -> PyObject* {
    TNP_CHECK(c->function, ErrorKind::NotImplemented, c->call->name, "() cannot be called boxed");
    return called(*c->function, call_with(*c->call, c->function->kinds, c->arguments, arguments)).release();
  });
}

PyMethodDef call_methods[] = {{"run", call_run, METH_O,
                               "run(args): calls the operator, with autograd, on these arguments, which are `args` "
                               "with some values replaced."},
                              {nullptr, nullptr, 0, nullptr}};
PyGetSetDef call_fields[] = {
    {"name", call_name, nullptr, "Name of the operator, with overload.", nullptr},
    {"schema", call_schema, nullptr, "Schema of the operator, or None.", nullptr},
    {"kind", call_kind, nullptr, "'kernel', 'composite', 'pointwise' or 'reduction'.", nullptr},
    {"args", call_arguments, nullptr, "A new list of all arguments, options included.", nullptr},
    {"has_lifted", call_lifted, nullptr, "Whether it has lifted tensors: Note [Lifted tensors].", nullptr},
    {"promotes_as_numpy", call_promotes, nullptr, "Whether a 0-d array counts in promotion like any other.", nullptr},
    {"is_recorded", call_recorded, nullptr,
     "Whether the tape of the wrapped tensors records the inner operators of this composite one.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

Interceptor::Outcome run_handler(PyObject* handler, BoxedCall&& boxed, BoxedResults& results, bool is_recorded) {
  const GilGuard gil;
  const bool is_inner_possible = boxed.kind == BoxedCall::Kind::Composite;
  const char* const name = boxed.name;
  const BoxedFunction* const function = compiler::find_boxed(boxed.op);
  const Ref call(check(make_call(std::move(boxed), function, is_recorded)));
  const Ref made(check(call_python([&] { return PyObject_CallOneArg(handler, call.get()); })));
  if (made.get() == Py_NotImplemented) {
    TNP_CHECK(is_inner_possible, ErrorKind::NotImplemented, name, "() has no rule for this transformation");
    return Interceptor::Outcome::Inner;
  }
  results = results_of(made.get(), name);
  return Interceptor::Outcome::Done;
}

namespace {

// --- Interceptor objects

class PythonInterceptor final : public Interceptor {
 public:
  explicit PythonInterceptor(PyObject* handler) : handler_(handler) { device = Device{DeviceType::Wrapped}; }

  // Of a transformation whose new tensors have one more axis, in front: its size. Else -1.
  int64_t batch_size = -1;
  Device real_device;
  // Operators that the handler gets whatever their arguments are, if `is_selective`.
  std::unordered_set<const void*> watched;
  bool is_selective = false;

  Outcome call(BoxedCall& boxed, BoxedResults& results) override {
    const bool is_new = replace_device(boxed);
    bool concerned = takes_all && (!is_selective || watched.count(boxed.op) > 0);
    for (const Tensor& t : boxed.tensors) concerned = concerned || concerns(t);
    if (!concerned && is_new && batch_size >= 0 && makes_blank(boxed)) return Outcome::Inner;
    if (!concerned && !is_new && is_selective) return Outcome::Below;
    const BoxedFunction* const function = compiler::find_boxed(boxed.op);
    const bool is_recorded = compute_requires_grad(TensorList(boxed.tensors));
    const compiler::ObserverGuard observer(below);
    const GradModeGuard mode(grad_enabled);
    if (!concerned) {
      // Its only wrapped argument may be a device, which has become another one.
      for (const Tensor& t : boxed.tensors)
        if (is_wrapped(t)) return Outcome::Below;
      if (!function) return Outcome::Below;
      results = (*function)(boxed);
      return Outcome::Done;
    }
    if (batch_size >= 0 && boxed.kind == BoxedCall::Kind::Pointwise && function &&
        batched_pointwise(level, boxed, *function, results))
      return Outcome::Done;
    return run_handler(handler_, std::move(boxed), results, is_recorded);
  }

 private:
  // Replaces the device Wrapped in the arguments, and tells whether it was there.
  bool replace_device(BoxedCall& boxed) const {
    bool found = false;
    for (compiler::Argument& a : boxed.arguments)
      if (auto* device = std::get_if<Device>(&a.value); device && device->is_wrapped())
        *device = real_device, found = true;
    return found;
  }
  // Operators that allocate a tensor of which the composite changes the values: Note [New wrapped tensors].
  static bool makes_blank(const BoxedCall& boxed) {
    static const std::unordered_set<std::string_view> names{"empty", "zeros", "ones", "full", "empty_strided"};
    return boxed.kind == BoxedCall::Kind::Composite && boxed.tensors.empty() && names.count(boxed.name) > 0;
  }
  PyObject* handler_;  // borrowed from the object
};

// A new tensor that all transformations from `o` on see as their own, if they have a batch.
Tensor new_tensor(Observer* o, IntList sizes, IntList strides, ScalarType dtype, Device device) {
  const compiler::ObserverGuard guard(o);
  if (!o || o->kind != Observer::Kind::Interceptor)
    return strides == IntList(contiguous_strides(sizes)) ? tnp::empty(sizes, dtype, device)
                                                         : tnp::empty_strided(sizes, strides, dtype, device);
  auto* const i = static_cast<Interceptor*>(o);
  const auto* const transformation = dynamic_cast<PythonInterceptor*>(i);
  if (!transformation) return new_tensor(i->below, sizes, strides, dtype, i->device);
  if (transformation->batch_size < 0) return new_tensor(i->below, sizes, strides, dtype, transformation->real_device);
  int64_t reach = 1;  // elements of one sample, with gaps
  for (size_t d = 0; d < sizes.size(); ++d) reach += (sizes[d] - 1) * strides[d];
  DimVector whole{transformation->batch_size}, steps{reach};
  whole.append(sizes);
  steps.append(strides);
  if (numel_of(sizes) == 0) steps = contiguous_strides(whole);
  return wrap_batch(i->level, new_tensor(i->below, whole, steps, dtype, transformation->real_device));
}

Tensor new_wrapped(IntList sizes, IntList strides, ScalarType dtype) {
  // Gaps of negative strides have no place in a batch.
  const bool is_plain = std::all_of(strides.begin(), strides.end(), [](int64_t s) { return s >= 0; });
  return new_tensor(observer(), sizes, is_plain ? strides : IntList(contiguous_strides(sizes)), dtype, Device{});
}

struct InterceptorObject {
  PyObject_HEAD PythonInterceptor* interceptor;
  PyObject* handler;
  bool is_pushed;
};

InterceptorObject& object_of(PyObject* self) { return *reinterpret_cast<InterceptorObject*>(self); }

PyObject* interceptor_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* handler = nullptr;
  unsigned long long level = 0;
  int takes_all = 0;
  if (!PyArg_ParseTuple(args, "OK|p:Interceptor", &handler, &level, &takes_all)) return nullptr;
  PyObject* const self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  InterceptorObject& o = object_of(self);
  o.handler = Py_NewRef(handler);
  o.interceptor = new PythonInterceptor(handler);
  o.interceptor->level = level;
  o.interceptor->takes_all = takes_all != 0;
  return self;
}

int interceptor_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(object_of(self).handler);
  return 0;
}
int interceptor_clear(PyObject* self) {
  if (!object_of(self).is_pushed) Py_CLEAR(object_of(self).handler);
  return 0;
}
void interceptor_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  PyTypeObject* const type = Py_TYPE(self);
  delete object_of(self).interceptor;
  Py_XDECREF(object_of(self).handler);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* interceptor_push(PyObject* self, PyObject*) {
  InterceptorObject& o = object_of(self);
  if (o.is_pushed) return PyErr_SetString(PyExc_RuntimeError, "push() of an interceptor that is in use"), nullptr;
  o.interceptor->below = observer();
  o.interceptor->grad_enabled = grad_enabled();
  thread_state.observer = o.interceptor;
  o.is_pushed = true;
  note_pushed(o.interceptor);
  Py_INCREF(self);  // for the stack
  Py_RETURN_NONE;
}

PyObject* interceptor_pop(PyObject* self, PyObject*) {
  InterceptorObject& o = object_of(self);
  if (observer() != o.interceptor)
    return PyErr_SetString(PyExc_RuntimeError, "pop() of an interceptor that is not the innermost one"), nullptr;
  thread_state.observer = o.interceptor->below;
  note_popped(o.interceptor);
  o.interceptor->below = nullptr;
  o.is_pushed = false;
  Py_DECREF(self);  // push()'s
  Py_RETURN_NONE;
}

// A function sees the observer below, and the program's grad mode, for as long as it runs.
PyObject* interceptor_below(PyObject* self, PyObject* function) {
  const InterceptorObject& o = object_of(self);
  if (!o.is_pushed) return PyErr_SetString(PyExc_RuntimeError, "below() of an interceptor that is not in use"), nullptr;
  const compiler::ObserverGuard observer(o.interceptor->below);
  const GradModeGuard mode(o.interceptor->grad_enabled);
  return PyObject_CallNoArgs(function);
}

PyObject* interceptor_level(PyObject* self, void*) {
  return PyLong_FromUnsignedLongLong(object_of(self).interceptor->level);
}
PyObject* interceptor_mode(PyObject* self, void*) { return PyBool_FromLong(object_of(self).interceptor->grad_enabled); }
int set_interceptor_mode(PyObject* self, PyObject* value, void*) {
  const int on = value ? PyObject_IsTrue(value) : -1;
  if (on < 0) return -1;
  object_of(self).interceptor->grad_enabled = on != 0;
  return 0;
}
int set_interceptor_device(PyObject* self, PyObject* value, void*) {
  return protect<false>(-1, [&] {
    const std::optional<Device> device = value ? device_from_object(value) : std::nullopt;
    TNP_CHECK(device, ErrorKind::Type, "device must be a device");
    object_of(self).interceptor->real_device = *device;
    return 0;
  });
}
PyObject* interceptor_device(PyObject* self, void*) { return make_device(object_of(self).interceptor->real_device); }

PyObject* interceptor_batch_size(PyObject* self, void*) {
  return PyLong_FromLongLong(object_of(self).interceptor->batch_size);
}
int set_interceptor_batch_size(PyObject* self, PyObject* value, void*) {
  const long long n = value ? PyLong_AsLongLong(value) : -1;
  if (n == -1 && PyErr_Occurred()) return -1;
  object_of(self).interceptor->batch_size = n;
  return 0;
}

PyObject* interceptor_watch(PyObject* self, PyObject* names) {
  return protect<false>([&]() -> PyObject* {
    PythonInterceptor& i = *object_of(self).interceptor;
    const Ref fast(check(PySequence_Fast(names, "watch() takes names of operators")));
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(fast.get()); ++k) {
      const std::string name = text_of(PySequence_Fast_GET_ITEM(fast.get(), k));
      const BoxedFunction* const f = compiler::find_boxed_by_name(name);
      TNP_CHECK(f, ErrorKind::Value, "there is no operator '", name, "'");
      i.watched.insert(f->op);
    }
    i.takes_all = i.is_selective = true;
    Py_RETURN_NONE;
  });
}

PyMethodDef interceptor_methods[] = {
    {"push", interceptor_push, METH_NOARGS, "Intercepts the operators of this thread, until pop()."},
    {"pop", interceptor_pop, METH_NOARGS, "Ends what push() began."},
    {"below", interceptor_below, METH_O, "below(function): calls it as if this interceptor did not exist."},
    {"watch", interceptor_watch, METH_O,
     "watch(names): the handler gets calls of these operators whatever their arguments are."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef interceptor_fields[] = {
    {"level", interceptor_level, nullptr, "Number of the transformation.", nullptr},
    {"grad_enabled", interceptor_mode, set_interceptor_mode, "Whether operators on the parts are recorded.", nullptr},
    {"device", interceptor_device, set_interceptor_device, "Device of the parts.", nullptr},
    {"batch_size", interceptor_batch_size, set_interceptor_batch_size,
     "Size of the first axis of the part of a new tensor; -1 if new tensors are not wrapped.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// --- operators by name

PyObject* run_operator(PyObject*, PyObject* const* args, Py_ssize_t n) {
  if (n != 2 || !PyUnicode_Check(args[0]))
    return PyErr_SetString(PyExc_TypeError, "_run_operator() takes a name and a list of arguments"), nullptr;
  return protect<false>([&]() -> PyObject* {
    const std::string name = text_of(args[0]);
    const BoxedFunction* const f = compiler::find_boxed_by_name(name);
    TNP_CHECK(f, ErrorKind::Value, "there is no operator '", name, "'");
    BoxedCall call{f->op, f->name};
    return called(*f, call_with(call, f->kinds, nullptr, args[1])).release();
  });
}

PyObject* operators(PyObject*, PyObject*) {
  return protect<false>([&]() -> PyObject* {
    Ref list(check(PyList_New(0)));
    for (const BoxedFunction& f : compiler::all_boxed()) {
      const Ref row(check(Py_BuildValue("sss", f.name, f.schema, f.kinds.c_str())));
      check(PyList_Append(list.get(), row.get()) == 0);
    }
    return list.release();
  });
}

PyMethodDef functions[] = {
    {"_run_operator", as_method(run_operator), METH_FASTCALL,
     "_run_operator(name, args): calls a native operator by its name with overload, on all its\narguments, options "
     "included."},
    {"_operators", operators, METH_NOARGS, "A list of (name, schema, kinds of arguments) of all native operators."},
    {nullptr, nullptr, 0, nullptr}};

PyTypeObject* made_type(PyObject* module, const char* name, int size, unsigned flags, std::vector<PyType_Slot> slots) {
  slots.push_back({0, nullptr});
  PyType_Spec spec{name, size, 0, flags, slots.data()};
  PyObject* const type = PyType_FromSpec(&spec);
  if (!type || PyModule_AddObjectRef(module, strrchr(name, '.') + 1, type) != 0) return nullptr;
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace

bool add_transforms(PyObject* module) {
  make_new_wrapped = new_wrapped;
  call_type = made_type(module, "torch_np._C._OperatorCall", sizeof(OperatorCall),
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        {{Py_tp_dealloc, reinterpret_cast<void*>(call_dealloc)},
                         {Py_tp_methods, call_methods},
                         {Py_tp_getset, call_fields}});
  return call_type &&
         made_type(module, "torch_np._C._Interceptor", sizeof(InterceptorObject),
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                   {{Py_tp_new, reinterpret_cast<void*>(interceptor_new)},
                    {Py_tp_dealloc, reinterpret_cast<void*>(interceptor_dealloc)},
                    {Py_tp_traverse, reinterpret_cast<void*>(interceptor_traverse)},
                    {Py_tp_clear, reinterpret_cast<void*>(interceptor_clear)},
                    {Py_tp_methods, interceptor_methods},
                    {Py_tp_getset, interceptor_fields}}) &&
         PyModule_AddFunctions(module, functions) == 0 && add_wrapped_tensors(module) && add_batches(module) &&
         add_conversions(module) && add_dispatch(module);
}

}  // namespace tnp::python
