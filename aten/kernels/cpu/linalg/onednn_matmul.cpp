// Products of 16-bit floats with oneDNN. oneDNN accumulates in float32 and rounds once, as the
// float32 path does. (Its bfloat16 instruction treats subnormals, below 1.2e-38, as zero.)
#include "aten/kernels/cpu/linalg/onednn_matmul.h"

#include <cstring>
#include <optional>

#include "aten/core/errors/error.h"
#include "aten/core/tensor.h"
#include "aten/core/threads/parallel.h"
#include "aten/kernels/cpu/linalg/onednn_library.h"
#include "aten/kernels/cpu/linalg/onednn_objects.h"

namespace tnp::onednn {

namespace {

// The processor's instructions for products of `dtype`, if they were measured or are a matrix unit.
// Without such instructions, oneDNN converts or runs its reference loops, and float32 is faster.
enum class Instructions { None, Vector, Matrix };
Instructions instructions(dnnl_cpu_isa_t isa, ScalarType dtype) {
  const bool half = dtype == ScalarType::Float16;
  switch (isa) {
    case dnnl_cpu_isa_avx512_core_amx_fp16:
      return Instructions::Matrix;
    case dnnl_cpu_isa_avx512_core_amx:
      return half ? Instructions::Vector : Instructions::Matrix;
    case dnnl_cpu_isa_avx512_core_fp16:
      return Instructions::Vector;
    case dnnl_cpu_isa_avx512_core_bf16:
      return half ? Instructions::None : Instructions::Vector;
    default:
      return Instructions::None;
  }
}

struct Memory {
  explicit Memory(const Library& l) : lib(l), desc(l.memory_desc_destroy), memory(l.memory_destroy) {}
  bool describe(dnnl_data_type_t type, IntList sizes, IntList strides) {
    return lib.memory_desc_create_with_strides(desc.address(), static_cast<int>(sizes.size()), sizes.data(), type,
                                               strides.data()) == dnnl_success;
  }
  bool bind(const void* data) {
    return lib.memory_create(memory.address(), desc, lib.cpu, const_cast<void*>(data)) == dnnl_success;
  }
  const Library& lib;
  Owned<dnnl_memory_desc_t> desc;
  Owned<dnnl_memory_t> memory;
};

}  // namespace

// Note [When oneDNN pays]: a call costs 2 us more than BLAS, and saves the conversion of operands
// and result. Time of the float32 path / time of oneDNN, measured on 2 cores with AVX512_BF16 and
// AVX512_FP16 but no matrix unit:
//   (1, 1024) @ (1024, 1024)     float16 2.4   bfloat16 3.4     limited by memory
//   (1024, 16) @ (16, 1024)      float16 2.4   bfloat16 2.4
//   64 times (64, 64) @ (64, 64) float16 1.9   bfloat16 1.6
//   1024, 256, 64 square         float16 1.05, 1.0, 0.75        converts to float32 in registers
//                                bfloat16 0.6, 0.75, 1.05       its instruction is slower per operation
//   (4, 1e5) @ (1e5, 4)          float16 0.4   bfloat16 1.0     threads share the result, not the sum
// float16 converts fast (F16C), so only operands larger than the L2 cache gain; products such as
// (2048, 512) @ (512, 1) take the same time either way. A matrix unit (AMX) multiplies bfloat16 16
// times as fast as float32, by its data sheet, so there the arithmetic per element moved does not
// matter.
bool pays(ScalarType dtype, int64_t count, int64_t m, int64_t n, int64_t k) {
  constexpr int64_t kMinResult = 256, kMinMovedHalf = 500'000, kMinMovedBFloat16 = 32'768, kMaxIntensity = 32;
  const int64_t moved = m * k + k * n + m * n;
  const bool half = dtype == ScalarType::Float16;
  if (count * m * n < kMinResult || count * moved < kMinMovedBFloat16) return false;
  const Library* lib = library();
  static const dnnl_cpu_isa_t isa = lib ? lib->get_effective_cpu_isa() : dnnl_cpu_isa_default;
  switch (instructions(isa, dtype)) {
    case Instructions::None:
      return false;
    case Instructions::Matrix:
      return true;
    case Instructions::Vector:
      return half ? count * moved >= kMinMovedHalf : m * n * k <= kMaxIntensity * moved;
  }
  return false;
}

bool multiply(ScalarType dtype, const Operand& a, const Operand& b, void* out, IntList sizes, const void* bias) {
  if (sizes.size() > DNNL_MAX_NDIMS) return false;
  const Library& lib = *library();
  const dnnl_data_type_t type = dtype == ScalarType::Float16 ? dnnl_f16 : dnnl_bf16;
  Memory left(lib), right(lib), result(lib), added(lib);
  if (!left.describe(type, a.sizes, a.strides) || !right.describe(type, b.sizes, b.strides) ||
      !result.describe(type, sizes, contiguous_strides(sizes))) {
    return false;
  }
  if (bias) {
    DimVector row(sizes.size(), 1);
    row.back() = sizes.back();
    if (!added.describe(type, row, contiguous_strides(row))) return false;
  }
  // oneDNN caches the kernels that it generates, so this takes a microsecond after the first time.
  Owned<dnnl_primitive_desc_t> plan(lib.primitive_desc_destroy);
  if (lib.matmul_primitive_desc_create(plan.address(), lib.cpu, left.desc, right.desc,
                                       bias ? static_cast<dnnl_memory_desc_t>(added.desc) : nullptr, result.desc,
                                       nullptr) != dnnl_success) {
    return false;
  }
  // Kernels with other names are slow: reference loops (for a broadcast batch), or a GEMM that
  // converts.
  const char* kernel = nullptr;
  lib.primitive_desc_query(plan, dnnl_query_impl_info_str, 0, static_cast<void*>(&kernel));
  if (!kernel || std::strncmp(kernel, "brg", 3) != 0) return false;
  Owned<dnnl_primitive_t> product(lib.primitive_destroy);
  if (lib.primitive_create(product.address(), plan) != dnnl_success) return false;
  if (!left.bind(a.data) || !right.bind(b.data) || !result.bind(out)) return false;
  if (bias && !added.bind(bias)) return false;
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, left.memory},
                                       {DNNL_ARG_WEIGHTS, right.memory},
                                       {DNNL_ARG_DST, result.memory},
                                       {DNNL_ARG_BIAS, added.memory}};
  std::optional<LongWork> long_work;
  if (numel_of(sizes) * a.sizes.back() > 1'000'000) long_work.emplace();
  dnnl_stream_t stream = stream_of_this_thread(lib);
  return lib.primitive_execute(product, stream, bias ? 4 : 3, arguments) == dnnl_success &&
         lib.stream_wait(stream) == dnnl_success;
}

}  // namespace tnp::onednn
