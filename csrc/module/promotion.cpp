// torch_np.result_type, promote_types, can_cast and related functions; numpy_face selects the
// dialect.
#include <optional>
#include <span>
#include <vector>

#include "aten/core/numbers/promotion.h"
#include "csrc/args/readers.h"
#include "csrc/convert/convert.h"
#include "csrc/module/modules.h"
#include "csrc/objects/dialects.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

PyObject* py_promote_types(PyObject*, PyObject* args) {
  PyObject *a, *b;
  int numpy_face = 0;
  if (!PyArg_ParseTuple(args, "OO|p:_promote_types", &a, &b, &numpy_face)) return nullptr;
  return protect<true>([&] {
    ScalarType t = promote_types(dtype_from_object(a).value(), dtype_from_object(b).value(),
                                 face_dialects[numpy_face].promotion());
    return Py_XNewRef(numpy_face ? numpy_dtype(t) : torch_dtype(t));
  });
}

PyObject* py_result_type(PyObject*, PyObject* args) {
  PyObject* objects;
  int numpy_face = 0;
  if (!PyArg_ParseTuple(args, "O!|p:_result_type", &PyTuple_Type, &objects, &numpy_face)) return nullptr;
  return protect<true>([&] {
    std::vector<OperandType> operands;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(objects); ++i) {
      PyObject* o = PyTuple_GET_ITEM(objects, i);
      if (is_variable(o))
        operands.push_back(operand_type(unwrap(o)));
      else if (PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o))
        operands.push_back(operand_type(as_tensor(o, numpy_face != 0)));
      else
        operands.push_back({dtype_from_object(o).value(), OperandKind::Array});
    }
    TNP_CHECK(!operands.empty(), ErrorKind::Value, "at least one array or dtype is required");
    const std::span arguments(&PyTuple_GET_ITEM(objects, 0), static_cast<size_t>(PyTuple_GET_SIZE(objects)));
    const Dialect spoken = numpy_face ? numpy_dialect_for(arguments) : face_dialects[0];
    ScalarType t = result_type(operands, spoken.promotion());
    return Py_XNewRef(numpy_face ? numpy_dtype(t) : torch_dtype(t));
  });
}

// _dtype_of_arrays(operands): the loop over arrays skips NumPy, which would be asked by their dtypes.
PyObject* dtype_of_arrays(PyObject*, PyObject* operands) {
  if (!PyTuple_Check(operands)) return PyErr_SetString(PyExc_TypeError, "_dtype_of_arrays() takes a tuple"), nullptr;
  return protect<true>([&]() -> PyObject* {
    std::vector<OperandType> types;
    bool any_array = false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(operands); ++i) {
      PyObject* const o = PyTuple_GET_ITEM(operands, i);
      if (PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyComplex_CheckExact(o)) {  // of any size
        const Scalar number = PyLong_CheckExact(o)    ? Scalar(int64_t{0})
                              : PyFloat_CheckExact(o) ? Scalar(0.0)
                                                      : Scalar(Complex<double>(0, 0));
        types.push_back(operand_type(wrapped_number(number)));
        continue;
      }
      if (!is_ndarray(o) || unwrap(o).dtype() == ScalarType::BFloat16) Py_RETURN_NONE;
      types.push_back({unwrap(o).dtype(), OperandKind::Array});
      any_array = true;
    }
    if (!any_array) Py_RETURN_NONE;
    return Py_XNewRef(numpy_dtype(result_type(types, face_dialects[1].promotion())));
  });
}

PyObject* py_can_cast(PyObject*, PyObject* args) {
  PyObject *from, *to, *casting = nullptr;
  if (!PyArg_ParseTuple(args, "OO|U:_can_cast", &from, &to, &casting)) return nullptr;
  return protect<true>([&] {
    return PyBool_FromLong(can_cast(dtype_from_object(from).value(), dtype_from_object(to).value(),
                                    casting ? read_casting(casting) : Casting::Safe));
  });
}

PyMethodDef functions[] = {{"_promote_types", py_promote_types, METH_VARARGS,
                            "_promote_types(a, b, numpy_face=False): common dtype of two dtypes."},
                           {"_result_type", py_result_type, METH_VARARGS,
                            "_result_type(operands, numpy_face=False): common dtype of a tuple of arrays,\n"
                            "numbers and dtypes."},
                           {"_dtype_of_arrays", dtype_of_arrays, METH_O,
                            "_dtype_of_arrays(operands): common dtype of a tuple of ndarrays and Python numbers by\n"
                            "NumPy's rules. None for other operands, for bfloat16, and without an array."},
                           {"_can_cast", py_can_cast, METH_VARARGS,
                            "_can_cast(from, to, casting='safe'): whether the casting rule allows the\n"
                            "cast."},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_promotion(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
