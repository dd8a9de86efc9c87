// What a compiled function returns: arrays of the record in the places where the function had them.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <vector>

#include "aten/compiler/frame.h"
#include "aten/compiler/recorder.h"
#include "csrc/compiler/signature.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

class Output {
 public:
  // Of what the function returned when it was recorded. What cannot be given again makes the recorder fail.
  // `outside`: a list of arrays that are its own, found elsewhere.
  Output(PyObject* returned, compiler::Recorder& recorder, const Signature& arguments, PyObject* outside);
  // A new reference; throws PythonError.
  PyObject* build(compiler::Frame& frame, const Signature& arguments) const;

 private:
  enum class Kind : uint8_t { Object, Argument, Array, Value, Tuple, List, Dict };
  Kind kind_;
  Ref object_;       // of Object; the class of a Tuple
  int number_ = -1;  // of Argument: which array; of Array and Value: which view
  int base_ = -1;    // which argument's memory it is a view of
  bool is_numpy_face_ = false;
  bool writeable_ = true;
  bool is_copied_ = false;     // the record keeps it
  std::vector<Output> items_;  // of a Dict: keys and values in turn
};

}  // namespace tnp::python
