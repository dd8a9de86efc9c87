// Sources of fused kernels: NVRTC, if installed, compiles every functor unchanged.
// Also graphs of the emulated device and their memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "aten/cuda/backend.h"
#include "aten/cuda/caching_allocator.h"
#include "aten/cuda/compiler/header_texts.h"
#include "aten/cuda/compiler/kernel_source.h"
#include "aten/cuda/compiler/nvrtc.h"
#include "aten/cuda/streams.h"
#include "aten/kernels/cuda/pointwise/pointwise_loops.h"
#include "aten/operator_tables/arithmetic.h"

namespace tnp {

void register_cuda_kernels();

namespace gpu {
namespace {

class CudaFusedKernels : public testing::Test {
 protected:
  static void SetUpTestSuite() { register_cuda_kernels(); }
};

// A single operator, with arrays of the dtypes of its loop.
FusedKernel kernel_of(const PointwiseOp& op, const PointwiseLoop& loop) {
  FusedKernel kernel;
  FusedKernel::Operation operation{&op, &loop, loop.key, loop.types[0], {}};
  for (uint8_t i = 0; i < op.nin; ++i) {
    kernel.inputs.push_back({loop.types[op.nout + i], FusedKernel::Reading::Elements});
    operation.operands[i] = i;
  }
  kernel.operations.push_back(operation);
  kernel.outputs.push_back(0);
  return kernel;
}

TEST_F(CudaFusedKernels, EveryFunctorIsKnownByItsName) {
  size_t count = 0;
  for (const FunctorName& f : functor_names()) {
    EXPECT_EQ(functor_of(*f.op), &f);
    const std::string header = std::string("aten/functors/") + f.header;
    EXPECT_TRUE(std::any_of(header_texts().begin(), header_texts().end(), [&](const HeaderText& t) {
      return t.name == header;
    })) << header;
    ++count;
  }
  EXPECT_GT(count, 100u);
}

TEST_F(CudaFusedKernels, SourcesSayWhatIsConverted) {
  const PointwiseOp& op = pointwise_ops::add;
  const PointwiseLoop* float32 = nullptr;
  for (const PointwiseLoop& loop : op.cuda_loops)
    if (loop.key == ScalarType::Float32) float32 = &loop;
  ASSERT_TRUE(float32);
  FusedKernel kernel;
  kernel.inputs = {{ScalarType::Float16, FusedKernel::Reading::Elements},
                   {ScalarType::Float64, FusedKernel::Reading::Number}};
  kernel.operations = {{&op, float32, ScalarType::Float16, ScalarType::Float16, {0, 1, -1}}};
  kernel.outputs = {0};
  const std::string source = kernel_source(kernel);
  // As in pointwise(): a number that meets 16-bit floats is rounded to them first.
  EXPECT_NE(source.find("convert<Half>(Add<float>{}(convert<float>(v0[k]), convert<float>(convert<Half>(v1[k]))))"),
            std::string::npos)
      << source;
  EXPECT_EQ(source, kernel_source(kernel));
}

// All functors of a header in one program, since a kernel for each would take minutes.
TEST_F(CudaFusedKernels, NvrtcTakesEveryFunctor) {
  if (!has_nvrtc()) GTEST_SKIP() << "libnvrtc is not installed";
  std::map<std::string, std::string> programs;
  for (const FunctorName& f : functor_names()) {
    // NVRTC would need minutes for all dtypes. These programs have float32 and complex64, or all
    // dtypes of operators without a float32 loop.
    const auto loops = f.op->cuda_loops;
    const bool has_float32 =
        std::any_of(loops.begin(), loops.end(), [](const PointwiseLoop& l) { return l.key == ScalarType::Float32; });
    for (const PointwiseLoop& loop : loops) {
      if (has_float32 && loop.key != ScalarType::Float32 && loop.key != ScalarType::Complex64) continue;
      std::string call = "F{}(";
      for (uint8_t i = 0; i < f.op->nin; ++i)
        call += (i > 0 ? ", " : "") + std::string("one<") + cpp_type(loop.types[f.op->nout + i]) + ">(in, " +
                std::to_string(i) + ")";
      std::string& program = programs[f.header];
      program += std::string("  {\n    using F = ") + f.name + "<" + cpp_type(loop.key) +
                 ">;\n    const auto r = " + call + ");\n    store(out, n++, r);\n  }\n";
    }
  }
  for (const auto& [header, body] : programs) {
    const std::string source =
        "#include \"aten/cuda/compiler/fused_kernel.h\"\n#include \"aten/functors/functor.h\"\n"
        "#include \"aten/functors/" +
        header +
        "\"\nusing namespace tnp;\n"
        "using namespace tnp::gpu::fused_kernel;\n"
        "template <class A, class B> void store(const Operand& o, uint32_t i, Pair<A, B> p) {\n"
        "  gpu::fused_kernel::store(o, i, p.first);\n  gpu::fused_kernel::store(o, i, p.second);\n}\n"
        "extern \"C\" __global__ void every(Operand in, Operand out) {\n  uint32_t n = 0;\n" +
        body + "}\n";
    const Compiled compiled = compile_by_nvrtc(source, "compute_90");
    EXPECT_FALSE(compiled.code.empty()) << header << "\n" << compiled.log.substr(0, 2000);
  }
}

TEST_F(CudaFusedKernels, NvrtcMakesCodeOfAFusedKernelWithoutContraction) {
  if (!has_nvrtc()) GTEST_SKIP() << "libnvrtc is not installed";
  const auto float32_of = [](const PointwiseOp& op) {
    for (const PointwiseLoop& loop : op.cuda_loops)
      if (loop.key == ScalarType::Float32) return &loop;
    return static_cast<const PointwiseLoop*>(nullptr);
  };
  FusedKernel kernel = kernel_of(pointwise_ops::mul, *float32_of(pointwise_ops::mul));
  kernel.inputs.push_back({ScalarType::Float32, FusedKernel::Reading::Periodic});
  kernel.operations.push_back({&pointwise_ops::add,
                               float32_of(pointwise_ops::add),
                               ScalarType::Float32,
                               ScalarType::Float32,
                               {3, 2, -1}});  // of the product
  kernel.outputs = {1};
  const Compiled ptx = compile_by_nvrtc(kernel_source(kernel), "compute_90");
  ASSERT_FALSE(ptx.code.empty()) << ptx.log;
  EXPECT_NE(ptx.code.find(".entry tnp_fused_kernel"), std::string::npos);
  EXPECT_NE(ptx.code.find("mul.rn.f32"), std::string::npos);
  EXPECT_NE(ptx.code.find("add.rn.f32"), std::string::npos);
  EXPECT_EQ(ptx.code.find("fma.rn.f32"), std::string::npos);
  EXPECT_FALSE(compile_by_nvrtc(kernel_source(kernel), "sm_90").code.empty());
  const Compiled wrong = compile_by_nvrtc("no C++", "compute_90");
  EXPECT_TRUE(wrong.code.empty());
  EXPECT_NE(wrong.log.find("error"), std::string::npos);
}

// --- graphs of the emulated device

struct AddOne {
  static constexpr uint32_t kThreads = 64;
  int32_t* data;
  TNP_HOST_DEVICE void run(Place place) const { data[place.thread] += 1; }
};

TEST(CudaGraphs, AreDoneWhenTheyAreLaunched) {
  const Device device{DeviceType::CUDA, 0};
  auto* data = static_cast<int32_t*>(backend::allocate(256));
  auto* other = static_cast<int32_t*>(backend::allocate(256));
  std::array<int32_t, 64> host{};
  backend::copy(data, host.data(), 256, backend::Copy::HostToDevice, 0);
  const StreamHandle stream = backend::new_stream(0);
  backend::begin_capture(stream);
  launch(AddOne{data}, 1, device);
  backend::copy(other, data, 256, backend::Copy::WithinDevice, stream);
  launch(AddOne{data}, 1, device);
  const backend::GraphHandle graph = backend::end_capture(stream);
  ASSERT_NE(graph, 0u);
  backend::copy(host.data(), data, 256, backend::Copy::DeviceToHost, 0);
  EXPECT_EQ(host[63], 0);
  backend::launch_graph(graph, 0);
  backend::launch_graph(graph, 0);
  backend::copy(host.data(), data, 256, backend::Copy::DeviceToHost, 0);
  EXPECT_EQ(host[63], 4);
  backend::copy(host.data(), other, 256, backend::Copy::DeviceToHost, 0);
  EXPECT_EQ(host[0], 3);
  backend::delete_graph(graph);

  backend::begin_capture(stream);
  EXPECT_THROW(backend::copy(host.data(), data, 256, backend::Copy::DeviceToHost, stream), Error);
  EXPECT_THROW(backend::synchronize(stream), Error);
  EXPECT_EQ(backend::end_capture(stream), 0u);
  backend::free(data);
  backend::free(other);
}

TEST(CudaGraphs, KeepTheMemoryThatTheyTook) {
  const Device device{DeviceType::CUDA, 0};
  CachingAllocator allocator(2);
  Allocation held{};
  void* freed = nullptr;
  {
    GraphMemory memory(device);
    allocator.begin_graph(memory);
    const Allocation first = allocator.allocate(5000, device);
    freed = first.data;
    allocator.free(first, device);
    const Allocation second = allocator.allocate(5000, device);
    EXPECT_EQ(second.data, first.data);  // the graph reuses memory
    held = allocator.allocate(5000, device);
    allocator.free(second, device);
    allocator.stop_graph();

    std::vector<Allocation> others;
    for (int i = 0; i < 1000; ++i) {
      others.push_back(allocator.allocate(5000, device));
      ASSERT_NE(others.back().data, freed);
      ASSERT_NE(others.back().data, held.data);
    }
    allocator.empty_cache();
    for (const Allocation& a : others) allocator.free(a, device);
    const std::array<StreamHandle, 1> users = {0};
    allocator.end_graph(memory, users);
  }
  allocator.free(held, device);
  bool comes_back = false;
  std::vector<Allocation> all;
  for (int i = 0; i < 1100; ++i) {
    all.push_back(allocator.allocate(5000, device));
    comes_back = comes_back || all.back().data == freed;
  }
  EXPECT_TRUE(comes_back);
  for (const Allocation& a : all) allocator.free(a, device);
}

}  // namespace
}  // namespace gpu
}  // namespace tnp
