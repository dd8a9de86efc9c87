#include "aten/fusion/machine_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <optional>
#include <unordered_map>

#include "aten/machine_operations.h"

namespace tnp::fusion {

Operation operation_of(std::string_view name) {
  static const std::unordered_map<std::string_view, Operation> operations = {{"cast", Operation::Cast},
#define TNP_ROW(name, operation) {name, Operation::operation},
                                                                             TNP_MACHINE_OPERATIONS(TNP_ROW)
#undef TNP_ROW
  };
  const auto found = operations.find(name);
  return found == operations.end() ? Operation::None : found->second;
}

namespace {

bool is_float(ScalarType t) { return t == ScalarType::Float32 || t == ScalarType::Float64; }

bool is_nan(const ProgramValue& v) {
  if (v.dtype == ScalarType::Float32) {
    float number;
    std::memcpy(&number, v.number, sizeof number);
    return std::isnan(number);
  }
  double number;
  std::memcpy(&number, v.number, sizeof number);
  return std::isnan(number);
}

using NumberBytes = std::array<char, sizeof(double)>;

template <class T>
std::optional<NumberBytes> exact_reciprocal_of(const char* number) {
  T x;
  std::memcpy(&x, number, sizeof x);
  int exponent;
  if (!std::isnormal(x) || std::abs(std::frexp(x, &exponent)) != T(0.5)) return {};
  const T reciprocal = 1 / x;
  if (!std::isnormal(reciprocal)) return {};
  NumberBytes bytes = {};
  std::memcpy(bytes.data(), &reciprocal, sizeof reciprocal);
  return bytes;
}

// Returns 1 / number if the number is a power of two. Multiplying by this reciprocal gives the same
// bits and floating-point errors as the division, in a fifth of the time.
std::optional<NumberBytes> exact_reciprocal(const ProgramValue& v) {
  if (v.kind != ProgramValue::Kind::Number) return {};
  return v.dtype == ScalarType::Float32 ? exact_reciprocal_of<float>(v.number) : exact_reciprocal_of<double>(v.number);
}

class Finder {
 public:
  Finder(std::span<const ProgramValue> values, std::span<const ProgramStep> steps) : values_(values), steps_(steps) {}

  std::vector<MachineStep> find() {
    std::vector<MachineStep> found;
    for (int first = 0; first < static_cast<int>(steps_.size());) {
      float_ = ScalarType::Bool;
      int last = first;
      while (last < static_cast<int>(steps_.size()) && suits(step(last))) ++last;
      --last;
      while (last > first && memories_of(first, last).size() > kMostMemories) --last;
      if (last > first) {
        MachineStep made = make(first, last);
        if (made.code) found.push_back(std::move(made));
      }
      first = std::max(last, first) + 1;
    }
    return found;
  }

 private:
  const ProgramStep& step(int s) const { return steps_[static_cast<size_t>(s)]; }
  const ProgramValue& value(int v) const { return values_[static_cast<size_t>(v)]; }

  bool suits(const ProgramStep& s) {
    if (s.operation == Operation::None || !value(s.values[0]).is_new) return false;
    const ScalarType out = value(s.values[0]).dtype;
    for (int v : s.values.subspan(1)) {
      // Note [Chain code] explains why NaN numbers are excluded.
      if (value(v).kind == ProgramValue::Kind::Number && (!is_float(value(v).dtype) || is_nan(value(v)))) return false;
    }
    auto are = [&](size_t from, ScalarType t) {
      return std::all_of(s.values.begin() + static_cast<ptrdiff_t>(from), s.values.end(),
                         [&](int v) { return value(v).dtype == t; });
    };
    const ScalarType in = value(s.values[1]).dtype;
    ScalarType floating = out;
    switch (s.operation) {
      case Operation::And:
      case Operation::Or:
      case Operation::Xor:
      case Operation::Not:
        return are(0, ScalarType::Bool);
      case Operation::Equal:
      case Operation::NotEqual:
      case Operation::Less:
      case Operation::LessEqual:
      case Operation::Greater:
      case Operation::GreaterEqual:
        if (out != ScalarType::Bool || !is_float(in) || !are(1, in)) return false;
        floating = in;
        break;
      case Operation::Where:
        if (in != ScalarType::Bool || !is_float(out) || !are(2, out)) return false;
        break;
      case Operation::Cast:
        if (!is_float(out) || out == in || !(is_float(in) || in == ScalarType::Bool)) return false;
        if (is_float(in) && cpu_capability() == CpuCapability::AVX2) return false;
        break;
      default:
        if (!is_float(out) || !are(1, out)) return false;
    }
    if (cpu_capability() == CpuCapability::AVX2 && is_float(float_) && floating != float_) return false;
    float_ = floating;
    return true;
  }

  // Memories of the chain of steps [first, last]. They are the values that the chain reads and does
  // not compute, and the results of the chain that are memory or are read by steps after `last`.
  std::vector<int> memories_of(int first, int last) const {
    std::vector<int> memories;
    std::vector<bool> seen(values_.size());
    for (int s = first; s <= last; ++s) {
      for (int v : step(s).values.subspan(1)) {
        if (value(v).kind == ProgramValue::Kind::Number || seen[static_cast<size_t>(v)]) continue;
        seen[static_cast<size_t>(v)] = true;
        memories.push_back(v);
      }
      const int out = step(s).values[0];
      seen[static_cast<size_t>(out)] = true;
      if (value(out).kind == ProgramValue::Kind::Memory || value(out).last_step > last) memories.push_back(out);
    }
    return memories;
  }

  MachineStep make(int first, int last) const {
    MachineStep made{.first = first, .last = last, .memories = memories_of(first, last)};
    Chain& chain = made.chain;
    chain.num_memories = static_cast<int>(made.memories.size());
    std::vector<int16_t> memory_of(values_.size(), -1), known(values_.size(), -1);
    for (size_t m = 0; m < made.memories.size(); ++m)
      memory_of[static_cast<size_t>(made.memories[m])] = static_cast<int16_t>(m);
    std::vector<const char*> numbers;
    std::deque<NumberBytes> reciprocals;
    auto chain_value = [&](int v, Chain::Value::Kind kind) {
      int16_t& place = known[static_cast<size_t>(v)];
      if (place >= 0) return place;
      if (value(v).kind == ProgramValue::Kind::Number) {
        kind = Chain::Value::Kind::Number;
        numbers.push_back(value(v).number);
      }
      place = static_cast<int16_t>(chain.values.size());
      const bool is_far = kind == Chain::Value::Kind::Memory && value(v).is_far;
      chain.values.push_back(
          {.kind = kind, .dtype = value(v).dtype, .memory = memory_of[static_cast<size_t>(v)], .is_far = is_far});
      return place;
    };
    for (int s = first; s <= last; ++s) {
      const ProgramStep& step = this->step(s);
      Chain::Step of_chain{
          .operation = step.operation, .num_inputs = static_cast<uint8_t>(step.values.size() - 1), .out = 0, .in = {}};
      for (size_t i = 1; i < step.values.size(); ++i)
        of_chain.in[i - 1] = chain_value(step.values[i], Chain::Value::Kind::Memory);
      if (const auto reciprocal = step.operation == Operation::Divide ? exact_reciprocal(value(step.values[2]))
                                                                      : std::optional<NumberBytes>()) {
        of_chain.operation = Operation::Multiply;
        of_chain.in[1] = static_cast<int16_t>(chain.values.size());
        chain.values.push_back({.kind = Chain::Value::Kind::Number, .dtype = value(step.values[2]).dtype});
        numbers.push_back(reciprocals.emplace_back(*reciprocal).data());
      }
      of_chain.out = chain_value(step.values[0], Chain::Value::Kind::Result);
      chain.steps.push_back(of_chain);
    }
    for (int s = first; s <= last; ++s)
      if (memory_of[static_cast<size_t>(step(s).values[0])] >= 0) made.written.push_back(step(s).values[0]);
    made.code = machine_code(chain);
    if (made.code) made.numbers = made.code->numbers(numbers);
    return made;
  }

  const std::span<const ProgramValue> values_;
  const std::span<const ProgramStep> steps_;
  ScalarType float_ = ScalarType::Bool;  // of the current run
};

}  // namespace

std::vector<MachineStep> find_machine_steps(std::span<const ProgramValue> values, std::span<const ProgramStep> steps) {
  if (!has_machine_code()) return {};
  return Finder(values, steps).find();
}

std::shared_ptr<const MachineCode> counting_code(const MachineStep& step, int counted) {
  Chain chain = step.chain;
  chain.counted =
      static_cast<int>(std::find(step.memories.begin(), step.memories.end(), counted) - step.memories.begin());
  return machine_code(chain);
}

}  // namespace tnp::fusion
