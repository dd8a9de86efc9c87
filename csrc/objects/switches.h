// Switches of the devices that read what Python and NumPy do not document: the C stack of the
// interpreter, the memory of a NumPy object, the local variables of callers.
//
// Results are bitwise identical without them. A device is off if it does not find what it expects, or
// if its environment variable is 0.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>

namespace tnp::python {

// X(device, environment variable, what it does, what it reads, why, what happens without it)
// This is the only list: the table in docs/performance.md comes from it.
#define TNP_SWITCHES(X)                                                                                                \
  X(TemporaryElision, "TORCH_NP_TEMPORARY_ELISION",                                                                    \
    "computes `a * b + c` in the memory of the large temporary `a * b`",                                               \
    "return addresses on the C stack, to see that Python code is the caller",                                          \
    "an extension module may read its operand again, a Python expression cannot", "the result gets memory of its own") \
  X(GeneratorMemory, "TORCH_NP_GENERATOR_MEMORY", "draws from the generator of `numpy.random` in NumPy's memory",      \
    "the place of a field in NumPy's object", "NumPy's methods that read and set the state take 1 ms",                 \
    "each draw of `np.random` gets and sets NumPy's state by these methods")                                           \
  X(CallerNames, "TORCH_NP_CALLER_NAMES", "names the function that the user called in error messages",                 \
    "frames of running functions of this package, and their variable `self`",                                          \
    "`isclose(): subtract(): ...` says more than `subtract(): ...`", "messages name the operator alone")

enum class Switch : uint8_t {
#define TNP_SWITCH(device, ...) device,
  TNP_SWITCHES(TNP_SWITCH)
#undef TNP_SWITCH
};

// Whether the environment leaves the device on. Read once.
bool is_on(Switch device);

// _C._switches(): the table above, as a list of tuples of str.
PyObject* switches(PyObject*, PyObject*);

}  // namespace tnp::python
