#include "aten/compiler/print.h"

#include <span>
#include <type_traits>
#include <utility>

namespace tnp::compiler {

namespace {

void print(std::string& to, const std::string& v) {
  to += '\'';
  for (char c : v) {
    if (c == '\'' || c == '\\') to += '\\';
    to += c;
  }
  to += '\'';
}
void print(std::string& to, std::monostate) { to += "None"; }
void print(std::string& to, ViewNumber v) {
  if (v.view < 0) return print(to, std::monostate());
  (to += '%') += std::to_string(v.view);
}
void print(std::string& to, bool v) { to += v ? "True" : "False"; }
void print(std::string& to, int64_t v) { to += std::to_string(v); }
void print(std::string& to, const Scalar& v) { to += v.to_string(); }
void print(std::string& to, double v) { print(to, Scalar(v)); }
void print(std::string& to, ScalarType v) { to += dtype_name(v); }
void print(std::string& to, Device v) { to += to_string(v); }
void print(std::string& to, Enumerator v) { to += std::to_string(v.number); }
void print(std::string& to, Generator*) { to += "generator"; }
void print(std::string& to, const Opaque& v) { to += v.text; }
template <class List>
  requires requires(const List& list) { list.begin(), list.size(); }
void print(std::string& to, const List& list) {
  to += '[';
  const char* between = "";
  for (const auto& item : list) {
    to += std::exchange(between, ", ");
    if constexpr (std::is_same_v<List, std::vector<uint8_t>>)
      print(to, item != 0);
    else
      print(to, item);
  }
  to += ']';
}

void print(std::string& to, const Call& call) {
  (to += call.name) += '(';
  const char* between = "";
  for (const Argument& a : call.arguments) {
    if (a.keyword && is_none(a.value)) continue;
    to += std::exchange(between, ", ");
    if (a.keyword) (to += a.keyword) += '=';
    std::visit([&](const auto& v) { print(to, v); }, a.value);
  }
  to += ')';
}

void print(std::string& to, const Step& step) {
  if (step.call.op) return print(to, step.call);
  to += step.heading();
  const char* between = "";
  for (const auto& part : step.parts) {
    to += std::exchange(between, "; ");
    for (const int& v : part->writes) {
      print(to, ViewNumber{v});
      to += &v == &part->writes.back() ? " = " : ", ";
    }
    print(to, *part);
  }
  to += step.heading().back() == '{' ? '}' : ')';
}

}  // namespace

std::string text(const Step& step) {
  std::string all;
  print(all, step);
  return all;
}

std::string text(const Trace& trace) {
  std::string all;
  for (const auto& step : trace.steps) {
    const char* between = "";
    for (int v : step->writes) {
      const View& view = trace.views[static_cast<size_t>(v)];
      all += std::exchange(between, ", ");
      print(all, ViewNumber{v});
      (all += ':') += dtype_name(view.dtype);
      print(all, view.sizes);
    }
    if (!step->writes.empty()) all += " = ";
    print(all, *step);
    all += '\n';
  }
  return all;
}

}  // namespace tnp::compiler
