// torch_np._C: creates the module with its types, its modules of generated functions, and the
// additions of this folder.
#include <algorithm>
#include <string>

#include "aten/core/memory/retirement.h"
#include "aten/core/threads/parallel.h"
#include "csrc/array/evaluation.h"
#include "csrc/array/parts.h"
#include "csrc/autograd/autograd.h"
#include "csrc/compiler/compiler.h"
#include "csrc/functions/array_functions.h"
#include "csrc/functions/function.h"
#include "csrc/functions/lookup.h"
#include "csrc/functions/named_results.h"
#include "csrc/library/library.h"
#include "csrc/module/modules.h"
#include "csrc/objects/device.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/generator.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/in_flight.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/numpy_api.h"
#include "csrc/objects/numpy_scalars.h"
#include "csrc/objects/numpys_arrays.h"
#include "csrc/objects/size.h"
#include "csrc/overrides/torch_function.h"
#include "csrc/transforms/transforms.h"
#include "csrc/ufunc/ufunc.h"

namespace tnp::python {

namespace {

PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT, "torch_np._C", "The engine of torch_np.", -1, nullptr, nullptr, nullptr, nullptr, nullptr};

// Adds a generated function, whose __module__ is the public module, such as torch_np.numpy.linalg.
bool add_function(PyObject* module, const FunctionRow& row) {
  const std::string face = row.compat ? "_numpy" : "_torch", package = row.package;
  std::string attribute = package.empty() ? face : face + "_" + package;
  std::replace(attribute.begin(), attribute.end(), '.', '_');  // nn.functional
  const std::string public_name =
      std::string(row.compat ? "torch_np.numpy" : "torch_np") + (package.empty() ? "" : "." + package);
  Ref target(submodule(module, attribute)), name(PyUnicode_InternFromString(public_name.c_str()));
  if (!target || !name) return false;
  const uint8_t flags = static_cast<uint8_t>((row.compat ? kOverridable : kTorchFunction) |
                                             (row.takes_like ? kTakesLike : 0) | (row.takes_arrays ? kTakesArrays : 0));
  const PyMethodDef& m = row.method;
  const auto binding = reinterpret_cast<Binding>(reinterpret_cast<void (*)()>(m.ml_meth));
  Ref function(make_function(m.ml_name, binding, m.ml_doc, name.get(), flags));
  return function && PyObject_SetAttrString(target.get(), row.method.ml_name, function.get()) == 0;
}

bool add_functions(PyObject* module) {
  for (const char* face : {"_torch", "_numpy"}) {
    if (!Ref(submodule(module, face))) return false;
  }
  for (const FamilyTables* family : family_tables) {
    for (const FunctionRow* row = family->functions; row->method.ml_name; ++row) {
      if (!add_function(module, *row)) return false;
    }
  }
  return true;
}

// Releases the GIL during long operations, so that other Python threads can run. Threads of the
// pool never hold the GIL.
void release_gil_in_long_work() {
  set_long_work_hooks(
      {[]() -> void* { return holds_gil() ? PyEval_SaveThread() : nullptr; },
       [](void* token) { call_python([&] { PyEval_RestoreThread(static_cast<PyThreadState*>(token)); }); }});
}

// Installs retire(), which keeps replaced memory until the calls in flight have ended. See Note
// [Calls in flight].
void keep_memory_of_calls_in_flight() {
  set_retirement([](Tensor old) {
    if (holds_gil()) retire(std::move(old));
  });
}

bool fill(PyObject* module) {
  release_gil_in_long_work();
  keep_memory_of_calls_in_flight();
  if (!init_numpy_api() || !init_numpy_scalars() || !init_numpys_arrays() || !add_dtypes(module) ||
      !init_size_type(module) || !init_device_type(module) || !init_flags_type(module) || !add_cpu_module(module) ||
      !add_cuda_module(module) || !init_function_type(module) || !add_settings(module) || !add_promotion(module) ||
      !add_einsum_operands(module) || !add_array_helpers(module) || !add_fallback(module) || !add_draws(module) ||
      !add_storages(module) || !add_sparse(module) || !add_transforms(module) || !add_fusion(module) ||
      !add_profiler(module) || !add_program_lines(module) || !add_numpys_place(module) || !add_compiler(module))
    return false;
  if (!init_tensor_type(module) || !init_ndarray_type(module) || !add_functions(module) || !init_named_results(module))
    return false;
  // A ufunc of a package requires the package's module.
  for (const FamilyTables* family : family_tables) {
    for (const UfuncRow* row = family->ufuncs; row->name; ++row) {
      if (row->package[0] && !Ref(submodule(module, std::string("_numpy_") + row->package))) return false;
    }
  }
  Ref numpy_module(PyObject_GetAttrString(module, "_numpy"));
  Ref torch_module(PyObject_GetAttrString(module, "_torch"));
  if (!numpy_module || !torch_module || !add_array_functions(numpy_module.get(), torch_module.get())) return false;
  if (!init_ufunc_type(module) || !init_number_protocol() || !init_evaluation()) return false;
  if (PyModule_AddObjectRef(module, "LinAlgError", linalg_error()) < 0 ||
      PyModule_AddObjectRef(module, "NotHeldError", not_held_error()) < 0)
    return false;
  init_tensor_overrides();
  return add_torch_function(module) && init_generator(module) && init_autograd(module) == 0 && add_library(module);
}

}  // namespace

}  // namespace tnp::python

extern "C" TNP_API PyObject* PyInit__C() {  // NOLINT(bugprone-reserved-identifier): name required by CPython
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
