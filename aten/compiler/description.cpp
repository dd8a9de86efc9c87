#include "aten/compiler/description.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

namespace tnp::compiler {

namespace {

// Parser for the text that aten/compiler/text.h writes.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::string_view until(char end) {
    const size_t n = std::min(rest_.find(end), rest_.size());
    const std::string_view found = rest_.substr(0, n);
    rest_.remove_prefix(std::min(n + 1, rest_.size()));
    return found;
  }
  // Reads one argument, up to the comma or bracket after it. nullopt if it is not an Attribute: a
  // complex number, or "out=%3".
  std::optional<Attribute> argument() {
    if (rest_.starts_with('[')) return list();
    if (rest_.starts_with('\'')) return text();
    const std::string_view word = token();
    if (word.find_first_of("(='") != word.npos) return {};
    return value(word);
  }
  bool next() {  // whether there is another argument
    if (!rest_.starts_with(", ")) return false;
    rest_.remove_prefix(2);
    return true;
  }
  bool is_at_end() const { return rest_ == ")"; }

 private:
  std::string_view token() {
    // A complex number has parentheses of its own.
    const size_t n = rest_.starts_with('(') ? std::min(rest_.find(')') + 1, rest_.size())
                                            : std::min(rest_.find_first_of(",)]"), rest_.size());
    const std::string_view word = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return word;
  }
  static Attribute value(std::string_view word) {
    if (word == "None") return std::monostate();
    if (word == "True" || word == "False") return word == "True";
    if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (word == "inf" || word == "-inf") {
      const double inf = std::numeric_limits<double>::infinity();
      return word == "inf" ? inf : -inf;
    }
    const char* const end = word.data() + word.size();
    if (word.starts_with('%')) {
      ViewNumber v{-1};
      std::from_chars(word.data() + 1, end, v.view);
      return v;
    }
    int64_t integer;
    if (const auto [at, failure] = std::from_chars(word.data(), end, integer); failure == std::errc() && at == end)
      return integer;
    double number;
    if (const auto [at, failure] = std::from_chars(word.data(), end, number); failure == std::errc() && at == end)
      return number;
    return std::string(word);  // a dtype or a device
  }
  std::string text() {
    std::string all;
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_[0] != '\'') {
      if (rest_[0] == '\\') rest_.remove_prefix(1);
      if (!rest_.empty()) all += rest_[0], rest_.remove_prefix(1);
    }
    until('\'');
    return all;
  }
  std::optional<Attribute> list() {
    rest_.remove_prefix(1);
    std::vector<ViewNumber> views;
    std::vector<int64_t> integers;
    std::vector<double> numbers;
    size_t count = 0;
    while (!rest_.empty() && !rest_.starts_with(']')) {
      if (count++ > 0 && !next()) return {};
      const Attribute item = value(token());
      if (const auto* v = std::get_if<ViewNumber>(&item))
        views.push_back(*v);
      else if (const auto* i = std::get_if<int64_t>(&item))
        integers.push_back(*i), numbers.push_back(static_cast<double>(*i));
      else if (const auto* b = std::get_if<bool>(&item))
        integers.push_back(*b);
      else if (const auto* d = std::get_if<double>(&item))
        numbers.push_back(*d);
    }
    until(']');
    if (views.size() == count && count > 0) return views;
    if (integers.size() == count) return integers;
    if (numbers.size() == count) return numbers;
    return {};
  }
  std::string_view rest_;
};

// "reduce(sum, %0, [0], False, None, <out, where, initial>, <parameter>)"
void read_reduction(Description& d) {
  constexpr size_t kArguments = 5, kOptions = 4;
  if (d.arguments.size() != kArguments + kOptions || !std::holds_alternative<std::string>(d.arguments[0])) {
    d.is_complete = false;
    return;
  }
  d.op = std::get<std::string>(d.arguments[0]);
  for (size_t i = kArguments; i + 1 < d.arguments.size(); ++i)
    if (!std::holds_alternative<std::monostate>(d.arguments[i])) d.is_complete = false;
  const Attribute parameter = d.arguments.back();
  d.arguments.resize(kArguments);
  d.arguments.erase(d.arguments.begin());
  if (parameter != Attribute(int64_t{0})) d.arguments.push_back(parameter);
}

}  // namespace

Description describe(const Step& step) {
  const std::string text = step.text();
  Reader reader(text);
  Description d;
  d.op = reader.until('(');
  if (!reader.is_at_end()) {
    do {
      std::optional<Attribute> a = reader.argument();
      if (a && *a == Attribute(std::string("generator"))) a.reset();
      if (a)
        d.arguments.push_back(std::move(*a));
      else
        d.is_complete = false;
    } while (reader.next());
    if (!reader.is_at_end()) d.is_complete = false;
  }
  if (d.op == "reduce") read_reduction(d);
  // Arguments do not describe views that the step reads besides.
  std::vector<int> read;
  for (const Attribute& a : d.arguments) {
    if (const auto* v = std::get_if<ViewNumber>(&a)) read.push_back(v->view);
    if (const auto* list = std::get_if<std::vector<ViewNumber>>(&a))
      for (ViewNumber v : *list) read.push_back(v.view);
  }
  for (int v : step.reads)
    if (std::find(read.begin(), read.end(), v) == read.end()) d.is_complete = false;
  return d;
}

}  // namespace tnp::compiler
