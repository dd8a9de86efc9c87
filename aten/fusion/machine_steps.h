// Which steps of a block program are chains that machine code is made for: two and more, one after the other.
#pragma once

#include <span>
#include <string_view>

#include "aten/fusion/machine_code.h"

namespace tnp::fusion {

// What an operator is in a chain: by its name in native_functions.yaml.
TNP_API Operation operation_of(std::string_view operator_name);

struct ProgramValue {
  enum class Kind : uint8_t { Memory, Number, Register } kind;
  ScalarType dtype;
  const char* number;  // of Number
  int last_step;       // that has to do with it
  bool is_new;         // written once, and not read before: a step of a chain may
  bool is_far;         // is read, and in no cache
};

struct ProgramStep {
  Operation operation;          // None of one with several results
  std::span<const int> values;  // the result first
};

struct MachineStep {
  int first, last;                // steps
  std::vector<int> memories;      // values, in the order in which the code takes them
  std::vector<int> written = {};  // which of them are
  Chain chain = {};
  std::shared_ptr<const MachineCode> code = {};
  MachineCode::Numbers numbers = {};
  // Of a step that writes what a program counts: the code that counts it.
  std::shared_ptr<const MachineCode> counting = {};
};

TNP_API std::vector<MachineStep> find_machine_steps(std::span<const ProgramValue> values,
                                                    std::span<const ProgramStep> steps);

// The code of a step that does not write the truth values `counted`, one of its memories, but counts those that are
// true.
std::shared_ptr<const MachineCode> counting_code(const MachineStep& step, int counted);

}  // namespace tnp::fusion
