// What a compiled function returns: arrays of the record in the places where the function had them.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <vector>

#include "aten/autograd/node.h"
#include "aten/compiler/frame.h"
#include "aten/compiler/recorder.h"
#include "csrc/compiler/signature.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// The arrays that a function returned, without arguments and arrays that it found outside: those that have gradients,
// in their order, and the others.
struct Returned {
  std::vector<Tensor> differentiable, others;
};

class Output {
 public:
  // Of what the function returned when it was recorded. What cannot be given again makes the recorder fail.
  // `outside`: a list of arrays that are its own, found elsewhere.
  Output(PyObject* returned, compiler::Recorder& recorder, const CallSignature& arguments, PyObject* outside,
         Returned& arrays);
  // A new reference; throws PythonError. Arrays with gradients become outputs of `node`.
  PyObject* build(compiler::Frame& frame, const CallSignature& arguments, const intrusive_ptr<Node>& node) const;

 private:
  void enter(const Tensor& t, const intrusive_ptr<Node>& node) const;
  PyObject* tracked(PyObject* array) const;
  enum class Kind : uint8_t { Object, Argument, Array, Value, Tuple, List, Dict };
  Kind kind_;
  Ref object_;         // of Object; the class of a Tuple
  int number_ = -1;    // of Argument: which array; of Array and Value: which view
  int gradient_ = -1;  // which output of the node
  int base_ = -1;      // which argument's memory it is a view of
  bool is_numpy_face_ = false;
  bool writeable_ = true;
  bool is_copied_ = false;     // the record keeps it
  std::vector<Output> items_;  // of a Dict: keys and values in turn
};

// What a function that is called again returned: its arrays that have gradients, in the same order.
std::vector<Tensor> differentiable_arrays(PyObject* returned, const CallSignature& arguments,
                                          const std::vector<Tensor>& outside);

}  // namespace tnp::python
