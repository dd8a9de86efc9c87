// Finds the regions of a block program (two or more consecutive calls) that machine code can run,
// and compiles them.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "aten/fusion/block_program.h"
#include "aten/fusion/machine_code.h"

namespace tnp::fusion {

// Returns the operation for an operator's name in native_functions.yaml, or None if sequences do
// not support the operator.
TNP_API Operation operation_of(std::string_view operator_name);

struct CompiledRegion {
  int first, last;                // range of calls, inclusive
  std::vector<int> memories;      // values, in the order of the code's arguments
  std::vector<int> written = {};  // the subset that is written
  InstructionSequence sequence = {};
  std::shared_ptr<const MachineCode> code = {};
  MachineCode::Numbers numbers = {};
  // Variant of the code that counts truth values instead of writing them; see
  // BlockPlan::prepare_count().
  std::shared_ptr<const MachineCode> counting = {};
};

TNP_API std::vector<CompiledRegion> find_compiled_regions(const BlockProgram& program);

// Machine code of a region that counts the true elements of `counted`, one of its memories, instead
// of writing them.
std::shared_ptr<const MachineCode> counting_code(const CompiledRegion& region, int counted);

}  // namespace tnp::fusion
