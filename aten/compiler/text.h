// Text form of steps and their arguments. It is shown to users and also compares steps for
// equality, so numbers are exact.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "aten/compiler/trace.h"
#include "aten/core/numbers/scalar.h"

namespace tnp::compiler {

TNP_API void print_view(std::string& to, int view);
TNP_API void print_none(std::string& to);
TNP_API void print_value(std::string& to, bool v);
TNP_API void print_value(std::string& to, int64_t v);
TNP_API void print_value(std::string& to, double v);
TNP_API void print_value(std::string& to, const Scalar& v);
TNP_API void print_value(std::string& to, ScalarType v);
TNP_API void print_value(std::string& to, Device v);
TNP_API void print_value(std::string& to, IntList v);
TNP_API void print_value(std::string& to, std::string_view v);
template <class T>
  requires std::is_enum_v<T>
void print_value(std::string& to, T v) {
  print_value(to, static_cast<int64_t>(v));
}
template <class T>
void print_list(std::string& to, std::span<const T> list) {
  to += '[';
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) to += ", ";
    print_value(to, list[i]);
  }
  to += ']';
}

}  // namespace tnp::compiler
