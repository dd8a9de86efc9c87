// Attributes of arrays that are no part of a trace. Reading one makes a traced function run uncompiled.
#pragma once

#include "aten/core/observer.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// `state`: such as "the base".
inline void note_hidden_read(const Tensor& t, const char* state) {
  if (TNP_UNLIKELY(observer() != nullptr)) observer()->read_hidden(t, state);
}
inline void note_hidden_read(PyObject* array, const char* state) { note_hidden_read(unwrap(array), state); }

inline void note_gradient_access(PyObject* array) {
  if (TNP_UNLIKELY(observer() != nullptr)) observer()->accessed_gradient(unwrap(array));
}

}  // namespace tnp::python
