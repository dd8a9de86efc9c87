// _C._einsum_operands: the operands of np.einsum in either form, as an equation and a list of arrays.
#include <string>

#include "csrc/module/modules.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

// Appends the letters of a list or tuple of labels. False for other labels than Ellipsis and the
// integers 0 to 51.
bool append_letters(PyObject* labels, std::string& equation) {
  if (!PyList_CheckExact(labels) && !PyTuple_CheckExact(labels)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(labels); ++i) {
    PyObject* const label = PySequence_Fast_GET_ITEM(labels, i);
    if (label == Py_Ellipsis) {
      equation += "...";
      continue;
    }
    int overflow = 0;
    const long number = PyLong_CheckExact(label) ? PyLong_AsLongAndOverflow(label, &overflow) : -1;
    if (overflow || number < 0 || number >= 52) return false;
    equation += static_cast<char>(number < 26 ? 'A' + number : 'a' + number - 26);
  }
  return true;
}

PyObject* einsum_operands(PyObject*, PyObject* operands) {
  if (!PyTuple_Check(operands)) return PyErr_SetString(PyExc_TypeError, "_einsum_operands() takes a tuple"), nullptr;
  const Py_ssize_t n = PyTuple_GET_SIZE(operands);
  if (n < 2) Py_RETURN_NONE;
  const bool by_text = PyUnicode_CheckExact(PyTuple_GET_ITEM(operands, 0));
  const Py_ssize_t first = by_text ? 1 : 0, step = by_text ? 1 : 2, count = by_text ? n - 1 : n / 2;
  for (Py_ssize_t k = 0; k < count; ++k)
    if (Py_TYPE(PyTuple_GET_ITEM(operands, first + k * step)) != ndarray_type) Py_RETURN_NONE;
  std::string equation;
  for (Py_ssize_t k = 0; !by_text && k < count; ++k) {
    if (k > 0) equation += ',';
    if (!append_letters(PyTuple_GET_ITEM(operands, 2 * k + 1), equation)) Py_RETURN_NONE;
  }
  if (!by_text && n % 2) {
    equation += "->";
    if (!append_letters(PyTuple_GET_ITEM(operands, n - 1), equation)) Py_RETURN_NONE;
  }
  const Ref text(by_text ? Py_NewRef(PyTuple_GET_ITEM(operands, 0))
                         : PyUnicode_FromStringAndSize(equation.data(), static_cast<Py_ssize_t>(equation.size())));
  const Ref arrays(PyList_New(count));
  if (!text || !arrays) return nullptr;
  for (Py_ssize_t k = 0; k < count; ++k)
    PyList_SET_ITEM(arrays.get(), k, Py_NewRef(PyTuple_GET_ITEM(operands, first + k * step)));
  return PyTuple_Pack(2, text.get(), arrays.get());
}

PyMethodDef functions[] = {
    {"_einsum_operands", einsum_operands, METH_O,
     "_einsum_operands(operands): equation and list of arrays of the operands of np.einsum, a tuple. None\n"
     "if a label or an array needs a conversion or an error."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_einsum_operands(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
