// Final checks and warnings of a torch_np call with out=.
#include "aten/core/errors/pending_warnings.h"
#include "csrc/args/call.h"
#include "csrc/objects/gil.h"

namespace tnp::python {

namespace {

// A NumPy array is written through a temporary tensor over its memory. Resizing that tensor does
// not resize the array.
bool has_kept_its_shape(PyObject* array, const Tensor& result) {
  const Tensor now = as_tensor(array, true, std::nullopt, false);
  if (now.sizes() == result.sizes()) return true;
  std::string text = "out, an array of NumPy's of shape ";
  append(text, now.sizes());
  text += ", cannot take the result's shape ";
  append(text, result.sizes());
  PyErr_SetString(PyExc_RuntimeError, text.c_str());
  return false;
}

}  // namespace

PyObject* after_call_with_out(PyObject* out, PyObject* result) {
  if (result && PyObject_TypeCheck(out, numpy_api().ndarray_type) && is_variable(result)) {
    const bool kept = guarded<false>(false, nullptr, [&] { return has_kept_its_shape(out, unwrap(result)); });
    if (!kept) Py_CLEAR(result);
  }
  return with_warnings(result);
}

PyObject* give_warnings(PyObject* result) {
  const std::vector<std::string> texts = take_pending_warnings();
  if (!result) return nullptr;
  const bool given = call_python([&] {
    for (const std::string& text : texts)
      if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) < 0) return false;
    return true;
  });
  if (!given) Py_CLEAR(result);
  return result;
}

}  // namespace tnp::python
