#include "csrc/library/library.h"

#include <cstring>
#include <string>

#include "aten/library/partitioner.h"
#include "csrc/compiler/backend.h"
#include "csrc/objects/errors.h"

namespace tnp::python {

namespace {

constexpr const char* kCapsule = "torch_np.library";

void delete_capsule(PyObject* capsule) {
  delete static_cast<std::shared_ptr<SharedLibrary>*>(PyCapsule_GetPointer(capsule, kCapsule));
}

// Invalid UTF-8 is replaced here; later checks reject it where it matters.
Ref text_or_none(const char* text) {
  if (!text) return Ref(Py_NewRef(Py_None));
  return Ref(check(PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace")));
}

// _library_open(path): (library, [(name, schema, doc, letters), ...]), the last three str or None.
PyObject* library_open(PyObject*, PyObject* argument) {
  return protect<false>([&]() -> PyObject* {
    const Ref path(check(PyUnicode_EncodeFSDefault(argument)));
    auto library = SharedLibrary::open(PyBytes_AS_STRING(path.get()));
    Ref list(check(PyList_New(0)));
    for (const TorchNpOperator* op : library->operators()) {
      const Ref name = text_or_none(op->name), schema = text_or_none(op->schema), doc = text_or_none(op->doc),
                letters = text_or_none(op->parameter_letters);
      Ref row(check(PyTuple_Pack(4, name.get(), schema.get(), doc.get(), letters.get())));
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

// _library_is_open(path): bool
PyObject* library_is_open(PyObject*, PyObject* argument) {
  return protect<false>([&] {
    const Ref path(check(PyUnicode_EncodeFSDefault(argument)));
    return PyBool_FromLong(SharedLibrary::is_open(PyBytes_AS_STRING(path.get())));
  });
}

// _library_partitioners(library): [(name, doc), ...], both str, or doc None
PyObject* library_partitioners(PyObject*, PyObject* capsule) {
  return protect<false>([&]() -> PyObject* {
    Ref list(check(PyList_New(0)));
    for (const TorchNpPartitioner* p : library_in(capsule)->partitioners()) {
      const Ref name = text_or_none(p->name), doc = text_or_none(p->doc);
      const Ref row(check(PyTuple_Pack(2, name.get(), doc.get())));
      check(PyList_Append(list.get(), row.get()) == 0);
    }
    return list.release();
  });
}

// _library_backend(library, number of the partitioner, options): the backend argument of
// _C.CompiledFunction. `options`: a dict of strings.
PyObject* library_backend(PyObject*, PyObject* args) {
  PyObject *capsule, *options;
  Py_ssize_t index;
  if (!PyArg_ParseTuple(args, "OnO!", &capsule, &index, &PyDict_Type, &options)) return nullptr;
  return protect<false>([&]() -> PyObject* {
    const std::shared_ptr<SharedLibrary>& library = library_in(capsule);
    const auto partitioners = library->partitioners();
    if (index < 0 || static_cast<size_t>(index) >= partitioners.size())
      raise_python(PyExc_IndexError, "no such partitioner");
    std::vector<std::pair<std::string, std::string>> texts;
    PyObject *name, *value;
    for (Py_ssize_t at = 0; PyDict_Next(options, &at, &name, &value);)
      texts.emplace_back(text_of(name), text_of(value));
    return wrap_backend(std::make_shared<LibraryPartitioner>(library, *partitioners[static_cast<size_t>(index)],
                                                             std::move(texts)))
        .release();
  });
}

PyMethodDef functions[] = {{"_library_open", library_open, METH_O, nullptr},
                           {"_library_is_open", library_is_open, METH_O, nullptr},
                           {"_library_partitioners", library_partitioners, METH_O, nullptr},
                           {"_library_backend", library_backend, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

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
