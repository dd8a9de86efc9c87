// Machine code of chains as something that can be called: kept by their structure, so that a program that comes again
// finds it. Numbers are data of a call.
#pragma once

#include <memory>
#include <span>

#include "aten/core/numbers/scalar.h"
#include "aten/fusion/chain_code.h"
#include "aten/fusion/executable_memory.h"

namespace tnp::fusion {

class TNP_API MachineCode {
 public:
  MachineCode(const Chain& chain, ChainCode code);
  bool is_there() const { return pages_.data() != nullptr; }
  size_t size() const { return pages_.size(); }

  // What run() takes as `numbers`: of each Number of the chain its value, in its dtype, in the order of the values.
  struct Numbers {
    std::shared_ptr<const std::vector<char>> bytes;
    const char* data = nullptr;  // on a line of the cache
  };
  Numbers numbers(std::span<const char* const> values) const;

  // For n elements of each memory, which lie one after the other. Nothing is read or written beyond.
  void run(char* const* memories, const char* numbers, int64_t n) const;
  // Of a chain with a memory that is counted, instead of run(): how many of n elements are true there. That memory's
  // address is not looked at; n is a multiple of step().
  int64_t count(char* const* memories, const char* numbers, int64_t n) const;
  int64_t step() const { return step_; }

 private:
  void run_rest(char* const* memories, const char* numbers, int64_t done, int64_t n) const;
  bool writes_what_it_reads(char* const* memories, int64_t n) const;

  struct Memory {
    int64_t size = 0;  // of an element
    bool is_written = false, is_read = false;
  };
  using Function = void (*)(char* const* memories, const char* numbers, int64_t n);

  std::vector<Memory> memories_;
  std::vector<ScalarType> numbers_;
  std::vector<ChainCode::Constant> constants_;
  int64_t step_;
  int counted_, lane_bytes_;
  ExecutableMemory pages_;
  Function function_;
};

// The code of a chain; null where there is none: on processors without AVX2, where the system forbids it, and where it
// was turned off.
TNP_API std::shared_ptr<const MachineCode> machine_code(const Chain& chain);

// The environment variable TORCH_NP_MACHINE_CODE=0 turns it off.
TNP_API bool has_machine_code();
TNP_API void set_machine_code(bool is_on);

struct MachineCodeStatistics {
  uint64_t made;   // chains that code was made for
  uint64_t found;  // chains that there was code for
  uint64_t bytes;  // of code that is kept
};
TNP_API MachineCodeStatistics machine_code_statistics();

}  // namespace tnp::fusion
