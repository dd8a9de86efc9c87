#include "aten/fusion/code_generator.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "aten/fusion/vector_instructions.h"

namespace tnp::fusion {

namespace {

using Kind = InstructionSequence::Value::Kind;
using Constant = GeneratedCode::Constant;

constexpr int kMostCopies = 4;
// Prefetch distance in bytes.
constexpr int32_t kAhead = 2048;
constexpr int32_t kLineBytes = 64;  // cache line
constexpr int kNever = std::numeric_limits<int>::max();

// The constant that an operation reads in addition to its operands.
struct Needs {
  uint64_t constant_of_double = 0;
  uint32_t constant_of_float = 0;
  bool has_constant = false;
};

Needs needs_of(Operation operation, bool from_bool, bool has_masks) {
  switch (operation) {
    case Operation::Negative:
      return {uint64_t{1} << 63, uint32_t{1} << 31, true};
    case Operation::Absolute:
      return {~uint64_t{0} >> 1, ~uint32_t{0} >> 1, true};
    case Operation::Reciprocal:
      return {0x3ff0000000000000, 0x3f800000, true};
    case Operation::Cast:
      return {0x3ff0000000000000, 0x3f800000, from_bool};
    case Operation::Not:
      return {~uint64_t{0}, ~uint32_t{0}, !has_masks};
    default:
      return {};
  }
}

// Generates the code of one sequence.
class CodeGenerator {
 public:
  CodeGenerator(const InstructionSequence& sequence, CpuCapability capability);
  GeneratedCode generate();

 private:
  // A value in one copy of the unrolled sequence, or a number, which all copies share.
  struct Value {
    Kind kind;
    ScalarType dtype;
    int memory;  // of a number: its index among all numbers
    int copy;
    int reg = -1;
    bool is_fixed = false;       // a number that stays in its register for the whole loop
    int spilled = -1;            // stack slot, or -1
    std::vector<int> uses = {};  // instructions that read the value, in descending order
    int next_use() const { return uses.empty() ? kNever : uses.back(); }
  };

  void add_constants();
  void choose_copies();
  void make_values();
  void fix_numbers();
  void start_counts();
  void ask_for_what_is_far();
  int id(int value, int copy) const {
    const InstructionSequence::Value& v = sequence_.values[static_cast<size_t>(value)];
    return v.kind == Kind::Number ? value : value + copy * static_cast<int>(sequence_.values.size());
  }
  Value& value(int id) { return values_[static_cast<size_t>(id)]; }

  RegisterOrMemory elements_at(int memory, ScalarType t, int64_t offset) const;
  RegisterOrMemory memory_of(const Value& v) const;
  RegisterOrMemory stack_at(int place) const { return RegisterOrMemory::at(rsp, place * kNumberBytes); }
  int take_register(RegisterClass c);
  void free_register(RegisterClass c, int reg) { owner(c, reg) = kFree; }
  int& owner(RegisterClass c, int reg) { return owners_[static_cast<size_t>(c)][static_cast<size_t>(reg)]; }
  void evict(RegisterClass c, int reg);
  int in_register(int id);
  RegisterOrMemory in_register_or_memory(int id);
  void emit(const InstructionSequence::Instruction& instruction, int place, int copy);

  static constexpr int kFree = -1, kTemporary = -2;

  InstructionSequence sequence_;  // extended by the constants, as numbers at the end
  const CpuCapability capability_;
  ScalarType lane_type_ = ScalarType::Float32;
  int lanes_ = 0, num_copies_ = 1;
  int num_spare_ = 0;                  // number of registers that the instructions do not need
  int counts_ = -1, minus_ones_ = -1;  // registers for counting truth values; -1 if nothing is counted
  Assembler code_;
  VectorInstructions vectors_;
  GeneratedCode made_;
  std::vector<Value> values_;
  std::vector<int> constants_;  // per instruction: the value of its constant, or -1
  int num_spilled_ = 0;
  std::array<std::array<int, 32>, 2> owners_;
  std::vector<int> kept_;  // values that the current instruction reads and that must not be evicted
};

constexpr GeneralRegister kAddresses[kMostMemories] = {rcx, r8, r9, r10, r11, rbx, rbp, r12, r13, r14, r15, rdi};
constexpr int kFirstSaved = 5, kLastSaved = 10;  // indices of the callee-saved registers

ScalarType lane_type_of(const InstructionSequence& sequence) {
  return std::any_of(sequence.values.begin(), sequence.values.end(),
                     [](const InstructionSequence::Value& v) { return v.dtype == ScalarType::Float64; })
             ? ScalarType::Float64
             : ScalarType::Float32;
}
int lanes_of(ScalarType lane_type, CpuCapability capability) {
  return static_cast<int>((capability == CpuCapability::AVX512 ? 64 : 32) / element_size(lane_type));
}

CodeGenerator::CodeGenerator(const InstructionSequence& sequence, CpuCapability capability)
    : sequence_(sequence),
      capability_(capability),
      lane_type_(lane_type_of(sequence)),
      lanes_(lanes_of(lane_type_, capability)),
      vectors_(code_, capability, lanes_, lane_type_) {
  add_constants();
  choose_copies();
  make_values();
  for (auto& owners : owners_) owners.fill(kFree);
}

void CodeGenerator::add_constants() {
  const bool has_masks = capability_ == CpuCapability::AVX512;
  for (const InstructionSequence::Instruction& s : sequence_.instructions) {
    const ScalarType first = sequence_.values[static_cast<size_t>(s.in[0])].dtype;
    const Needs needs = needs_of(s.operation, first == ScalarType::Bool, has_masks);
    constants_.push_back(-1);
    if (!needs.has_constant) continue;
    ScalarType t = sequence_.values[static_cast<size_t>(s.out)].dtype;
    if (t == ScalarType::Bool) t = lane_type_;
    const uint64_t bits = t == ScalarType::Float64 ? needs.constant_of_double : needs.constant_of_float;
    const auto known = std::find_if(made_.constants.begin(), made_.constants.end(),
                                    [&](const Constant& c) { return c.dtype == t && c.bits == bits; });
    if (known == made_.constants.end()) {
      constants_.back() = static_cast<int>(sequence_.values.size());
      sequence_.values.push_back({.kind = Kind::Number, .dtype = t});
      made_.constants.push_back({t, bits});
    } else {
      constants_.back() = static_cast<int>(sequence_.values.size() - made_.constants.size() +
                                           static_cast<size_t>(known - made_.constants.begin()));
    }
  }
}

// Chooses the number of copies: as many as possible, so that all live values fit in registers and
// two registers stay free.
void CodeGenerator::choose_copies() {
  std::vector<int> last(sequence_.values.size(), -1);
  for (size_t s = 0; s < sequence_.instructions.size(); ++s) {
    const InstructionSequence::Instruction& instruction = sequence_.instructions[s];
    last[static_cast<size_t>(instruction.out)] = static_cast<int>(s);
    for (int i = 0; i < instruction.num_inputs; ++i) last[static_cast<size_t>(instruction.in[i])] = static_cast<int>(s);
  }
  int alive[2] = {}, most[2] = {};
  std::vector<bool> is_alive(sequence_.values.size());
  for (size_t s = 0; s < sequence_.instructions.size(); ++s) {
    const InstructionSequence::Instruction& instruction = sequence_.instructions[s];
    auto visit = [&](int v, bool is_end) {
      const InstructionSequence::Value& value = sequence_.values[static_cast<size_t>(v)];
      if (value.kind == Kind::Number) return;
      int& count = alive[static_cast<size_t>(vectors_.class_of(value.dtype))];
      if (!is_end && !is_alive[static_cast<size_t>(v)]) {
        is_alive[static_cast<size_t>(v)] = true;
        ++count;
      } else if (is_end && is_alive[static_cast<size_t>(v)] && last[static_cast<size_t>(v)] == static_cast<int>(s)) {
        is_alive[static_cast<size_t>(v)] = false;
        --count;
      }
    };
    for (int i = 0; i < instruction.num_inputs; ++i) visit(instruction.in[i], false);
    for (int c = 0; c < 2; ++c) most[c] = std::max(most[c], alive[c]);
    for (int i = 0; i < instruction.num_inputs; ++i) visit(instruction.in[i], true);
    visit(instruction.out, false);
    for (int c = 0; c < 2; ++c) most[c] = std::max(most[c], alive[c]);
    visit(instruction.out, true);
  }
  const int of_counts = sequence_.counted < 0 ? 0 : vectors_.has_masks() ? 2 : 1;
  const int registers = vectors_.num_registers(RegisterClass::Vector) - of_counts - 2;
  const int masks = vectors_.num_registers(RegisterClass::Mask) - 3;
  for (num_copies_ = kMostCopies; num_copies_ > 1; num_copies_ /= 2)
    if (most[0] * num_copies_ <= registers && most[1] * num_copies_ <= masks) break;
  num_spare_ = std::max(registers - most[0] * num_copies_, 0);
}

void CodeGenerator::make_values() {
  for (int copy = 0; copy < num_copies_; ++copy) {
    int numbers = 0;
    for (const InstructionSequence::Value& v : sequence_.values)
      values_.push_back({v.kind, v.dtype, v.kind == Kind::Number ? numbers++ : v.memory, copy});
  }
  for (size_t s = sequence_.instructions.size(); s-- > 0;) {
    const InstructionSequence::Instruction& instruction = sequence_.instructions[s];
    const int place = static_cast<int>(s) * num_copies_;
    for (int copy = num_copies_; copy-- > 0;) {
      auto add = [&](int v) {
        std::vector<int>& uses = value(id(v, copy)).uses;
        if (uses.empty() || uses.back() != place + copy) uses.push_back(place + copy);
      };
      for (int i = 0; i < instruction.num_inputs; ++i) add(instruction.in[i]);
      if (constants_[s] >= 0) add(constants_[s]);
    }
  }
}

// --- register allocation

// Memory operand for the elements `offset` bytes after the current position of memory `memory`.
RegisterOrMemory CodeGenerator::elements_at(int memory, ScalarType t, int64_t offset) const {
  const int64_t size = element_size(t);
  const int scale = size == 8 ? 3 : size == 4 ? 2 : 0;
  return RegisterOrMemory::at(kAddresses[memory], rax, scale, static_cast<int32_t>(offset));
}

RegisterOrMemory CodeGenerator::memory_of(const Value& v) const {
  if (v.kind == Kind::Number) return RegisterOrMemory::at(rsi, v.memory * kNumberBytes);
  return elements_at(v.memory, v.dtype, v.copy * lanes_ * element_size(v.dtype));
}

void CodeGenerator::evict(RegisterClass c, int reg) {
  Value& v = value(owner(c, reg));
  if (v.kind == Kind::Result && v.spilled < 0) {
    v.spilled = num_spilled_++;
    vectors_.spill(v.dtype, reg, stack_at(v.spilled));
  }
  v.reg = -1;
  free_register(c, reg);
}

// Returns a free register. If none is free, evicts the value with the most distant next use among
// those that the current instruction does not read.
int CodeGenerator::take_register(RegisterClass c) {
  int found = -1, latest = -1;
  for (int r = vectors_.first_register(c); r < vectors_.num_registers(c); ++r) {
    const int who = owner(c, r);
    if (who == kFree) {
      owner(c, r) = kTemporary;
      return r;
    }
    if (who == kTemporary || value(who).is_fixed || std::find(kept_.begin(), kept_.end(), who) != kept_.end()) continue;
    if (value(who).next_use() > latest) found = r, latest = value(who).next_use();
  }
  evict(c, found);
  owner(c, found) = kTemporary;
  return found;
}

int CodeGenerator::in_register(int which) {
  kept_.push_back(which);
  Value& v = value(which);
  if (v.reg >= 0) return v.reg;
  const RegisterClass c = vectors_.class_of(v.dtype);
  const int reg = take_register(c);
  if (v.spilled >= 0) {
    vectors_.restore(v.dtype, reg, stack_at(v.spilled));
  } else {
    const bool has_temporary = v.dtype == ScalarType::Bool;
    const int temporary = has_temporary ? take_register(RegisterClass::Vector) : -1;
    vectors_.load(v.dtype, reg, memory_of(v), temporary);
    if (has_temporary) free_register(RegisterClass::Vector, temporary);
  }
  owner(c, reg) = which;
  return v.reg = reg;
}

// Operand for a value that an instruction may read from memory. Numbers without a register are read
// from memory.
RegisterOrMemory CodeGenerator::in_register_or_memory(int which) {
  Value& v = value(which);
  if (v.kind == Kind::Number && v.reg < 0) return memory_of(v);
  return RegisterOrMemory::of(in_register(which));
}

// --- instructions

void CodeGenerator::emit(const InstructionSequence::Instruction& s, int place, int copy) {
  kept_.clear();
  std::vector<int> temporaries;
  std::array<int, 4> read = {-1, -1, -1, -1};
  for (int i = 0; i < s.num_inputs; ++i) read[static_cast<size_t>(i)] = id(s.in[i], copy);
  const int constant = constants_[static_cast<size_t>(&s - sequence_.instructions.data())];
  if (constant >= 0) read[3] = constant;
  const int out = id(s.out, copy);
  const ScalarType t = value(read[0]).dtype, result = value(out).dtype;

  auto temporary = [&] { return temporaries.emplace_back(take_register(vectors_.class_of(ScalarType::Bool))); };
  // Allocates the result's register after the operands have theirs. It may reuse the register of an
  // operand that no later instruction reads, because only the last machine instruction of an
  // operation writes to the register.
  auto to = [&] {
    for (int r : read) {
      if (r < 0) continue;
      Value& v = value(r);
      if (!v.uses.empty() && v.uses.back() == place) v.uses.pop_back();
      if (!v.uses.empty() || v.reg < 0 || v.is_fixed) continue;
      free_register(vectors_.class_of(v.dtype), v.reg);
      v.reg = -1;
    }
    const RegisterClass c = vectors_.class_of(result);
    const int reg = take_register(c);
    owner(c, reg) = out;
    return value(out).reg = reg;
  };

  switch (s.operation) {
    case Operation::Add:
    case Operation::Multiply:
      // A number is best read from memory, and only the second operand can be a memory operand.
      if (value(read[0]).kind == Kind::Number) std::swap(read[0], read[1]);
      [[fallthrough]];
    case Operation::Subtract:
    case Operation::Divide: {
      const int a = in_register(read[0]);
      const RegisterOrMemory b = in_register_or_memory(read[1]);
      vectors_.arithmetic(s.operation, t, to(), a, b);
      break;
    }
    case Operation::Square: {
      const int a = in_register(read[0]);
      vectors_.arithmetic(Operation::Multiply, t, to(), a, RegisterOrMemory::of(a));
      break;
    }
    case Operation::Reciprocal: {
      const int one = in_register(read[3]);
      const RegisterOrMemory a = in_register_or_memory(read[0]);
      vectors_.arithmetic(Operation::Divide, t, to(), one, a);
      break;
    }
    case Operation::SquareRoot: {
      const int a = in_register(read[0]);
      vectors_.square_root(t, to(), a);
      break;
    }
    case Operation::Negative:
    case Operation::Absolute: {
      const int a = in_register(read[0]);
      const RegisterOrMemory bits = in_register_or_memory(read[3]);
      if (s.operation == Operation::Negative)
        vectors_.bits_xor(t, to(), a, bits);
      else
        vectors_.bits_and(t, to(), a, bits);
      break;
    }
    case Operation::Maximum:
    case Operation::Minimum: {
      // The first operand if it is larger or NaN, else the second.
      const int a = in_register(read[0]), b = in_register(read[1]);
      const int wins = temporary(), nan = temporary();
      vectors_.compare(s.operation == Operation::Maximum ? Operation::Greater : Operation::Less, t, wins, a,
                       RegisterOrMemory::of(b));
      vectors_.is_nan(t, nan, a);
      vectors_.logic(Operation::Or, wins, wins, nan);
      vectors_.select(t, to(), wins, RegisterOrMemory::of(a), b);
      break;
    }
    case Operation::Equal:
    case Operation::NotEqual:
    case Operation::Less:
    case Operation::LessEqual:
    case Operation::Greater:
    case Operation::GreaterEqual: {
      const int a = in_register(read[0]);
      const RegisterOrMemory b = in_register_or_memory(read[1]);
      vectors_.compare(s.operation, t, to(), a, b);
      break;
    }
    case Operation::And:
    case Operation::Or:
    case Operation::Xor: {
      const int a = in_register(read[0]), b = in_register(read[1]);
      vectors_.logic(s.operation, to(), a, b);
      break;
    }
    case Operation::Not: {
      const int a = in_register(read[0]);
      const RegisterOrMemory ones = read[3] >= 0 ? in_register_or_memory(read[3]) : RegisterOrMemory::of(a);
      vectors_.logical_not(to(), a, ones);
      break;
    }
    case Operation::Where: {
      const int condition = in_register(read[0]), b = in_register(read[2]);
      const RegisterOrMemory a = in_register_or_memory(read[1]);
      vectors_.select(result, to(), condition, a, b);
      break;
    }
    case Operation::Cast: {
      const int a = in_register(read[0]);
      if (t == ScalarType::Bool) {
        const RegisterOrMemory one = in_register_or_memory(read[3]);
        vectors_.number_of_truth(result, to(), a, one);
      } else {
        vectors_.convert(t, result, to(), a);
      }
      break;
    }
    case Operation::None:
      break;
  }
  for (int r : temporaries) free_register(vectors_.class_of(ScalarType::Bool), r);
  Value& v = value(out);
  if (v.memory >= 0 && v.memory == sequence_.counted) {
    vectors_.count(counts_, v.reg, minus_ones_);
  } else if (v.memory >= 0) {
    kept_.assign(1, out);
    const int spare = v.dtype == ScalarType::Bool ? take_register(RegisterClass::Vector) : -1;
    vectors_.store(v.dtype, v.reg, memory_of(v), spare);
    if (spare >= 0) free_register(RegisterClass::Vector, spare);
  }
  if (v.uses.empty()) free_register(vectors_.class_of(v.dtype), std::exchange(v.reg, -1));
}

// Keeps the numbers that are read most often in the spare registers.
void CodeGenerator::fix_numbers() {
  std::vector<int> numbers;
  for (size_t v = 0; v < sequence_.values.size(); ++v)
    if (values_[v].kind == Kind::Number && !values_[v].uses.empty()) numbers.push_back(static_cast<int>(v));
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](int a, int b) { return value(a).uses.size() > value(b).uses.size(); });
  if (numbers.size() > static_cast<size_t>(num_spare_)) numbers.resize(static_cast<size_t>(num_spare_));
  for (int n : numbers) {
    in_register(n);
    value(n).is_fixed = true;
  }
}

void CodeGenerator::start_counts() {
  if (sequence_.counted < 0) return;
  vectors_.zero_counts(counts_ = take_register(RegisterClass::Vector));
  if (vectors_.has_masks()) vectors_.minus_ones(minus_ones_ = take_register(RegisterClass::Vector));
}

void CodeGenerator::ask_for_what_is_far() {
  for (const InstructionSequence::Value& v : sequence_.values) {
    const int64_t bytes = v.is_far ? lanes_ * num_copies_ * element_size(v.dtype) : 0;
    for (int64_t line = 0; line < bytes; line += kLineBytes)
      code_.prefetch(elements_at(v.memory, v.dtype, kAhead + line));
  }
}

GeneratedCode CodeGenerator::generate() {
  const int num_saved = std::clamp(sequence_.num_memories - kFirstSaved, 0, kLastSaved - kFirstSaved + 1);
  for (int i = 0; i < num_saved; ++i) code_.push(kAddresses[kFirstSaved + i]);
  code_.add(rsp, 0);
  const size_t stack = code_.size();
  for (int m = 0; m < sequence_.num_memories; ++m) code_.load(kAddresses[m], rdi, 8 * m);
  code_.zero(rax);
  start_counts();
  fix_numbers();
  const size_t loop = code_.size();
  ask_for_what_is_far();
  int place = 0;
  for (const InstructionSequence::Instruction& s : sequence_.instructions)
    for (int copy = 0; copy < num_copies_; ++copy) emit(s, place++, copy);
  made_.iteration_elements = lanes_ * num_copies_;
  made_.lane_bytes = static_cast<int>(element_size(lane_type_));
  code_.add(rax, made_.iteration_elements);
  code_.compare(rax, rdx);
  code_.jump_if_less(loop);
  if (sequence_.counted >= 0) vectors_.store_counts(counts_, RegisterOrMemory::at(kAddresses[sequence_.counted], 0));
  code_.set_word(stack - 4, -num_spilled_ * kNumberBytes);
  code_.add(rsp, num_spilled_ * kNumberBytes);
  for (int i = num_saved; i-- > 0;) code_.pop(kAddresses[kFirstSaved + i]);
  code_.vzeroupper();
  code_.ret();
  made_.bytes = code_.bytes();
  return std::move(made_);
}

}  // namespace

GeneratedCode generate_code(const InstructionSequence& sequence, CpuCapability capability) {
  return CodeGenerator(sequence, capability).generate();
}

std::string InstructionSequence::key() const {
  std::string key;
  key.reserve(16 * (values.size() + instructions.size() + 1));
  auto add = [&](auto number) { key.append(reinterpret_cast<const char*>(&number), sizeof number); };
  for (const Value& v : values) add(v.kind), add(v.dtype), add(v.memory), add(v.is_far);
  add(int16_t{-2}), add(counted);
  for (const Instruction& s : instructions) {
    add(s.operation), add(s.out);
    for (int i = 0; i < s.num_inputs; ++i) add(s.in[i]);
  }
  return key;
}

}  // namespace tnp::fusion
