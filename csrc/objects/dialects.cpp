#include "csrc/objects/dialects.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "csrc/objects/variable.h"

namespace tnp::python {

Dialect face_dialects[2] = {Dialect(Face::Torch), Dialect(Face::NumPy)};
Dialect direct_dialects[2] = {Dialect(Face::Torch), Dialect(Face::NumPy).with(ErrorWatch::Open)};
bool numpy_promotion_by_device = false;

namespace {

// Settings of torch_np.numpy, guarded by the GIL.
PromotionRules on_all = PromotionRules::NumPy;
std::array<std::optional<PromotionRules>, 2> own_rules;  // by DeviceType

// Arrays on `meta` follow the CPU's rules.
PromotionRules rules_on(DeviceType type) { return own_rules[type == DeviceType::CUDA].value_or(on_all); }

void apply() {
  face_dialects[1] = Dialect(Face::NumPy, rules_on(DeviceType::CPU));
  direct_dialects[1] = face_dialects[1].with(ErrorWatch::Open);
  numpy_promotion_by_device = rules_on(DeviceType::CUDA) != rules_on(DeviceType::CPU);
}

bool is_on_device(PyObject* o) { return o && is_variable(o) && unwrap(o).device().is_cuda(); }

PyObject* name_of(std::optional<PromotionRules> rules) {
  if (!rules) Py_RETURN_NONE;
  return PyUnicode_FromString(*rules == PromotionRules::NumPy ? "numpy" : "torch");
}

// Parses promotion rules. False: a Python exception is set.
bool read_rules(const char* text, std::optional<PromotionRules>& rules) {
  if (!text) return true;
  if (std::strcmp(text, "numpy") == 0)
    rules = PromotionRules::NumPy;
  else if (std::strcmp(text, "torch") == 0)
    rules = PromotionRules::Torch;
  else
    PyErr_Format(PyExc_ValueError, "_set_promotion_rules(): rules must be 'numpy' or 'torch', got '%.100s'", text);
  return rules.has_value();
}
bool read_device(const char* text, std::optional<DeviceType>& device) {
  if (!text) return true;
  if (std::strcmp(text, "cpu") == 0)
    device = DeviceType::CPU;
  else if (std::strcmp(text, "cuda") == 0)
    device = DeviceType::CUDA;
  else
    PyErr_Format(PyExc_ValueError, "promotion rules belong to a kind of device, 'cpu' or 'cuda', not to '%.100s'",
                 text);
  return device.has_value();
}

}  // namespace

Dialect numpy_dialect_for(std::span<PyObject* const> arguments) {
  auto found = [](PyObject* o) { return Dialect(Face::NumPy, rules_on(unwrap(o).device().type)); };
  for (PyObject* o : arguments) {
    if (is_on_device(o)) return found(o);
    if (!o || !(PyTuple_Check(o) || PyList_Check(o))) continue;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
      if (PyObject* item = PySequence_Fast_GET_ITEM(o, i); is_on_device(item)) return found(item);
    }
  }
  return face_dialects[1];
}

PyObject* set_promotion_rules(PyObject*, PyObject* args) {
  const char *rules_text, *device_text;
  std::optional<PromotionRules> rules;
  std::optional<DeviceType> device;
  if (!PyArg_ParseTuple(args, "zz:_set_promotion_rules", &rules_text, &device_text) || !read_rules(rules_text, rules) ||
      !read_device(device_text, device))
    return nullptr;
  std::optional<PromotionRules> before = on_all;
  if (device)
    before = std::exchange(own_rules[static_cast<size_t>(*device)], rules);
  else
    on_all = rules.value_or(PromotionRules::NumPy);
  apply();
  return name_of(before);
}

PyObject* get_promotion_rules(PyObject*, PyObject* device_object) {
  const char* text = nullptr;
  std::optional<DeviceType> device;
  if (device_object != Py_None) {
    text = PyUnicode_AsUTF8(device_object);
    if (!text) return nullptr;
  }
  if (!read_device(text, device)) return nullptr;
  return name_of(device ? rules_on(*device) : on_all);
}

}  // namespace tnp::python
