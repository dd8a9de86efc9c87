// Callable machine code of a sequence, cached by the sequence's structure. Numbers are not part of
// the code but arguments of each call, so sequences that differ in numbers only share their code.
#pragma once

#include <memory>
#include <span>

#include "aten/core/numbers/scalar.h"
#include "aten/fusion/code_generator.h"
#include "aten/fusion/executable_memory.h"

namespace tnp::fusion {

class TNP_API MachineCode {
 public:
  MachineCode(const InstructionSequence& sequence, GeneratedCode code);
  bool is_there() const { return pages_.data() != nullptr; }
  size_t size() const { return pages_.size(); }

  // The `numbers` argument of run(): the value of each Number of the sequence, in its dtype, in the
  // order of the values.
  struct Numbers {
    std::shared_ptr<const std::vector<char>> bytes;
    const char* data = nullptr;  // aligned to a cache line
  };
  Numbers numbers(std::span<const char* const> values) const;

  // Runs over n elements of each memory, which must be dense. Does not access memory beyond these n
  // elements.
  void run(char* const* memories, const char* numbers, int64_t n) const;
  // Replaces run() for a sequence with a counted memory: returns how many of its n elements are
  // true. The address of that memory is not used. n must be a multiple of iteration_elements().
  int64_t count(char* const* memories, const char* numbers, int64_t n) const;
  int64_t iteration_elements() const { return iteration_elements_; }

 private:
  void run_rest(char* const* memories, const char* numbers, int64_t done, int64_t n) const;
  bool writes_what_it_reads(char* const* memories, int64_t n) const;

  struct Memory {
    int64_t size = 0;  // bytes of an element
    bool is_written = false, is_read = false;
  };
  using Function = void (*)(char* const* memories, const char* numbers, int64_t n);

  std::vector<Memory> memories_;
  std::vector<ScalarType> numbers_;
  std::vector<GeneratedCode::Constant> constants_;
  int64_t iteration_elements_;
  int counted_, lane_bytes_;
  ExecutableMemory pages_;
  Function function_;
};

// The machine code of a sequence; null if the processor lacks AVX2, the system forbids executable
// memory, or set_machine_code(false) is in effect.
TNP_API std::shared_ptr<const MachineCode> machine_code(const InstructionSequence& sequence);

// Whether machine code is used. The environment variable TORCH_NP_MACHINE_CODE=0 turns it off at
// the start.
TNP_API bool has_machine_code();
TNP_API void set_machine_code(bool is_on);

struct MachineCodeStatistics {
  uint64_t made;   // sequences that were compiled
  uint64_t found;  // sequences that were found in the cache
  uint64_t bytes;  // size of the cached code
};
TNP_API MachineCodeStatistics machine_code_statistics();

}  // namespace tnp::fusion
