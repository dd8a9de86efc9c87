#include "csrc/library/library.h"

#include <string>

#include "csrc/objects/errors.h"

namespace tnp::python {

namespace {

constexpr const char* kCapsule = "torch_np.library";

void delete_capsule(PyObject* capsule) {
  delete static_cast<std::shared_ptr<SharedLibrary>*>(PyCapsule_GetPointer(capsule, kCapsule));
}

// _library_open(path): (library, [(name, schema, doc, letters), ...]), the last three str or None.
PyObject* library_open(PyObject*, PyObject* argument) {
  return protect<false>([&]() -> PyObject* {
    Py_ssize_t size;
    const char* path = PyUnicode_AsUTF8AndSize(argument, &size);
    if (!path) throw PythonError();
    auto library = SharedLibrary::open(std::string(path, static_cast<size_t>(size)));
    Ref list(check(PyList_New(0)));
    for (const TorchNpOperator* op : library->operators()) {
      Ref row(check(Py_BuildValue("(szzz)", op->name, op->schema, op->doc, op->parameter_letters)));
      check(PyList_Append(list.get(), row.get()) == 0);
    }
    auto* shared = new std::shared_ptr<SharedLibrary>(std::move(library));
    Ref capsule(PyCapsule_New(shared, kCapsule, delete_capsule));
    if (!capsule) {
      delete shared;
      throw PythonError();
    }
    return check(PyTuple_Pack(2, capsule.get(), list.get()));
  });
}

PyMethodDef functions[] = {{"_library_open", library_open, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

const std::shared_ptr<SharedLibrary>& library_in(PyObject* capsule) {
  auto* shared = static_cast<std::shared_ptr<SharedLibrary>*>(PyCapsule_GetPointer(capsule, kCapsule));
  if (!shared) throw PythonError();
  return *shared;
}

bool add_library(PyObject* module) {
  set_operator_caller(call_by_name);
  return PyModule_AddFunctions(module, functions) == 0 && add_library_operator_type(module);
}

}  // namespace tnp::python
