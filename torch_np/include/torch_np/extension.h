// C++ interface for user-defined torch_np operators. A library needs this header only. Compile it
// to a shared library and link it against nothing; torch_np.library.load("libmine.so") registers
// its operators.
//
//   void scale(torch_np::Tensor x, double by, torch_np::Tensor result) {
//     for (int64_t i = 0; i < x.numel(); ++i) result.data<float>()[i] = x.data<float>()[i] * by;
//   }
//   TORCH_NP_OP("scale(Tensor x, *, float by=1.0) -> Tensor", scale);
//
// docs/operators_of_your_own.md continues with gradients and GPUs. C++17; g++, clang and nvcc.
//
// Parts: (1) the C interface. Only C types cross the boundary between a library and torch_np: no
// exceptions and no C++ classes. (2) Tensors and values. (3) Operators by a schema: TORCH_NP_OP.
// (4) Operators by MXNet's setters: REGISTER_OP. (5) Subgraphs of compiled functions:
// REGISTER_PARTITIONER. (6) The entry point.
#ifndef TORCH_NP_EXTENSION_H_
#define TORCH_NP_EXTENSION_H_

// --------------------------------------------------------------------------------------------------------------------
// 1. The C interface
//
// torch_np refuses libraries built for another major version. Within a major version, structures
// only grow at their end and store their size; new functions are appended to TorchNpHost. A library
// built for a newer minor version checks `size` before it uses a newer field. TorchNpTensor and
// TorchNpValue never change, because they are array elements.

#include <stddef.h>
#include <stdint.h>

#ifndef TORCH_NP_EXTENSION_MAJOR
#define TORCH_NP_EXTENSION_MAJOR 1
#endif
#ifndef TORCH_NP_EXTENSION_MINOR
#define TORCH_NP_EXTENSION_MINOR 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

// DLPack's DLTensor, renamed so that dlpack.h may be included too.
typedef struct TorchNpTensor {
  void* data;           // the first element; null for an empty tensor, on the device `meta`, and in shape inference
  int32_t device_type;  // DLPack's value: 1 CPU, 2 CUDA
  int32_t device_index;
  int32_t ndim;
  uint8_t dtype_code;  // DLPack's value: 0 int, 1 unsigned int, 2 float, 4 bfloat, 5 complex, 6 bool
  uint8_t dtype_bits;
  uint16_t dtype_lanes;  // always 1

  int64_t* shape;
  int64_t* strides;      // in elements; never null
  uint64_t byte_offset;  // always 0

} TorchNpTensor;

enum TorchNpKind {
  TORCH_NP_NONE = 0,
  TORCH_NP_TENSOR = 1,  // `integer` is the index among the inputs; for host->call, `handle`
  TORCH_NP_BOOL = 2,
  TORCH_NP_INT = 3,
  TORCH_NP_FLOAT = 4,
  TORCH_NP_COMPLEX = 5,
  TORCH_NP_STRING = 6,   // UTF-8, `count` bytes and a 0
  TORCH_NP_TENSORS = 7,  // `count` inputs, starting at index `integer`; for host->call, `handles`
  TORCH_NP_BOOLS = 8,
  TORCH_NP_INTS = 9,
  TORCH_NP_FLOATS = 10
};

typedef struct TorchNpValue {
  int32_t kind;
  int32_t reserved;
  int64_t count;  // number of elements of a list
  union {
    int64_t integer;  // also holds a bool
    double numbers[2];
    const char* string;
    const uint8_t* bool_list;
    const int64_t* int_list;
    const double* float_list;
    void* handle;
    void* const* handles;
  } as;
} TorchNpValue;

enum TorchNpReq { TORCH_NP_REQ_NULL = 0, TORCH_NP_REQ_WRITE = 1, TORCH_NP_REQ_ADD = 3 };  // the values are MXNet's

enum TorchNpErrorKind {
  TORCH_NP_RUNTIME_ERROR = 0,
  TORCH_NP_VALUE_ERROR = 1,
  TORCH_NP_TYPE_ERROR = 2,
  TORCH_NP_NOT_IMPLEMENTED_ERROR = 3,
  TORCH_NP_MEMORY_ERROR = 4
};

// Services that torch_np offers to a library. Pass the `context` of the TorchNpCall:
// it is valid during the call, in the thread that torch_np called. Functions that return int32_t
// return 0 on success. Any other number means that the error is set, and that the library must
// return this number too.
typedef struct TorchNpHost {
  uint64_t size;
  int32_t major, minor;
  int32_t package_version;  // version of torch_np: 10000 * major + 100 * minor + patch
  int32_t reserved;
  void (*set_error)(void* context, int32_t kind, const char* message);
  // Call set_counts in parse_attributes or infer, the output setters in infer, set_mutated in
  // mutate_inputs, and set_state in create_state.
  int32_t (*set_counts)(void* context, int64_t inputs, int64_t outputs);
  int32_t (*set_output_shape)(void* context, int64_t output, int32_t ndim, const int64_t* shape);
  int32_t (*set_output_dtype)(void* context, int64_t output, uint8_t code, uint8_t bits);
  int32_t (*set_mutated)(void* context, int64_t input);
  int32_t (*set_state)(void* context, void* state);
  // Allocates memory on device type 1 or 2, aligned to 64 bytes, which is freed after the call.
  // Returns null after an error.
  void* (*allocate)(void* context, int32_t device_type, uint64_t bytes);
  // Draws from torch_np's default CPU generator.
  int32_t (*random_bits)(void* context, uint64_t* bits, int64_t count);
  // Draws a key for a counter-based generator, for GPU kernels, from the generator of the call's
  // device.
  int32_t (*random_key)(void* context, uint64_t key[2]);
  // Only in `gradient`: calls a registered operator or a function of torch_np ("matmul",
  // "linalg.inv") and records it. The first `num_arguments - num_keywords` values are positional.
  // Tensors are handles, valid during the call.
  int32_t (*call)(void* context, const char* op, int64_t num_arguments, const TorchNpValue* arguments,
                  int64_t num_keywords, const char* const* keywords, int64_t max_results, void** results,
                  int64_t* num_results);
  int32_t (*describe)(void* context, void* handle, TorchNpTensor* tensor);  // sets data to null
  int32_t (*set_gradient)(void* context, int64_t input, void* handle);
} TorchNpHost;

// One call of an operator's function.
typedef struct TorchNpCall {
  uint64_t size;
  const TorchNpHost* host;
  void* context;
  int64_t num_arguments;  // the schema's arguments; without a schema, the attributes by name, as strings
  const char* const* argument_names;
  const TorchNpValue* arguments;
  int64_t num_inputs;
  const TorchNpTensor* inputs;
  int64_t num_outputs;  // outputs exist in forward and backward
  const TorchNpTensor* outputs;
  // backward: the gradients of the outputs and of the inputs. `input_req` gives the write mode of
  // each input gradient.
  const TorchNpTensor* output_grads;
  const TorchNpTensor* input_grads;
  const int32_t* input_req;
  // gradient: handles of the inputs, outputs and output gradients; null for a Tensor that was not
  // given.
  void* const* input_handles;
  void* const* output_handles;
  void* const* output_grad_handles;
  void* state;   // the pointer given to set_state
  void* stream;  // the CUDA stream for work on a GPU
  int32_t device_type, device_index;
  int32_t is_train;  // nonzero if autograd records the call
  int32_t reserved;
} TorchNpCall;

enum TorchNpOperatorFlag {
  TORCH_NP_TAKES_STRIDES = 1,  // inputs may have any strides; else they are contiguous
  // backward honours `input_req`: gradients that are not needed have no memory, and some must be
  // added to. Without this flag, every gradient has memory and is overwritten.
  TORCH_NP_TAKES_REQ = 2,
  // The derivative does not read the inputs, the outputs, or the inputs that forward changes.
  // torch_np then does not save them for backward: they have no data there, and may be modified
  // before it. (Their handles in `gradient` are null.)
  TORCH_NP_SAVES_NO_INPUTS = 4,
  TORCH_NP_SAVES_NO_OUTPUTS = 8,
  TORCH_NP_SAVES_NO_MUTATED = 16
};

struct TorchNpOperator;
// Returns 0, or another number after set_error.
typedef int32_t (*TorchNpFunction)(const struct TorchNpOperator* op, const TorchNpCall* call);

typedef struct TorchNpOperator {
  uint64_t size;
  const char* name;    // "gemm" or "mylib::gemm"
  const char* schema;  // "(Tensor a, Tensor b, *, float alpha=1.0) -> Tensor"; if null, inputs are positional and
                       // attributes are strings
  const char* doc;     // may be null
  uint64_t flags;
  void* user;                        // free for the library's use
  TorchNpFunction parse_attributes;  // without a schema: calls set_counts
  TorchNpFunction infer;  // calls set_output_shape and set_output_dtype; if null, outputs are like the first input
  TorchNpFunction mutate_inputs;  // without a schema: calls set_mutated; if null, forward modifies no input
  TorchNpFunction create_state;   // calls set_state; may be null
  void (*delete_state)(const struct TorchNpOperator* op, void* state);
  TorchNpFunction forward_cpu, forward_gpu;  // null if the operator does not run on the device
  TorchNpFunction backward_cpu, backward_gpu;
  TorchNpFunction gradient;  // composes the derivative of operators; if null, backward computes it, if given
  // The C++ parameter types of functions, one letter each, to be compared with the schema:
  // "forward:TTfbT;shape:TTfb" (T Tensor, L Tensor[], b i f c s B I F; ? follows a parameter that
  // may be None). The results follow the arguments. May be null.
  const char* parameter_letters;
} TorchNpOperator;

// Since version 1.1: subgraphs. torch_np.compile(f, backend="name") asks the partitioner of that
// name which operator calls of f it takes over. Connected calls form a subgraph, unless another
// step must run between them. An executor runs each subgraph in one call.

// A call of an operator within a subgraph. `inputs` and `outputs` index TorchNpSubgraph's values.
typedef struct TorchNpNode {
  uint64_t size;
  const char* op;         // spelled as in f.lower(): "exp", "mul", "sum"
  int64_t num_arguments;  // in call order; TORCH_NP_TENSOR and TORCH_NP_TENSORS index `inputs`
  const TorchNpValue* arguments;
  int64_t num_inputs;
  const int64_t* inputs;
  int64_t num_outputs;
  const int64_t* outputs;
} TorchNpNode;

typedef struct TorchNpSubgraph {
  uint64_t size;
  int64_t num_values;
  const TorchNpTensor*
      values;  // `data` is null except for constants, which are not inputs and live as long as the executor
  int64_t num_nodes;
  const TorchNpNode* const* nodes;  // in topological order
  int64_t num_inputs;
  const int64_t* inputs;
  int64_t num_outputs;
  const int64_t* outputs;  // values that are read outside the subgraph
} TorchNpSubgraph;

struct TorchNpPartitioner;
// Returns 0, or another number after set_error. The call's arguments are the options of
// torch_np.compile, as strings.
typedef int32_t (*TorchNpSubgraphFunction)(const struct TorchNpPartitioner* partitioner, const TorchNpCall* call,
                                           const TorchNpSubgraph* subgraph);

typedef struct TorchNpPartitioner {
  uint64_t size;
  const char* name;  // the backend's: "log_exp" or "mylib::log_exp"
  const char* doc;   // may be null
  uint64_t flags;    // TORCH_NP_TAKES_STRIDES
  void* user;        // free for the library's use
  int64_t num_supported_ops;
  const char* const* supported_ops;
  // Receives all calls of these operators that may join a subgraph, and sets supported[i] to 0 for
  // each node that it declines. If null, the partitioner accepts all.
  int32_t (*is_supported)(const struct TorchNpPartitioner* partitioner, const TorchNpCall* call,
                          const TorchNpSubgraph* graph, uint8_t* supported);
  // Calls set_state with an executor, once for each subgraph. If it does not set an executor, the
  // operators run uncompiled.
  TorchNpSubgraphFunction create_executor;
  void (*delete_executor)(const struct TorchNpPartitioner* partitioner, void* executor);
  // Computes a subgraph. The call's `state` is the executor. Several threads may
  // call it at once.
  int32_t (*forward)(const struct TorchNpPartitioner* partitioner, const TorchNpCall* call);
} TorchNpPartitioner;

typedef struct TorchNpLibrary {
  uint64_t size;
  int64_t num_operators;
  const TorchNpOperator* const* operators;
  int64_t num_partitioners;  // since version 1.1
  const TorchNpPartitioner* const* partitioners;
} TorchNpLibrary;

// A library exports `int32_t torch_np_extension_version[2]` (major, minor) and this function. It
// returns null after set_error(context, ...).
typedef const TorchNpLibrary* (*TorchNpEntry)(const TorchNpHost* host, void* context);

#ifdef __cplusplus
}  // extern "C"
#endif

#if defined(__cplusplus) && !defined(TORCH_NP_EXTENSION_C_ONLY)

#include <atomic>
#include <charconv>
#include <complex>
#include <cstdlib>
#include <exception>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>
#if defined(__GLIBC__) && defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

namespace torch_np {
inline namespace v1 {

// --------------------------------------------------------------------------------------------------------------------
// 2. Tensors and values

// An exception of this class reaches Python as the exception of its kind.
class Error : public std::runtime_error {
 public:
  Error(int32_t kind, const std::string& message) : std::runtime_error(message), kind(kind) {}
  int32_t kind;
};
struct ValueError : Error {
  explicit ValueError(const std::string& message) : Error(TORCH_NP_VALUE_ERROR, message) {}
};
struct TypeError : Error {
  explicit TypeError(const std::string& message) : Error(TORCH_NP_TYPE_ERROR, message) {}
};
struct Failed {};  // thrown after the host has set the error

// A dtype as DLPack's code and bits; functions in MXNet's style use plain ints.
enum Dtype : int {
  kBool = 6 << 8 | 8,
  kInt8 = 0 << 8 | 8,
  kInt16 = 0 << 8 | 16,
  kInt32 = 0 << 8 | 32,
  kInt64 = 0 << 8 | 64,
  kUInt8 = 1 << 8 | 8,
  kUInt16 = 1 << 8 | 16,
  kUInt32 = 1 << 8 | 32,
  kUInt64 = 1 << 8 | 64,
  kFloat16 = 2 << 8 | 16,
  kBFloat16 = 4 << 8 | 16,
  kFloat32 = 2 << 8 | 32,
  kFloat64 = 2 << 8 | 64,
  kComplex64 = 5 << 8 | 64,
  kComplex128 = 5 << 8 | 128
};
inline std::string dtype_name(int dtype) {
  static const char* const kNames[] = {"int", "uint", "float", "", "bfloat", "complex"};
  const int code = dtype >> 8;
  return code == 6 ? "bool" : code >= 0 && code < 6 ? kNames[code] + std::to_string(dtype & 0xff) : "no dtype";
}

// Storage-only element types for data<Half>() and data<BFloat16>(): no arithmetic.
struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

template <class T>
struct DtypeOf;
#define TORCH_NP_DTYPE_OF(T, dtype)         \
  template <>                               \
  struct DtypeOf<T> {                       \
    static constexpr Dtype value = (dtype); \
  };
TORCH_NP_DTYPE_OF(bool, kBool)
TORCH_NP_DTYPE_OF(int8_t, kInt8)
TORCH_NP_DTYPE_OF(int16_t, kInt16)
TORCH_NP_DTYPE_OF(int32_t, kInt32)
TORCH_NP_DTYPE_OF(int64_t, kInt64)
TORCH_NP_DTYPE_OF(uint8_t, kUInt8)
TORCH_NP_DTYPE_OF(uint16_t, kUInt16)
TORCH_NP_DTYPE_OF(uint32_t, kUInt32)
TORCH_NP_DTYPE_OF(uint64_t, kUInt64)
TORCH_NP_DTYPE_OF(Half, kFloat16)
TORCH_NP_DTYPE_OF(BFloat16, kBFloat16)
TORCH_NP_DTYPE_OF(float, kFloat32)
TORCH_NP_DTYPE_OF(double, kFloat64)
TORCH_NP_DTYPE_OF(std::complex<float>, kComplex64)
TORCH_NP_DTYPE_OF(std::complex<double>, kComplex128)
#undef TORCH_NP_DTYPE_OF

using Shape = std::vector<int64_t>;

// An array, valid during the call. A `Tensor?` argument that was not given is not defined().
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(const TorchNpTensor* tensor) : tensor_(tensor && tensor->strides ? tensor : nullptr) {}
  bool defined() const { return tensor_ != nullptr; }
  int64_t ndim() const { return given().ndim; }
  // Size and stride of dimension d, counted from the end if negative. Throws ValueError.
  int64_t size(int64_t d) const { return given().shape[checked(d)]; }
  int64_t stride(int64_t d) const { return given().strides[checked(d)]; }  // in elements
  Shape shape() const { return Shape(given().shape, given().shape + given().ndim); }
  int64_t numel() const {
    int64_t n = 1;
    for (int32_t d = 0; d < given().ndim; ++d) n *= given().shape[d];
    return n;
  }
  Dtype dtype() const { return static_cast<Dtype>(given().dtype_code << 8 | given().dtype_bits); }
  bool is_cuda() const { return given().device_type == 2; }
  int device_index() const { return given().device_index; }
  // Pointer to the elements. Throws TypeError unless they are of type T. Null for an empty tensor
  // and during shape inference.
  template <class T>
  T* data() const {
    constexpr Dtype kExpected = DtypeOf<std::remove_const_t<T>>::value;
    if (dtype() != kExpected) throw TypeError("expected " + dtype_name(kExpected) + ", got " + dtype_name(dtype()));
    return static_cast<T*>(given().data);
  }
  void* data() const { return given().data; }
  // The DLPack structure: dlpack<DLTensor>() after #include <dlpack/dlpack.h>.
  template <class DLTensor = TorchNpTensor>
  const DLTensor& dlpack() const {
    static_assert(sizeof(DLTensor) == sizeof(TorchNpTensor), "expected DLPack's DLTensor");
    return reinterpret_cast<const DLTensor&>(given());
  }

 private:
  const TorchNpTensor& given() const {
    if (!tensor_) throw ValueError("a Tensor that was not given is read: ask defined() first");
    return *tensor_;
  }
  int64_t checked(int64_t d) const {
    if (d < -ndim() || d >= ndim())
      throw ValueError("dimension " + std::to_string(d) + " of an array of " + std::to_string(ndim()) + " dimensions");
    return d < 0 ? d + ndim() : d;
  }
  const TorchNpTensor* tensor_ = nullptr;
};

// Calls f(T()) with the C++ type T of this dtype, float or double. Throws TypeError for any
// other dtype.
template <class F>
auto with_floating(int dtype, F&& f) {
  if (dtype == kFloat32) return f(float());
  if (dtype == kFloat64) return f(double());
  throw TypeError("expected float32 or float64, got " + dtype_name(dtype));
}

// Shape and dtype of a result.
struct Spec {
  Shape shape;
  Dtype dtype;
};

enum class Req : int32_t { Null = TORCH_NP_REQ_NULL, Write = TORCH_NP_REQ_WRITE, Add = TORCH_NP_REQ_ADD };
// Stores (`to = value`), accumulates (`to += value`), or does nothing, depending on `req`.
template <class T, class U>
void assign(T& to, Req req, const U& value) {
  if (req == Req::Write) to = static_cast<T>(value);
  if (req == Req::Add) to = static_cast<T>(to + value);
}

namespace detail {
inline void check(int32_t failure) {
  if (failure) throw Failed{};
}
}  // namespace detail

// Memory, stream and random numbers for a running operator. The name is MXNet's.
class OpResource {
 public:
  explicit OpResource(const TorchNpCall* call) : call_(call) {}
  // Allocates memory that is freed after the call.
  void* alloc_cpu(size_t bytes) const { return allocate(1, bytes); }
  void* alloc_gpu(size_t bytes) const { return allocate(2, bytes); }
  void* alloc(size_t bytes) const { return allocate(call_->device_type, bytes); }  // on the tensors' device
  // The cudaStream_t in which kernels must be launched.
  template <class Stream = void*>
  Stream get_cuda_stream() const {
    return static_cast<Stream>(call_->stream);
  }
  bool is_gpu() const { return call_->device_type == 2; }
  int device_index() const { return call_->device_index; }
  bool is_train() const { return call_->is_train != 0; }
  // Random bits from torch_np's default generator, which manual_seed seeds.
  void random_bits(uint64_t* bits, int64_t count) const {
    detail::check(call_->host->random_bits(call_->context, bits, count));
  }
  double random_uniform() const {  // in [0, 1)
    uint64_t bits;
    random_bits(&bits, 1);
    return static_cast<double>(bits >> 11) * 0x1p-53;
  }
  // A key for a counter-based generator such as Philox in a kernel.
  std::pair<uint64_t, uint64_t> random_key() const {
    uint64_t key[2];
    detail::check(call_->host->random_key(call_->context, key));
    return {key[0], key[1]};
  }

 private:
  void* allocate(int32_t device_type, size_t bytes) const {
    void* memory = call_->host->allocate(call_->context, device_type, bytes);
    if (!memory) throw Failed{};
    return memory;
  }
  const TorchNpCall* call_;
};

// --------------------------------------------------------------------------------------------------------------------
// The derivative, composed of operators; it can be differentiated again

// A tensor in the recorded graph, without data. Throws as Tensor does.
class Value {
 public:
  Value() = default;
  Value(const TorchNpCall* call, void* handle) : call_(call), handle_(handle) {}
  bool defined() const { return handle_ != nullptr; }
  void* handle() const { return handle_; }
  Shape shape() const {
    TorchNpTensor t = describe();
    return Shape(t.shape, t.shape + t.ndim);
  }
  int64_t ndim() const { return describe().ndim; }
  Dtype dtype() const {
    TorchNpTensor t = describe();
    return static_cast<Dtype>(t.dtype_code << 8 | t.dtype_bits);
  }

 private:
  TorchNpTensor describe() const {
    TorchNpTensor t;
    detail::check(call_->host->describe(call_->context, handle_, &t));
    return t;
  }
  const TorchNpCall* call_ = nullptr;
  void* handle_ = nullptr;
};

// An argument of an operator call: positional, or named as in Argument("alpha", 2.0). It owns its
// value.
class Argument {
 public:
  Argument(const Value& v) : Argument("", v) {}
  Argument(bool v) : Argument("", v) {}
  Argument(int v) : Argument("", v) {}
  Argument(int64_t v) : Argument("", v) {}
  Argument(double v) : Argument("", v) {}
  Argument(std::complex<double> v) : Argument("", v) {}
  Argument(const char* v) : Argument("", v) {}
  Argument(const std::string& v) : Argument("", v) {}
  Argument(std::string_view v) : Argument("", v) {}
  template <class T>
  Argument(const std::vector<T>& v) : Argument("", v) {}
  template <class T>
  Argument(const std::optional<T>& v) : Argument("", v) {}

  Argument(const char* name, const Value& v) : Argument(name, v.defined() ? TORCH_NP_TENSOR : TORCH_NP_NONE) {
    value_.as.handle = v.handle();
  }
  Argument(const char* name, bool v) : Argument(name, TORCH_NP_BOOL) { value_.as.integer = v; }
  Argument(const char* name, int v) : Argument(name, static_cast<int64_t>(v)) {}
  Argument(const char* name, int64_t v) : Argument(name, TORCH_NP_INT) { value_.as.integer = v; }
  Argument(const char* name, double v) : Argument(name, TORCH_NP_FLOAT) { value_.as.numbers[0] = v; }
  Argument(const char* name, std::complex<double> v) : Argument(name, TORCH_NP_COMPLEX) {
    value_.as.numbers[0] = v.real(), value_.as.numbers[1] = v.imag();
  }
  Argument(const char* name, const char* v) : Argument(name, std::string_view(v)) {}
  Argument(const char* name, const std::string& v) : Argument(name, std::string_view(v)) {}
  Argument(const char* name, std::string_view v) : Argument(name, TORCH_NP_STRING) { text_ = v; }
  Argument(const char* name, const std::vector<Value>& v) : Argument(name, TORCH_NP_TENSORS) {
    for (const Value& each : v) handles_.push_back(each.handle());
  }
  Argument(const char* name, const Shape& v) : Argument(name, TORCH_NP_INTS) { integers_ = v; }
  Argument(const char* name, const std::vector<double>& v) : Argument(name, TORCH_NP_FLOATS) { numbers_ = v; }
  Argument(const char* name, const std::vector<bool>& v) : Argument(name, TORCH_NP_BOOLS) {
    flags_.assign(v.begin(), v.end());
  }
  Argument(const char* name, std::initializer_list<int64_t> v) : Argument(name, Shape(v)) {}  // ("shape", {n, 1})
  template <class T>
  Argument(const char* name, std::initializer_list<T> v)
      : Argument(name, std::vector<std::conditional_t<std::is_same_v<T, int>, int64_t, T>>(v.begin(), v.end())) {}
  template <class T>
  Argument(const char* name, const std::optional<T>& v) : Argument(v ? Argument(name, *v) : Argument(name, Value())) {}

  const std::string& name() const { return name_; }  // empty for a positional argument
  TorchNpValue value() const {                       // valid as long as this Argument
    TorchNpValue v = value_;
    const auto list = [&v](auto& pointer, const auto& from) {
      pointer = from.data(), v.count = static_cast<int64_t>(from.size());
    };
    if (v.kind == TORCH_NP_STRING) list(v.as.string, text_);
    if (v.kind == TORCH_NP_TENSORS) list(v.as.handles, handles_);
    if (v.kind == TORCH_NP_INTS) list(v.as.int_list, integers_);
    if (v.kind == TORCH_NP_FLOATS) list(v.as.float_list, numbers_);
    if (v.kind == TORCH_NP_BOOLS) list(v.as.bool_list, flags_);
    return v;
  }

 private:
  Argument(const char* name, TorchNpKind kind) : name_(name) { value_.kind = kind; }
  std::string name_, text_;
  TorchNpValue value_{};
  std::vector<void*> handles_;
  std::vector<int64_t> integers_;
  std::vector<double> numbers_;
  std::vector<uint8_t> flags_;
};

class Graph {
 public:
  explicit Graph(const TorchNpCall* call) : call_(call) {}
  Value grad(int64_t output = 0) const { return {call_, call_->output_grad_handles[in(output, call_->num_outputs)]}; }
  Value output(int64_t i = 0) const { return {call_, call_->output_handles[in(i, call_->num_outputs)]}; }
  Value input(int64_t i = 0) const { return {call_, call_->input_handles[in(i, call_->num_inputs)]}; }
  bool wants(int64_t input) const { return call_->input_req[in(input, call_->num_inputs)] != TORCH_NP_REQ_NULL; }
  // Calls an operator and returns all its results. `op` is a registered operator or a function of
  // torch_np: "matmul".
  std::vector<Value> call_all(const char* op, const std::vector<Argument>& arguments) const {
    std::vector<TorchNpValue> values;
    std::vector<const char*> names;
    for (const Argument& a : arguments) {
      if (!a.name().empty())
        names.push_back(a.name().c_str());
      else if (!names.empty())
        throw TypeError(std::string(op) + ": an argument by position after one by name");
      values.push_back(a.value());
    }
    constexpr int64_t kMost = 4096;
    const std::unique_ptr<void*[]> handles(new void*[kMost]);
    int64_t count = 0;
    detail::check(call_->host->call(call_->context, op, static_cast<int64_t>(values.size()), values.data(),
                                    static_cast<int64_t>(names.size()), names.data(), kMost, handles.get(), &count));
    std::vector<Value> results;
    for (int64_t i = 0; i < count; ++i) results.emplace_back(call_, handles[i]);
    return results;
  }
  template <class... Arguments>
  Value call(const char* op, const Arguments&... arguments) const {
    std::vector<Value> results = call_all(op, {Argument(arguments)...});
    if (results.size() != 1)
      throw TypeError(std::string(op) + " gives " + std::to_string(results.size()) + " results, expected 1");
    return results[0];
  }

 private:
  int64_t in(int64_t i, int64_t n) const {
    if (i < 0 || i >= n) throw ValueError("number " + std::to_string(i) + " of " + std::to_string(n));
    return i;
  }
  const TorchNpCall* call_;
};

// --------------------------------------------------------------------------------------------------------------------
// Shared by both ways of registration

namespace detail {

// Runs f and reports its exception to the host. (The thread-termination exception of glibc has no
// object: UBSan sees a reference to null.)
template <class F>
__attribute__((no_sanitize("undefined"))) int32_t guarded(const TorchNpCall* call, F&& f) {
  auto fail = [&](int32_t kind, const char* message) {
    call->host->set_error(call->context, kind, message);
    return 1;
  };
  try {
    f();
    return 0;
#if defined(__GLIBC__) && defined(__GLIBCXX__)
  } catch (const abi::__forced_unwind&) {  // the thread ends
    throw;
#endif
  } catch (const Failed&) {
    return 1;
  } catch (const Error& error) {
    return fail(error.kind, error.what());
  } catch (const std::bad_alloc&) {
    return fail(TORCH_NP_MEMORY_ERROR, "out of memory");
  } catch (const std::exception& error) {
    return fail(TORCH_NP_RUNTIME_ERROR, error.what());
  } catch (...) {
    return fail(TORCH_NP_RUNTIME_ERROR, "an exception that is not a std::exception was thrown");
  }
}

using Function = std::function<void(const TorchNpCall*)>;

// The C++ side of an operator. The C functions in its table find it through `user`.
class OperatorBase {
 public:
  virtual ~OperatorBase() = default;

 protected:
  OperatorBase(std::string name, const char* schema) : name_(std::move(name)), schema_(schema ? schema : "") {
    table_.size = sizeof(table_);
    table_.name = name_.c_str();
    table_.schema = schema ? schema_.c_str() : nullptr;
    table_.user = this;
  }
  OperatorBase(const OperatorBase&) = delete;
  OperatorBase& operator=(const OperatorBase&) = delete;

  template <Function OperatorBase::* function>
  static int32_t run(const TorchNpOperator* op, const TorchNpCall* call) {
    return guarded(call, [&] { (static_cast<OperatorBase*>(op->user)->*function)(call); });
  }
  // Whether `name` means the CPU; otherwise it means a GPU. An unknown name is reported when the
  // library is loaded, because no handler catches exceptions before that.
  bool on_cpu(const char* name) {
    const std::string_view device(name ? name : "");
    const bool gpu = device == "gpu" || device == "cuda";
    if (!gpu && device != "cpu") mistake_ = "no device '" + std::string(device) + "': expected 'cpu' or 'gpu'";
    return !gpu;
  }
  void set_doc(const char* text) { doc_ = text ? text : "", table_.doc = text ? doc_.c_str() : nullptr; }

  Function parse_attributes_, infer_, mutate_inputs_, create_state_, forward_cpu_, forward_gpu_, backward_cpu_,
      backward_gpu_, gradient_;
  TorchNpOperator table_{};
  std::string name_, schema_, doc_, letters_, mistake_;

  void fill() {  // called when the library is loaded
    table_.parse_attributes = parse_attributes_ ? run<&OperatorBase::parse_attributes_> : nullptr;
    table_.infer = infer_ ? run<&OperatorBase::infer_> : nullptr;
    table_.mutate_inputs = mutate_inputs_ ? run<&OperatorBase::mutate_inputs_> : nullptr;
    table_.create_state = create_state_ ? run<&OperatorBase::create_state_> : nullptr;
    table_.forward_cpu = forward_cpu_ ? run<&OperatorBase::forward_cpu_> : nullptr;
    table_.forward_gpu = forward_gpu_ ? run<&OperatorBase::forward_gpu_> : nullptr;
    table_.backward_cpu = backward_cpu_ ? run<&OperatorBase::backward_cpu_> : nullptr;
    table_.backward_gpu = backward_gpu_ ? run<&OperatorBase::backward_gpu_> : nullptr;
    table_.gradient = gradient_ ? run<&OperatorBase::gradient_> : nullptr;
    table_.parameter_letters = letters_.empty() ? nullptr : letters_.c_str();
  }
  friend struct Registry;
};

// The part of Partitioner (part 5) that Registry needs.
class PartitionerBase {
 public:
  virtual ~PartitionerBase() = default;
  virtual const TorchNpPartitioner* filled() = 0;
};

struct Registry {
  std::vector<std::unique_ptr<OperatorBase>> operators;
  std::vector<const TorchNpOperator*> tables;
  std::vector<std::unique_ptr<PartitionerBase>> partitioners;
  std::vector<const TorchNpPartitioner*> partitioner_tables;
  TorchNpLibrary library{};
  const TorchNpLibrary* filled() {
    tables.clear();
    for (const auto& op : operators) {
      if (!op->mistake_.empty()) throw ValueError("operator " + op->name_ + ": " + op->mistake_);
      op->fill();
      tables.push_back(&op->table_);
    }
    partitioner_tables.clear();
    for (const auto& partitioner : partitioners) partitioner_tables.push_back(partitioner->filled());
    library = {sizeof(library), static_cast<int64_t>(tables.size()), tables.data(),
               static_cast<int64_t>(partitioner_tables.size()), partitioner_tables.data()};
    return &library;
  }
  template <class Operator>
  Operator& add(std::unique_ptr<Operator> op) {
    Operator& added = *op;
    if constexpr (std::is_base_of_v<PartitionerBase, Operator>)
      partitioners.push_back(std::move(op));
    else
      operators.push_back(std::move(op));
    return added;
  }
};

}  // namespace detail
}  // namespace v1
}  // namespace torch_np

// The registry of a library: one per library, however many source files and compilers it uses.
// Hidden, because libraries would otherwise share it.
__attribute__((weak, visibility("hidden"))) torch_np::detail::Registry* torch_np_registry_of_library = nullptr;

namespace torch_np {
inline namespace v1 {
namespace detail {
__attribute__((visibility("hidden"))) inline Registry&
registry() {  // also hidden: libraries may be linked against each other
  if (!torch_np_registry_of_library) torch_np_registry_of_library = new Registry;
  return *torch_np_registry_of_library;
}

// --------------------------------------------------------------------------------------------------------------------
// 3. Operators by a schema

// Conversion of a schema argument to a parameter of a C++ function. `letter` is compared with the
// schema when the library loads.
template <class T>
struct Parameter {
  static_assert(sizeof(T) == 0,
                "expected torch_np::Tensor, std::vector<torch_np::Tensor>, bool, int64_t, double, "
                "std::complex<double>, std::string, "
                "std::string_view, a std::vector of bool, int64_t or double, or a std::optional of one of these");
};
#define TORCH_NP_PARAMETER(T, code, ...)                            \
  template <>                                                       \
  struct Parameter<T> {                                             \
    static std::string letters() { return code; }                   \
    static T read(const TorchNpCall* call, size_t i) {              \
      [[maybe_unused]] const auto& v = call->arguments[i];          \
      [[maybe_unused]] const auto n = static_cast<size_t>(v.count); \
      return __VA_ARGS__;                                           \
    }                                                               \
  };
TORCH_NP_PARAMETER(bool, "b", v.as.integer != 0)
TORCH_NP_PARAMETER(int64_t, "i", v.as.integer)
TORCH_NP_PARAMETER(double, "f", v.kind == TORCH_NP_FLOAT ? v.as.numbers[0] : static_cast<double>(v.as.integer))
TORCH_NP_PARAMETER(std::complex<double>, "c",
                   v.kind == TORCH_NP_COMPLEX ? std::complex<double>(v.as.numbers[0], v.as.numbers[1])
                   : v.kind == TORCH_NP_FLOAT ? v.as.numbers[0]
                                              : static_cast<double>(v.as.integer))
TORCH_NP_PARAMETER(std::string_view, "s", std::string_view(v.as.string, n))
TORCH_NP_PARAMETER(std::string, "s", std::string(v.as.string, n))
TORCH_NP_PARAMETER(std::vector<int64_t>, "I", std::vector<int64_t>(v.as.int_list, v.as.int_list + n))
TORCH_NP_PARAMETER(std::vector<double>, "F", std::vector<double>(v.as.float_list, v.as.float_list + n))
TORCH_NP_PARAMETER(std::vector<bool>, "B", std::vector<bool>(v.as.bool_list, v.as.bool_list + n))
TORCH_NP_PARAMETER(Value, "T", v.kind == TORCH_NP_NONE ? Value() : Value(call, call->input_handles[v.as.integer]))
#undef TORCH_NP_PARAMETER
template <>
struct Parameter<Tensor> {  // results come after the arguments
  static std::string letters() { return "T"; }
  static Tensor read(const TorchNpCall* call, size_t i) {
    const auto n = static_cast<size_t>(call->num_arguments);
    if (i >= n) return Tensor(call->outputs + (i - n));
    const TorchNpValue& v = call->arguments[i];
    return v.kind == TORCH_NP_NONE ? Tensor() : Tensor(call->inputs + v.as.integer);
  }
};
template <class T>
struct Parameter<std::optional<T>> {
  static std::string letters() { return Parameter<T>::letters() + "?"; }
  static std::optional<T> read(const TorchNpCall* call, size_t i) {
    if (call->arguments[i].kind == TORCH_NP_NONE) return std::nullopt;
    return Parameter<T>::read(call, i);
  }
};
template <>
struct Parameter<std::vector<Tensor>> {
  static std::string letters() { return "L"; }
  static std::vector<Tensor> read(const TorchNpCall* call, size_t i) {
    std::vector<Tensor> tensors;
    const bool is_result = i >= static_cast<size_t>(call->num_arguments);
    const TorchNpTensor* first = is_result ? call->outputs : call->inputs + call->arguments[i].as.integer;
    const int64_t count = is_result ? call->num_outputs : call->arguments[i].count;
    for (int64_t k = 0; k < count; ++k) tensors.emplace_back(first + k);
    return tensors;
  }
};
template <>
struct Parameter<std::vector<Value>> {
  static std::string letters() { return "L"; }
  static std::vector<Value> read(const TorchNpCall* call, size_t i) {
    std::vector<Value> values;
    const TorchNpValue& v = call->arguments[i];
    for (int64_t k = 0; k < v.count; ++k) values.emplace_back(call, call->input_handles[v.as.integer + k]);
    return values;
  }
};

template <class P, class T>
inline constexpr bool kIsOneOrSeveral =
    std::is_same_v<std::decay_t<P>, T> || std::is_same_v<std::decay_t<P>, std::vector<T>>;
template <class P>
inline constexpr bool kIsOfGraph = kIsOneOrSeveral<P, Value>;
template <class P>
inline constexpr bool kIsWithData = kIsOneOrSeveral<P, Tensor>;

template <class... Ps>
std::string letters_of() {
  return (std::string() + ... + Parameter<std::decay_t<Ps>>::letters());
}
// Calls f(first..., arguments of the call...).
template <class R, class... Ps, class F, class First, size_t... i>
R call_with(F f, First& first, const TorchNpCall* call, std::index_sequence<i...>) {
  return f(first, Parameter<std::decay_t<Ps>>::read(call, i)...);
}
template <class R, class... Ps, class F, size_t... i>
R call_plain(F f, const TorchNpCall* call, std::index_sequence<i...>) {
  return f(Parameter<std::decay_t<Ps>>::read(call, i)...);
}

inline void give(const TorchNpCall* call, int64_t i, const Shape& shape) {
  check(call->host->set_output_shape(call->context, i, static_cast<int32_t>(shape.size()), shape.data()));
}
inline void give_dtype(const TorchNpCall* call, int64_t i, int dtype) {
  check(call->host->set_output_dtype(call->context, i, static_cast<uint8_t>(dtype >> 8),
                                     static_cast<uint8_t>(dtype & 0xff)));
}
inline void give(const TorchNpCall* call, int64_t i, const Spec& spec) {
  give(call, i, spec.shape);
  give_dtype(call, i, spec.dtype);
}
template <class T>
void give_all(const TorchNpCall* call, const T& one) {
  give(call, 0, one);
}
template <class T>
void give_all(const TorchNpCall* call, const std::vector<T>& results) {
  check(call->host->set_counts(call->context, call->num_inputs, static_cast<int64_t>(results.size())));
  for (size_t i = 0; i < results.size(); ++i) give(call, static_cast<int64_t>(i), results[i]);
}
inline void give_all(const TorchNpCall* call, const Shape& one) { give(call, 0, one); }

}  // namespace detail

// The tensors that backward reads and writes. Indices count the schema's Tensors only, inputs and
// outputs separately.
class Gradient : public OpResource {
 public:
  explicit Gradient(const TorchNpCall* call) : OpResource(call), call_(call) {}
  Tensor grad(int64_t output = 0) const { return Tensor(call_->output_grads + in(output, call_->num_outputs)); }
  Tensor output(int64_t i = 0) const { return Tensor(call_->outputs + in(i, call_->num_outputs)); }
  Tensor input(int64_t i = 0) const { return Tensor(call_->inputs + in(i, call_->num_inputs)); }
  Tensor input_grad(int64_t input = 0) const { return Tensor(call_->input_grads + in(input, call_->num_inputs)); }
  Req req(int64_t input = 0) const { return static_cast<Req>(call_->input_req[in(input, call_->num_inputs)]); }

 private:
  static int64_t in(int64_t i, int64_t n) {
    if (i < 0 || i >= n) throw ValueError("number " + std::to_string(i) + " of " + std::to_string(n));
    return i;
  }
  const TorchNpCall* call_;
};

namespace detail {
inline void set_gradients(const TorchNpCall* call, const std::vector<Value>& gradients) {
  if (static_cast<int64_t>(gradients.size()) != call->num_inputs)
    throw ValueError("the derivative gave " + std::to_string(gradients.size()) + " gradients for " +
                     std::to_string(call->num_inputs) + " inputs");
  for (size_t i = 0; i < gradients.size(); ++i)
    check(call->host->set_gradient(call->context, static_cast<int64_t>(i), gradients[i].handle()));
}
}  // namespace detail

// Builder of an operator: TORCH_NP_OP(...).shape(f).gradient(g). The functions accept the schema's
// arguments as C++ types: Tensor, std::vector<Tensor> for Tensor[], int64_t, double, bool,
// std::string, std::complex<double> for Scalar, std::vector<int64_t> ..., std::optional for `?`
// (but a `Tensor?` is a Tensor that may be not defined()). A leading `const OpResource&` parameter
// is optional.
class Definition final : public detail::OperatorBase {
 public:
  explicit Definition(const char* schema) : Definition(std::string_view(schema ? schema : "")) {}
  // Sets the function that writes the results, which follow the arguments: void f(Tensor a, double
  // alpha, Tensor result).
  template <class R, class... Ps>
  Definition& forward(R (*f)(Ps...), const char* device = "cpu") {
    return set(on_cpu(device) ? forward_cpu_ : forward_gpu_, f, nullptr);
  }
  // Sets the function that infers the results' shapes from arguments without data: Shape f(...),
  // which keeps the first input's dtype, Spec f(...), or std::vector<Spec> f(...). Without this
  // function, results have the shape and dtype of the first input.
  template <class R, class... Ps>
  Definition& shape(R (*f)(Ps...)) {
    if (!f) return *this;
    note<Ps...>("shape");
    infer_ = [f](const TorchNpCall* call) {
      detail::give_all(call, detail::call_plain<R, Ps...>(f, call, std::index_sequence_for<Ps...>()));
    };
    return *this;
  }
  // Sets the function that writes the gradients of the inputs: void f(const Gradient&, ...).
  template <class... Ps>
  Definition& gradient(void (*f)(const Gradient&, Ps...), const char* device = "cpu") {
    if (!f) return *this;
    note<Ps...>("gradient");
    (on_cpu(device) ? backward_cpu_ : backward_gpu_) = [f](const TorchNpCall* call) {
      const Gradient gradient(call);
      detail::call_with<void, Ps...>(f, gradient, call, std::index_sequence_for<Ps...>());
    };
    return *this;
  }
  // Sets the function that composes the gradients of the inputs from operators: std::vector<Value>
  // f(const Graph&, ...). It works on every device and can be differentiated again. A Value that is
  // not defined() means zero.
  template <class... Ps>
  Definition& gradient(std::vector<Value> (*f)(const Graph&, Ps...)) {
    static_assert(!(detail::kIsWithData<Ps> || ...),
                  "a derivative made of operators takes Value; Tensor is of functions with data");
    if (!f) return *this;
    note_letters<Ps...>("gradient");
    gradient_ = [f](const TorchNpCall* call) {
      const Graph graph(call);
      detail::set_gradients(
          call, detail::call_with<std::vector<Value>, Ps...>(f, graph, call, std::index_sequence_for<Ps...>()));
    };
    return *this;
  }
  Definition& doc(const char* text) { return set_doc(text), *this; }
  Definition& takes_strides() { return table_.flags |= TORCH_NP_TAKES_STRIDES, *this; }
  // States that the derivative reads neither the inputs nor the outputs. torch_np then does not
  // save them for backward.
  Definition& saves_no_inputs() { return table_.flags |= TORCH_NP_SAVES_NO_INPUTS, *this; }
  Definition& saves_no_outputs() { return table_.flags |= TORCH_NP_SAVES_NO_OUTPUTS, *this; }
  Definition& saves_no_mutated() { return table_.flags |= TORCH_NP_SAVES_NO_MUTATED, *this; }
  Definition& takes_req() { return table_.flags |= TORCH_NP_TAKES_REQ, *this; }

 private:
  explicit Definition(std::string_view schema)  // torch_np refuses an empty name when it loads the library
      : OperatorBase(std::string(schema.substr(0, schema.find('('))), std::string(schema).c_str()) {
    table_.schema = schema_.c_str() + name_.size();
    while (!name_.empty() && name_.back() == ' ') name_.pop_back();
    table_.name = name_.c_str();
  }
  template <class... Ps>
  void note(const char* function) {
    static_assert(!(detail::kIsOfGraph<Ps> || ...),
                  "functions with data take Tensor; Value is of derivatives made of operators");
    note_letters<Ps...>(function);
  }
  template <class... Ps>
  void note_letters(const char* function) {
    letters_ += (letters_.empty() ? "" : ";") + (function + (":" + detail::letters_of<Ps...>()));
  }
  template <class R, class... Ps>
  Definition& set(detail::Function& function, R (*f)(const OpResource&, Ps...), std::nullptr_t) {
    if (!f) return *this;
    note<Ps...>("forward");
    function = [f](const TorchNpCall* call) {
      const OpResource resource(call);
      detail::call_with<R, Ps...>(f, resource, call, std::index_sequence_for<Ps...>());
    };
    return *this;
  }
  template <class R, class... Ps>
  Definition& set(detail::Function& function, R (*f)(Ps...), const void*) {
    if (!f) return *this;
    note<Ps...>("forward");
    function = [f](const TorchNpCall* call) {
      detail::call_plain<R, Ps...>(f, call, std::index_sequence_for<Ps...>());
    };
    return *this;
  }
};

// --------------------------------------------------------------------------------------------------------------------
// 4. Operators by MXNet's setters

enum MXReturnValue { MX_FAIL = 0, MX_SUCCESS = 1 };

// Attributes by name, all of them strings. Functions may also accept a std::map or
// std::unordered_map of std::string.
struct Attributes : std::map<std::string, std::string> {
  operator std::unordered_map<std::string, std::string>() const { return {begin(), end()}; }
  // The value of an attribute, or `otherwise` if it was not given. Throws ValueError if the text
  // does not parse entirely.
  double number(const char* name, double otherwise) const {
    return read(name, otherwise, "a number", [](const std::string& text, double& to) {
#ifdef __cpp_lib_to_chars
      return is_whole(std::from_chars(text.data(), text.data() + text.size(), to), text);
#else
      char* end;
      to = std::strtod(text.c_str(), &end);
      return !text.empty() && text[0] > ' ' && end == text.data() + text.size();
#endif
    });
  }
  int64_t integer(const char* name, int64_t otherwise) const {
    return read(name, otherwise, "an integer", [](const std::string& text, int64_t& to) {
      return is_whole(std::from_chars(text.data(), text.data() + text.size(), to), text);
    });
  }
  bool boolean(const char* name, bool otherwise) const {
    return read(name, otherwise, "True or False", [](const std::string& text, bool& to) {
      to = text == "True" || text == "true" || text == "1";
      return to || text == "False" || text == "false" || text == "0";
    });
  }
  std::string text(const char* name, const std::string& otherwise) const {
    const auto found = find(name);
    return found == end() ? otherwise : found->second;
  }
  // Throws TypeError for attributes with other names.
  void expect_only(std::initializer_list<std::string_view> names) const {
    for (const auto& attribute : *this) {
      bool known = false;
      std::string all;
      for (std::string_view name : names)
        known |= name == attribute.first, all += (all.empty() ? "" : ", ") + std::string(name);
      if (!known)
        throw TypeError("there is no attribute '" + attribute.first + "': expected " + (all.empty() ? "none" : all));
    }
  }

 private:
  static bool is_whole(std::from_chars_result result, const std::string& text) {
    return result.ec == std::errc() && result.ptr == text.data() + text.size();
  }
  template <class T, class F>
  T read(const char* name, T otherwise, const char* expected, F parse) const {
    if (empty()) return otherwise;
    const auto found = find(name);
    if (found == end()) return otherwise;
    T value{};
    if (!parse(found->second, value))
      throw ValueError("attribute '" + found->first + "': expected " + expected + ", got '" + found->second + "'");
    return value;
  }
};

// A Tensor with MXNet's interface.
struct MXTensor {
  explicit MXTensor(const TorchNpTensor& t, int32_t req = TORCH_NP_REQ_WRITE)
      : data_ptr(t.data),
        dtype(Tensor(&t).dtype()),
        shape(t.shape, t.shape + t.ndim),
        dltensor(t),
        req(static_cast<Req>(req)) {}
  // Throws TypeError unless elements are of type T.
  template <class T>
  T* data() const {
    return Tensor(&dltensor).data<T>();
  }
  int64_t size() const { return Tensor(&dltensor).numel(); }
  void* data_ptr;
  int dtype;  // a Dtype
  std::vector<int64_t> shape;
  TorchNpTensor dltensor;
  Req req;  // write mode of a gradient in backward

 private:
  friend class CustomOp;
  void set(const TorchNpTensor& t, int32_t new_req) {  // same as the constructor
    data_ptr = t.data, dtype = Tensor(&t).dtype(), dltensor = t, req = static_cast<Req>(new_req);
    shape.assign(t.shape, t.shape + t.ndim);
  }
};
using MXTensors = std::vector<MXTensor>;

// The state of an operator, shared by forward and backward. Backward's inputs are the gradients of
// the outputs, the inputs and the outputs, in this order.
class CustomStatefulOp {
 public:
  virtual ~CustomStatefulOp() = default;
  virtual MXReturnValue Forward(MXTensors& inputs, MXTensors& outputs, const OpResource& resource) = 0;
  virtual MXReturnValue Backward(MXTensors&, MXTensors&, const OpResource&) {
    throw Error(TORCH_NP_NOT_IMPLEMENTED_ERROR, "no backward");
  }
};

// Builder of an operator: REGISTER_OP(my_gemm).setForward(forward,
// "cpu").setInferShape(inferShape)... Functions return MX_SUCCESS, or throw.
class CustomOp final : public detail::OperatorBase {
 public:
  explicit CustomOp(const char* name) : OperatorBase(name, nullptr) {}
  ~CustomOp() override { delete lists_.load(); }
  // Sets f(attributes, int* num_inputs, int* num_outputs). Without this function, an
  // operator has any number of inputs and one output.
  template <class F>
  CustomOp& setParseAttrs(F f) {
    parse_attributes_ = [f](const TorchNpCall* call) {
      int inputs = -1, outputs = -1;
      expect(f(attributes(call), &inputs, &outputs), "parseAttrs");
      detail::check(call->host->set_counts(call->context, inputs, outputs));
    };
    return *this;
  }
  // Sets f(attributes, std::vector<int>& input_dtypes, std::vector<int>& output_dtypes), with Dtype
  // values. Without this function, every output has the first input's dtype.
  template <class F>
  CustomOp& setInferType(F f) {
    infer_type_ = [f](const TorchNpCall* call, const Attributes& given, Lists& lists) {
      const int usual = call->num_inputs ? Tensor(call->inputs).dtype() : kFloat32;
      std::vector<int>&in = lists.input_dtypes, &out = lists.output_dtypes;
      in.clear(), out.assign(static_cast<size_t>(call->num_outputs), usual);
      for (int64_t i = 0; i < call->num_inputs; ++i) in.push_back(Tensor(call->inputs + i).dtype());
      expect(f(given, in, out), "inferType", TORCH_NP_TYPE_ERROR);
      check_count(out.size(), call, "inferType");
      for (size_t i = 0; i < out.size(); ++i)  // torch_np itself defaults to the first input's dtype
        if (out[i] != usual || !call->num_inputs) detail::give_dtype(call, static_cast<int64_t>(i), out[i]);
    };
    return with_infer();
  }
  // Sets f(attributes, input_shapes, output_shapes), of std::vector<std::vector<T>>&, where T is
  // int64_t or unsigned int. Without this function, every output has the first input's shape.
  template <class F>
  CustomOp& setInferShape(F f) {
    infer_shape_ = [f](const TorchNpCall* call, const Attributes& given, Lists& lists) {
      using Narrow = std::vector<std::vector<unsigned int>>;
      if constexpr (std::is_invocable_v<const F&, const Attributes&, Wide&, Wide&>) {
        infer_shapes(f, call, given, lists.input_shapes, lists.output_shapes);
      } else {
        Narrow in, out;
        infer_shapes(f, call, given, in, out);
      }
    };
    return with_infer();
  }
  // Sets f(attributes, inputs, outputs), or f(attributes, inputs, outputs, resource), of
  // MXTensors&. `device`: "cpu" or "gpu".
  template <class F>
  CustomOp& setForward(F f, const char* device) {
    if (is_null(f)) return *this;
    (on_cpu(device) ? forward_cpu_ : forward_gpu_) = [this, f](const TorchNpCall* call) {
      const Borrowed lists(lists_);
      lists->set_forward(call);
      run(f, call, lists->inputs, lists->outputs, "forward");
    };
    return *this;
  }
  // Like setForward. The inputs are the gradients of the outputs, then the inputs, then the
  // outputs; the outputs are the gradients of the inputs.
  template <class F>
  CustomOp& setBackward(F f, const char* device) {
    if (is_null(f)) return *this;
    (on_cpu(device) ? backward_cpu_ : backward_gpu_) = [this, f](const TorchNpCall* call) {
      const Borrowed lists(lists_);
      lists->set_backward(call);
      run(f, call, lists->inputs, lists->outputs, "backward");
    };
    return *this;
  }
  // Sets the function f(attributes, const Graph&) that returns the gradients of the inputs as a
  // std::vector<Value>, composed of operators, so that it can be differentiated again. Replaces
  // setBackward.
  template <class F>
  CustomOp& setGradient(F f) {
    gradient_ = [f](const TorchNpCall* call) {
      const Graph graph(call);
      detail::set_gradients(call, f(attributes(call), graph));
    };
    return *this;
  }
  // Sets the function f(attributes, std::vector<int>& input_indices) that lists the inputs that
  // forward modifies.
  template <class F>
  CustomOp& setMutateInputs(F f) {
    mutate_inputs_ = [f](const TorchNpCall* call) {
      std::vector<int> indices;
      expect(f(attributes(call), indices), "mutateInputs");
      for (int i : indices) detail::check(call->host->set_mutated(call->context, i));
    };
    return *this;
  }
  // Sets f(attributes, CustomStatefulOp**), which replaces forward and backward. `device` ("cpu" or
  // "gpu") is where the state's functions compute; each device may have its own.
  template <class F>
  CustomOp& setCreateOpState(F f, const char* device = "cpu") {
    const bool cpu = on_cpu(device);
    (cpu ? create_cpu_ : create_gpu_) = [f](const TorchNpCall* call) {
      CustomStatefulOp* made = nullptr;
      const MXReturnValue value = f(attributes(call), &made);
      std::unique_ptr<CustomStatefulOp> state(made);
      expect(value, "createOpState");
      if (!state) throw Error(TORCH_NP_RUNTIME_ERROR, "createOpState gave no state");
      detail::check(call->host->set_state(call->context, state.get()));
      state.release();
    };
    create_state_ = [this](const TorchNpCall* call) {
      const bool gpu = call->device_type == 2 ? create_gpu_ != nullptr : create_cpu_ == nullptr;
      (gpu ? create_gpu_ : create_cpu_)(call);
    };
    table_.delete_state = [](const TorchNpOperator*, void* state) { delete static_cast<CustomStatefulOp*>(state); };
    (cpu ? forward_cpu_ : forward_gpu_) = [this](const TorchNpCall* call) {
      const Borrowed lists(lists_);
      lists->set_forward(call);
      auto* state = static_cast<CustomStatefulOp*>(call->state);
      expect(state->Forward(lists->inputs, lists->outputs, OpResource(call)), "Forward");
    };
    (cpu ? backward_cpu_ : backward_gpu_) = [this](const TorchNpCall* call) {
      const Borrowed lists(lists_);
      lists->set_backward(call);
      auto* state = static_cast<CustomStatefulOp*>(call->state);
      expect(state->Backward(lists->inputs, lists->outputs, OpResource(call)), "Backward");
    };
    return *this;
  }
  CustomOp& setDoc(const char* text) { return set_doc(text), *this; }
  CustomOp& setTakesStrides() { return table_.flags |= TORCH_NP_TAKES_STRIDES, *this; }
  // States that the derivative reads neither the inputs nor the outputs. torch_np then does not
  // save them for backward.
  CustomOp& setSavesNoInputs() { return table_.flags |= TORCH_NP_SAVES_NO_INPUTS, *this; }
  CustomOp& setSavesNoOutputs() { return table_.flags |= TORCH_NP_SAVES_NO_OUTPUTS, *this; }
  CustomOp& setSavesNoMutated() { return table_.flags |= TORCH_NP_SAVES_NO_MUTATED, *this; }
  CustomOp& setTakesReq() { return table_.flags |= TORCH_NP_TAKES_REQ, *this; }

 private:
  // Argument and result lists for the functions. Calls reuse them, to avoid allocations.
  using Wide = std::vector<std::vector<int64_t>>;
  struct Lists {
    std::vector<int> input_dtypes, output_dtypes;
    Wide input_shapes, output_shapes;
    MXTensors inputs, outputs;
    void set_forward(const TorchNpCall* call) {
      size_t n = 0, m = 0;
      for (int64_t i = 0; i < call->num_inputs; ++i) set(inputs, n++, call->inputs[i]);
      for (int64_t i = 0; i < call->num_outputs; ++i) set(outputs, m++, call->outputs[i]);
      cut(n, m);
    }
    void set_backward(const TorchNpCall* call) {
      size_t n = 0, m = 0;
      for (int64_t i = 0; i < call->num_outputs; ++i) set(inputs, n++, call->output_grads[i]);
      for (int64_t i = 0; i < call->num_inputs; ++i) set(inputs, n++, call->inputs[i]);
      for (int64_t i = 0; i < call->num_outputs; ++i) set(inputs, n++, call->outputs[i]);
      for (int64_t i = 0; i < call->num_inputs; ++i) set(outputs, m++, call->input_grads[i], call->input_req[i]);
      cut(n, m);
    }

   private:
    static void set(MXTensors& list, size_t i, const TorchNpTensor& t, int32_t req = TORCH_NP_REQ_WRITE) {
      if (i < list.size())
        list[i].set(t, req);
      else
        list.emplace_back(t, req);
    }
    void cut(size_t n, size_t m) {
      inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(n), inputs.end());
      outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(m), outputs.end());
    }
  };
  // Leases the operator's lists, or allocates new ones while another call holds them.
  class Borrowed {
   public:
    explicit Borrowed(std::atomic<Lists*>& place) : place_(place), lists_(place.exchange(nullptr)) {
      if (!lists_) lists_ = std::make_unique<Lists>();
    }
    ~Borrowed() { delete place_.exchange(lists_.release()); }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    Lists* operator->() const { return lists_.get(); }
    Lists& get() const { return *lists_; }

   private:
    std::atomic<Lists*>& place_;
    std::unique_ptr<Lists> lists_;
  };
  static void expect(MXReturnValue value, const char* function, int32_t kind = TORCH_NP_RUNTIME_ERROR) {
    if (value != MX_SUCCESS) throw Error(kind, std::string(function) + " failed");
  }
  static void check_count(size_t given, const TorchNpCall* call, const char* function) {
    if (static_cast<int64_t>(given) != call->num_outputs)
      throw ValueError(std::string(function) + " gave " + std::to_string(given) + " results for " +
                       std::to_string(call->num_outputs) + " outputs");
  }
  template <class F>
  static bool is_null(const F& f) {
    if constexpr (std::is_convertible_v<F, const void*> || std::is_null_pointer_v<F>)
      return f == nullptr;
    else if constexpr (std::is_pointer_v<F>)
      return f == nullptr;
    else
      return false;
  }
  static Attributes attributes(const TorchNpCall* call) {
    Attributes named;
    for (int64_t i = 0; i < call->num_arguments; ++i) {
      const TorchNpValue& v = call->arguments[i];
      named.emplace(std::piecewise_construct, std::forward_as_tuple(call->argument_names[i]),
                    std::forward_as_tuple(v.as.string, static_cast<size_t>(v.count)));
    }
    return named;
  }
  template <class F>
  static void run(const F& f, const TorchNpCall* call, MXTensors& inputs, MXTensors& outputs, const char* function) {
    if constexpr (std::is_null_pointer_v<F>)
      return;
    else if constexpr (std::is_invocable_v<const F&, const Attributes&, MXTensors&, MXTensors&, OpResource>)
      expect(f(attributes(call), inputs, outputs, OpResource(call)), function);
    else
      expect(f(attributes(call), inputs, outputs), function);
  }
  template <class Shapes, class F>
  static void infer_shapes(const F& f, const TorchNpCall* call, const Attributes& given, Shapes& in, Shapes& out) {
    using Size = typename Shapes::value_type::value_type;
    in.resize(static_cast<size_t>(call->num_inputs)), out.resize(static_cast<size_t>(call->num_outputs));
    for (auto& shape : out) shape.clear();
    for (size_t i = 0; i < in.size(); ++i) {
      const TorchNpTensor& t = call->inputs[i];
      for (int32_t d = 0; !std::is_same_v<Size, int64_t> && d < t.ndim; ++d)
        if (static_cast<uint64_t>(t.shape[d]) > static_cast<uint64_t>(std::numeric_limits<Size>::max()))
          throw ValueError("inferShape takes sizes as unsigned int, which " + std::to_string(t.shape[d]) +
                           " does not fit into");
      in[i].assign(t.shape, t.shape + t.ndim);
    }
    expect(f(given, in, out), "inferShape", TORCH_NP_VALUE_ERROR);
    check_count(out.size(), call, "inferShape");
    for (size_t i = 0; i < out.size(); ++i) {
      if constexpr (std::is_same_v<Size, int64_t>)
        detail::give(call, static_cast<int64_t>(i), out[i]);
      else
        detail::give(call, static_cast<int64_t>(i), Shape(out[i].begin(), out[i].end()));
    }
  }
  CustomOp& with_infer() {
    infer_ = [this](const TorchNpCall* call) {
      const Attributes given = attributes(call);
      const Borrowed lists(lists_);
      if (infer_type_) infer_type_(call, given, lists.get());
      if (infer_shape_) infer_shape_(call, given, lists.get());
    };
    return *this;
  }
  std::function<void(const TorchNpCall*, const Attributes&, Lists&)> infer_type_, infer_shape_;
  std::atomic<Lists*> lists_{nullptr};
  detail::Function create_cpu_, create_gpu_;
};

// --------------------------------------------------------------------------------------------------------------------
// 5. Subgraphs of compiled functions

// An argument of a node: a tensor, or a constant number, string or list.
class NodeArgument {
 public:
  explicit NodeArgument(const TorchNpValue& v) : value_(v) {
    const auto n = static_cast<size_t>(v.count);
    if (v.kind == TORCH_NP_STRING) text_.assign(v.as.string, n);
    if (v.kind == TORCH_NP_INTS) integers_.assign(v.as.int_list, v.as.int_list + n);
    if (v.kind == TORCH_NP_FLOATS) numbers_.assign(v.as.float_list, v.as.float_list + n);
    if (v.kind == TORCH_NP_BOOLS) integers_.assign(v.as.bool_list, v.as.bool_list + n);
  }
  TorchNpKind kind() const { return static_cast<TorchNpKind>(value_.kind); }
  bool is_none() const { return kind() == TORCH_NP_NONE; }
  bool is_tensor() const { return kind() == TORCH_NP_TENSOR; }
  // For a tensor: its index among the node's inputs. For a list of tensors: the index of the first,
  // and their count.
  size_t input() const { return static_cast<size_t>(of(TORCH_NP_TENSOR, TORCH_NP_TENSORS).as.integer); }
  size_t count() const { return static_cast<size_t>(of(TORCH_NP_TENSOR, TORCH_NP_TENSORS).count); }
  bool boolean() const { return of(TORCH_NP_BOOL, TORCH_NP_BOOL).as.integer != 0; }
  int64_t integer() const { return of(TORCH_NP_INT, TORCH_NP_BOOL).as.integer; }
  double number() const { return kind() == TORCH_NP_FLOAT ? value_.as.numbers[0] : static_cast<double>(integer()); }
  const std::string& text() const { return of(TORCH_NP_STRING, TORCH_NP_STRING), text_; }
  const std::vector<int64_t>& integers() const { return of(TORCH_NP_INTS, TORCH_NP_BOOLS), integers_; }
  const std::vector<double>& numbers() const { return of(TORCH_NP_FLOATS, TORCH_NP_FLOATS), numbers_; }

 private:
  const TorchNpValue& of(TorchNpKind a, TorchNpKind b) const {
    if (kind() != a && kind() != b) throw TypeError("an argument of a node is read as another type than it has");
    return value_;
  }
  TorchNpValue value_;
  std::string text_;
  std::vector<int64_t> integers_;
  std::vector<double> numbers_;
};

// An array within a subgraph.
struct SubgraphValue {
  Shape shape, strides;  // strides in elements
  Dtype dtype;
  const void* constant = nullptr;  // the elements of a constant, valid as long as the executor lives
};

struct SubgraphNode {
  std::string op;  // spelled as in f.lower()
  std::vector<NodeArgument> arguments;
  std::vector<size_t> inputs, outputs;  // indices into the subgraph's values
};

// The operators and values that an executor computes. An executor may keep a copy.
struct Subgraph {
  Subgraph(const TorchNpSubgraph& from, const TorchNpCall* call) {
    for (int64_t i = 0; i < from.num_values; ++i) {
      const TorchNpTensor& t = from.values[i];
      values.push_back({Shape(t.shape, t.shape + t.ndim), Shape(t.strides, t.strides + t.ndim),
                        static_cast<Dtype>(t.dtype_code << 8 | t.dtype_bits), t.data});
    }
    const auto numbers = [](const int64_t* list, int64_t count) { return std::vector<size_t>(list, list + count); };
    for (int64_t i = 0; i < from.num_nodes; ++i) {
      const TorchNpNode& n = *from.nodes[i];
      nodes.push_back({n.op, std::vector<NodeArgument>(n.arguments, n.arguments + n.num_arguments),
                       numbers(n.inputs, n.num_inputs), numbers(n.outputs, n.num_outputs)});
    }
    inputs = numbers(from.inputs, from.num_inputs);
    outputs = numbers(from.outputs, from.num_outputs);
    for (int64_t i = 0; i < call->num_arguments; ++i)
      options.emplace(call->argument_names[i],
                      std::string(call->arguments[i].as.string, static_cast<size_t>(call->arguments[i].count)));
  }
  const SubgraphValue& input(const SubgraphNode& node, size_t i) const { return values.at(node.inputs.at(i)); }
  const SubgraphValue& output(const SubgraphNode& node, size_t i = 0) const { return values.at(node.outputs.at(i)); }

  std::vector<SubgraphValue> values;
  std::vector<SubgraphNode> nodes;  // in topological order
  std::vector<size_t> inputs, outputs;
  Attributes options;  // options of torch_np.compile
};

// Computes a subgraph in each call of the compiled function. Several threads may call it at once.
class SubgraphExecutor {
 public:
  virtual ~SubgraphExecutor() = default;
  // Arrays are in the order of the subgraph's inputs and outputs. Exceptions propagate to the
  // caller of the compiled function.
  virtual void forward(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs,
                       const OpResource& resource) const = 0;
};

// A backend of torch_np.compile, for example
// REGISTER_PARTITIONER(log_exp).setSupportedOps({"log", "exp"}).setCreateExecutor(f).
class Partitioner final : public detail::PartitionerBase {
 public:
  explicit Partitioner(const char* name) : name_(name) {}
  // Sets the operators that may join a subgraph. `f(subgraph, node)` accepts or declines a single
  // call, by its dtypes, shapes or arguments.
  Partitioner& setSupportedOps(std::vector<std::string> names,
                               std::function<bool(const Subgraph&, const SubgraphNode&)> f = nullptr) {
    names_ = std::move(names), is_supported_ = std::move(f);
    return *this;
  }
  // Sets f(subgraph), which returns a std::unique_ptr to a SubgraphExecutor. If it returns null,
  // these operators run uncompiled.
  Partitioner& setCreateExecutor(std::function<std::unique_ptr<SubgraphExecutor>(const Subgraph&)> f) {
    return create_ = std::move(f), *this;
  }
  Partitioner& setDoc(const char* text) { return doc_ = text ? text : "", *this; }
  // Lets inputs and outputs have any strides. Without this call they are contiguous.
  Partitioner& setTakesStrides() { return flags_ |= TORCH_NP_TAKES_STRIDES, *this; }

  const TorchNpPartitioner* filled() override {
    ops_.clear();
    for (const std::string& name : names_) ops_.push_back(name.c_str());
    table_ = {};
    table_.size = sizeof(table_);
    table_.name = name_.c_str();
    table_.doc = doc_.empty() ? nullptr : doc_.c_str();
    table_.flags = flags_;
    table_.user = this;
    table_.num_supported_ops = static_cast<int64_t>(ops_.size());
    table_.supported_ops = ops_.data();
    if (is_supported_)
      table_.is_supported = [](const TorchNpPartitioner* p, const TorchNpCall* call, const TorchNpSubgraph* graph,
                               uint8_t* supported) {
        return detail::guarded(call, [&] {
          const Subgraph all(*graph, call);
          for (size_t i = 0; i < all.nodes.size(); ++i) supported[i] = of(p).is_supported_(all, all.nodes[i]);
        });
      };
    if (create_)
      table_.create_executor = [](const TorchNpPartitioner* p, const TorchNpCall* call,
                                  const TorchNpSubgraph* subgraph) {
        return detail::guarded(call, [&] {
          std::unique_ptr<SubgraphExecutor> executor = of(p).create_(Subgraph(*subgraph, call));
          if (!executor) return;
          detail::check(call->host->set_state(call->context, executor.get()));
          executor.release();
        });
      };
    table_.delete_executor = [](const TorchNpPartitioner*, void* executor) {
      delete static_cast<SubgraphExecutor*>(executor);
    };
    table_.forward = [](const TorchNpPartitioner*, const TorchNpCall* call) {
      return detail::guarded(call, [&] {
        std::vector<Tensor> inputs, outputs;
        for (int64_t i = 0; i < call->num_inputs; ++i) inputs.emplace_back(call->inputs + i);
        for (int64_t i = 0; i < call->num_outputs; ++i) outputs.emplace_back(call->outputs + i);
        static_cast<const SubgraphExecutor*>(call->state)->forward(inputs, outputs, OpResource(call));
      });
    };
    return &table_;
  }

 private:
  static const Partitioner& of(const TorchNpPartitioner* p) { return *static_cast<const Partitioner*>(p->user); }
  std::string name_, doc_;
  std::vector<std::string> names_;
  std::vector<const char*> ops_;
  std::function<bool(const Subgraph&, const SubgraphNode&)> is_supported_;
  std::function<std::unique_ptr<SubgraphExecutor>(const Subgraph&)> create_;
  uint64_t flags_ = 0;
  TorchNpPartitioner table_{};
};

}  // namespace v1
}  // namespace torch_np

#define TORCH_NP_JOINED_(a, b) a##b
#define TORCH_NP_JOINED(a, b) TORCH_NP_JOINED_(a, b)
// Arguments after the schema: the function, and "gpu" for GPU functions. Functions may be lambdas:
// +[](Tensor x, Tensor result) {...}.
#define TORCH_NP_OP(schema, ...)                                                                     \
  [[maybe_unused]] static ::torch_np::Definition& TORCH_NP_JOINED(torch_np_operator_, __COUNTER__) = \
      ::torch_np::detail::registry().add(std::make_unique<::torch_np::Definition>(schema)).forward(__VA_ARGS__)
#define REGISTER_OP(name)                                                                          \
  [[maybe_unused]] static ::torch_np::CustomOp& TORCH_NP_JOINED(torch_np_operator_, __COUNTER__) = \
      ::torch_np::detail::registry().add(std::make_unique<::torch_np::CustomOp>(#name))
#define REGISTER_PARTITIONER(name)                                                                       \
  [[maybe_unused]] static ::torch_np::Partitioner& TORCH_NP_JOINED(torch_np_partitioner_, __COUNTER__) = \
      ::torch_np::detail::registry().add(std::make_unique<::torch_np::Partitioner>(#name))

// --------------------------------------------------------------------------------------------------------------------
// 6. The entry

// Optional hook of a library. It receives the version of torch_np (10000 * major + 100 * minor +
// patch) and may return MX_FAIL to refuse it.
extern "C" __attribute__((weak, visibility("hidden"))) torch_np::MXReturnValue initialize(int version);

extern "C" {
__attribute__((weak, visibility("default"), used)) extern const int32_t torch_np_extension_version[2] = {
    TORCH_NP_EXTENSION_MAJOR, TORCH_NP_EXTENSION_MINOR};
__attribute__((weak, visibility("default"), used)) const TorchNpLibrary* torch_np_extension_library(
    const TorchNpHost* host, void* context) {
  TorchNpCall call{};
  call.host = host, call.context = context;
  const TorchNpLibrary* library = nullptr;
  torch_np::detail::guarded(&call, [&] {
    if (initialize && initialize(host->package_version) != torch_np::MX_SUCCESS)
      throw torch_np::Error(TORCH_NP_RUNTIME_ERROR,
                            "initialize() refused version " + std::to_string(host->package_version) + " of torch_np");
    library = torch_np::detail::registry().filled();
  });
  return library;
}
}

#endif  // __cplusplus
#endif  // TORCH_NP_EXTENSION_H_
