// The CPU's caching allocator, and the free lists of small objects.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "aten/core/allocator.h"
#include "aten/core/free_list.h"
#include "aten/core/tensor.h"

namespace tnp {
namespace {

struct RestoredLimit {
  uint64_t before = cpu_memory_statistics().cache_limit;
  ~RestoredLimit() { set_cpu_cache_limit(before); }
};

TEST(Allocator, AFreedBlockIsHandedOutAgain) {
  for (size_t bytes : {size_t{1000}, size_t{100'000}, size_t{5'000'000}}) {
    empty_cpu_cache();
    Allocation first = allocator(Device{}).allocate(bytes, {});
    allocator(Device{}).free(first, {});
    EXPECT_GE(cpu_memory_statistics().cached_bytes, bytes);
    Allocation second = allocator(Device{}).allocate(bytes - 10, {});
    EXPECT_EQ(first.data, second.data);
    EXPECT_EQ(cpu_memory_statistics().cached_bytes, 0u);
    allocator(Device{}).free(second, {});
  }
  empty_cpu_cache();
  EXPECT_EQ(cpu_memory_statistics().cached_bytes, 0u);
}

TEST(Allocator, BlocksAreAlignedAndLargeEnough) {
  std::vector<Allocation> held;
  for (size_t bytes = 1; bytes < (size_t{1} << 26); bytes = bytes * 5 / 4 + 3) {
    Allocation block = allocator(Device{}).allocate(bytes, {});
    EXPECT_GE(block.bytes, bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data) % 64, 0u) << bytes;
    std::memset(block.data, 0xab, bytes);
    held.push_back(block);
  }
  for (Allocation block : held) allocator(Device{}).free(block, {});
  empty_cpu_cache();
}

TEST(Allocator, NoMoreThanTheLimitIsKept) {
  RestoredLimit restored;
  empty_cpu_cache();
  set_cpu_cache_limit(10'000'000);
  std::vector<Tensor> arrays;
  for (int i = 0; i < 10; ++i) arrays.push_back(empty_tensor({3'000'000}, ScalarType::UInt8));
  arrays.clear();
  EXPECT_LE(cpu_memory_statistics().cached_bytes, 10'000'000u);
  EXPECT_GT(cpu_memory_statistics().cached_bytes, 0u);
  set_cpu_cache_limit(0);
  EXPECT_EQ(cpu_memory_statistics().cached_bytes, 0u);
}

TEST(Allocator, ARefusedRequestEmptiesTheCacheAndRaises) {
  empty_tensor({1'000'000}, ScalarType::Float64);  // freed at once: kept
  EXPECT_GT(cpu_memory_statistics().cached_bytes, 0u);
  try {
    allocator(Device{}).allocate(size_t{1} << 60, {});
    FAIL() << "2^60 bytes were allocated";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::Memory);
  }
  EXPECT_EQ(cpu_memory_statistics().cached_bytes, 0u);
}

TEST(Allocator, CountsWhatIsHeldAndItsPeak) {
  reset_peak_memory_statistics();
  uint64_t before = cpu_memory_statistics().allocated_bytes;
  {
    Tensor held = empty_tensor({1'000'000}, ScalarType::Float64);
    EXPECT_GE(cpu_memory_statistics().allocated_bytes, before + 8'000'000);
  }
  EXPECT_EQ(cpu_memory_statistics().allocated_bytes, before);
  EXPECT_GE(cpu_memory_statistics().peak_allocated_bytes, before + 8'000'000);
}

TEST(Allocator, ServesThreadsAtOnce) {
  uint64_t before = cpu_memory_statistics().allocated_bytes;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 2000; ++i) {
        int64_t n = 100 + (i * 37 + t) % 5000;
        Tensor a = empty_tensor({n}, ScalarType::UInt8);
        std::memset(a.data(), t, static_cast<size_t>(n));
        for (int64_t k = 0; k < n; k += 97) ASSERT_EQ(a.data_ptr<uint8_t>()[k], t);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(cpu_memory_statistics().allocated_bytes, before);
}

TEST(FreeList, ABlockMayEndOnAnotherThread) {
  std::vector<Tensor> made;
  std::thread maker([&] {
    for (int i = 0; i < 1000; ++i) made.push_back(empty_tensor({4}, ScalarType::Float32));
  });
  maker.join();
  std::thread destroyer([&] { made.clear(); });
  destroyer.join();
  EXPECT_TRUE(made.empty());
}

}  // namespace
}  // namespace tnp
