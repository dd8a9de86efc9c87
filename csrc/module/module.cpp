// torch_np._C: the two types, the modules of generated functions, and the process's settings.
#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "aten/core/matmul_precision.h"
#include "aten/core/parallel.h"
#include "aten/functions/copies.h"
#include "aten/functions/shape.h"
#include "aten/iterator/overlap.h"
#include "csrc/array/object_protocol.h"
#include "csrc/array/parts.h"
#include "csrc/array/pickling.h"
#include "csrc/autograd/autograd.h"
#include "csrc/convert/convert.h"
#include "csrc/functions/array_functions.h"
#include "csrc/functions/composition.h"
#include "csrc/functions/lookup.h"
#include "csrc/functions/named_results.h"
#include "csrc/functions/numpy_function.h"
#include "csrc/indexing/indexing.h"
#include "csrc/module/modules.h"
#include "csrc/objects/dialects.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/generator.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/numpy_api.h"
#include "csrc/objects/size.h"
#include "csrc/ufunc/ufunc.h"

namespace tnp::python {

namespace {

PyObject* set_default_dtype(PyObject*, PyObject* args) {
  PyObject* object;
  int numpy_face;
  if (!PyArg_ParseTuple(args, "Op:_set_default_dtype", &object, &numpy_face)) return nullptr;
  return protect<true>([&] {
    ScalarType t = dtype_from_object(object).value_or(ScalarType::Float64);
    TNP_CHECK(is_floating(t), ErrorKind::Type, "only floating-point types are supported as the default type, not ", t);
    tnp::set_default_dtype(t, numpy_face ? Face::NumPy : Face::Torch);
    return Py_NewRef(Py_None);
  });
}

PyObject* get_default_dtype(PyObject*, PyObject* face) {
  int numpy_face = PyObject_IsTrue(face);
  if (numpy_face < 0) return nullptr;
  ScalarType t = default_dtype(numpy_face ? Face::NumPy : Face::Torch);
  return Py_XNewRef(numpy_face ? numpy_dtype(t) : torch_dtype(t));
}

constexpr const char* kPrecisions[] = {"highest", "high", "medium"};  // in the order of Float32MatmulPrecision

PyObject* set_float32_matmul_precision(PyObject*, PyObject* precision) {
  const char* text = PyUnicode_Check(precision) ? PyUnicode_AsUTF8(precision) : nullptr;
  if (!text) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "set_float32_matmul_precision(): precision must be a str, not %.200s",
                   Py_TYPE(precision)->tp_name);
    return nullptr;
  }
  for (int i = 0; i < 3; ++i) {
    if (std::strcmp(text, kPrecisions[i]) != 0) continue;
    tnp::set_float32_matmul_precision(static_cast<Float32MatmulPrecision>(i));
    Py_RETURN_NONE;
  }
  return PyErr_Format(PyExc_ValueError,
                      "set_float32_matmul_precision(): precision must be 'highest', 'high' or 'medium', not %R",
                      precision);
}
PyObject* get_float32_matmul_precision(PyObject*, PyObject*) {
  return PyUnicode_FromString(kPrecisions[static_cast<int>(float32_matmul_precision())]);
}

PyObject* py_get_num_threads(PyObject*, PyObject*) { return PyLong_FromLong(get_num_threads()); }
PyObject* py_set_num_threads(PyObject*, PyObject* n) {
  return protect<false>([&] {
    int64_t v = read_integer(n, false);
    TNP_CHECK(v >= 1 && v <= 1'000'000, ErrorKind::Value, "expected a positive number of threads, got ", v);
    set_num_threads(static_cast<int>(v));
    return Py_NewRef(Py_None);
  });
}

// --- promotion of dtypes (torch_np.result_type and kin; numpy_face chooses the dialect)

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

PyObject* py_can_cast(PyObject*, PyObject* args) {
  PyObject *from, *to, *casting = nullptr;
  if (!PyArg_ParseTuple(args, "OO|U:_can_cast", &from, &to, &casting)) return nullptr;
  return protect<true>([&] {
    return PyBool_FromLong(can_cast(dtype_from_object(from).value(), dtype_from_object(to).value(),
                                    casting ? read_casting(casting) : Casting::Safe));
  });
}

// --- memory

PyObject* may_share_memory(PyObject*, PyObject* args) {
  PyObject *a, *b;
  if (!PyArg_ParseTuple(args, "OO:_may_share_memory", &a, &b)) return nullptr;
  if (!is_variable(a) || !is_variable(b)) Py_RETURN_FALSE;
  return PyBool_FromLong(tnp::may_share_memory(unwrap(a), unwrap(b)));
}

PyObject* numpy_view(PyObject*, PyObject* o) {
  if (!is_variable(o)) return PyErr_SetString(PyExc_TypeError, "_numpy_view() takes one of our arrays"), nullptr;
  return protect<true>(
      [&] { return to_numpy(unwrap(o).device().is_cpu() ? unwrap(o) : cpu(detach(unwrap(o))), true); });
}

// How ufuncs are unpickled: the object of that name in a module.
PyObject* named(PyObject*, PyObject* args) {
  const char *module, *name;
  if (!PyArg_ParseTuple(args, "ss:_named", &module, &name)) return nullptr;
  Ref imported(PyImport_ImportModule(module));
  return imported ? PyObject_GetAttrString(imported.get(), name) : nullptr;
}

// For ndarray.flat: _flat_element(array, i) is array.flat[i].
PyObject* py_flat_element(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 2 || !is_variable(args[0]))
    return PyErr_SetString(PyExc_TypeError, "_flat_element() takes an array and an index"), nullptr;
  return protect<true>([&] { return wrap<true>(flat_element(unwrap(args[0]), read_integer(args[1], true))); });
}

PyMethodDef functions[] = {
    {"_set_default_dtype", set_default_dtype, METH_VARARGS, "_set_default_dtype(dtype, numpy_face)"},
    {"_get_default_dtype", get_default_dtype, METH_O, "_get_default_dtype(numpy_face)"},
    {"_set_promotion_rules", set_promotion_rules, METH_VARARGS,
     "_set_promotion_rules(rules, device): 'numpy', 'torch' or None; 'cpu', 'cuda' or None"},
    {"_get_promotion_rules", get_promotion_rules, METH_O, "_get_promotion_rules(device): 'numpy' or 'torch'"},
    {"_set_float32_matmul_precision", set_float32_matmul_precision, METH_O, "_set_float32_matmul_precision(precision)"},
    {"_get_float32_matmul_precision", get_float32_matmul_precision, METH_NOARGS, "_get_float32_matmul_precision()"},
    {"get_num_threads", py_get_num_threads, METH_NOARGS,
     "get_num_threads()\n--\n\nHow many threads operators use: initially one for each processor that the process may "
     "use,\n"
     "or what the environment variable TORCH_NP_NUM_THREADS says."},
    {"set_num_threads", py_set_num_threads, METH_O,
     "set_num_threads(n, /)\n--\n\nSets how many threads operators use."},
    {"_promote_types", py_promote_types, METH_VARARGS, "_promote_types(a, b, numpy_face=False)"},
    {"_result_type", py_result_type, METH_VARARGS, "_result_type(operands, numpy_face=False)"},
    {"_can_cast", py_can_cast, METH_VARARGS, "_can_cast(from, to, casting='safe')"},
    {"_may_share_memory", may_share_memory, METH_VARARGS, "Whether the memory that two arrays span overlaps."},
    {"_flat_element", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(py_flat_element)), METH_FASTCALL,
     "_flat_element(array, i): array.flat[i]"},
    {"_numpy_view", numpy_view, METH_O,
     "A numpy.ndarray over the same memory (from a GPU, a copy), whatever the gradient: for printing and I/O."},
    {"_set_repr_functions", as_method(set_repr_functions), METH_VARARGS | METH_KEYWORDS,
     "Functions that make the text of the two types."},
    {"_reconstruct", reconstruct, METH_O, "For unpickling."},
    {"_named", named, METH_VARARGS, "For unpickling."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT, "torch_np._C", "The engine of torch_np.", -1, functions, nullptr, nullptr, nullptr, nullptr};

// They say that they are of torch_np.numpy.linalg.
bool add_function(PyObject* module, FunctionRow& row) {
  const std::string face = row.compat ? "_numpy" : "_torch", package = row.package;
  std::string attribute = package.empty() ? face : face + "_" + package;
  std::replace(attribute.begin(), attribute.end(), '.', '_');  // nn.functional
  const std::string public_name =
      std::string(row.compat ? "torch_np.numpy" : "torch_np") + (package.empty() ? "" : "." + package);
  Ref target(submodule(module, attribute)), name(PyUnicode_FromString(public_name.c_str()));
  if (!target || !name) return false;
  Ref function(make_function(row, name.get()));
  return function && PyObject_SetAttrString(target.get(), row.method.ml_name, function.get()) == 0;
}

bool add_functions(PyObject* module) {
  for (const char* face : {"_torch", "_numpy"}) {
    if (!Ref(submodule(module, face))) return false;
  }
  for (const FamilyTables* family : family_tables) {
    for (FunctionRow* row = family->functions; row->method.ml_name; ++row) {
      if (!add_function(module, *row)) return false;
    }
  }
  return true;
}

// Other Python threads run while the engine works at something long. A thread of the pool never holds the GIL.
void release_gil_in_long_work() {
  set_long_work_hooks(
      {[]() -> void* { return PyGILState_Check() ? PyEval_SaveThread() : nullptr; },
       [](void* token) { call_python([&] { PyEval_RestoreThread(static_cast<PyThreadState*>(token)); }); }});
}

bool fill(PyObject* module) {
  release_gil_in_long_work();
  if (!init_numpy_api() || !add_dtypes(module) || !init_size_type(module) || !init_device_type(module) ||
      !init_flags_type(module) || !add_cpu_module(module) || !add_cuda_module(module) || !init_composition_type(module))
    return false;
  if (!init_tensor_type(module) || !init_ndarray_type(module) || !add_functions(module) || !init_named_results(module))
    return false;
  // Ufuncs of packages need their module.
  for (const FamilyTables* family : family_tables) {
    for (const UfuncRow* row = family->ufuncs; row->name; ++row) {
      if (row->package[0] && !Ref(submodule(module, std::string("_numpy_") + row->package))) return false;
    }
  }
  Ref numpy_module(PyObject_GetAttrString(module, "_numpy"));
  Ref torch_module(PyObject_GetAttrString(module, "_torch"));
  if (!numpy_module || !torch_module || !add_array_functions(numpy_module.get(), torch_module.get())) return false;
  if (!init_ufunc_type(module, numpy_module.get()) || !init_number_protocol()) return false;
  if (PyModule_AddObjectRef(module, "LinAlgError", linalg_error()) < 0) return false;
  return init_generator(module) && init_autograd(module) == 0;
}

}  // namespace

}  // namespace tnp::python

extern "C" TNP_API PyObject* PyInit__C() {
  PyObject* module = PyModule_Create(&tnp::python::module_def);
  if (!module) return nullptr;
  try {
    if (tnp::python::fill(module)) return module;
  } catch (...) {
    tnp::python::set_python_error<false>(nullptr);
  }
  Py_DECREF(module);
  return nullptr;
}
