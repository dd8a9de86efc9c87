// The Python object of a compiled function.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "csrc/compiler/branch.h"
#include "csrc/compiler/call_key.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

struct CompiledFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *function, *walk, *warn, *backend, *members, *dict, *weakrefs;
  std::unordered_map<std::string, std::shared_ptr<Entry>>* entries;
  uint64_t traced, replayed, plain;
  bool is_measured;  // planning may measure alternatives
  bool is_said;      // whether the user was told that some arguments are not traced
};

// A call's arguments.
struct Call {
  const CallKey& key;
  size_t nargs;
  PyObject* kwnames;
};

inline PyObject* call_plainly(CompiledFunction& self, const Call& call) {
  return PyObject_Vectorcall(self.function, call.key.call().data(), call.nargs, call.kwnames);
}

// Calls the function while tracing. If the trace can be replayed, adds it to `entry` as a
// branch. Call under the GIL, which it may release, and from one thread at a time.
PyObject* trace_call(CompiledFunction& self, const std::shared_ptr<Entry>& entry, const Call& call);

}  // namespace tnp::python
