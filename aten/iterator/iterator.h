// Iterator: one plan for every elementwise kernel. It broadcasts the operands, allocates missing outputs, orders the
// dimensions by stride, coalesces them, splits them over threads, and casts a chunk at a time, so that a kernel is
// `void loop(char** data, const int64_t* strides, int64_t n)` in one dtype and knows nothing else.
//
// Note [Chunks]: an operand whose dtype differs from the loop's is copied through a buffer of kChunk elements that
// stays in L1; outputs are cast back on the way out. No temporary of full size is made for casts or `where`. So are
// operands that are not aligned, a byte at a time, before and after the cast.
// Note [Overlap]: an input that shares memory with an output, at other addresses than element for element, is copied
// first, so the result is as if all inputs had been read before any output was written (NumPy's rule).
#pragma once

#include <array>
#include <optional>

#include "aten/core/containers/function_ref.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"

namespace tnp {

inline constexpr int kMaxOperands = 8;   // outputs and inputs and the mask together
inline constexpr int64_t kChunk = 1024;  // elements; see Note [Chunks]

// Outputs come first in `data` and `strides` (bytes), then inputs. n > 0.
using Loop = void (*)(char* const* data, const int64_t* strides, int64_t n);

enum class Order : char { C = 'C', F = 'F', A = 'A', K = 'K' };

// What a kernel of another device is told: every operand as it lies in memory. Casts, constants and the mask are the
// kernel's business.
struct IterationPlan {
  struct Operand {
    char* data = nullptr;          // on the device; nothing if is_value
    ScalarType dtype, loop_dtype;  // in memory, and as the kernel computes
    bool is_value = false;         // one number, the same for all elements: it lies in `value`, as loop_dtype
    alignas(16) char value[16] = {};
    DimVector steps;  // bytes, by IterationPlan::dims
  };
  Device device;
  DimVector dims;  // coalesced, fastest first; never empty
  int64_t numel = 0;
  int num_operands = 0, num_outputs = 0;  // outputs first; the mask is not counted
  std::array<Operand, kMaxOperands> operands;
  Operand mask;
  bool has_mask = false;
};

class TNP_API Iterator {
 public:
  Iterator() = default;
  Iterator(const Iterator&) = delete;  // operands point into it
  Iterator& operator=(const Iterator&) = delete;

  // `loop_dtype` is what the kernel reads or writes; the operand itself may have any dtype that `casting` allows.
  // An undefined output is allocated with `result_dtype` in the broadcast shape and in `order`; `tensor` is set by
  // build(). Outputs are named before inputs, the mask last.
  Iterator& output(Tensor& tensor, ScalarType loop_dtype, ScalarType result_dtype);
  Iterator& input(const Tensor& tensor, ScalarType loop_dtype);
  Iterator& mask(const Tensor& where);      // bool; elements where it is false are neither computed nor written
  Iterator& casting(Casting casting);       // checked for inputs and outputs; default SameKind
  Iterator& check_input_casts(bool check);  // default true; false: the caller did, or any cast is right
  Iterator& order(Order order);
  // A defined output must have exactly the broadcast shape (it may not be broadcast itself): raises Shape.
  void build();

  IntList shape() const { return shape_; }
  Device device() const { return device_; }  // of all operands but numbers
  int64_t numel() const { return numel_; }
  int num_outputs() const { return num_outputs_; }

  // Runs `loop` over everything, on several threads if numel * cost (nanoseconds per element) pays. Note [Short lines]:
  // loop_nest.h.
  void for_each(Loop loop, double cost = 1.0);
  // The same with a callable that has state (no heap), or wants operands where they lie: only what is cast is copied.
  void for_each_with(function_ref<void(char* const*, const int64_t*, int64_t)> loop, double cost = 1.0);
  // Runs it on one thread, in row-major order of `shape()`: for kernels that carry state from element to element.
  void for_each_serial(function_ref<void(char* const*, const int64_t*, int64_t)> loop);
  // These three do nothing on `meta`, and raise NotImplemented on a GPU, whose kernels take this:
  IterationPlan plan() const;
  // Operand 0 = operand 1, cast, wherever they are.
  void cast(double cost);

 private:
  struct Operand {
    Tensor tensor;
    Tensor* result = nullptr;  // of an output: where the caller wants it
    ScalarType loop_dtype, result_dtype;
    bool is_mask = false;
    bool unaligned = false;    // its bytes are copied: Note [Unaligned memory] in aten/core/tensor.h
    bool is_constant = false;  // one element, cast already: it lies in `constant`
    Loop cast = nullptr;       // to (input) or from (output) loop_dtype; null if it needs none
    char* data = nullptr;
    DimVector strides;  // bytes, over shape_; 0 where broadcast or of size 1
    alignas(16) char constant[16];
  };
  struct LoopNest;  // the coalesced dimensions, and every operand's steps along them

  Operand& add(const Tensor& tensor, ScalarType loop_dtype);
  void find_device();
  void skip_or_raise() const;  // where operands have no data, there is nothing to run
  void broadcast();
  void check_casts() const;
  void separate_overlaps();
  void set_strides(Operand& o) const;
  void allocate_outputs();
  void cast_constants();
  DimVector axes_by_stride() const;  // fastest first
  LoopNest make_nest(const DimVector& axes, bool any_direction) const;
  void run(const LoopNest& nest, int64_t begin, int64_t end,
           function_ref<void(char* const*, const int64_t*, int64_t)> loop) const;

  std::array<Operand, kMaxOperands> operands_;
  int num_operands_ = 0, num_outputs_ = 0;
  int mask_ = -1;
  DimVector shape_;  // the broadcast shape
  int64_t numel_ = 0;
  Device device_;
  Casting casting_ = Casting::SameKind;
  bool check_inputs_ = true;
  Order order_ = Order::K;
};

}  // namespace tnp
