// The argument parser: tables in, slots out.
//
// The generator (tools/codegen) writes, for each overload, an array of Params whose `slot` already is the native
// argument's: translating `axis` to `dim` costs nothing at run time. `compat` is a template parameter of the generated
// function that owns the table, so the torch-style instantiation contains no np name and no np conversion.
//
// Matching never allocates and never raises. Only after it failed, `explain` builds the message, in cold code.
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
  ArrayLike,       // np face: anything np.asarray takes
  TensorList,      // torch face: sequence of tensors
  ArrayLikeList,   // np face: sequence of array-likes, or an array (its rows)
  Int,
  Float,
  Bool,
  Scalar,
  String,
  IntList,    // int or sequence of ints
  FloatList,  // sequence of real numbers
  BoolList,   // sequence of bools
  Dtype,      // np: anything np.dtype takes; torch: torch_np.float32, ...
  Device,
  Order,     // 'C', 'F', 'A', 'K'
  Casting,   // 'no', 'equiv', 'safe', 'same_kind', 'unsafe'
  Out,       // a tensor to write to, or (np) a tuple of them, or None
  OutTuple,  // (torch) a tensor for each of several results
  Mask,      // where=: True, or a bool array-like
  Generator,
  Object,  // handed on as it is
};

enum ParamFlag : uint8_t {
  kRequired = 1,
  kKeywordOnly = 2,
  kPositionalOnly = 4,
  kNullable = 8,  // None means "not given"
  kVarArgs = 16,  // x.reshape(2, 3): the integers of an IntList may come as separate positional arguments
  kIgnored = 32,  // accepted only with its default (np: subok=True, like=None); anything else raises, naming it
};

struct Param {
  const char* name;  // as this face spells it; interned once, when the Signature is made
  Kind kind;
  uint8_t slot;
  uint8_t flags = 0;
  const char* default_text = nullptr;  // for inspect.signature; null: required
  const char* aliases[4] = {};  // other accepted spellings, tried last (torch: axis for dim, keepdims for keepdim)
};

inline constexpr int kMaxSlots = 24;  // tools/codegen/signatures.py knows it, and ends the build

// The value of a kVarArgs parameter whose integers came as separate arguments: a pointer to the first, with the lowest
// bit set (objects are aligned); null if the value is an ordinary object.
inline PyObject* const* varargs(PyObject* value) {
  auto bits = reinterpret_cast<uintptr_t>(value);
  return bits & 1 ? reinterpret_cast<PyObject* const*>(bits - 1) : nullptr;
}

// One overload: a table of parameters and the native names of its slots (for messages: {input} -> this face's name).
class Signature final : public CalledFunction {
 public:
  Signature(const char* function, std::span<const Param> params, std::span<const char* const> slot_names);
  const char* function() const override { return function_; }
  std::span<const Param> params() const { return params_; }
  // This face's name of a native argument, or the native name itself if this face has none. "#1": of the one in slot 1.
  std::string_view name_of(std::string_view native) const override;
  // "sum(a, axis=None, dtype=None, out=None, keepdims=False)"
  std::string text() const;

 private:
  friend class Parser;
  // Why a call does not match.
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
    const Param* param = nullptr;  // the parameter at fault, or
    PyObject* keyword = nullptr;   // the unknown keyword
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
  uint8_t num_operands_;  // parameters of Kind::TensorOrNumber: one of them at least must be a tensor
};

// All overloads of one function, tried in order.
class Parser {
 public:
  Parser(std::initializer_list<Signature> overloads);
  // The index of the overload that matches, with a borrowed reference per slot in `values` (null: not given), or -1
  // with a Python exception set. `self` is the first argument if it is one of our arrays (a method call), else ignored
  // (a module, or null). Integers that came as separate arguments (kVarArgs) are handed on where they lie, as a tagged
  // pointer; values[-1] must exist and receives their number. See varargs().
  int parse(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** values) const;
  size_t size() const { return overloads_.size(); }
  const Signature& operator[](int i) const { return overloads_[static_cast<size_t>(i)]; }

 private:
  TNP_COLD void explain(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                        PyObject** values) const;
  std::vector<Signature> overloads_;
};

}  // namespace tnp::python
