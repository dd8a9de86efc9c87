#include "aten/library/context.h"

#include <algorithm>
#include <utility>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/memory/dlpack.h"
#include "aten/random/generator.h"

namespace tnp {

namespace {

OperatorCaller operator_caller = nullptr;

CallContext& context_of(void* context) { return *static_cast<CallContext*>(context); }

using Phase = CallContext::Phase;

int32_t kind_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::Value:
      return TORCH_NP_VALUE_ERROR;
    case ErrorKind::Type:
      return TORCH_NP_TYPE_ERROR;
    case ErrorKind::NotImplemented:
      return TORCH_NP_NOT_IMPLEMENTED_ERROR;
    case ErrorKind::Memory:
      return TORCH_NP_MEMORY_ERROR;
    default:
      return TORCH_NP_RUNTIME_ERROR;
  }
}

// Body of a callback that a library calls. No exception may propagate through the library's frames.
// `allowed`: the phases in which the library may call this callback.
template <Phase... allowed, class F>
__attribute__((no_sanitize("undefined"))) int32_t shielded(void* context, const char* function, F&& f) {
  CallContext& c = context_of(context);
  if (((c.phase != allowed) && ...))
    return c.fail(TORCH_NP_RUNTIME_ERROR, std::string(function) + " cannot be called here");
  try {
    return f(c);
  } catch (const Error& error) {
    return c.fail(kind_of(error), std::string(function) + ": " + error.message());
  } catch (const abi::__forced_unwind&) {  // thread cancellation
    throw;
  } catch (const std::exception& error) {
    return c.fail(TORCH_NP_RUNTIME_ERROR, std::string(function) + ": " + error.what());
  } catch (...) {
    c.thrown = std::current_exception();
    return c.fail(TORCH_NP_RUNTIME_ERROR, std::string(function) + " failed");
  }
}

void set_error(void* context, int32_t kind, const char* message) {
  context_of(context).fail(kind, message ? message : "no message");
}

constexpr int64_t kLongestArgument = int64_t{1} << 30;
// a larger number is treated as an error of the library, such as an uninitialised variable
constexpr int64_t kMostTensors = 65536;

int32_t set_counts(void* context, int64_t inputs, int64_t outputs) {
  return shielded<Phase::Attributes, Phase::Inference>(context, "set_counts", [&](CallContext& c) {
    if (inputs < 0 || outputs < 0 || inputs > kMostTensors || outputs > kMostTensors)
      return c.fail(TORCH_NP_VALUE_ERROR, "it sets the counts to " + std::to_string(inputs) + " inputs and " +
                                              std::to_string(outputs) + " outputs");
    c.num_inputs = inputs, c.num_outputs = outputs;
    c.outputs.resize(static_cast<size_t>(outputs));
    return 0;
  });
}

// Returns output `i`. If there is no such output, sets the error and returns null.
OutputSpec* output_at(CallContext& c, int64_t i) {
  if (i >= 0 && static_cast<size_t>(i) < c.outputs.size()) return &c.outputs[static_cast<size_t>(i)];
  c.fail(TORCH_NP_VALUE_ERROR, "it describes output " + std::to_string(i) + ", but the number of outputs is " +
                                   std::to_string(c.outputs.size()));
  return nullptr;
}

int32_t set_output_shape(void* context, int64_t output, int32_t ndim, const int64_t* shape) {
  return shielded<Phase::Inference>(context, "set_output_shape", [&](CallContext& c) {
    OutputSpec* spec = output_at(c, output);
    if (!spec) return 1;
    if (ndim < 0 || ndim > kMaxDims || (ndim > 0 && !shape))
      return c.fail(TORCH_NP_VALUE_ERROR, "it gives output " + std::to_string(output) + " " + std::to_string(ndim) +
                                              " dimensions; there are 0 to " + std::to_string(kMaxDims));
    const IntList sizes(shape, static_cast<size_t>(ndim));
    for (int64_t n : sizes) {
      if (n >= 0) continue;
      std::string text;
      append(text, sizes);
      return c.fail(TORCH_NP_VALUE_ERROR, "it gives output " + std::to_string(output) + " the shape " + text);
    }
    numel_of(sizes);  // raises an error if the product overflows
    spec->sizes = DimVector(sizes);
    spec->has_shape = true;
    return 0;
  });
}

int32_t set_output_dtype(void* context, int64_t output, uint8_t code, uint8_t bits) {
  return shielded<Phase::Inference>(context, "set_output_dtype", [&](CallContext& c) {
    OutputSpec* spec = output_at(c, output);
    if (!spec) return 1;
    const std::optional<ScalarType> dtype = dlpack::scalar_type({code, bits, 1});
    if (!dtype)
      return c.fail(TORCH_NP_TYPE_ERROR, "it gives output " + std::to_string(output) + " the dtype of code " +
                                             std::to_string(code) + " with " + std::to_string(bits) +
                                             " bits, which torch_np does not support");
    spec->dtype = *dtype, spec->has_dtype = true;
    return 0;
  });
}

int32_t set_mutated(void* context, int64_t input) {
  return shielded<Phase::Mutation>(context, "set_mutated", [&](CallContext& c) {
    c.mutated.push_back(input);
    return 0;
  });
}

int32_t set_state(void* context, void* state) {
  return shielded<Phase::State>(context, "set_state", [&](CallContext& c) {
    if (!state || c.state) return c.fail(TORCH_NP_VALUE_ERROR, "set_state: expected one state that is not null");
    c.state = state;
    return 0;
  });
}

constexpr uint64_t kAlignment = 64;

void* allocate(void* context, int32_t device_type, uint64_t bytes) {
  void* memory = nullptr;
  shielded<Phase::Computation>(context, "allocate", [&](CallContext& c) {
    const bool gpu = device_type == dlpack::kCUDA;
    if (gpu ? !c.device.is_cuda() : device_type != dlpack::kCPU)
      return c.fail(TORCH_NP_VALUE_ERROR, "allocate: no memory of device type " + std::to_string(device_type) +
                                              " for a call on " + to_string(c.device));
    if (bytes > uint64_t{1} << 62)
      return c.fail(TORCH_NP_MEMORY_ERROR, "allocate: " + std::to_string(bytes) + " bytes");
    const int64_t size[] = {
        static_cast<int64_t>(bytes + kAlignment)};  // small Tensors have a smaller alignment than large ones
    c.memory.push_back(empty_tensor(size, ScalarType::UInt8, gpu ? c.device : Device{}));
    const auto begin = reinterpret_cast<uintptr_t>(c.memory.back().address());
    memory = reinterpret_cast<void*>((begin + kAlignment - 1) / kAlignment * kAlignment);
    return 0;
  });
  return memory;
}

// Draws random numbers. Acquires the GIL, which protects the generator.
template <class F>
int32_t draw(void* context, Device device, F&& f) {
  return shielded<Phase::Computation>(context, "drawing random numbers", [&](CallContext& c) {
    const bool was_let_go = c.long_work.has_value();
    c.long_work.reset();
    {
      BitGenerator& bits = *default_torch_generator(device).bits;
      const BitLock lock = bits.lock();
      f(bits);
    }
    if (was_let_go) c.long_work.emplace();
    return 0;
  });
}

constexpr const char* kNoRoom = "it requests random numbers without a buffer for them";

int32_t random_bits(void* context, uint64_t* bits, int64_t count) {
  if (count < 0 || (count > 0 && !bits)) return context_of(context).fail(TORCH_NP_VALUE_ERROR, kNoRoom);
  return draw(context, {}, [&](BitGenerator& generator) {
    for (int64_t i = 0; i < count; ++i) bits[i] = generator.next_uint64();
  });
}

int32_t random_key(void* context, uint64_t key[2]) {
  if (!key) return context_of(context).fail(TORCH_NP_VALUE_ERROR, kNoRoom);
  return draw(context, context_of(context).device, [&](BitGenerator& generator) {
    key[0] = generator.next_uint64();
    key[1] = generator.next_uint64();
  });
}

// Returns the Tensor of a handle, or null if the handle was not created in this call.
const Tensor* tensor_of(CallContext& c, void* handle) {
  for (const Tensor& t : c.handles) {
    if (&t == handle) return t.defined() ? &t : nullptr;
  }
  return nullptr;
}

// Raises Value unless all pointers and handles of an argument are valid.
void check_argument(CallContext& c, const TorchNpValue& v) {
  const auto is_tensor = [&](void* handle) {
    TNP_CHECK(tensor_of(c, handle), ErrorKind::Value, "an argument is not a Tensor of this call");
  };
  if (v.kind == TORCH_NP_TENSOR) is_tensor(v.as.handle);
  if (v.kind < TORCH_NP_STRING) return;
  TNP_CHECK(v.count >= 0 && v.count <= kLongestArgument && (v.count == 0 || v.as.string), ErrorKind::Value,
            "an argument is a list of ", v.count, " elements without data");
  for (int64_t i = 0; v.kind == TORCH_NP_TENSORS && i < v.count; ++i) is_tensor(v.as.handles[i]);
}

int32_t call(void* context, const char* op, int64_t num_arguments, const TorchNpValue* arguments, int64_t num_keywords,
             const char* const* keywords, int64_t max_results, void** results, int64_t* num_results) {
  return shielded<Phase::Gradient>(context, "call", [&](CallContext& c) {
    TNP_CHECK(op && op[0] && num_keywords >= 0 && num_keywords <= num_arguments && num_arguments <= kMostTensors &&
                  (arguments || num_arguments == 0) && (keywords || num_keywords == 0) && num_results &&
                  (results || max_results <= 0),
              ErrorKind::Value, "no name of an operator, a wrong number of arguments, or no room for results");
    for (int64_t i = 0; i < num_arguments; ++i) check_argument(c, arguments[i]);
    for (int64_t i = 0; i < num_keywords; ++i)
      TNP_CHECK(keywords[i], ErrorKind::Value, "an argument by name has no name");
    std::vector<Tensor> made = operator_caller(op, {arguments, static_cast<size_t>(num_arguments)},
                                               {keywords, static_cast<size_t>(num_keywords)});
    TNP_CHECK(static_cast<int64_t>(made.size()) <= max_results, ErrorKind::Value, op, " gives ",
              static_cast<int64_t>(made.size()), " results, expected ", max_results, " at most");
    *num_results = static_cast<int64_t>(made.size());
    for (size_t i = 0; i < made.size(); ++i) {
      c.handles.push_back(std::move(made[i]));
      results[i] = &c.handles.back();
    }
    return 0;
  });
}

int32_t describe(void* context, void* handle, TorchNpTensor* tensor) {
  return shielded<Phase::Gradient>(context, "describe", [&](CallContext& c) {
    const Tensor* t = tensor_of(c, handle);
    if (!t || !tensor) return c.fail(TORCH_NP_VALUE_ERROR, "it requests the shape of an undefined tensor");
    *tensor = described(*t, false);
    return 0;
  });
}

int32_t set_gradient(void* context, int64_t input, void* handle) {
  return shielded<Phase::Gradient>(context, "set_gradient", [&](CallContext& c) {
    if (input < 0 || static_cast<size_t>(input) >= c.gradients.size())
      return c.fail(TORCH_NP_VALUE_ERROR, "it gives the gradient of input " + std::to_string(input) +
                                              ", but the number of inputs is " + std::to_string(c.gradients.size()));
    const Tensor* t = handle ? tensor_of(c, handle) : nullptr;
    if (handle && !t) return c.fail(TORCH_NP_VALUE_ERROR, "it gives a gradient that is not a Tensor of this call");
    c.gradients[static_cast<size_t>(input)] = t ? *t : Tensor();
    return 0;
  });
}

}  // namespace

void set_operator_caller(OperatorCaller caller) { operator_caller = caller; }

const TorchNpHost& library_host() {
  static const TorchNpHost host = {sizeof(TorchNpHost),
                                   TORCH_NP_EXTENSION_MAJOR,
                                   TORCH_NP_EXTENSION_MINOR,
                                   kPackageVersion,
                                   0,
                                   set_error,
                                   set_counts,
                                   set_output_shape,
                                   set_output_dtype,
                                   set_mutated,
                                   set_state,
                                   allocate,
                                   random_bits,
                                   random_key,
                                   call,
                                   describe,
                                   set_gradient};
  return host;
}

int32_t CallContext::fail(int32_t kind, std::string_view message) {
  error_kind_ = kind;
  error_ = message;
  return 1;
}

std::string CallContext::prefix() const {
  const std::string op(op_);
  return (op.empty() ? op : op + "() of ") + std::string(library_) + ": ";
}

void CallContext::raise(const char* what) const {
  if (thrown) std::rethrow_exception(thrown);
  static constexpr ErrorKind kKinds[] = {ErrorKind::Runtime, ErrorKind::Value, ErrorKind::Type,
                                         ErrorKind::NotImplemented, ErrorKind::Memory};
  const bool known = error_kind_ >= 0 && static_cast<size_t>(error_kind_) < std::size(kKinds);
  TNP_RAISE(known ? kKinds[error_kind_] : ErrorKind::Runtime, prefix(), what, ": ",
            error_.empty() ? "it failed and did not say why" : error_);
}

}  // namespace tnp
