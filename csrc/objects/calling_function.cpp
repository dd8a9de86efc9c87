#include "csrc/objects/calling_function.h"

#include <algorithm>
#include <cctype>

#include "csrc/objects/python_error.h"
#include "csrc/objects/size.h"
#include "csrc/objects/switches.h"

namespace tnp::python {

namespace {

constexpr std::string_view kPackage = "torch_np";

std::string_view view_of(PyObject* o) {
  Py_ssize_t n = 0;
  const char* s = o && PyUnicode_Check(o) ? PyUnicode_AsUTF8AndSize(o, &n) : nullptr;
  if (!s) PyErr_Clear();
  return s ? std::string_view(s, static_cast<size_t>(n)) : std::string_view();
}

bool is_within(std::string_view module, std::string_view package) {
  return module.starts_with(package) && (module.size() == package.size() || module[package.size()] == '.');
}

// Whether the frame runs code of our package. This includes NumPy sources that are executed as our
// modules (torch_np.numpy.ma), and modules that torch_np.install() has renamed (torch.linalg).
bool is_ours(PyFrameObject* frame) {
  const Ref globals(PyFrame_GetGlobals(frame));
  const std::string_view module = view_of(PyDict_GetItemString(globals.get(), "__name__"));
  return is_within(module, kPackage) || (module.starts_with("torch") && is_within(module, torch_face()));
}

// The class of `self` in `frame`: a layer may inherit its forward from a private base.
std::string class_of_self(PyFrameObject* frame) {
  const Ref locals(PyFrame_GetLocals(frame));
  const Ref self(locals ? PyMapping_GetItemString(locals.get(), "self") : nullptr);
  const Ref name(self ? PyType_GetName(Py_TYPE(self.get())) : nullptr);
  PyErr_Clear();
  return std::string(view_of(name.get()));
}

// True for `_helper`, false for `__mul__`.
bool is_private(std::string_view name) { return name.starts_with('_') && !name.ends_with("__"); }

// The public name of the function in `frame`. Empty for code without a public name: helpers,
// lambdas, comprehensions, wrappers and overrides (the function itself is one frame further in).
std::string public_name(PyFrameObject* frame) {
  const Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  const Ref qualname(PyObject_GetAttrString(code.get(), "co_qualname"));
  PyErr_Clear();
  std::string_view path = view_of(qualname.get());
  if (path.empty() || path.find('<') != path.npos) return {};
  const size_t dot = path.rfind('.');
  if (dot == path.npos) return is_private(path) ? std::string() : std::string(path);
  const std::string_view method = path.substr(dot + 1);
  std::string name = class_of_self(frame);
  if (name.empty()) name = path.substr(0, dot);
  if (is_private(name) || is_private(method) || method == "__torch_function__") return {};
  // An object's call or construction is named after its class.
  if (method != "__call__" && method != "__init__" && method != "__new__") name.append(".").append(method);
  return name;
}

// Whether the last components agree, ignoring case: "linalg.eigh" and "eigh", or a layer "Linear"
// and its function "linear".
bool same_name(std::string_view a, std::string_view b) {
  a.remove_prefix(a.rfind('.') + 1);
  b.remove_prefix(b.rfind('.') + 1);
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::string calling_function(std::string_view operator_name) {
  if (!is_on(Switch::CallerNames)) return {};
  std::string found;
  Ref at(Py_XNewRef(reinterpret_cast<PyObject*>(PyEval_GetFrame())));
  while (at) {
    auto* frame = reinterpret_cast<PyFrameObject*>(at.get());
    if (!is_ours(frame)) break;
    if (std::string name = public_name(frame); !name.empty()) found = std::move(name);
    at = Ref(reinterpret_cast<PyObject*>(PyFrame_GetBack(frame)));
  }
  if (found.empty() || same_name(found, operator_name)) return {};
  return found + "(): ";
}

}  // namespace tnp::python
