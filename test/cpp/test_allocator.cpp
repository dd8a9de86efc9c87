// The CPU's caching allocator, and the free lists of small objects.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "aten/core/memory/allocator.h"
#include "aten/core/memory/free_list.h"
#include "aten/core/memory/memory_limit.h"
#include "aten/core/memory/poison.h"
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
  empty_tensor({1'000'000}, ScalarType::Float64);  // freed at once, and cached
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

#ifdef __SANITIZE_ADDRESS__
TEST(Allocator, BytesBeyondAnArrayArePoisonedAndThoseOfAKeptBlock) {
  for (int64_t n : {1, 60, 64, 65, 250, 256, 257, 1000, 100'001, 5'000'000}) {
    for (int again = 0; again < 2; ++again) {  // first a fresh block, then one from the cache
      Tensor a = empty_tensor({n}, ScalarType::UInt8);
      const char* data = static_cast<const char*>(a.data());
      EXPECT_FALSE(__asan_address_is_poisoned(data));
      EXPECT_FALSE(__asan_address_is_poisoned(data + n - 1)) << n;
      EXPECT_TRUE(__asan_address_is_poisoned(data + n)) << n;
      a = Tensor();
      EXPECT_TRUE(__asan_address_is_poisoned(data + n / 2)) << n;
    }
  }
  empty_cpu_cache();
}
#endif

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

// A file system that contains only the files of control groups.
class FakeRoot {
 public:
  FakeRoot() {
    std::string name = (std::filesystem::temp_directory_path() / "torch_np_cgroup_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~FakeRoot() { std::filesystem::remove_all(path_); }
  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path at = path_ + file;
    std::filesystem::create_directories(at.parent_path());
    std::ofstream(at) << text;
  }
  uint64_t limit() const { return memory_limit(path_); }

 private:
  std::string path_;
};
constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(MemoryLimit, IsTheMachinesWithoutGroups) {
  FakeRoot root;
  const uint64_t machine = root.limit();
  EXPECT_GT(machine, 64 * kMiB);
  root.write("/proc/self/cgroup", "0::/user.slice\n");
  EXPECT_EQ(root.limit(), machine);
  root.write("/sys/fs/cgroup/user.slice/memory.max", "max\n");
  EXPECT_EQ(root.limit(), machine);
  root.write("/sys/fs/cgroup/user.slice/memory.max", "9223372036854771712\n");
  EXPECT_EQ(root.limit(), machine);
}

TEST(MemoryLimit, OfVersion2IsTheLeastOnTheWayToTheRoot) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "0::/a/b/c\n");
  root.write("/sys/fs/cgroup/a/b/c/memory.max", "max\n");
  root.write("/sys/fs/cgroup/a/b/memory.max", std::to_string(40 * kMiB) + "\n");
  root.write("/sys/fs/cgroup/a/memory.max", std::to_string(50 * kMiB) + "\n");
  EXPECT_EQ(root.limit(), 40 * kMiB);
}

TEST(MemoryLimit, OfVersion1) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/1234\n0::/\n");
  root.write("/sys/fs/cgroup/memory/docker/1234/memory.limit_in_bytes", std::to_string(30 * kMiB) + "\n");
  root.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(root.limit(), 30 * kMiB);
}

// The path of the container's group is that on the host, but the container sees its group as the
// root of the hierarchy.
TEST(MemoryLimit, OfAContainerThatSeesOnlyItsOwnGroup) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "4:memory:/docker/1234\n0::/docker/1234\n");
  root.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(20 * kMiB) + "\n");
  EXPECT_EQ(root.limit(), 20 * kMiB);
  root.write("/sys/fs/cgroup/memory.max", std::to_string(10 * kMiB) + "\n");
  EXPECT_EQ(root.limit(), 10 * kMiB);
}

TEST(MemoryLimit, FilesThatSayNothingAreNoLimit) {
  FakeRoot root;
  const uint64_t machine = root.limit();
  for (const char* text : {"", "\n", "::", "0:", "x", "4:memory:", "0::relative"}) {
    root.write("/proc/self/cgroup", text);
    EXPECT_EQ(root.limit(), machine) << text;
  }
}

}  // namespace
}  // namespace tnp
