#include "aten/compiler/text.h"

#include <charconv>

#include "aten/compiler/call.h"

namespace tnp::compiler {

void print_view(std::string& to, int view) {
  if (view < 0) return print_none(to);
  to += '%';
  to += std::to_string(view);
}
void print_none(std::string& to) { to += "None"; }
void print_value(std::string& to, bool v) { to += v ? "True" : "False"; }
void print_value(std::string& to, int64_t v) { to += std::to_string(v); }
void print_value(std::string& to, double v) { print_value(to, Scalar(v)); }
void print_value(std::string& to, const Scalar& v) { to += v.to_string(); }
void print_value(std::string& to, ScalarType v) { to += dtype_name(v); }
void print_value(std::string& to, Device v) { to += to_string(v); }
void print_value(std::string& to, IntList v) { print_list(to, std::span<const int64_t>(v)); }
void print_value(std::string& to, std::string_view v) {
  to += '\'';
  for (char c : v) {
    // Texts that differ are written differently, and none looks like a view: "%3" is written \%3.
    if (c == '\'' || c == '\\' || c == '%') to += '\\';
    to += c;
  }
  to += '\'';
}

void Kept<PointwiseOptions>::print(std::string& to) const {
  const auto named = [&](const char* name, const Kept<Tensor>& t) {
    if (t.view < 0) return;
    to += name;
    t.print(to);
  };
  named(", out=", out0);
  named(", out1=", out1);
  named(", where=", where);
  if (dtype) {
    to += ", dtype=";
    print_value(to, *dtype);
  }
  if (order != Order::K) {
    to += ", order=";
    print_value(to, order);
  }
}

void Kept<ReduceOptions>::print(std::string& to) const {
  out.print(to);
  to += ", ";
  where.print(to);
  to += ", ";
  initial ? print_value(to, *initial) : print_none(to);
  to += ", ";
  print_value(to, parameter);
}

}  // namespace tnp::compiler
