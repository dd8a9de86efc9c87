// The argument parser: matches the Python arguments of a call against parameter tables and stores
// them by slot.
//
// The generator (tools/codegen) writes an array of Params for each overload. The `slot` of a Param
// is the index of the native argument, so translating `axis` to `dim` needs no work at run time.
// `compat` is a template parameter of the generated function that owns the table, so the
// torch-style instantiation contains no np name and no np conversion.
//
// Matching never allocates and never raises. If it fails, `explain` builds the message, in cold
// code.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aten/core/macros.h"
#include "csrc/objects/errors.h"

namespace tnp::python {

enum class Kind : uint8_t {
  Tensor,          // torch face: Tensor or ndarray
  TensorOrNumber,  // torch face, operand of a pointwise operator
  ArrayLike,       // np face: anything np.asarray accepts
  TensorList,      // np face: anything np.asarray accepts
  ArrayLikeList,   // np face: sequence of array-likes, or one array, whose rows are the items
  Int,
  Float,
  Bool,
  StrictBool,  // torch face: True or False, not another number
  Scalar,
  String,
  IntList,    // int or sequence of ints
  FloatList,  // sequence of real numbers
  BoolList,   // sequence of bools
  Dtype,      // np: anything np.dtype accepts; torch: torch_np.float32, ...
  Device,
  Order,     // 'C', 'F', 'A', 'K'
  Casting,   // 'no', 'equiv', 'safe', 'same_kind', 'unsafe'
  Out,       // a tensor to write to, or (np) a tuple of them, or None
  OutTuple,  // (torch) a tuple with a tensor for each of several results
  Mask,      // where=: True, or a bool array-like
  Generator,
  Object,  // passed through unchanged
};

enum ParamFlag : uint8_t {
  kRequired = 1,
  kKeywordOnly = 2,
  kPositionalOnly = 4,
  kNullable = 8,  // None means "not given"
  kVarArgs = 16,  // x.reshape(2, 3): the integers of an IntList may be separate positional arguments
  kIgnored = 32,  // accepted only with its default value (np: subok=True, like=None); any other value raises
  kNotNone = 64,  // (torch) a dtype that must be given: x.to(None) is no conversion to the default dtype
};

struct Param {
  const char* name;  // this face's spelling; interned once, when the Signature is constructed
  Kind kind;
  uint8_t slot;
  uint8_t flags = 0;
  const char* default_text = nullptr;  // for inspect.signature; null for required parameters
  const char* aliases[4] = {};  // other accepted spellings, tried last (torch: axis for dim, keepdims for keepdim)
};

inline constexpr int kMaxSlots = 24;  // tools/codegen/signatures.py has the same limit and fails the build beyond it

// Decodes the value of a kVarArgs parameter whose integers are separate arguments: a pointer to the
// first, tagged with its lowest bit (objects are aligned). Returns null if the value is an ordinary
// object.
inline PyObject* const* varargs(PyObject* value) {
  auto bits = reinterpret_cast<uintptr_t>(value);
  return bits & 1 ? reinterpret_cast<PyObject* const*>(bits - 1) : nullptr;
}

// One overload: its parameter table, and the native names of its slots. In messages, a native name
// in braces ({input}) is replaced by this face's name.
class Signature final : public CalledFunction {
 public:
  Signature(const char* function, std::span<const Param> params, std::span<const char* const> slot_names);
  const char* function() const override { return function_; }
  std::span<const Param> params() const { return params_; }
  // This face's name of a native argument, or the native name itself if this face has none. "#1"
  // means slot 1.
  std::string_view name_of(std::string_view native) const override;
  // "sum(a, axis=None, dtype=None, out=None, keepdims=False)"
  std::string text() const;

 private:
  friend class Parser;
  // Reasons why a call does not match.
  enum class Mismatch : uint8_t {
    None,
    TooManyPositional,
    UnknownKeyword,
    Twice,
    PositionalOnly,
    Missing,
    WrongKind,
    Unsupported,
    OnlyNumbers
  };
  struct Failure {
    Mismatch reason = Mismatch::None;
    const Param* param = nullptr;  // the parameter that does not match, or null
    PyObject* keyword = nullptr;   // the unknown keyword, or null
    PyObject* value = nullptr;
  };
  Failure match(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** values) const;
  int find_keyword(PyObject* name) const;
  std::string describe(const Failure& failure, Py_ssize_t num_given) const;

  const char* function_;
  std::span<const Param> params_;
  std::span<const char* const> slot_names_;
  PyObject* interned_[kMaxSlots];
  uint8_t num_positional_, num_required_;
  uint8_t num_operands_;  // parameters of Kind::TensorOrNumber: if there are any, at least one must be a tensor
};

// All overloads of one function, tried in order.
class Parser {
 public:
  Parser(std::initializer_list<Signature> overloads);
  // Returns the index of the matching overload, or -1 with a Python exception set. Fills `values`
  // with a borrowed reference per slot (null: not given). `self` is the first argument if it is one
  // of our arrays (a method call); otherwise (a module, or null) it is ignored. Separate integer
  // arguments (kVarArgs) are passed as a tagged pointer into `args`; values[-1] must exist and
  // receives their count. See varargs().
  int parse(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** values) const;
  size_t size() const { return overloads_.size(); }
  const Signature& operator[](int i) const { return overloads_[static_cast<size_t>(i)]; }

 private:
  TNP_COLD void explain(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                        PyObject** values) const;
  std::vector<Signature> overloads_;
};

}  // namespace tnp::python
