// Matrix products by cuBLASLt.
//
// Note [Plans of products] The library's heuristic chooses the kernel, its tiles and how the sum is
// split. The heuristic is called once for each shape, layout, dtype and alignment, and the plan is
// cached with its descriptors. If the heuristic finds no kernel, or the count exceeds 32 bits,
// cuBLAS is called instead, which supports more cases.
#include <cublasLt.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "aten/core/tensor.h"
#include "aten/cuda/backend.h"
#include "aten/cuda/plan_cache.h"
#include "aten/kernels/cuda/handle_pool.h"
#include "aten/kernels/cuda/linalg/blas.h"
#include "aten/kernels/cuda/linalg/cublas.h"

namespace tnp::gpu {

namespace {

const SharedLibrary& cublas_lt() {
  static const SharedLibrary library("cuBLASLt", {"libcublasLt.so." TNP_STRING(CUBLAS_VER_MAJOR), "libcublasLt.so"});
  return library;
}

// A function of the library, looked up once.
#define TNP_CUBLASLT(function)                                                 \
  ([]() -> decltype(&function) {                                               \
    static const auto found = cublas_lt().get<decltype(&function)>(#function); \
    return found;                                                              \
  }())

cublasComputeType_t compute_type_of(const MatrixProduct& p) {
  if (p.dtype == ScalarType::Float64 || p.dtype == ScalarType::Complex128) return CUBLAS_COMPUTE_64F;
  const bool fast = p.precision != Float32MatmulPrecision::Highest &&
                    (p.dtype == ScalarType::Float32 || p.dtype == ScalarType::Complex64);
  return fast ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

// The scale factors of the product, in the type of its sum.
struct Scales {
  Complex<double> wide_one{1}, wide_zero{0};
  Complex<float> one{1}, zero{0};  // a real scale is the first half
  bool wide;
  explicit Scales(ScalarType dtype) : wide(dtype == ScalarType::Float64 || dtype == ScalarType::Complex128) {}
  const void* alpha() const { return wide ? static_cast<const void*>(&wide_one) : &one; }
  const void* beta() const { return wide ? static_cast<const void*>(&wide_zero) : &zero; }
};

cublasOperation_t operation(const MatrixStack& s) { return s.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

// The largest power of two, at most 256, that divides the address. Kernels do not benefit from a
// larger alignment.
uint32_t alignment(const void* p) {
  const auto address = reinterpret_cast<uintptr_t>(p);
  return static_cast<uint32_t>(std::min<uintptr_t>(256, address & (~address + 1)));
}

// Options of the heuristic.
struct Preference {
  cublasLtMatmulPreference_t value = nullptr;
  Preference() { check(TNP_CUBLASLT(cublasLtMatmulPreferenceCreate)(&value), "preference"); }
  ~Preference() { TNP_CUBLASLT(cublasLtMatmulPreferenceDestroy)(value); }
  template <class T>
  void set(cublasLtMatmulPreferenceAttributes_t attribute, T v) {
    check(TNP_CUBLASLT(cublasLtMatmulPreferenceSetAttribute)(value, attribute, &v, sizeof v), "preference");
  }
};

class Plan {
 public:
  Plan() = default;
  Plan(cublasLtHandle_t handle, const MatrixProduct& p, uint64_t most_workspace);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  bool run(cublasLtHandle_t handle, const MatrixProduct& p, Device device) const;

 private:
  // The layout of column-major matrices, as the library expects.
  cublasLtMatrixLayout_t layout(cudaDataType_t type, int64_t rows, int64_t cols, int64_t leading, int64_t count,
                                int64_t step);

  bool found_ = false;
  cublasLtMatmulDesc_t how_ = nullptr;
  cublasLtMatrixLayout_t layouts_[3] = {};  // layouts of the first and second operand, and of the result
  cublasLtMatmulAlgo_t algorithm_{};
  size_t workspace_ = 0;
};

cublasLtMatrixLayout_t Plan::layout(cudaDataType_t type, int64_t rows, int64_t cols, int64_t leading, int64_t count,
                                    int64_t step) {
  cublasLtMatrixLayout_t made = nullptr;
  check(TNP_CUBLASLT(cublasLtMatrixLayoutCreate)(&made, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(cols),
                                                 leading),
        "layout");
  const auto matrices = static_cast<int32_t>(count);
  const auto set = TNP_CUBLASLT(cublasLtMatrixLayoutSetAttribute);
  cublasStatus_t status = set(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &matrices, sizeof matrices);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = set(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step);
  if (status != CUBLAS_STATUS_SUCCESS) TNP_CUBLASLT(cublasLtMatrixLayoutDestroy)(made);
  check(status, "layout");
  return made;
}

// A row-major matrix is the transpose of a column-major one: out^T = b^T a^T, (n, k) times (k, m).
Plan::Plan(cublasLtHandle_t handle, const MatrixProduct& p, uint64_t most_workspace)
    : Plan() {  // delegates, so that the destructor runs if this raises
  const cudaDataType_t type = cuda_type(p.dtype), scale = is_reduced_float(p.dtype) ? CUDA_R_32F : type;
  check(TNP_CUBLASLT(cublasLtMatmulDescCreate)(&how_, compute_type_of(p), scale), "product");
  const cublasOperation_t first = operation(p.b), second = operation(p.a);
  const auto set_how = TNP_CUBLASLT(cublasLtMatmulDescSetAttribute);
  check(set_how(how_, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first), "product");
  check(set_how(how_, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second), "product");
  layouts_[0] = layout(type, p.b.transposed ? p.k : p.n, p.b.transposed ? p.n : p.k, p.b.leading, p.count, p.b.step);
  layouts_[1] = layout(type, p.a.transposed ? p.m : p.k, p.a.transposed ? p.k : p.m, p.a.leading, p.count, p.a.step);
  layouts_[2] = layout(type, p.n, p.m, p.n, p.count, p.out_step);

  Preference preference;
  preference.set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, most_workspace);
  preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(p.b.data));
  preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(p.a.data));
  preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(p.out));
  preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(p.out));
  // Partial sums of a split product are not rounded to 16 bits before they are added.
  if (is_reduced_float(p.dtype))
    preference.set<uint32_t>(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
  cublasLtMatmulHeuristicResult_t result{};
  int count = 0;
  const cublasStatus_t status = TNP_CUBLASLT(cublasLtMatmulAlgoGetHeuristic)(
      handle, how_, layouts_[0], layouts_[1], layouts_[2], layouts_[2], preference.value, 1, &result, &count);
  found_ = status == CUBLAS_STATUS_SUCCESS && count > 0 && result.state == CUBLAS_STATUS_SUCCESS;
  algorithm_ = result.algo;
  workspace_ = result.workspaceSize;
}

Plan::~Plan() {
  if (how_) TNP_CUBLASLT(cublasLtMatmulDescDestroy)(how_);
  for (cublasLtMatrixLayout_t l : layouts_)
    if (l) TNP_CUBLASLT(cublasLtMatrixLayoutDestroy)(l);
}

bool Plan::run(cublasLtHandle_t handle, const MatrixProduct& p, Device device) const {
  if (!found_) return false;
  const Tensor work =
      workspace_ > 0 ? empty_tensor({static_cast<int64_t>(workspace_)}, ScalarType::UInt8, device) : Tensor();
  const Scales scales(p.dtype);
  check(TNP_CUBLASLT(cublasLtMatmul)(handle, how_, scales.alpha(), p.b.data, layouts_[0], p.a.data, layouts_[1],
                                     scales.beta(), p.out, layouts_[2], p.out, layouts_[2], &algorithm_,
                                     work.defined() ? work.address() : nullptr, workspace_,
                                     reinterpret_cast<cudaStream_t>(current_stream(device.index))),
        "matrix product");
  return true;
}

// Everything that a plan depends on.
using Key = std::tuple<ScalarType, cublasComputeType_t, int64_t, int64_t, int64_t, int64_t,
                       std::tuple<int64_t, int64_t, bool, uint32_t>, std::tuple<int64_t, int64_t, bool, uint32_t>,
                       int64_t, uint32_t>;
Key key_of(const MatrixProduct& p) {
  auto operand = [](const MatrixStack& s) { return std::tuple(s.leading, s.step, s.transposed, alignment(s.data)); };
  return {p.dtype, compute_type_of(p), p.m,          p.n,        p.k,
          p.count, operand(p.a),       operand(p.b), p.out_step, alignment(p.out)};
}

// Plan cache and handle of one thread and device.
struct Planner {
  cublasLtHandle_t handle = nullptr;
  uint64_t most_workspace = 0;
  PlanCache<Key, Plan> plans{1024};  // a plan has a few hundred bytes
};

Planner& planner_of(Device device) {
  return *HandlePool<Planner*>::of(device.index, [&] {
    auto made = std::make_unique<Planner>();
    // NVIDIA recommends 32 MiB from Hopper on, and 4 MiB for older devices.
    made->most_workspace = (backend::properties(device.index).major >= 9 ? 32 : 4) * uint64_t{1 << 20};
    check(TNP_CUBLASLT(cublasLtCreate)(&made->handle), "start");
    return made.release();
  });
}

bool multiply_by_plan(const MatrixProduct& p, Device device) {
  if (p.count > INT32_MAX) return false;
  Planner& planner = planner_of(device);
  const Key key = key_of(p);
  std::shared_ptr<Plan> plan = planner.plans.find(key);
  if (!plan) plan = planner.plans.insert(key, std::make_shared<Plan>(planner.handle, p, planner.most_workspace));
  return plan->run(planner.handle, p, device);
}

}  // namespace

bool multiply(const MatrixProduct& p, Device device) {
  if (is_integral(p.dtype)) return false;
  DeviceGuard guard(device.index);
  if (multiply_by_plan(p, device)) return true;
  const cudaDataType_t type = cuda_type(p.dtype);
  const Scales scales(p.dtype);
  CublasScope scope(device);
  static const auto gemm = cublas().get<decltype(&cublasGemmStridedBatchedEx_64)>("cublasGemmStridedBatchedEx_64");
  check(gemm(scope.handle(), operation(p.b), operation(p.a), p.n, p.m, p.k, scales.alpha(), p.b.data, type, p.b.leading,
             p.b.step, p.a.data, type, p.a.leading, p.a.step, scales.beta(), p.out, type, p.n, p.out_step, p.count,
             compute_type_of(p), CUBLAS_GEMM_DEFAULT),
        "matrix product");
  return true;
}

}  // namespace tnp::gpu
