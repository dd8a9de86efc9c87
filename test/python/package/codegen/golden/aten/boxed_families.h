// Generated from native_functions.yaml. The tables of all families.
#pragma once

#include <vector>

namespace tnp::compiler {
struct BoxedFunction;
}
namespace tnp::boxed_families {
void elements(std::vector<compiler::BoxedFunction>& to);
void arrays(std::vector<compiler::BoxedFunction>& to);
}

namespace tnp::compiler {
inline void add_boxed_families(std::vector<BoxedFunction>& to) {
  boxed_families::elements(to);
  boxed_families::arrays(to);
}
}  // namespace tnp::compiler
