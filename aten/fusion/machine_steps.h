// Finds the steps of a block program that form chains (runs of two or more steps) and compiles them
// to machine code.
#pragma once

#include <span>
#include <string_view>

#include "aten/fusion/machine_code.h"

namespace tnp::fusion {

// The operation of an operator in a chain, by its name in native_functions.yaml.
TNP_API Operation operation_of(std::string_view operator_name);

struct ProgramValue {
  enum class Kind : uint8_t { Memory, Number, Register } kind;
  ScalarType dtype;
  const char* number;  // of Number
  int last_step;       // last step that reads or writes it
  bool is_new;         // written once and not read before, so a chain may compute it
  bool is_far;         // read, and too large for the caches
};

struct ProgramStep {
  Operation operation;          // None for steps of several results
  std::span<const int> values;  // result first
};

struct MachineStep {
  int first, last;                // range of steps, inclusive
  std::vector<int> memories;      // values, in the order of the code's arguments
  std::vector<int> written = {};  // the subset that is written
  Chain chain = {};
  std::shared_ptr<const MachineCode> code = {};
  MachineCode::Numbers numbers = {};
  // The variant of the code that counts the truth values it would write, see
  // BlockProgram::prepare_count().
  std::shared_ptr<const MachineCode> counting = {};
};

TNP_API std::vector<MachineStep> find_machine_steps(std::span<const ProgramValue> values,
                                                    std::span<const ProgramStep> steps);

// Machine code of a step that counts the true elements of `counted`, one of its memories, instead
// of writing them.
std::shared_ptr<const MachineCode> counting_code(const MachineStep& step, int counted);

}  // namespace tnp::fusion
