#include "aten/fusion/compiled_regions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <optional>
#include <unordered_map>

#include "aten/core/threads/processor.h"
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

using Value = BlockProgram::Value;

bool is_nan(const Value& v) {
  if (v.dtype == ScalarType::Float32) {
    float number;
    std::memcpy(&number, v.number.data(), sizeof number);
    return std::isnan(number);
  }
  double number;
  std::memcpy(&number, v.number.data(), sizeof number);
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
std::optional<NumberBytes> exact_reciprocal(const Value& v) {
  if (v.kind != Value::Kind::Number) return {};
  return v.dtype == ScalarType::Float32 ? exact_reciprocal_of<float>(v.number.data())
                                        : exact_reciprocal_of<double>(v.number.data());
}

class Finder {
 public:
  explicit Finder(const BlockProgram& program) : program_(program), calls_(program.calls()) {
    for (const Value& v : program.values())
      if (v.kind == Value::Kind::Memory && v.is_read) bytes_read_ += program.numel() * v.itemsize();
    for (const BlockProgram::Call& c : calls_)
      operations_.push_back(c.num_results == 1 ? operation_of(c.operation.name) : Operation::None);
  }

  std::vector<CompiledRegion> find() {
    std::vector<CompiledRegion> found;
    for (int first = 0; first < static_cast<int>(calls_.size());) {
      float_ = ScalarType::Bool;
      int last = first;
      while (last < static_cast<int>(calls_.size()) && suits(last)) ++last;
      --last;
      while (last > first && memories_of(first, last).size() > kMostMemories) --last;
      if (last > first) {
        CompiledRegion made = make(first, last);
        if (made.code) found.push_back(std::move(made));
      }
      first = std::max(last, first) + 1;
    }
    return found;
  }

 private:
  Operation operation(int s) const { return operations_[static_cast<size_t>(s)]; }
  std::span<const int> operands(int s) const { return calls_[static_cast<size_t>(s)].operands(); }
  int result(int s) const { return calls_[static_cast<size_t>(s)].values[0]; }
  const Value& value(int v) const { return program_.value(v); }

  bool suits(int s) {
    // A sequence may compute a value that is written once and not read before.
    if (operation(s) == Operation::None || value(result(s)).is_read || value(result(s)).num_writes > 1) return false;
    const ScalarType out = value(result(s)).dtype;
    for (int v : operands(s)) {
      // Note [Generated code] explains why NaN numbers are excluded.
      if (value(v).kind == Value::Kind::Number && (!is_float(value(v).dtype) || is_nan(value(v)))) return false;
    }
    auto are = [&](size_t from, ScalarType t) {
      const std::span<const int> some = operands(s).subspan(from);
      return std::all_of(some.begin(), some.end(), [&](int v) { return value(v).dtype == t; });
    };
    const ScalarType in = value(operands(s)[0]).dtype;
    ScalarType floating = out;
    switch (operation(s)) {
      case Operation::And:
      case Operation::Or:
      case Operation::Xor:
      case Operation::Not:
        return out == ScalarType::Bool && are(0, ScalarType::Bool);
      case Operation::Equal:
      case Operation::NotEqual:
      case Operation::Less:
      case Operation::LessEqual:
      case Operation::Greater:
      case Operation::GreaterEqual:
        if (out != ScalarType::Bool || !is_float(in) || !are(0, in)) return false;
        floating = in;
        break;
      case Operation::Where:
        if (in != ScalarType::Bool || !is_float(out) || !are(1, out)) return false;
        break;
      case Operation::Cast:
        if (!is_float(out) || out == in || !(is_float(in) || in == ScalarType::Bool)) return false;
        if (is_float(in) && cpu_capability() == CpuCapability::AVX2) return false;
        break;
      default:
        if (!is_float(out) || !are(0, out)) return false;
    }
    if (cpu_capability() == CpuCapability::AVX2 && is_float(float_) && floating != float_) return false;
    float_ = floating;
    return true;
  }

  // Memories of the sequence of calls [first, last]. They are the values that the sequence reads
  // and does not compute, and the results of the sequence that are memory or are read by calls
  // after `last`.
  std::vector<int> memories_of(int first, int last) const {
    std::vector<int> memories;
    std::vector<bool> seen(program_.values().size());
    for (int s = first; s <= last; ++s) {
      for (int v : operands(s)) {
        if (value(v).kind == Value::Kind::Number || seen[static_cast<size_t>(v)]) continue;
        seen[static_cast<size_t>(v)] = true;
        memories.push_back(v);
      }
      const int out = result(s);
      seen[static_cast<size_t>(out)] = true;
      if (value(out).kind == Value::Kind::Memory || value(out).last_call > last) memories.push_back(out);
    }
    return memories;
  }

  CompiledRegion make(int first, int last) const {
    CompiledRegion made{.first = first, .last = last, .memories = memories_of(first, last)};
    InstructionSequence& sequence = made.sequence;
    sequence.num_memories = static_cast<int>(made.memories.size());
    std::vector<int16_t> memory_of(program_.values().size(), -1), known(program_.values().size(), -1);
    for (size_t m = 0; m < made.memories.size(); ++m)
      memory_of[static_cast<size_t>(made.memories[m])] = static_cast<int16_t>(m);
    std::vector<const char*> numbers;
    std::deque<NumberBytes> reciprocals;
    auto value_of = [&](int v, InstructionSequence::Value::Kind kind) {
      int16_t& place = known[static_cast<size_t>(v)];
      if (place >= 0) return place;
      if (value(v).kind == Value::Kind::Number) {
        kind = InstructionSequence::Value::Kind::Number;
        numbers.push_back(value(v).number.data());
      }
      place = static_cast<int16_t>(sequence.values.size());
      const bool is_far = kind == InstructionSequence::Value::Kind::Memory && is_far_away(value(v));
      sequence.values.push_back(
          {.kind = kind, .dtype = value(v).dtype, .memory = memory_of[static_cast<size_t>(v)], .is_far = is_far});
      return place;
    };
    for (int s = first; s <= last; ++s) {
      const std::span<const int> in = operands(s);
      InstructionSequence::Instruction instruction{
          .operation = operation(s), .num_inputs = static_cast<uint8_t>(in.size()), .out = 0, .in = {}};
      for (size_t i = 0; i < in.size(); ++i)
        instruction.in[i] = value_of(in[i], InstructionSequence::Value::Kind::Memory);
      if (const auto reciprocal =
              operation(s) == Operation::Divide ? exact_reciprocal(value(in[1])) : std::optional<NumberBytes>()) {
        instruction.operation = Operation::Multiply;
        instruction.in[1] = static_cast<int16_t>(sequence.values.size());
        sequence.values.push_back({.kind = InstructionSequence::Value::Kind::Number, .dtype = value(in[1]).dtype});
        numbers.push_back(reciprocals.emplace_back(*reciprocal).data());
      }
      instruction.out = value_of(result(s), InstructionSequence::Value::Kind::Result);
      sequence.instructions.push_back(instruction);
    }
    for (int s = first; s <= last; ++s)
      if (memory_of[static_cast<size_t>(result(s))] >= 0) made.written.push_back(result(s));
    made.code = machine_code(sequence);
    if (made.code) made.numbers = made.code->numbers(numbers);
    return made;
  }

  // Whether it is read from memory that is larger than the second-level cache.
  bool is_far_away(const Value& v) const {
    return bytes_read_ > second_level_cache() && v.kind == Value::Kind::Memory && v.is_read && v.strides.empty();
  }

  const BlockProgram& program_;
  const std::vector<BlockProgram::Call>& calls_;
  std::vector<Operation> operations_;
  int64_t bytes_read_ = 0;
  ScalarType float_ = ScalarType::Bool;  // of the current run
};

}  // namespace

std::vector<CompiledRegion> find_compiled_regions(const BlockProgram& program) {
  if (!has_machine_code()) return {};
  return Finder(program).find();
}

std::shared_ptr<const MachineCode> counting_code(const CompiledRegion& region, int counted) {
  InstructionSequence sequence = region.sequence;
  sequence.counted =
      static_cast<int>(std::find(region.memories.begin(), region.memories.end(), counted) - region.memories.begin());
  return machine_code(sequence);
}

}  // namespace tnp::fusion
