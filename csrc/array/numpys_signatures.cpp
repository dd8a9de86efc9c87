// Gives ndarray's methods the text signatures of NumPy's methods, which inspect.signature shows.
// Our tables list every keyword by name, but NumPy shows some of them as **kwargs. NumPy's scalars
// have the same methods with the same signatures.
#include <cstring>
#include <string>

#include "csrc/array/parts.h"
#include "csrc/objects/numpy_api.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

namespace {

// The signature of the method of NumPy's arrays, "($self, /, axis=None)", or an empty string.
std::string numpys_signature(const char* name) {
  Ref method(PyObject_GetAttrString(reinterpret_cast<PyObject*>(numpy_api().ndarray_type), name));
  Ref text(method ? PyObject_GetAttrString(method.get(), "__text_signature__") : nullptr);
  const char* utf8 = text && PyUnicode_Check(text.get()) ? PyUnicode_AsUTF8(text.get()) : nullptr;
  PyErr_Clear();  // NumPy's arrays have no such method, or the method has no signature
  return utf8 ? utf8 : "";
}

// The documentation after "name(...)\n--\n\n".
const char* text_of_doc(const char* doc) {
  constexpr char kEnd[] = ")\n--\n\n";
  const char* end = doc ? std::strstr(doc, kEnd) : nullptr;
  const char* line = doc ? std::strchr(doc, '\n') : nullptr;
  return end && end + 1 == line ? end + sizeof(kEnd) - 1 : doc ? doc : "";
}

}  // namespace

bool show_numpys_signatures(PyTypeObject* type) {
  Ref methods(PyDict_Copy(type->tp_dict));
  if (!methods) return false;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(methods.get(), &at, &key, &value);) {
    if (Py_TYPE(value) != &PyMethodDescr_Type) continue;
    const PyMethodDef& method = *reinterpret_cast<PyMethodDescrObject*>(value)->d_method;
    const std::string signature = numpys_signature(method.ml_name);
    if (signature.empty()) continue;
    const std::string doc = method.ml_name + signature + "\n--\n\n" + text_of_doc(method.ml_doc);
    auto* shown = new PyMethodDef[2]{method, {}};  // lives as long as the type
    shown->ml_doc = strdup(doc.c_str());
    if (!add_methods(type, shown)) return false;
  }
  return true;
}

}  // namespace tnp::python
