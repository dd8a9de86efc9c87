// Tables that tools/codegen generates from native_functions/*.yaml. The types and modules of csrc
// are built from them.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <optional>
#include <span>

#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"

namespace tnp::python {

using Binding = PyObject* (*)(PyObject * self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

// As fields of a PyMethodDef.
inline PyCFunction fastcall(Binding binding) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(binding));
}
inline constexpr int kFastcall = METH_FASTCALL | METH_KEYWORDS;

// A module function. (compat, package) = (false, "") means torch_np, (true, "linalg") means
// torch_np.numpy.linalg. csrc builds the modules torch_np._C._torch[_package] and
// torch_np._C._numpy[_package] from these rows. Ufuncs have their own table.
struct FunctionRow {
  bool compat;
  const char* package;
  bool takes_like = false;    // accepts like=; a foreign like= object creates the array
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
  const char* core;       // core dimensions of a generalized ufunc, "(n),(n)->()"; null for elementwise ufuncs
  const char* identity;   // a Python literal: "0", "-inf", "None"
  // The operators behind ufunc.reduce and ufunc.accumulate, which autograd records. If null, use
  // fold() and fold_running() (aten/ops/reduction/fold.h), which are not recorded. If
  // `reduce_takes_dtype` is false, the reduction has no dtype parameter, and the caller must cast
  // the input.
  Tensor (*reduce)(const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype,
                   const ReduceOptions& options);
  bool reduce_takes_dtype;
  Tensor (*accumulate)(const Tensor& input, int64_t dim, std::optional<ScalarType> dtype);
  bool accumulate_takes_dtype;
  const char* text_signature;  // "(x1, x2, /, out=None, ...)"
  const char* doc;             // without the signature
};

// Binding of a Python operator such as x + y, x < y, -x (`dunder:` in the yaml). A binding is null
// if the face has no such function, or if the operator has no in-place function.
struct DunderRow {
  const char* dunder;  // "__add__"
  const char* ufunc;   // its name in torch_np.numpy, "add"
  Binding torch, numpy, inplace;
};

// The class of an operator with several named results.
struct ResultRow {
  bool compat;
  const char* package;      // "" for torch_np.numpy; torch_np has all in torch_np.return_types
  const char* name;         // "SVDResult"
  const char* fields;       // "U S Vh"
  PyTypeObject** its_type;  // the variable from which the bindings read the class
};

// The tables generated from one file of native_functions/. A row of nulls ends each table.
struct FamilyTables {
  PyMethodDef* tensor_methods;  // like functions; `self` is the first argument
  PyMethodDef* ndarray_methods;
  FunctionRow* functions;
  const UfuncRow* ufuncs;
  const DunderRow* dunders;
  const ResultRow* results;
};
extern const std::span<const FamilyTables* const> family_tables;

}  // namespace tnp::python
