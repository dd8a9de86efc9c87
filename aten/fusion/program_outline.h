// Block programs that are kept. The same expression comes again and again, with other addresses: what its program is to
// be made of leads to one that was made before.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "aten/fusion/block_program.h"

namespace tnp::fusion {

class TNP_API ProgramOutline {
 public:
  explicit ProgramOutline(IntList sizes);

  // As those of BlockProgram, but for steps of one result. `loop`, `name` and `watched` stay as long as the process.
  int add_memory(ScalarType dtype, const DimVector& byte_strides = {});
  int add_number(ScalarType dtype, const void* value);
  int add_register(ScalarType dtype);
  void add_step(Loop loop, const char* name, const char* watched, double cost, int out, std::span<const int> in);

  // One that was made before, or a new one: finished, and with truth values counted in that memory, if it is not -1:
  // BlockProgram::prepare_count(). Under lock().
  std::shared_ptr<const BlockProgram> program(int counted = -1);

 private:
  enum class Tag : uint8_t { Memory, Number, Register, Step };
  // A head of 64 bits, with up to two small numbers.
  void add_head(Tag tag, ScalarType dtype, size_t count, int out = 0);
  std::shared_ptr<const BlockProgram> make() const;

  std::vector<uint64_t> words_;  // first the settings and the sizes, then values and steps as they were added
  int num_values_ = 0;
};

}  // namespace tnp::fusion
