// The parameters of a library's operator, as its schema has them: for the argument parser, and for reading what
// matched.
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

// The arguments of one call, read.
struct ReadArguments {
  LibraryTensors inputs;
  SmallVector<TorchNpValue, 8> values;
  std::vector<int64_t> mutated;  // which of the inputs
  std::vector<int64_t> copies;   // and which were made of something else than an array
  bool numpy_face;               // what the results are
  // What lists among the values point to, which stays where it is.
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
  // `rows`: a list of (name, kind, several, optional, default or (), keyword_only, mutated, aliases,
  // the schema's name), by torch_np/library/_load.py. Throws PythonError.
  SchemaParameters(const char* function, PyObject* rows, bool numpy_face);
  SchemaParameters(const SchemaParameters&) = delete;
  SchemaParameters& operator=(const SchemaParameters&) = delete;

  // False: a Python exception is set.
  bool parse(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** values) const {
    return parser_->parse(nullptr, args, nargs, kwnames, values) >= 0;
  }
  const Signature& signature() const { return (*parser_)[0]; }
  const char* const* names() const { return names_.data(); }
  // The short way of a call, tried before its arguments are parsed: an array for each of the Tensors that come first,
  // by position, and nothing else, where all the rest has a default. False: parse the call.
  bool read_arrays(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, ReadArguments& into) const;
  // What parse() found. Raises as readers do (csrc/args/readers.h).
  void read(PyObject* const* values, ReadArguments& into) const;

 private:
  struct Row {
    Kind kind;
    bool mutated;
    Ref otherwise;  // the default; null: none
  };
  void read_defaults();
  void read_one(const Row& row, size_t i, PyObject* value, ReadArguments& into) const;
  void add_tensors(const Row& row, size_t i, PyObject* value, TorchNpValue& as, ReadArguments& into) const;

  std::deque<std::string> texts_;
  std::vector<Param> params_;
  std::vector<const char*> names_;
  std::vector<Row> rows_;
  std::unique_ptr<Parser> parser_;
  Py_ssize_t num_leading_ = -1;  // of read_arrays(); -1: not for this schema
  ReadArguments defaults_;       // of the rest
  bool numpy_face_;
};

}  // namespace tnp::python
