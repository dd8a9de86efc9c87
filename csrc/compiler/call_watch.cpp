#include "csrc/compiler/call_watch.h"

#include "aten/core/observer.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

CallWatch::CallWatch(PyObject* notice)
    : notice_(notice),
      self_(check(PyCapsule_New(this, nullptr, nullptr))),
      profiler_(PyThreadState_Get()->c_profilefunc),
      profiled_(Py_XNewRef(PyThreadState_Get()->c_profileobj)) {
  PyEval_SetProfile(see, self_.get());
}

CallWatch::~CallWatch() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyEval_SetProfile(profiler_, profiled_);
  Py_XDECREF(profiled_);
  PyErr_Restore(type, value, traceback);
}

int CallWatch::see(PyObject* capsule, PyFrameObject* frame, int event, PyObject* function) {
  auto* const self = static_cast<CallWatch*>(PyCapsule_GetPointer(capsule, nullptr));
  if (!is_tracing()) return 0;
  if (self->unwatched_) {
    const bool is_end =
        self->is_c_ ? event == PyTrace_C_RETURN || event == PyTrace_C_EXCEPTION : event == PyTrace_RETURN;
    if (is_end && self->unwatched_ == frame) self->unwatched_ = nullptr;
    return 0;
  }
  if (event != PyTrace_CALL && event != PyTrace_C_CALL) return 0;
  PyObject* const called = event == PyTrace_CALL ? Py_None : function;
  const Ref leave(PyObject_CallFunctionObjArgs(self->notice_, frame, called, nullptr));
  if (!leave) return -1;
  if (leave.get() == Py_True) {
    self->unwatched_ = frame;
    self->is_c_ = event == PyTrace_C_CALL;
  }
  return 0;
}

}  // namespace tnp::python
