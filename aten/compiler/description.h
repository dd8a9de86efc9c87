// What a step calls, for others than the engine: the operator, and its arguments.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "aten/compiler/record.h"

namespace tnp::compiler {

struct ViewNumber {
  int view;  // of the record
  friend bool operator==(ViewNumber, ViewNumber) = default;
};
// None is the first alternative. Dtypes and devices are their names, choices of the engine's their numbers; numbers
// that are whole are integers.
using Attribute = std::variant<std::monostate, ViewNumber, std::vector<ViewNumber>, bool, int64_t, double, std::string,
                               std::vector<int64_t>, std::vector<double>>;

struct Description {
  std::string op;  // of a reduction its own name, "sum"
  std::vector<Attribute> arguments;
  // Whether the arguments are all that there is to the call: no generator, no `out=`, no `where=`.
  bool is_complete = true;
};

// Reads it off the step's text, which says all of it.
TNP_API Description describe(const Step& step);

}  // namespace tnp::compiler
