// Description of a step's call (operator and arguments) for code outside of the engine.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "aten/compiler/trace.h"

namespace tnp::compiler {

struct ViewNumber {
  int view;  // number in the trace
  friend bool operator==(ViewNumber, ViewNumber) = default;
};
// The first alternative is None. Dtypes and devices are given by name, enumerators of the engine by
// number. Whole numbers are integers.
using Attribute = std::variant<std::monostate, ViewNumber, std::vector<ViewNumber>, bool, int64_t, double, std::string,
                               std::vector<int64_t>, std::vector<double>>;

struct Description {
  std::string op;  // for a reduction its own name, "sum"
  std::vector<Attribute> arguments;
  // Whether the arguments describe the whole call: it has no generator, no `out=` and no `where=`.
  bool is_complete = true;
};

// Parses the step's text, which is complete.
TNP_API Description describe(const Step& step);

}  // namespace tnp::compiler
