// The results of an operator that has kernels: described once, allocated before a kernel runs.
//
// Note [Operators with kernels] An entry with `dispatch:` in native_functions.yaml has three hand-written parts:
//
//   meta::f      (aten/meta) checks the arguments, says which results there are (shape, dtype, layout), and brings the
//                arguments to what kernels take: axes counted from the front, one dtype, dense where that is asked for;
//   f_cpu, f_cuda (aten/kernels) compute, from those arguments into results that exist.
//
// The generated function calls meta::f, allocates, and calls the kernel of the device that the operands are on. On
// `meta`, the device of tensors without data, that is all: results are what a run would give, and no kernel is called.
// A result goes straight into out= where its dtype, layout and memory are what the kernel writes; else it is copied
// there.
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

// A tensor argument, which a shape function may replace by what kernels take. It is aligned.
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

// A list of tensors, of which a shape function may replace some. It is copied only then.
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
  ScalarType dtype = ScalarType::Bool;     // as the caller sees it
  ScalarType computed = ScalarType::Bool;  // as the kernel writes it
  std::optional<DimVector> strides;        // as the kernel writes it; none: row-major
  bool exists = true;                      // false: an undefined tensor in this place

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

  // Makes them. `operands`: what the kernel will read, which its results must not be written over. Raises Shape,
  // Casting or ReadOnly if one does not fit its out=.
  void allocate(std::initializer_list<const Tensor*> operands);
  // What the kernel writes to.
  const Tensor& operator[](size_t i) const { return written_[i]; }
  // What the caller gets, once.
  Tensor result(size_t i) {
    const bool as_written = described_[i].dtype == described_[i].computed && !(options_ && options_->out.defined());
    return TNP_LIKELY(as_written) ? std::move(written_[i]) : finish(i);
  }

  // The kernel to call; null where there is no data. Raises NotImplemented if there is none for the device.
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
  Tensor finish(size_t i);  // result(), into out= or of another dtype

  const char* op_;
  Device device_;
  const OutOptions* options_;
  Output* described_;
  Tensor* written_;
  size_t count_ = 0, capacity_;
};

// With memory for N results, which comes first: the base points to it.
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
