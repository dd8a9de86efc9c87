// The tables that tools/codegen fills from native_functions/*.yaml, and that the types and modules of csrc are made of.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <optional>
#include <span>

#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"

namespace tnp::python {

using Binding = PyObject* (*)(PyObject * self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

// A function of a module: (compat, package) = (false, "") is torch_np, (true, "linalg") is torch_np.numpy.linalg. csrc
// makes the modules torch_np._C._torch[_package] and torch_np._C._numpy[_package] of them. Ufuncs are in a table of
// their own.
struct FunctionRow {
  bool compat;
  const char* package;
  bool takes_like = false;    // like= makes the array, if it is of another library
  bool takes_arrays = false;  // the first argument is a list of arrays
  PyMethodDef method;         // METH_FASTCALL | METH_KEYWORDS; ml_doc begins with the text signature
};

// One np.ufunc object.
struct UfuncRow {
  const char* name;
  const char* package;  // "" for torch_np.numpy itself
  uint8_t nin, nout;
  Binding binding;        // THPVariable_<name><true>: __call__
  const PointwiseOp* op;  // null for a ufunc whose operator is not pointwise
  const char* core;       // the core dimensions of a generalized ufunc, "(n),(n)->()"; null: element by element
  const char* identity;   // a Python literal: "0", "-inf", "None"
  // Recorded by autograd; null: use fold and fold_running (aten/ops/fold.h), which are not.
  // `reduce_takes_dtype` is false where the reduction has no dtype of its own: cast the input before.
  Tensor (*reduce)(const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype,
                   const ReduceOptions& options);
  bool reduce_takes_dtype;
  Tensor (*accumulate)(const Tensor& input, int64_t dim, std::optional<ScalarType> dtype);
  bool accumulate_takes_dtype;
  const char* text_signature;  // "(x1, x2, /, out=None, ...)"
  const char* doc;             // without the signature
};

// What x + y, x < y, -x of Python is (`dunder:` of the yaml). Null: the face has no such function, or none in place.
struct DunderRow {
  const char* dunder;  // "__add__"
  const char* ufunc;   // its name in torch_np.numpy, "add"
  Binding torch, numpy, inplace;
};

// The class of an operator's results, where there are several and they have names.
struct ResultRow {
  bool compat;
  const char* package;      // "" for torch_np.numpy; of torch_np, all are in torch_np.return_types
  const char* name;         // "SVDResult"
  const char* fields;       // "U S Vh"
  PyTypeObject** its_type;  // where bindings find it
};

// What one file of native_functions/ gives. Each table is ended by a row of nulls.
struct FamilyTables {
  PyMethodDef* tensor_methods;  // as those of functions; `self` is the first argument
  PyMethodDef* ndarray_methods;
  FunctionRow* functions;
  const UfuncRow* ufuncs;
  const DunderRow* dunders;
  const ResultRow* results;
};
extern const std::span<const FamilyTables* const> family_tables;

}  // namespace tnp::python
