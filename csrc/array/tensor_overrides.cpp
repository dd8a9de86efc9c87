// Overrides of Tensor's methods and properties (`__torch_function__`).
//
// When the watch starts (csrc/objects/watched.h), each descriptor of Tensor gets a function that
// looks for overrides before it calls the method. Until then the methods are called directly.
// Descriptors keep their identity, since programs use them as keys: `{Tensor.add: my_add}`.
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "csrc/array/parts.h"
#include "csrc/overrides/torch_function.h"

namespace tnp::python {

namespace {

using FastMethod = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
using KeywordMethod = PyObject* (*)(PyObject*, PyObject*, PyObject*);
using PlainMethod = PyObject* (*)(PyObject*, PyObject*);

struct Method {
  PyMethodDef* original;
  PyObject* descriptor;
};

// The methods of each calling convention, in the order of their functions below.
std::vector<Method> fast_methods, keyword_methods, plain_methods;

// Makes the arguments of a call with `self` in front.
std::vector<PyObject*> with_self(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  std::vector<PyObject*> all{self};
  all.insert(all.end(), args, args + n);
  return all;
}

PyObject* call_fast(const Method& m, PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kwnames) {
  const std::vector<PyObject*> all = with_self(self, args, n + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0));
  PyObject* result;
  if (overridden(m.descriptor, all.data(), n + 1, kwnames, &result)) return result;
  return reinterpret_cast<FastMethod>(reinterpret_cast<void (*)()>(m.original->ml_meth))(self, args, n, kwnames);
}

PyObject* call_with_keywords(const Method& m, PyObject* self, PyObject* args, PyObject* kwargs) {
  const Py_ssize_t n = PyTuple_GET_SIZE(args);
  std::vector<PyObject*> all = with_self(self, PySequence_Fast_ITEMS(args), n);
  Ref names(kwargs && PyDict_GET_SIZE(kwargs) ? PyTuple_New(PyDict_GET_SIZE(kwargs)) : nullptr);
  PyObject *key, *value;
  for (Py_ssize_t at = 0, i = 0; names && PyDict_Next(kwargs, &at, &key, &value); ++i) {
    PyTuple_SET_ITEM(names.get(), i, Py_NewRef(key));
    all.push_back(value);
  }
  PyObject* result;
  if (overridden(m.descriptor, all.data(), n + 1, names.get(), &result)) return result;
  return reinterpret_cast<KeywordMethod>(reinterpret_cast<void (*)()>(m.original->ml_meth))(self, args, kwargs);
}

// `argument`: the argument of METH_O, the tuple of METH_VARARGS, or null.
PyObject* call_plain(const Method& m, PyObject* self, PyObject* argument) {
  std::vector<PyObject*> all{self};
  if (m.original->ml_flags & METH_VARARGS)
    all = with_self(self, PySequence_Fast_ITEMS(argument), PyTuple_GET_SIZE(argument));
  else if (m.original->ml_flags & METH_O)
    all.push_back(argument);
  PyObject* result;
  if (overridden(m.descriptor, all.data(), static_cast<Py_ssize_t>(all.size()), nullptr, &result)) return result;
  return reinterpret_cast<PlainMethod>(m.original->ml_meth)(self, argument);
}

// One function for each method, since a function in a PyMethodDef has no argument that tells which
// method it is.
template <size_t i>
PyObject* fast(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kwnames) {
  return call_fast(fast_methods[i], self, args, n, kwnames);
}
template <size_t i>
PyObject* keyword(PyObject* self, PyObject* args, PyObject* kwargs) {
  return call_with_keywords(keyword_methods[i], self, args, kwargs);
}
template <size_t i>
PyObject* plain(PyObject* self, PyObject* argument) {
  return call_plain(plain_methods[i], self, argument);
}

template <size_t... i>
std::array<PyCFunction, sizeof...(i)> fast_functions(std::index_sequence<i...>) {
  return {as_method(fast<i>)...};
}
template <size_t... i>
std::array<PyCFunction, sizeof...(i)> keyword_functions(std::index_sequence<i...>) {
  return {as_method(keyword<i>)...};
}
template <size_t... i>
std::array<PyCFunction, sizeof...(i)> plain_functions(std::index_sequence<i...>) {
  return {plain<i>...};
}
constexpr size_t kMaxFast = 1024, kMaxKeyword = 128, kMaxPlain = 256;

// Methods that overrides never see: they make objects of a class, or copy one with its class.
bool is_excluded(std::string_view name) {
  for (std::string_view excluded : {"as_subclass", "__reduce__", "__reduce_ex__", "__setstate__", "__copy__",
                                    "__deepcopy__", "__dir__", "__sizeof__"}) {
    if (name == excluded) return true;
  }
  return false;
}

void watch_method(PyObject* descriptor) {
  PyMethodDef*& definition = reinterpret_cast<PyMethodDescrObject*>(descriptor)->d_method;
  if (is_excluded(definition->ml_name)) return;
  static const auto of_fast = fast_functions(std::make_index_sequence<kMaxFast>());
  static const auto of_keywords = keyword_functions(std::make_index_sequence<kMaxKeyword>());
  static const auto of_plain = plain_functions(std::make_index_sequence<kMaxPlain>());
  const int convention = definition->ml_flags & (METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O | METH_FASTCALL);
  std::vector<Method>* list = &plain_methods;
  std::span<const PyCFunction> functions = of_plain;
  if (convention == (METH_FASTCALL | METH_KEYWORDS)) {
    list = &fast_methods;
    functions = of_fast;
  } else if (convention == (METH_VARARGS | METH_KEYWORDS)) {
    list = &keyword_methods;
    functions = of_keywords;
  } else if (convention == METH_FASTCALL) {
    Py_FatalError("torch_np: a method of Tensor has a calling convention without overrides");
  }
  if (list->size() >= functions.size()) Py_FatalError("torch_np: Tensor has more methods than tensor_overrides.cpp");
  auto* made = new PyMethodDef(*definition);  // lives as long as the type
  made->ml_meth = functions[list->size()];
  list->push_back({definition, descriptor});
  definition = made;
}

// --- properties

struct Property {
  PyGetSetDef original;
  PyObject* descriptor;
};

PyObject* get(PyObject* self, void* closure) {
  const auto& p = *static_cast<Property*>(closure);
  if (overrides_torch_functions(self) || has_torch_function_mode()) {
    Ref function(PyObject_GetAttrString(p.descriptor, "__get__"));
    PyObject* result;
    if (!function) return nullptr;
    if (overridden(function.get(), &self, 1, nullptr, &result)) return result;
  }
  return p.original.get(self, p.original.closure);
}

int set(PyObject* self, PyObject* value, void* closure) {
  const auto& p = *static_cast<Property*>(closure);
  if (overrides_torch_functions(self) || has_torch_function_mode()) {
    Ref function(PyObject_GetAttrString(p.descriptor, value ? "__set__" : "__delete__"));
    PyObject *args[] = {self, value}, *result;
    if (!function) return -1;
    if (overridden(function.get(), args, value ? 2 : 1, nullptr, &result)) return Ref(result) ? 0 : -1;
  }
  return p.original.set(self, value, p.original.closure);
}

void watch_property(PyObject* descriptor) {
  PyGetSetDef*& definition = reinterpret_cast<PyGetSetDescrObject*>(descriptor)->d_getset;
  if (std::string_view(definition->name).starts_with("__")) return;
  auto* record = new Property{*definition, descriptor};  // both live as long as the type
  definition = new PyGetSetDef{definition->name, definition->get ? get : nullptr, definition->set ? set : nullptr,
                               definition->doc, record};
}

void install() {
  find_method(false, "");  // builds the table of direct calls from the methods as they are
  PyObject *name, *descriptor;
  for (Py_ssize_t at = 0; PyDict_Next(tensor_type->tp_dict, &at, &name, &descriptor);) {
    if (Py_TYPE(descriptor) == &PyMethodDescr_Type)
      watch_method(descriptor);
    else if (Py_TYPE(descriptor) == &PyGetSetDescr_Type)
      watch_property(descriptor);
  }
}

}  // namespace

void init_tensor_overrides() { install_watch = install; }

}  // namespace tnp::python
