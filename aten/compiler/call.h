// Call: an operator with its arguments, as data.
//
// Note [Calls] A call has the operator's identity and typed arguments. Tensors are views of a trace
// (trace.h). Two calls are equal if they have the same operator, the same arguments and the same
// dialect; floats are compared by their bits. Passes of plan() read calls. Text is for people:
// print.h is the only file that makes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "aten/core/dialect.h"
#include "aten/core/numbers/scalar.h"
#include "aten/core/tensor.h"

namespace tnp {
class Generator;
struct PointwiseOp;
struct ReductionOp;
}  // namespace tnp

namespace tnp::compiler {

struct Trace;

struct ViewNumber {
  int view = -1;  // number in the trace; -1: an undefined tensor
  friend bool operator==(ViewNumber, ViewNumber) = default;
};
// An enumerator of the engine, such as a memory format.
struct Enumerator {
  int64_t number;
  friend bool operator==(Enumerator, Enumerator) = default;
};
// An argument that is equal to itself alone, such as a Python object. `text` is its printed form.
struct Opaque {
  const void* identity;
  std::string text;
};

// std::monostate: None.
using ArgumentValue = std::variant<std::monostate, ViewNumber, std::vector<ViewNumber>, bool, int64_t, double, Scalar,
                                   ScalarType, Device, Enumerator, std::string, DimVector, std::vector<double>,
                                   std::vector<uint8_t>, Generator*, Opaque>;  // bytes: flags

inline bool is_none(const ArgumentValue& v) { return std::holds_alternative<std::monostate>(v); }

struct Argument {
  ArgumentValue value;
  const char* keyword = nullptr;  // null: a positional argument. None: the keyword's default
};

struct Call {
  Call() = default;
  Call(const PointwiseOp& op, Dialect dialect);
  Call(const ReductionOp& op, Dialect dialect);
  Call(const void* op, const char* name, Dialect dialect) : op(op), name(name), dialect(dialect) {}

  // The operator's descriptor: a PointwiseOp, ReductionOp, OperatorSchema or LibraryOperator, or
  // anything else that identifies it.
  const void* op = nullptr;
  const char* name = "";
  // `op` again, of a pointwise operator and of a reduction; else null.
  const PointwiseOp* pointwise = nullptr;
  const ReductionOp* reduction = nullptr;
  std::vector<Argument> arguments;
  Dialect dialect = {};

  // The argument with a keyword; null if its value is the default.
  const ArgumentValue* keyword(const char* name) const;
  bool gives(const char* name) const { return keyword(name) != nullptr; }
  // The view of positional argument `i`, which is a tensor.
  int view(size_t i) const { return std::get<ViewNumber>(arguments[i].value).view; }
  // Whether all arguments are positional and have a form that code outside of the engine can read:
  // no generator, complex number or Python object.
  TNP_API bool is_plain() const;
};

// Whether two numbers have the same kind and the same bits.
bool is_same(const Scalar& a, const Scalar& b);
// Equality of calls, whose views are equal if they have the same memory and geometry in the trace.
bool is_equal(const Call& a, const Call& b, const Trace& trace);
size_t hash_of(const Call& call, const Trace& trace);

}  // namespace tnp::compiler
