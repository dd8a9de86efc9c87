// NotHeldError: what conversions raise where an argument is nothing that the engine has a dtype or a layout for (text,
// objects, records, dates, other byte orders). On the NumPy face the outermost call then goes to NumPy: Note
// [Fallback].
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <utility>

#include "aten/core/macros.h"

namespace tnp::python {

// torch_np._C.NotHeldError, a TypeError; a borrowed reference, made at first use.
PyObject* not_held_error();
[[noreturn]] TNP_COLD void raise_not_held(const std::string& message);

// Whether calls of this thread may go to NumPy: the thread's own answer, or else the process's.
bool fallback_allowed();

// Stands around what must not fall back by itself: compositions, and calls of bindings by C++. The outermost call does.
class Within {
 public:
  Within() { ++depth_; }
  ~Within() { --depth_; }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
  static bool outermost() { return depth_ == 0; }

 private:
  friend class Outermost;
  static thread_local constinit int depth_;
};

// Stands around what a composition calls of its caller's: there, calls fall back by themselves.
class Outermost {
 public:
  Outermost() : depth_(std::exchange(Within::depth_, 0)) {}
  ~Outermost() { Within::depth_ = depth_; }
  Outermost(const Outermost&) = delete;
  Outermost& operator=(const Outermost&) = delete;

 private:
  int depth_;
};

// Whether a conversion may raise NotHeldError where it could also copy: to NumPy's bytes, if this call goes there.
inline bool may_fall_back() { return Within::outermost() && fallback_allowed(); }

// Clears the exception that is set if it is a NotHeldError: another way is to be tried.
TNP_COLD bool clear_not_held();

// _C._set_fallback(allowed, thread): for this thread (None: what the process says), or for the process. Returns what
// was set before.
PyObject* set_fallback(PyObject*, PyObject* args, PyObject* kwargs);

}  // namespace tnp::python
