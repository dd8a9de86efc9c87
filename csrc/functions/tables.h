// The tables that tools/codegen fills from native_functions.yaml, and that the types and modules of csrc are made of.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <optional>

#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"

namespace tnp::python {

// Methods of torch_np.Tensor and torch_np.numpy.ndarray, ended by a row of nulls. All are METH_FASTCALL |
// METH_KEYWORDS; `self` is the first argument. ml_doc begins with the text signature.
extern PyMethodDef tensor_methods[];
extern PyMethodDef ndarray_methods[];

// The functions of one module: (compat, package) = (false, "") are those of torch_np, (true, "linalg") those of
// torch_np.numpy.linalg. csrc makes the modules torch_np._C._torch[_package] and torch_np._C._numpy[_package] of them.
// Ufuncs (below) are in no function table. Ended by a null `functions`.
struct FunctionTable {
  bool compat;
  const char* package;
  PyMethodDef* functions;
};
extern const FunctionTable function_tables[];

using Binding = PyObject* (*)(PyObject * self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

// One np.ufunc object.
struct UfuncRow {
  const char* name;
  const char* package;  // "" for torch_np.numpy itself
  uint8_t nin, nout;
  Binding binding;        // THPVariable_<name><true>: __call__
  const PointwiseOp* op;  // null for a ufunc whose operator is not pointwise
  const char* identity;   // a Python literal: "0", "-inf", "None"
  // Recorded by autograd; null: use fold and fold_running (aten/kernels/pointwise.h), which are not.
  // `reduce_takes_dtype` is false where the reduction has no dtype of its own: cast the input before.
  Tensor (*reduce)(const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype,
                   const ReduceOptions& options);
  bool reduce_takes_dtype;
  Tensor (*accumulate)(const Tensor& input, int64_t dim, std::optional<ScalarType> dtype);
  bool accumulate_takes_dtype;
  const char* doc;  // begins with the text signature, as ml_doc
};
extern const UfuncRow ufuncs[];  // ended by a null name

}  // namespace tnp::python
