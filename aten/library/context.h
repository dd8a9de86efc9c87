// The state of one call of a library's function: memory that the library requested, and the values
// that it returned.
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

// torch_np's version for a library's initialize(): 10000 * major + 100 * minor + patch.
inline constexpr int32_t kPackageVersion = 100;

// The table of functions that libraries call.
TNP_API const TorchNpHost& library_host();

// Calls an operator by name, for derivatives composed of operators: operators of libraries, and
// torch_np's functions. `keywords` name the last arguments; those before are positional. A tensor
// argument is a TorchNpValue with the address of a Tensor. The front end sets this callback.
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
  // Names for error messages.
  CallContext(std::string_view library, std::string_view op) : library_(library), op_(op) {}
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;

  // Calls a function of the library. The C interface forbids exceptions. If the function throws
  // nevertheless, the exception is reported as an error of the library. (The exception of thread
  // cancellation has no object, so UBSan would see a reference to null.)
  template <class F>
  __attribute__((no_sanitize("undefined"))) int32_t shielded(F&& f) {
    try {
      return f();
    } catch (const abi::__forced_unwind&) {  // thread cancellation
      throw;
    } catch (const std::exception& error) {
      return fail(TORCH_NP_RUNTIME_ERROR, error.what());
    } catch (...) {
      return fail(TORCH_NP_RUNTIME_ERROR, "an exception that is not a std::exception was thrown");
    }
  }
  int32_t result_of(TorchNpFunction function, const TorchNpOperator& op, const TorchNpCall& call) {
    return shielded([&] { return function(&op, &call); });
  }
  // Raises the error that the library passed to set_error(), if `failure` is not 0. `failure` is
  // the return value of a library function, and `what` names that function, for example "forward".
  void check(int32_t failure, const char* what) const {
    if (TNP_UNLIKELY(failure != 0)) raise(what);
  }
  [[noreturn]] TNP_COLD void raise(const char* what) const;
  // The beginning of error messages, for example "gemm() of libgemm.so: ".
  std::string prefix() const;

  // The current phase, which determines the callbacks that the library may call.
  enum class Phase : uint8_t { None, Attributes, Mutation, Inference, State, Computation, Gradient };
  Phase phase = Phase::None;
  Device device;
  std::optional<LongWork> long_work;  // set while the GIL is released

  // --- values that the library returned through callbacks
  std::optional<int64_t> num_inputs, num_outputs;
  InlineVector<OutputSpec, 3> outputs;
  std::vector<int64_t> mutated;
  void* state = nullptr;
  std::vector<Tensor> gradients;

  // --- requested by the library
  std::vector<Tensor> memory;
  std::list<Tensor> handles;  // a list, since its elements keep their addresses

  // An exception of the front end that did not originate in the operator (raised by user code, or
  // an interrupt). raise() rethrows it.
  std::exception_ptr thrown;

  // Sets the error for raise(); functions of TorchNpHost return its result, 1.
  int32_t fail(int32_t kind, std::string_view message);

 private:
  std::string_view library_, op_;
  int32_t error_kind_ = TORCH_NP_RUNTIME_ERROR;
  std::string error_;
};

// Describes a tensor by the C struct of the interface. The struct points to `sizes` and `strides`
// (in elements).
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
