// One call of a library's function, as torch_np sees it: what the library asks for and says meanwhile.
#pragma once

#include <cxxabi.h>

#include <array>
#include <cstdint>
#include <exception>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aten/core/containers/inline_vector.h"
#include "aten/core/errors/error.h"
#include "aten/core/memory/dlpack.h"
#include "aten/core/tensor.h"
#include "aten/core/threads/parallel.h"
#include "aten/library/c_interface.h"

namespace tnp {

// torch_np's, which a library's initialize() is told: 10000 * major + 100 * minor + patch.
inline constexpr int32_t kPackageVersion = 100;

// The functions that libraries call.
TNP_API const TorchNpHost& library_host();

// Calls an operator by its name, which a derivative is made of: those of libraries, and torch_np's functions. The first
// arguments are positional, as many as there are no keywords for. Tensors are handles to Tensor. Set by the front end.
using OperatorCaller = std::vector<Tensor> (*)(const char* op, std::span<const TorchNpValue> arguments,
                                               std::span<const char* const> keywords);
TNP_API void set_operator_caller(OperatorCaller caller);

struct OutputSpec {
  bool has_shape = false, has_dtype = false;
  ScalarType dtype = ScalarType::Float32;
  DimVector sizes;
};

class TNP_API CallContext {
 public:
  // Names for messages.
  CallContext(std::string_view library, std::string_view op) : library_(library), op_(op) {}
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;

  // Calls a function of the library. What it throws, though nothing may cross the border, is taken for what it says.
  // (The exception that ends a thread has no object: to UBSan, the reference to it is one to null.)
  template <class F>
  __attribute__((no_sanitize("undefined"))) int32_t shielded(F&& f) {
    try {
      return f();
    } catch (const abi::__forced_unwind&) {  // the thread ends
      throw;
    } catch (const std::exception& error) {
      return fail(TORCH_NP_RUNTIME_ERROR, error.what());
    } catch (...) {
      return fail(TORCH_NP_RUNTIME_ERROR, "an exception that is no std::exception was thrown");
    }
  }
  int32_t result_of(TorchNpFunction function, const TorchNpOperator& op, const TorchNpCall& call) {
    return shielded([&] { return function(&op, &call); });
  }
  // Raises what set_error was told if a function did not return 0. `what`: "forward".
  void check(int32_t failure, const char* what) const {
    if (TNP_UNLIKELY(failure != 0)) raise(what);
  }
  [[noreturn]] TNP_COLD void raise(const char* what) const;
  // "gemm() of libgemm.so: "
  std::string prefix() const;

  // What may be asked for now.
  enum class Phase : uint8_t { None, Attributes, Mutation, Inference, State, Computation, Gradient };
  Phase phase = Phase::None;
  Device device;
  std::optional<LongWork> long_work;  // the front end's lock is let go of

  // --- said by the library
  std::optional<int64_t> num_inputs, num_outputs;
  InlineVector<OutputSpec, 3> outputs;
  std::vector<int64_t> mutated;
  void* state = nullptr;
  std::vector<Tensor> gradients;

  // --- asked of torch_np
  std::vector<Tensor> memory;
  std::list<Tensor> handles;  // which stay where they are

  // What the front end threw that is no error of the operator (the user's own exceptions, the wish to end); raise()
  // throws it again.
  std::exception_ptr thrown;

  // Of the functions of TorchNpHost: 1, with the message for raise().
  int32_t fail(int32_t kind, std::string_view message);

 private:
  std::string_view library_, op_;
  int32_t error_kind_ = TORCH_NP_RUNTIME_ERROR;
  std::string error_;
};

// A tensor as libraries see it. It borrows sizes and strides, which count elements.
inline TorchNpTensor described(void* data, Device device, ScalarType dtype, DimVector& sizes, DimVector& strides) {
  static constexpr auto kDtypes = [] {
    std::array<dlpack::DataType, kNumScalarTypes> all;
    for (int i = 0; i < kNumScalarTypes; ++i)
      all[static_cast<size_t>(i)] = dlpack::data_type(static_cast<ScalarType>(i));
    return all;
  }();
  const dlpack::DataType d = kDtypes[static_cast<size_t>(dtype)];
  return {data,
          device.is_cuda() ? dlpack::kCUDA : dlpack::kCPU,
          device.index,
          static_cast<int32_t>(sizes.size()),
          d.code,
          d.bits,
          1,
          sizes.data(),
          strides.data(),
          0};
}
inline TorchNpTensor described(const Tensor& t, bool with_data) {
  TensorImpl* impl = t.impl();
  const Device device = t.device();
  return described(with_data && !device.is_meta() ? t.address() : nullptr, device, impl->dtype, impl->sizes,
                   impl->strides);
}

}  // namespace tnp
