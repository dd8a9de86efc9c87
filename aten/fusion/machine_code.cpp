#include "aten/fusion/machine_code.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "aten/core/threads/fork.h"

namespace tnp::fusion {

using Kind = InstructionSequence::Value::Kind;

MachineCode::MachineCode(const InstructionSequence& sequence, GeneratedCode code)
    : memories_(static_cast<size_t>(sequence.num_memories)),
      constants_(std::move(code.constants)),
      iteration_elements_(code.iteration_elements),
      counted_(sequence.counted),
      lane_bytes_(code.lane_bytes),
      pages_(code.bytes),
      function_(reinterpret_cast<Function>(reinterpret_cast<uintptr_t>(pages_.data()))) {
  for (const InstructionSequence::Value& v : sequence.values) {
    if (v.kind == Kind::Number) numbers_.push_back(v.dtype);
    if (v.memory < 0) continue;
    Memory& m = memories_[static_cast<size_t>(v.memory)];
    m.size = element_size(v.dtype);
    (v.kind == Kind::Memory ? m.is_read : m.is_written) = true;
  }
}

MachineCode::Numbers MachineCode::numbers(std::span<const char* const> values) const {
  const auto bytes = std::make_shared<std::vector<char>>((numbers_.size() + constants_.size() + 1) * kNumberBytes);
  char* to = bytes->data();
  to += (kNumberBytes - reinterpret_cast<uintptr_t>(to) % kNumberBytes) % kNumberBytes;
  Numbers made{bytes, to};
  auto add = [&](ScalarType t, const char* number) {
    const auto size = static_cast<size_t>(element_size(t));
    for (size_t at = 0; at < kNumberBytes; at += size) std::memcpy(to + at, number, size);
    to += kNumberBytes;
  };
  for (size_t i = 0; i < numbers_.size(); ++i) add(numbers_[i], values[i]);
  for (const GeneratedCode::Constant& c : constants_) add(c.dtype, reinterpret_cast<const char*>(&c.bits));
  return made;
}

void MachineCode::run(char* const* memories, const char* numbers, int64_t n) const {
  const int64_t whole = n / iteration_elements_ * iteration_elements_;
  if (whole > 0) function_(memories, numbers, whole);
  if (whole < n) run_rest(memories, numbers, whole, n);
}

int64_t MachineCode::count(char* const* memories, const char* numbers, int64_t n) const {
  if (n == 0) return 0;
  alignas(kNumberBytes) char counts[kNumberBytes] = {};
  std::array<char*, kMostMemories> all;
  std::copy_n(memories, memories_.size(), all.begin());
  all[static_cast<size_t>(counted_)] = counts;
  function_(all.data(), numbers, n);
  const auto sum = [&]<class T>(T) {
    T lanes[kNumberBytes / sizeof(T)];
    std::memcpy(lanes, counts, sizeof counts);
    return std::accumulate(std::begin(lanes), std::end(lanes), int64_t{0});
  };
  return lane_bytes_ == 8 ? sum(int64_t{}) : sum(int32_t{});
}

bool MachineCode::writes_what_it_reads(char* const* memories, int64_t n) const {
  for (size_t w = 0; w < memories_.size(); ++w) {
    if (!memories_[w].is_written) continue;
    if (memories_[w].is_read) return true;
    for (size_t r = 0; r < memories_.size(); ++r) {
      if (memories_[r].is_read && memories[w] < memories[r] + n * memories_[r].size &&
          memories[r] < memories[w] + n * memories_[w].size)
        return true;
    }
  }
  return false;
}

// Computes the remainder, which has fewer elements than one iteration processes. It runs one
// iteration on the last iteration_elements_ elements, so some of them are computed twice. If the
// sequence overwrites its inputs, or n < iteration_elements_, the iteration runs on a copy of the
// remainder that is padded with its last element. Repeating an element raises no additional
// floating-point flags.
void MachineCode::run_rest(char* const* memories, const char* numbers, int64_t done, int64_t n) const {
  std::array<char*, kMostMemories> moved;
  if (done > 0 && !writes_what_it_reads(memories, n)) {
    for (size_t m = 0; m < memories_.size(); ++m)
      moved[m] = memories[m] + (n - iteration_elements_) * memories_[m].size;
    return function_(moved.data(), numbers, iteration_elements_);
  }
  constexpr int64_t kMostBytes = 512;  // bytes of 64 elements, the maximum of one iteration
  alignas(64) char copies[kMostMemories][kMostBytes];
  const int64_t rest = n - done;
  for (size_t m = 0; m < memories_.size(); ++m) {
    moved[m] = copies[m];
    if (!memories_[m].is_read) continue;
    const auto size = static_cast<size_t>(memories_[m].size);
    std::memcpy(copies[m], memories[m] + done * memories_[m].size, static_cast<size_t>(rest) * size);
    for (auto i = static_cast<size_t>(rest); i < static_cast<size_t>(iteration_elements_); ++i)
      std::memcpy(copies[m] + i * size, copies[m] + (i - 1) * size, size);
  }
  function_(moved.data(), numbers, iteration_elements_);
  for (size_t m = 0; m < memories_.size(); ++m)
    if (memories_[m].is_written)
      std::memcpy(memories[m] + done * memories_[m].size, copies[m], static_cast<size_t>(rest * memories_[m].size));
}

// --- cache of code

namespace {

// LRU cache of the machine code of sequences. Programs share ownership of the code, so evicting
// code that a program still runs does not free it.
class Cache {
 public:
  Cache() { hold_at_fork(lock_); }
  std::shared_ptr<const MachineCode> find(const InstructionSequence& sequence) {
    std::string key = sequence.key();
    const std::lock_guard guard(lock_);
    if (const auto known = by_key_.find(key); known != by_key_.end()) {
      entries_.splice(entries_.begin(), entries_, known->second);
      ++counted_.found;
      return known->second->code;
    }
    auto code = std::make_shared<MachineCode>(sequence, generate_code(sequence, cpu_capability()));
    if (!code->is_there()) return nullptr;
    ++counted_.made;
    entries_.push_front({std::move(key), code});
    by_key_.emplace(entries_.front().key, entries_.begin());
    if (entries_.size() > kMostEntries) {
      by_key_.erase(entries_.back().key);
      entries_.pop_back();
    }
    return code;
  }
  MachineCodeStatistics statistics() {
    const std::lock_guard guard(lock_);
    MachineCodeStatistics now = counted_;
    for (const Entry& e : entries_) now.bytes += e.code->size();
    return now;
  }

 private:
  static constexpr size_t kMostEntries = 512;
  struct Entry {
    std::string key;
    std::shared_ptr<const MachineCode> code;
  };
  std::mutex lock_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;
  MachineCodeStatistics counted_ = {};
};

Cache& cache() {
  static auto* cache = new Cache;  // leaked: programs may run while the process ends
  return *cache;
}

bool is_wanted() {
  const char* text = std::getenv("TORCH_NP_MACHINE_CODE");
  return !text || std::string_view(text) != "0";
}

std::atomic<bool>& turned_on() {
  static std::atomic<bool> on = is_wanted();
  return on;
}

std::atomic<bool> is_refused = false;

}  // namespace

bool has_machine_code() {
  return cpu_capability() != CpuCapability::Baseline && turned_on().load(std::memory_order_relaxed) &&
         !is_refused.load(std::memory_order_relaxed);
}

void set_machine_code(bool is_on) { turned_on().store(is_on); }

MachineCodeStatistics machine_code_statistics() { return cache().statistics(); }

std::shared_ptr<const MachineCode> machine_code(const InstructionSequence& sequence) {
  if (!has_machine_code()) return nullptr;
  auto code = cache().find(sequence);
  if (!code) is_refused.store(true);
  return code;
}

}  // namespace tnp::fusion
