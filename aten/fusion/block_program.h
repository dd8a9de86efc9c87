// Block program: a sequence of operator loops over elements of one shape, as data. block_plan.h
// runs it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "aten/core/containers/dim_vector.h"
#include "aten/core/numbers/dtype.h"
#include "aten/iterator/iterator.h"

namespace tnp::fusion {

// A loop and its operator.
struct LoopOperation {
  Loop loop;
  // String literals: the operator's name, and the operator to report floating-point errors for, or
  // null.
  const char* name;
  const char* watched;
  double cost;  // nanoseconds per element
  friend bool operator==(const LoopOperation&, const LoopOperation&) = default;
};
// A copy, with a cast if the dtypes differ.
LoopOperation copy_operation(ScalarType to, ScalarType from, const char* watched = nullptr);

// An operation with one result. Pending results and calls of compiled functions have this form
// before they are part of a program. Operands are cast to the loop's dtypes.
struct Elementwise {
  LoopOperation operation = {};
  size_t num_inputs = 0;
  std::array<ScalarType, 4> types = {};  // dtypes of the loop, the result's first
};

class TNP_API BlockProgram {
 public:
  // Maximum number of values of a call, operands and results together.
  static constexpr size_t kMostOperands = 16;

  struct Value {
    enum class Kind : uint8_t { Memory, Number, Register } kind;
    ScalarType dtype;
    DimVector strides = {};                        // of Memory that is not dense: bytes, along the axes
    alignas(16) std::array<char, 16> number = {};  // of Number
    int memory = -1;                               // index among the memories
    // Set by add_call():
    int last_call = -1, num_writes = 0;
    bool is_read = false;  // before it is written
    int64_t itemsize() const { return element_size(dtype); }
    bool is_written() const { return num_writes > 0; }
    friend bool operator==(const Value& a, const Value& b) {
      return a.kind == b.kind && a.dtype == b.dtype && a.strides == b.strides && a.number == b.number;
    }
  };
  struct Call {
    LoopOperation operation;
    int num_results;
    SmallVector<int, 6> values;  // results first
    std::span<const int> results() const { return {values.data(), static_cast<size_t>(num_results)}; }
    std::span<const int> operands() const {
      return std::span<const int>(values.data(), values.size()).subspan(static_cast<size_t>(num_results));
    }
    friend bool operator==(const Call& a, const Call& b);
  };

  // Shape of all values; 0-d is one element.
  explicit BlockProgram(IntList sizes);

  // Each of the following functions adds a value and returns the index by which calls refer to that
  // value.
  //
  // Adds elements in memory, with `byte_strides` along the axes. Without strides, they are dense
  // and row-major. Calls may read the memory, write it, or both; a call sees the writes of earlier
  // calls. At run time, a memory R that is read may have the same address as a memory W that is
  // written. If both are dense, calls that read R see the writes to W. If not, W may only be
  // written by the last call that reads R.
  int add_memory(ScalarType dtype, const DimVector& byte_strides = {});
  // Adds a constant; `value` points to one element of `dtype`.
  int add_number(ScalarType dtype, const void* value);
  // Adds scratch memory for one block. A call must write this memory before another call reads it.
  int add_register(ScalarType dtype);

  // Results must not alias operands, except element for element.
  void add_call(const LoopOperation& operation, std::span<const int> out, std::span<const int> in);
  void add_call(const LoopOperation& operation, int out, std::span<const int> in) {
    add_call(operation, std::span<const int>(&out, 1), in);
  }
  // With casts of operands, and of the result.
  void add_call(const Elementwise& e, int out, std::array<int, 3> in);
  void add_copy(int to, int from);

  const DimVector& sizes() const { return sizes_; }
  int64_t numel() const;
  const std::vector<Value>& values() const { return values_; }
  const std::vector<Call>& calls() const { return calls_; }
  const std::vector<int>& memories() const { return memories_; }  // as indices into values()
  const Value& value(int v) const { return values_[static_cast<size_t>(v)]; }
  // Whether any call reports floating-point errors.
  bool is_watched() const { return is_watched_; }

  friend bool operator==(const BlockProgram& a, const BlockProgram& b);

 private:
  int add(Value value);

  DimVector sizes_;
  std::vector<Value> values_;
  std::vector<Call> calls_;
  std::vector<int> memories_;
  bool is_watched_ = false;
};

}  // namespace tnp::fusion
