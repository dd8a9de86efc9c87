// Iterator: the common plan of all elementwise kernels. It broadcasts the operands, allocates
// missing outputs, orders the dimensions by stride, coalesces them, distributes them over threads,
// and casts in chunks. A kernel is therefore only `void loop(char** data, const int64_t* strides,
// int64_t n)` in one dtype.
//
// Note [Chunks] An operand whose dtype differs from the loop's is converted through a buffer of
// kChunk elements that stays in L1; outputs are cast back afterwards. No full-size temporary is
// made for casts or `where`. Unaligned operands are copied bytewise through such a buffer as well,
// before and after the cast.
//
// Note [Overlap] If an input overlaps an output, it is copied first, unless both have the same
// elements at the same indices. The result is as if all inputs had been read before any output was
// written (NumPy's rule).
#pragma once

#include <array>
#include <optional>

#include "aten/core/containers/function_ref.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"
#include "aten/iterator/loop.h"

namespace tnp {

inline constexpr int kMaxOperands = 8;  // outputs, inputs and the mask together
enum class Order : char { C = 'C', F = 'F', A = 'A', K = 'K' };

// The plan for another device's kernel: every operand in its memory layout. The kernel itself
// performs casts and applies constants and the mask.
struct IterationPlan {
  struct Operand {
    char* data = nullptr;          // device address; null if is_value
    ScalarType dtype, loop_dtype;  // dtype in memory, and dtype in which the kernel computes
    bool is_value = false;         // one number for all elements, stored in `value` as loop_dtype
    alignas(16) char value[16] = {};
    DimVector steps;  // bytes, indexed as IterationPlan::dims
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

  // `loop_dtype` is the dtype that the kernel reads or writes. The operand may have any dtype that
  // `casting` allows. build() allocates an undefined output with `result_dtype`, in the broadcast
  // shape and in `order`, and sets `tensor`. Add outputs before inputs, the mask last.
  Iterator& output(Tensor& tensor, ScalarType loop_dtype, ScalarType result_dtype);
  Iterator& input(const Tensor& tensor, ScalarType loop_dtype);
  Iterator& mask(const Tensor& where);  // bool; elements where it is false are neither computed nor written
  Iterator& casting(Casting casting);   // checked for inputs and outputs; default SameKind
  // default true; false if the caller has checked or any cast is valid
  Iterator& check_input_casts(bool check);
  Iterator& order(Order order);
  // A defined output must have exactly the broadcast shape; otherwise raises Shape.
  void build();

  IntList shape() const { return shape_; }
  Device device() const { return device_; }  // common device of all operands except CPU scalars
  int64_t numel() const { return numel_; }
  int num_outputs() const { return num_outputs_; }

  // Runs `loop` over all elements, on several threads if numel * cost (nanoseconds per element) is
  // large enough. Note [Short lines]: loop_nest.h.
  void for_each(Loop loop, double cost = 1.0);
  // for_each() for a callable with state (without a heap allocation), or for one that needs
  // operands in place: only operands that are cast are copied.
  void for_each_with(function_ref<void(char* const*, const int64_t*, int64_t)> loop, double cost = 1.0);
  // Runs on one thread, in row-major order of `shape()`, for kernels that carry state from element
  // to element.
  void for_each_serial(function_ref<void(char* const*, const int64_t*, int64_t)> loop);
  // The three for_each functions do nothing on `meta`. They raise NotImplemented on a GPU, whose
  // kernels use plan().
  IterationPlan plan() const;
  // Operand 0 = operand 1, cast, on any device.
  void cast(double cost);

 private:
  struct Operand {
    Tensor tensor;
    Tensor* result = nullptr;  // of an output: the caller's variable
    ScalarType loop_dtype, result_dtype;
    bool is_mask = false;
    bool unaligned = false;    // copied bytewise: Note [Unaligned memory] in aten/core/tensor.h
    bool is_constant = false;  // one element, already cast and stored in `constant`
    Loop cast = nullptr;       // to (input) or from (output) loop_dtype; null if the dtypes are equal
    char* data = nullptr;
    DimVector strides;  // bytes, over shape_; 0 where broadcast or of size 1
    alignas(16) char constant[16];
  };
  struct LoopNest;  // the coalesced dimensions, and every operand's steps along them

  Operand& add(const Tensor& tensor, ScalarType loop_dtype);
  void find_device();
  void skip_or_raise() const;  // operands without data: nothing to run
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
