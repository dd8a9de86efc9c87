// A function that torch_np.compile was given, and what is known of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "csrc/compiler/branch.h"
#include "csrc/compiler/signature.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

struct CompiledFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *function, *walk, *warn, *backend, *dict, *weakrefs;
  std::unordered_map<std::string, std::shared_ptr<Entry>>* entries;
  uint64_t recorded, replayed, plain;
  bool is_measured;  // plans take the time for it
  bool is_said;      // that some arguments are not recorded
};

// A call, as it came.
struct Call {
  const CallSignature& signature;
  size_t nargs;
  PyObject* kwnames;
};

inline PyObject* call_plainly(CompiledFunction& self, const Call& call) {
  return PyObject_Vectorcall(self.function, call.signature.call().data(), call.nargs, call.kwnames);
}

// Calls the function, and leaves a branch for later calls in `entry` if it can be replayed. Under the GIL, which it may
// release; by one thread at a time.
PyObject* record(CompiledFunction& self, const std::shared_ptr<Entry>& entry, const Call& call);

}  // namespace tnp::python
