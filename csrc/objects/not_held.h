// NotHeldError: raised by conversions of data for which the engine has no dtype or layout (text,
// objects, records, dates, foreign byte orders). On the NumPy face, the outermost call then falls
// back to NumPy: Note [Fallback].
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <utility>

#include "aten/core/macros.h"

namespace tnp::python {

// torch_np._C.NotHeldError, a TypeError; a borrowed reference, created on first use.
PyObject* not_held_error();
[[noreturn]] TNP_COLD void raise_not_held(const std::string& message);

// Whether calls of this thread may fall back to NumPy: the thread's own setting, or else the
// process's.
bool fallback_allowed();

// Scope guard that disables fallback, for composites and for C++ code that calls bindings. The
// outermost call falls back instead.
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

// Scope guard that enables fallback again while a composite calls a function that the user passed
// to it.
class Outermost {
 public:
  Outermost() : depth_(std::exchange(Within::depth_, 0)) {}
  ~Outermost() { Within::depth_ = depth_; }
  Outermost(const Outermost&) = delete;
  Outermost& operator=(const Outermost&) = delete;

 private:
  int depth_;
};

// Whether a conversion should raise NotHeldError instead of copying: true if this call can fall
// back to NumPy.
inline bool may_fall_back() { return Within::outermost() && fallback_allowed(); }

// Clears the current exception if it is a NotHeldError, so that the caller can try another way.
TNP_COLD bool clear_not_held();

// _C._set_fallback(allowed, thread): sets the thread's setting (None: use the process's) or the
// process's. Returns the previous setting.
PyObject* set_fallback(PyObject*, PyObject* args, PyObject* kwargs);

}  // namespace tnp::python
