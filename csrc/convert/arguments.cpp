// Argument parsing for the interchange methods. They are not operators and have no generated
// parser.
#include "csrc/convert/internal.h"

namespace tnp::python {

void read_arguments(const char* function, std::initializer_list<const char*> names, size_t num_required,
                    size_t num_positional, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                    PyObject** slots) {
  if (static_cast<size_t>(nargs) > num_positional) {
    raise_python(PyExc_TypeError, std::string(function) + "() takes at most " + std::to_string(num_positional) +
                                      " positional arguments but " + std::to_string(nargs) + " were given");
  }
  for (Py_ssize_t i = 0; i < nargs; ++i) slots[i] = args[i];
  Py_ssize_t num_keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < num_keywords; ++k) {
    PyObject* keyword = PyTuple_GET_ITEM(kwnames, k);
    size_t i = 0;
    for (const char* name : names) {
      if (PyUnicode_CompareWithASCIIString(keyword, name) == 0) break;
      ++i;
    }
    if (i == names.size() || slots[i]) {
      raise_python(PyExc_TypeError, std::string(function) +
                                        (i == names.size() ? "() got an unexpected keyword argument '"
                                                           : "() got multiple values for argument '") +
                                        text_of(keyword) + "'");
    }
    slots[i] = args[nargs + k];
  }
  for (size_t i = 0; i < num_required; ++i) {
    if (!slots[i]) {
      raise_python(PyExc_TypeError, std::string(function) + "() missing required argument '" + names.begin()[i] +
                                        "' (pos " + std::to_string(i + 1) + ")");
    }
  }
}

}  // namespace tnp::python
