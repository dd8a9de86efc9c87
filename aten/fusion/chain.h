// A chain: operators in a straight line over float32, float64 and truth values, of which machine code can be made
// (chain_code.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aten/core/numbers/dtype.h"

namespace tnp::fusion {

enum class Operation : uint8_t {
  None,  // of an operator that chains do not have
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

struct Chain {
  struct Value {
    enum class Kind : uint8_t { Memory, Number, Result } kind;
    ScalarType dtype;
    // Of Memory: from which it is read. Of Result: to which it is written, or -1. The results of a chain may be written
    // to memory that it reads, element for element, by a step that no later one reads that memory after.
    int16_t memory = -1;
    bool is_far = false;  // of Memory: too large for the second-level cache
  };
  struct Step {
    Operation operation;
    uint8_t num_inputs;
    int16_t out;
    int16_t in[3];
  };
  std::vector<Value> values;  // numbers in the order in which the code is given them
  std::vector<Step> steps;
  int num_memories = 0;
  // The memory of a result of truth values that are not written, but counted: it gets, for each lane of the code, how
  // many are true. -1: none.
  int counted = -1;

  // What machine code depends on: two chains of the same key have the same code.
  std::string key() const;
};

// The most memories of a chain: there are registers for so many addresses.
inline constexpr int kMostMemories = 12;

}  // namespace tnp::fusion
