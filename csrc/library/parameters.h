// Parameters of a library's operator according to its schema. Builds the parser's table and
// converts the matched arguments.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <deque>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "aten/library/operator.h"
#include "csrc/args/signature.h"
#include "csrc/convert/convert.h"

namespace tnp::python {

// The converted arguments of one call.
struct ReadArguments {
  LibraryTensors inputs;
  SmallVector<TorchNpValue, 8> values;
  std::vector<int64_t> mutated;  // indices into `inputs`
  std::vector<int64_t> copies;   // indices of inputs that were converted from other objects than arrays
  bool numpy_face;               // the face of the results
  // Owns the list values that `values` points to, at stable addresses.
  struct Lists {
    std::list<DimVector> integers;
    std::list<std::vector<double>> numbers;
    std::list<std::vector<uint8_t>> booleans;
  };
  std::unique_ptr<Lists> lists;
  Lists& with_lists() {
    if (!lists) lists = std::make_unique<Lists>();
    return *lists;
  }
};

class SchemaParameters {
 public:
  // `rows`: a list of (name, kind, several, optional, default or (), keyword_only, mutated,
  // aliases, the schema's name) from torch_np/library/_load.py. Throws PythonError.
  SchemaParameters(const char* function, PyObject* rows, bool numpy_face);
  SchemaParameters(const SchemaParameters&) = delete;
  SchemaParameters& operator=(const SchemaParameters&) = delete;

  // Returns false with a Python exception set if the arguments do not match.
  bool parse(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** values) const {
    return parser_->parse(nullptr, args, nargs, kwnames, values) >= 0;
  }
  const Signature& signature() const { return (*parser_)[0]; }
  const char* const* names() const { return names_.data(); }
  // Fast path of a call, tried before its arguments are parsed. It accepts only positional arrays
  // for the leading Tensors; all other parameters must have defaults. Returns false if the caller
  // must parse the arguments instead.
  bool read_arrays(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, ReadArguments& into) const;
  // Converts the values from parse(). Raises as readers do (csrc/args/readers.h).
  void read(PyObject* const* values, ReadArguments& into) const;

 private:
  struct Row {
    Kind kind;
    bool mutated;
    Ref otherwise;  // the default value; null if the parameter has none
  };
  void read_defaults();
  void read_one(const Row& row, size_t i, PyObject* value, ReadArguments& into) const;
  void add_tensors(const Row& row, size_t i, PyObject* value, TorchNpValue& as, ReadArguments& into) const;

  std::deque<std::string> texts_;
  std::vector<Param> params_;
  std::vector<const char*> names_;
  std::vector<Row> rows_;
  std::unique_ptr<Parser> parser_;
  // number of leading Tensor parameters for read_arrays(); -1 if read_arrays() does not support
  // the schema
  Py_ssize_t num_leading_ = -1;
  ReadArguments defaults_;  // values of all parameters that read_arrays() does not read
  bool numpy_face_;
};

}  // namespace tnp::python
