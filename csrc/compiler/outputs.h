// Outputs: rebuilds a compiled function's return value, with the trace's arrays in the traced
// places.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aten/autograd/node.h"
#include "aten/compiler/frame.h"
#include "aten/compiler/tracer.h"
#include "csrc/compiler/call_key.h"
#include "csrc/compiler/guards.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// A copy of all memory of a tensor's storage, and the tensor with such a copy as its memory.
intrusive_ptr<Storage> copy_of_memory(const Tensor& t);
Tensor with_memory(const Tensor& t, const intrusive_ptr<Storage>& copy);

class Output;

// The arrays that a function returned, except arguments and arrays from outside: those that have
// gradients, in order, and the others.
struct Returned {
  std::vector<Tensor> differentiable, others;
  std::unordered_map<PyObject*, Output*> places;  // of arrays and containers in the return value
  std::vector<std::pair<int, Tensor>> views;      // of arrays that the trace has made
  std::vector<int> constants;                     // of them, those made of Python numbers
  int num_shared = 0;                             // of them, those that are in several places
};

class Output {
 public:
  // From the return value at trace time. Makes the tracer fail if it contains an object that
  // cannot be rebuilt. `outside`: a list of the arrays from outside. `guards`: of the trace.
  Output(PyObject* returned, compiler::Tracer& tracer, const CallKey& arguments, PyObject* outside,
         const Guards& guards, Returned& arrays);
  Output(const Output&) = delete;
  Output(Output&&) = default;
  // Returns a new reference; throws PythonError. Arrays with gradients become outputs of `node`.
  PyObject* build(compiler::Frame& frame, const CallKey& arguments, const intrusive_ptr<Node>& node) const;
  // For tp_traverse.
  int visit(visitproc visit, void* arg) const;

 private:
  // A replay, and the objects that it has built which are in several places.
  struct Build {
    compiler::Frame& frame;
    const CallKey& arguments;
    const intrusive_ptr<Node>& node;
    std::vector<PyObject*> shared;                                          // borrowed
    std::vector<std::pair<const Storage*, intrusive_ptr<Storage>>> copies;  // of memory that the trace keeps
  };
  PyObject* build(Build& b) const;
  PyObject* made(Build& b) const;
  void enter(const Tensor& t, const intrusive_ptr<Node>& node) const;
  PyObject* tracked(PyObject* array) const;
  enum class Kind : uint8_t { Object, Argument, Array, Value, Tuple, List, Dict, Repeated };
  Kind kind_ = Kind::Object;
  Ref object_;         // of Object; the class of a Tuple; the array from outside that an Array is a view of
  int number_ = -1;    // of Argument: index of the array; of Array and Value: view; of Repeated: `shared_` of the first
  int shared_ = -1;    // its number among the objects that are in several places
  int gradient_ = -1;  // output number of the node; -1: no gradient
  int base_ = -1;      // argument whose memory it is a view of; -1: none
  bool is_numpy_face_ = false;
  bool writeable_ = true;
  ViewOrigin origin_ = ViewOrigin::Recorded;
  bool is_open_ = false;       // its items are being added
  bool is_copied_ = false;     // the trace keeps its memory
  bool is_kept_ = false;       // the trace, or another array of the result, has its tensor
  std::vector<Output> items_;  // of a Dict: keys and values alternate
};

// The arrays with gradients in the return value of a repeated call, in the same order as at
// tracing.
std::vector<Tensor> differentiable_arrays(PyObject* returned, const CallKey& arguments,
                                          const std::vector<Tensor>& outside);

}  // namespace tnp::python
