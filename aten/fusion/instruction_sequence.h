// An instruction sequence is straight-line code of operators over float32, float64 and truth
// values, which can be compiled to machine code (code_generator.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aten/core/numbers/dtype.h"

namespace tnp::fusion {

enum class Operation : uint8_t {
  None,  // an operator that sequences do not support
  Add,
  Subtract,
  Multiply,
  Divide,
  Negative,
  Absolute,
  Square,
  SquareRoot,
  Reciprocal,
  Maximum,
  Minimum,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Xor,
  Not,
  Where,
  Cast,
};

struct InstructionSequence {
  struct Value {
    enum class Kind : uint8_t { Memory, Number, Result } kind;
    ScalarType dtype;
    // For Memory: index of the memory that the value is read from. For Result: index of the memory
    // that the value is written to, or -1. A result may overwrite, element by element, a memory
    // that the sequence reads, if no instruction reads that memory afterwards.
    int16_t memory = -1;
    bool is_far = false;  // of Memory: larger than the second-level cache
  };
  struct Instruction {
    Operation operation;
    uint8_t num_inputs;
    int16_t out;
    int16_t in[3];
  };
  std::vector<Value> values;  // numbers in the order of the code's arguments
  std::vector<Instruction> instructions;
  int num_memories = 0;
  // Index of the memory of a boolean result that is counted instead of written. The memory receives
  // the number of true elements for each lane of the code. -1 means that nothing is counted.
  int counted = -1;

  // Cache key of machine code: sequences with equal keys have the same code.
  std::string key() const;
};

// Maximum number of memories of a sequence. Each memory needs an address register.
inline constexpr int kMostMemories = 12;

}  // namespace tnp::fusion
