// Cache of block programs. Programs often evaluate the same expression again with other addresses.
// So the cache key is a program's description: shape, values and calls, without addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "aten/fusion/block_program.h"

namespace tnp::fusion {

class TNP_API BlockProgramKey {
 public:
  explicit BlockProgramKey(IntList sizes);

  // Same functions as in BlockProgram, for calls with one result. `loop`, `name` and `watched` must
  // have static lifetime.
  int add_memory(ScalarType dtype, const DimVector& byte_strides = {});
  int add_number(ScalarType dtype, const void* value);
  int add_register(ScalarType dtype);
  void add_call(Loop loop, const char* name, const char* watched, double cost, int out, std::span<const int> in);

  // Returns the finished program from the cache, or builds it. If `counted` is not -1, the program
  // is prepared to count that memory (BlockProgram::prepare_count()). Call under lock().
  std::shared_ptr<const BlockProgram> program(int counted = -1);

 private:
  enum class Tag : uint8_t { Memory, Number, Register, LoopCall };
  // Appends a 64-bit header: tag, dtype and up to two small numbers.
  void add_head(Tag tag, ScalarType dtype, size_t count, int out = 0);
  std::shared_ptr<const BlockProgram> make() const;

  std::vector<uint64_t> words_;  // settings and sizes, then values and calls in the order they were added
  int num_values_ = 0;
};

}  // namespace tnp::fusion
