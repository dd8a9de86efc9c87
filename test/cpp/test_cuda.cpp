// The parts of CUDA that need no GPU: cutting of plans into launches, index arithmetic,
// distribution of reductions, the caching allocator over the emulated device, and the kernels
// themselves, run thread by thread in both directions.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "aten/cuda/backend.h"
#include "aten/cuda/caching_allocator.h"
#include "aten/cuda/pinned_memory.h"
#include "aten/cuda/plan_cache.h"
#include "aten/cuda/streams.h"
#include "aten/dispatch/reduce.h"
#include "aten/functions.h"
#include "aten/functors/arithmetic.h"
#include "aten/functors/extrema.h"
#include "aten/functors/moments.h"
#include "aten/functors/sums.h"
#include "aten/kernels/cuda/pointwise/pointwise_loops.h"
#include "aten/kernels/cuda/random/rejection.h"
#include "aten/kernels/cuda/reduction/reduction_loops.h"
#include "aten/ops/operators.h"

namespace tnp::gpu {
namespace {

TEST(CudaDivider, DividesLikeDivision) {
  for (uint32_t d : {1u, 2u, 3u, 5u, 7u, 10u, 641u, 1024u, 65535u, 65536u, 65537u, 1000003u, (1u << 30) - 1, 1u << 30,
                     0x7fffffffu}) {
    const Divider divider(d);
    for (uint32_t n :
         {0u, 1u, d - 1, d, d + 1, 2 * (d / 2), 12345678u, 0x3fffffffu, 0x40000000u, 0x7ffffffeu, 0x7fffffffu}) {
      if (n > 0x7fffffffu) continue;
      ASSERT_EQ(divider.quotient(n), n / d) << n << " / " << d;
    }
  }
}

// A plan over host memory, which the kernels run here may access.
struct Planned {
  Iterator iterator;
  Tensor out;
  IterationPlan plan;
  Planned(const Tensor& a, const Tensor& b, ScalarType compute, Tensor result = {}, const Tensor& where = {})
      : out(std::move(result)) {
    iterator.output(out, compute, compute).input(a, compute).input(b, compute);
    if (where.defined()) iterator.mask(where);
    iterator.casting(Casting::Unsafe).build();
    plan = iterator.plan();
  }
};

// Same as launch() of make_loops, with limits chosen by the test.
template <class F>
void run(const IterationPlan& plan, const TileLimits& limits, bool backwards, int* packed = nullptr) {
  using Kernels = PointwiseKernels<F>;
  for_each_tile(plan, limits, [&](const Tile& tile) {
    EXPECT_LE(tile.numel, limits.elements);
    EXPECT_LE(tile.dims.size(), limits.dims);
    if (lies_in_packs(plan, tile, Kernels::kWidth)) {
      if (packed) ++*packed;
      const uint32_t each = Kernels::kBlock * Kernels::kWidth;
      emulate(emulated(typename Kernels::Packed{packed_arguments<Kernels::kOperands>(plan, tile)}),
              (tile.numel + each - 1) / each, backwards);
    } else {
      const uint32_t each = Kernels::kBlock * Kernels::Strided::kItems;
      emulate(emulated(typename Kernels::Strided{strided_arguments<Kernels::kOperands>(plan, tile)}),
              (tile.numel + each - 1) / each, backwards);
    }
  });
}

Tensor numbers(IntList sizes, ScalarType dtype) {
  Tensor t = tnp::arange(Scalar(numel_of(sizes)), ScalarType::Int64);
  return tnp::cast(tnp::reshape(t, sizes), dtype);
}

void expect_equal(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(DimVector(a.sizes()), DimVector(b.sizes()));
  EXPECT_TRUE(tnp::all(tnp::eq(a, b), std::nullopt, false).item<bool>());
}

TEST(CudaPieces, CoverEveryElementOnceWhateverTheLimits) {
  const Tensor a = numbers({5, 7, 6, 4}, ScalarType::Float32),
               b = tnp::permute(numbers({4, 6, 7, 5}, ScalarType::Float32), {3, 2, 1, 0});
  const Tensor expected = a + b;
  for (int64_t elements : {1, 2, 3, 7, 24, 100, 839, 840, 100000}) {
    for (size_t dims : {size_t{1}, size_t{2}, size_t{3}, size_t{8}}) {
      for (bool backwards : {false, true}) {
        Planned p(a, b, ScalarType::Float32);
        run<Add<float>>(p.plan, {elements, dims}, backwards);
        expect_equal(p.out, expected);
      }
    }
  }
}

TEST(CudaPieces, MoreDimensionsThanALaunchKnows) {
  DimVector sizes(12, 2), reversed(12);
  std::iota(reversed.begin(), reversed.end(), 0);
  std::reverse(reversed.begin(), reversed.end());
  const Tensor a = numbers(sizes, ScalarType::Int32), b = tnp::permute(a, reversed);
  Planned p(a, b, ScalarType::Int32);
  EXPECT_GT(p.plan.dims.size(), static_cast<size_t>(kLaunchDims));
  run<Add<int32_t>>(p.plan, {}, false);
  expect_equal(p.out, a + b);
}

TEST(CudaPointwise, DenseOperandsAreReadInPacksAndTailsAreComputed) {
  for (int64_t n : {1, 2, 3, 4, 5, 1023, 1024, 1025, 4099}) {
    const Tensor a = numbers({n}, ScalarType::Float32), b = tnp::mul(a, wrapped_number(0.5));
    Planned p(a, b, ScalarType::Float32);
    int packed = 0;
    run<Add<float>>(p.plan, {}, false, &packed);
    EXPECT_EQ(packed, n == 1 ? 0 : 1);
    expect_equal(p.out, a + b);
  }
}

// Lines of whole packs at any start, and operands with one element for each line.
TEST(CudaPointwise, LinesAreReadInPacksWhereTheyAreAligned) {
  struct Case {
    Tensor a, b;
    bool packed;
  };
  const auto f = [](IntList sizes) { return numbers(sizes, ScalarType::Float32); };
  const auto columns = [](const Tensor& t, int64_t begin, int64_t end) {
    return tnp::slice(t, 1, begin, end - begin, 1);
  };
  for (const Case& c :
       {Case{f({6, 8}), f({8}), true}, Case{f({6, 8}), f({6, 1}), true}, Case{f({6, 1}), f({1, 8}), true},
        Case{columns(f({6, 12}), 4, 12), f({6, 8}), true}, Case{columns(f({6, 12}), 2, 10), f({6, 8}), false},
        Case{columns(f({6, 10}), 0, 8), f({6, 8}), false}, Case{f({6, 7}), f({7}), false},
        Case{f({3, 5, 8}), f({5, 1}), true}, Case{f({3, 5, 8}), tnp::slice(f({5, 1}), 0, 4, 5, -1), true},
        Case{f({6, 8}), tnp::slice(f({8}), 0, 7, 8, -1), false},
        Case{f({6, 8}), numbers({6, 8}, ScalarType::Int64), true}}) {
    for (bool backwards : {false, true}) {
      Planned p(c.a, c.b, ScalarType::Float32);
      int packed = 0;
      run<Add<float>>(p.plan, {}, backwards, &packed);
      EXPECT_EQ(packed, c.packed ? 1 : 0) << c.a.sizes()[0];
      expect_equal(p.out, c.a + tnp::cast(c.b, ScalarType::Float32));
    }
  }
}

TEST(CudaPointwise, CastsInRegisters) {
  for (ScalarType x :
       {ScalarType::Float16, ScalarType::BFloat16, ScalarType::Int8, ScalarType::Float64, ScalarType::Bool}) {
    for (ScalarType y : {ScalarType::Float32, ScalarType::Float16, ScalarType::Int64}) {
      const Tensor a = tnp::cast(numbers({100}, ScalarType::Float32), x),
                   b = tnp::cast(numbers({100}, ScalarType::Float32), y);
      Tensor out = empty_tensor({100}, ScalarType::Float16);
      Planned p(a, b, ScalarType::Float32, out);
      run<Add<float>>(p.plan, {}, true);
      expect_equal(
          out, tnp::cast(tnp::cast(a, ScalarType::Float32) + tnp::cast(b, ScalarType::Float32), ScalarType::Float16));
    }
  }
}

TEST(CudaPointwise, UnalignedStridedReversedBroadcastAndMasked) {
  const Tensor a = numbers({33, 17}, ScalarType::Float32);
  const Tensor shifted = tnp::slice(tnp::reshape(a, {-1}), 0, 1, 512, 1), reversed = tnp::flip_view(a, std::nullopt);
  Planned unaligned(shifted, shifted, ScalarType::Float32);
  int packed = 0;
  run<Add<float>>(unaligned.plan, {}, false, &packed);
  EXPECT_EQ(packed, 0);
  expect_equal(unaligned.out, shifted + shifted);

  const Tensor row = tnp::slice(a, 0, 3, 1, 1), where = tnp::gt(a, wrapped_number(200.0));
  Planned broadcast(reversed, row, ScalarType::Float32);
  run<Add<float>>(broadcast.plan, {}, true);
  expect_equal(broadcast.out, reversed + row);
  Tensor out = tnp::clone(a);
  Planned masked(reversed, row, ScalarType::Float32, out, where);
  run<Add<float>>(masked.plan, {100, 8}, false);
  expect_equal(out, tnp::where(where, reversed + row, a));
}

// --- reductions, compared with the CPU's

template <template <class> class F, class T>
struct Reduced {
  std::vector<bool> reduced;
  ReducePlan plan;
  Tensor out;
  Reduced(const Tensor& x, std::vector<bool> axes, ScalarType result, bool indexed = false, const Tensor& where = {})
      : reduced(std::move(axes)) {
    DimVector sizes;
    for (size_t d = 0; d < reduced.size(); ++d)
      if (!reduced[d]) sizes.push_back(x.sizes()[d]);
    out = empty_tensor(sizes, result);
    size_t at = sizes.size();
    int64_t step = 1;
    for (size_t d = reduced.size(); d-- > 0;) {
      Axis axis{x.sizes()[d], x.strides()[d] * x.itemsize(), where.defined() ? where.strides()[d] : 0, 0};
      if (reduced[d]) {
        axis.out = step;
        step *= axis.size;
        plan.reduced.axes.push_back(axis);
      } else {
        axis.out = out.strides()[--at] * out.itemsize();
        plan.kept.axes.push_back(axis);
      }
    }
    plan.mask = where.defined() ? where.data() : nullptr;
    arrange(plan, indexed ? ReductionRule::Index : ReductionRule::Same, x.itemsize());
    plan.in = x.data();
    plan.out = out.data();
    plan.in_dtype = x.dtype();
    plan.out_dtype = result;
    Reduction<F<T>, T>::run(plan);  // Device{}: CPU memory, and launches that are loops
  }
};

TEST(CudaReduction, SumsOverEveryChoiceOfAxesAreTheCpus) {
  const Tensor x = numbers({9, 40, 13}, ScalarType::Int32);
  for (int choice = 1; choice < 8; ++choice) {
    std::vector<bool> axes = {(choice & 1) != 0, (choice & 2) != 0, (choice & 4) != 0};
    DimVector dims;
    for (int64_t d = 0; d < 3; ++d)
      if (axes[static_cast<size_t>(d)]) dims.push_back(d);
    for (const Tensor& t : {x, tnp::permute(tnp::permute(x, {2, 0, 1}), {1, 2, 0}),
                            tnp::permute(numbers({13, 40, 9}, ScalarType::Int32), {2, 1, 0})}) {
      Reduced<Sum, int64_t> r(t, axes, ScalarType::Int64);
      expect_equal(r.out, tnp::sum(t, IntList(dims), false, std::nullopt));
    }
  }
}

TEST(CudaReduction, LongOnesAreCutIntoSegmentsAndStayAccurate) {
  const int64_t n = (1 << 20) + 77;
  const Tensor x = tnp::full({n}, Scalar(0.1), ScalarType::Float32);
  Reduced<Sum, float> r(x, {true}, ScalarType::Float32);
  EXPECT_GT(reduction_shape(r.plan).segments, 1u);
  // left to right, the error would be about 1000
  EXPECT_NEAR(r.out.item<double>(), 0.1f * static_cast<double>(n), 0.05);
  Reduced<ArgMax, float> first(x, {true}, ScalarType::Int64, true);
  EXPECT_EQ(first.out.item<int64_t>(), 0);
}

TEST(CudaReduction, TwoPassesMasksAndIndices) {
  const Tensor x = tnp::sin(numbers({31, 300}, ScalarType::Float64));
  for (std::vector<bool> axes : {std::vector<bool>{true, false}, {false, true}, {true, true}}) {
    DimVector dims;
    for (int64_t d = 0; d < 2; ++d)
      if (axes[static_cast<size_t>(d)]) dims.push_back(d);
    Reduced<Var, double> r(x, axes, ScalarType::Float64);
    EXPECT_LT(tnp::amax(tnp::abs(r.out - tnp::variance(x, IntList(dims), false, std::nullopt)), std::nullopt, false)
                  .item<double>(),
              1e-14);
    const Tensor where = tnp::gt(x, wrapped_number(0.3));
    Reduced<Mean, double> mean(x, axes, ScalarType::Float64, false, where);
    ReduceOptions options;
    options.where = where;
    EXPECT_LT(
        tnp::amax(tnp::abs(mean.out - tnp::mean(x, IntList(dims), false, std::nullopt, options)), std::nullopt, false)
            .item<double>(),
        1e-14);
  }
  Reduced<ArgMax, double> columns(x, {true, false}, ScalarType::Int64, true),
      rows(x, {false, true}, ScalarType::Int64, true);
  expect_equal(columns.out, tnp::argmax(x, 0));
  expect_equal(rows.out, tnp::argmax(x, 1));
}

TEST(CudaReduction, NothingToReduceGivesTheIdentity) {
  Reduced<Sum, double> r(empty_tensor({3, 0}, ScalarType::Float64), {false, true}, ScalarType::Float64);
  expect_equal(r.out, tnp::zeros({3}, ScalarType::Float64));
}

// --- memory

constexpr Device kGpu{DeviceType::CUDA, 0};

// Normal numbers by the ziggurat method. The test sets the distance of the look-back.
template <int kBack>
struct NormalAttempts {
  using Unit = uint64_t;
  using Value = double;
  static constexpr int kUnitsPerPlace = 1, kPlacesPerUnit = 1, kNumbers = 1, kBefore = kBack;
  static constexpr bool kVariable = true;
  double* out;
  bool attempt(UnitReader<Unit>& bits, int64_t, double& x) const {
    return random::try_normal(bits, ziggurat().normal, x);
  }
  void store(int64_t i, double x) const { out[i] = x; }
};

// Both launches of a round that fills `out`. Returns the number of places used, or -1 if a chain
// did not fit.
template <int kBack>
int64_t draw_round(const random::PhiloxStream& stream, std::vector<double>& out, uint32_t blocks, bool backwards) {
  std::vector<int64_t> counts(blocks);
  std::vector<int32_t> ends(blocks);
  RoundOutcome outcome{};
  Rejection<NormalAttempts<kBack>> kernel{
      stream, {out.data()}, 0, static_cast<int64_t>(out.size()), 0, nullptr, counts.data(), ends.data(), &outcome};
  emulate(emulated(kernel), blocks, backwards);
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  kernel.sums = counts.data();
  emulate(emulated(kernel), blocks, backwards);
  return outcome.broken ? -1 : outcome.used;
}

TEST(CudaRejection, PlacesAreTriedAtOnceInTheOrderOfOneAfterTheOther) {
  random::PhiloxStream stream{{1, 2, 3, 4}, {5, 6}, {7, 8, 9, 10}, 2, 0, 0};
  std::vector<double> expected(100'000);
  UnitReader<uint64_t> bits{stream, nullptr, 0, 0, 0};
  for (double& x : expected) {
    while (!random::try_normal(bits, ziggurat().normal, x)) {
    }
  }
  for (bool backwards : {false, true}) {
    std::vector<double> out(expected.size());
    ASSERT_EQ(draw_round<kLookBack>(stream, out, 101, backwards), bits.at);
    ASSERT_EQ(out, expected);
  }
}

TEST(CudaRejection, AChainOfAttemptsThatBeganElsewhereIsNoticed) {
  random::PhiloxStream stream{{1, 2, 3, 4}, {5, 6}, {7, 8, 9, 10}, 2, 0, 0};
  std::vector<double> out(100'000);
  for (bool backwards : {false, true}) EXPECT_EQ(draw_round<0>(stream, out, 101, backwards), -1);
}

TEST(CudaAllocator, AFreedBlockGoesToItsOwnStreamAtOnceAndToOthersNever) {
  CachingAllocator a(2);
  for (size_t bytes : {size_t{1}, size_t{700}, size_t{1} << 20, (size_t{1} << 20) + 1, size_t{3'300'000}}) {
    Allocation first = a.allocate(bytes, kGpu);
    EXPECT_GE(first.bytes, bytes);
    a.free(first, kGpu);
    Allocation second = a.allocate(bytes, kGpu);
    EXPECT_EQ(first.data, second.data);
    a.free(second, kGpu);
    const StreamHandle other = backend::new_stream(0);
    set_current_stream(0, other);
    Allocation third = a.allocate(bytes, kGpu);
    EXPECT_NE(first.data, third.data);
    a.free(third, kGpu);
    set_current_stream(0, 0);
    backend::delete_stream(other);
  }
  EXPECT_EQ(a.statistics(0).allocated_bytes, 0u);
  EXPECT_GT(a.statistics(0).cached_bytes, 0u);
  a.empty_cache();
  EXPECT_EQ(a.statistics(0).cached_bytes, 0u);
}

TEST(CudaAllocator, BlocksDoNotOverlapAndAStepHoldsWhatItSays) {
  CachingAllocator a(2);
  std::vector<Allocation> held;
  for (size_t bytes = 1; bytes < (size_t{1} << 24); bytes = bytes * 3 / 2 + 3) {
    for (int i = 0; i < 3; ++i) held.push_back(a.allocate(bytes, kGpu));
    EXPECT_GE(held.back().bytes, bytes);
    EXPECT_LE(held.back().bytes,
              std::max<size_t>(1024, bytes <= (size_t{1} << 20) ? bytes * 5 / 4 : bytes * 5 / 4 + (size_t{2} << 20)));
  }
  std::sort(held.begin(), held.end(), [](Allocation x, Allocation y) { return x.data < y.data; });
  for (size_t i = 1; i < held.size(); ++i) {
    EXPECT_LE(static_cast<char*>(held[i - 1].data) + held[i - 1].bytes, static_cast<char*>(held[i].data));
  }
  for (Allocation block : held) a.free(block, kGpu);
  a.empty_cache();
  EXPECT_EQ(a.statistics(0).cached_bytes, 0u);
}

TEST(CudaAllocator, OutOfMemoryEmptiesTheCacheTriesAgainAndSaysTheFigures) {
  CachingAllocator a(2);
  const size_t most = size_t{300} << 20;  // of the 512 MiB of the emulated device
  a.free(a.allocate(most, kGpu), kGpu);
  Allocation larger = a.allocate(most + (size_t{100} << 20), kGpu);  // possible only after the first block was freed
  EXPECT_NE(larger.data, nullptr);
  try {
    a.allocate(most, kGpu);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Memory);
    EXPECT_NE(error.message().find(std::to_string(most)), std::string::npos) << error.message();
    EXPECT_NE(error.message().find(std::to_string(larger.bytes)), std::string::npos) << error.message();
  }
  a.free(larger, kGpu);
  a.free(a.allocate(most, kGpu), kGpu);  // the next allocation succeeds
  EXPECT_THROW(a.allocate(SIZE_MAX, kGpu), Error);
  a.empty_cache();
}

TEST(CudaAllocator, AnotherStreamsBlockComesBackWhenThatIsDone) {
  CachingAllocator a(2);
  Allocation block = a.allocate(5000, kGpu);
  const StreamHandle other = backend::new_stream(0);
  a.record_stream(block.data, kGpu, other);
  a.free(block, kGpu);
  EXPECT_EQ(a.allocate(5000, kGpu).data, block.data);  // emulated work is done at once
  backend::delete_stream(other);
}

TEST(CudaPinnedMemory, BlocksAreFoundByWhatLiesInThem) {
  PinnedMemory pinned;
  Allocation block = pinned.allocate(10000);
  EXPECT_TRUE(pinned.holds(static_cast<char*>(block.data) + 9999));
  int elsewhere = 0;
  EXPECT_FALSE(pinned.holds(&elsewhere));
  pinned.used_by(block.data, 0);
  pinned.free(block);
  EXPECT_EQ(pinned.allocate(9000).data, block.data);
  pinned.empty_cache();
}

TEST(CudaPlanCache, TheOneThatWasNotUsedTheLongestGoesFirst) {
  PlanCache<int, int> cache(3);
  auto add = [&](int key) { return cache.insert(key, std::make_shared<int>(10 * key)); };
  EXPECT_EQ(cache.find(1), nullptr);
  for (int key : {1, 2, 3}) add(key);
  EXPECT_EQ(*cache.find(1), 10);  // now 2 is the oldest
  add(4);
  EXPECT_EQ(cache.find(2), nullptr);
  for (int key : {1, 3, 4}) EXPECT_EQ(*cache.find(key), 10 * key);
  add(5);
  EXPECT_EQ(cache.find(1), nullptr);
  EXPECT_EQ(cache.size(), 3u);
}

TEST(CudaPlanCache, TheFirstOfTwoPlansForOneKeyStays) {
  PlanCache<int, int> cache(2);
  auto first = std::make_shared<int>(1), second = std::make_shared<int>(2);
  EXPECT_EQ(cache.insert(7, first), first);
  EXPECT_EQ(cache.insert(7, second), first);
  EXPECT_EQ(cache.size(), 1u);
}

TEST(CudaPlanCache, ALimitIsKeptAndPlansInUseLiveOn) {
  PlanCache<int, int> cache(4);
  for (int key = 0; key < 4; ++key) cache.insert(key, std::make_shared<int>(key));
  const std::shared_ptr<int> used = cache.find(0);
  const std::weak_ptr<int> unused = cache.find(2);
  cache.set_limit(1);
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_EQ(cache.find(0), nullptr);  // 2 was used last
  EXPECT_EQ(*used, 0);
  EXPECT_FALSE(unused.expired());
  cache.clear();
  EXPECT_TRUE(unused.expired());
  cache.set_limit(0);
  const auto plan = cache.insert(9, std::make_shared<int>(9));
  EXPECT_EQ(*plan, 9);  // made and used, but not kept
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(cache.find(9), nullptr);
  EXPECT_EQ(cache.limit(), 0u);
}

TEST(CudaPlanCache, ManyThreadsAtOnce) {
  PlanCache<int, int> cache(5);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const int key = (i * 7 + t) % 11;
        std::shared_ptr<int> plan = cache.find(key);
        if (!plan) plan = cache.insert(key, std::make_shared<int>(key));
        if (*plan != key) ++wrong;
        if (i % 500 == 0) cache.clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(cache.size(), 5u);
}

}  // namespace
}  // namespace tnp::gpu
