// Outputs: the results of an operator that has kernels. The shape function describes them once, and
// they are allocated before a kernel runs.
//
// Note [Operators with kernels] An entry with `dispatch:` in native_functions.yaml has these
// hand-written parts:
//
//   meta::f       (aten/meta) checks the arguments and describes the results (shape, dtype,
//                 layout). It also converts the arguments to the form that kernels require:
//                 axes counted from the front, one dtype, dense where needed.
//   f_cpu, f_cuda (aten/kernels) compute from those arguments into allocated results.
//   f_composite   (aten/ops) does the same by calling other operators. If `dispatch` names it, it
//                 serves the devices that have no kernel.
//
// The generated function calls meta::f, allocates the results, and calls the kernel of the
// operands' device. On `meta`, the device of tensors without data, no kernel is called: the results
// only have the metadata that a real run would give. The kernel writes directly to out= if its
// dtype, layout and memory fit. Otherwise the result is copied to out= afterwards.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/tensor.h"
#include "aten/iterator/aligned.h"
#include "aten/iterator/device_of.h"
#include "aten/kernels/out_options.h"

namespace tnp {

// A tensor argument that a shape function may replace by the form that kernels require. Always
// aligned.
class Operand {
 public:
  explicit Operand(const Tensor& given) : now_(&given) {
    if (given.defined() && TNP_UNLIKELY(given.is_unaligned())) *this = aligned_copy(given);
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;
  Operand& operator=(Tensor replacement) {
    own_ = std::move(replacement);
    now_ = &own_;
    return *this;
  }
  const Tensor& operator*() const { return *now_; }
  const Tensor* operator->() const { return now_; }
  operator const Tensor&() const { return *now_; }

 private:
  const Tensor* now_;
  Tensor own_;
};

// A list of tensors of which a shape function may replace some. The list is copied on the first
// replacement.
class OperandList {
 public:
  explicit OperandList(TensorList given) : now_(given) {
    for (size_t i = 0; i < given.size(); ++i)
      if (given[i].defined() && TNP_UNLIKELY(given[i].is_unaligned())) replace(i, aligned_copy(given[i]));
  }
  OperandList(const OperandList&) = delete;
  OperandList& operator=(const OperandList&) = delete;
  void replace(size_t i, Tensor replacement) {
    if (own_.empty()) own_.assign(now_.begin(), now_.end()), now_ = own_;
    own_[i] = std::move(replacement);
  }
  size_t size() const { return now_.size(); }
  const Tensor& operator[](size_t i) const { return now_[i]; }
  operator TensorList() const { return now_; }

 private:
  TensorList now_;
  std::vector<Tensor> own_;
};

// One result.
struct Output {
  DimVector sizes;
  ScalarType dtype = ScalarType::Bool;     // as returned to the caller
  ScalarType computed = ScalarType::Bool;  // as written by the kernel
  std::optional<DimVector> strides;        // as written by the kernel; nullopt: row-major
  bool exists = true;                      // false: this result is an undefined tensor

  Output& computed_in(ScalarType type) { return computed = type, *this; }
};

class TNP_API Outputs {
 public:
  const char* op() const { return op_; }
  Device device() const { return device_; }
  // Describes the next result.
  Output& add(IntList sizes, ScalarType dtype) {
    TNP_INTERNAL_ASSERT(count_ < capacity_);
    Output& next = described_[count_++];
    next.sizes.assign(sizes.data(), sizes.size());
    next.dtype = next.computed = dtype;
    return next;
  }
  // The next result is an undefined tensor.
  void add_none() { add({}, ScalarType::Bool).exists = false; }

  // Allocates the results. `operands` are the tensors that the kernel reads, which results must not
  // overwrite. Raises Shape, Casting or ReadOnly if a result does not fit its out=.
  void allocate(std::initializer_list<const Tensor*> operands);
  // The tensor that the kernel writes to.
  const Tensor& operator[](size_t i) const { return written_[i]; }
  // Returns the result for the caller. May be called once per result.
  Tensor result(size_t i) {
    const bool as_written = described_[i].dtype == described_[i].computed && !(options_ && options_->out.defined());
    return TNP_LIKELY(as_written) ? std::move(written_[i]) : finish(i);
  }

  // The kernel to call; null on `meta`. Raises NotImplemented if the device has none.
  template <class F>
  F* kernel(F* cpu, F* cuda) const {
    if (TNP_LIKELY(device_.is_cpu())) return cpu;
    if (device_.is_meta()) return nullptr;
    if (!cuda) raise_no_kernel(device_, op_);
    return cuda;
  }

 protected:
  Outputs(const char* op, Device device, const OutOptions* options, Output* described, Tensor* written, size_t capacity)
      : op_(op), device_(device), options_(options), described_(described), written_(written), capacity_(capacity) {}

 private:
  Tensor new_output(const Output& wanted, ScalarType dtype) const;
  Tensor finish(size_t i);  // result(), if it is copied to out= or cast

  const char* op_;
  Device device_;
  const OutOptions* options_;
  Output* described_;
  Tensor* written_;
  size_t count_ = 0, capacity_;
};

// Memory for N results. First base class, since Outputs points to it.
template <size_t N>
struct OutputsMemory {
  std::array<Output, N> described;
  std::array<Tensor, N> written;
};
template <size_t N>
class OutputsOf final : private OutputsMemory<N>, public Outputs {
 public:
  OutputsOf(const char* op, Device device, const OutOptions* options = nullptr)
      : Outputs(op, device, options, this->described.data(), this->written.data(), N) {}
};

}  // namespace tnp
