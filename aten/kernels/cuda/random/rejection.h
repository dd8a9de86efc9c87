// Rejection sampling with the results of a sequential generator. An attempt may fail, or use more
// bits than usual.
//
// Note [Rejection on the device] A place is a position in the stream where an attempt may begin. A
// block of threads tries all of its places. The i-th successful attempt, in the order of the
// stream, gives number i. A first launch counts the successes of each block, and a cumulative sum
// of the counts gives each block's first number. A second launch repeats the attempts and writes
// the numbers. (Computing Philox again is cheaper than storing the values.)
//
// Ziggurats use a varying number of units: an attempt begins where the previous one ended, and 1.2
// % of them skip a place or more. To find where attempts begin, a thread goes back kBefore places
// and follows the attempts from there as if one began at that place. Two chains of attempts that
// begin at different places meet within a few steps and then coincide. Each thread checks its first
// place against the end of the previous thread's chain. As the first place of all is correct,
// success of all checks proves by induction that every place is. If a check fails, the CPU draws
// the numbers. With kLookBack places the probability of that is about 1e-12 per thread (a normal
// tail that long).
#pragma once

#include <cmath>
#include <cstring>

#include "aten/cuda/launch.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/cuda/reduction/integer_scan.h"
#include "aten/kernels/pointwise.h"
#include "aten/random/attempts.h"
#include "aten/random/generator.h"

namespace tnp::gpu {

inline constexpr int kLookBack = 16;

// Reads the units of a stream in sequence. The units of the block's window come from shared memory.
template <class Unit>
struct UnitReader {
  const random::PhiloxStream& stream;
  const Unit* window;
  int64_t first, count, at;  // `first`, `count`: the window's first unit and its size; `at`: the next unit

  TNP_HOST_DEVICE Unit next() {
    const int64_t k = at++ - first;
    return TNP_LIKELY(k < count) ? window[k] : stream.template unit<Unit>(at - 1);
  }
  TNP_HOST_DEVICE uint64_t next_uint64() { return next(); }
  TNP_HOST_DEVICE uint32_t next_uint32() { return static_cast<uint32_t>(next()); }
  TNP_HOST_DEVICE double next_double() { return to_double(next()); }
};

// Result of a round of attempts, which the host reads.
struct RoundOutcome {
  int64_t successes;
  // The number of places up to the last wanted success, or of the whole round if there were too few
  // successes.
  int64_t used;
  int64_t broken;     // nonzero: a chain of attempts did not match the previous one
  int64_t left_over;  // bits of the surplus number, the last one of the last success
};

// A: the attempts.
//   using Unit, Value;
//   kUnitsPerPlace (and kPlacesPerUnit), one of which is 1;
//   kVariable: an attempt may use more than one unit (both counts are 1 then);
//   kBefore: how far to go back then, else 0;
//   kNumbers: numbers per success;
//   bool attempt(UnitReader<Unit>& bits, int64_t place, Value& value) const;
//   void store(int64_t i, Value value) const: stores the i-th success
//   int64_t left_over(Value value) const: bits of the last number of a success, if kNumbers > 1
template <class A>
struct Rejection {
  using Unit = typename A::Unit;
  using Value = typename A::Value;
  static constexpr uint32_t kThreads = 128;
  static constexpr int kItems = 8, kPlaces = kThreads * kItems, kBefore = A::kBefore, kAll = kBefore + kPlaces;
  static constexpr int kWindow = kAll * A::kUnitsPerPlace / A::kPlacesPerUnit + 1;
  static constexpr int kSteps = 7;
  static_assert(1 << kSteps == kThreads && kItems <= 32);

  struct Shared {
    union {
      Unit window[kWindow];
      Value kept[kPlaces];  // the values of the successes, without gaps
    };
    Value values[kAll];
    uint16_t codes[kAll];        // units used, times two, plus one for a success
    uint32_t sums[2][kThreads];  // cumulative counts of successes; double-buffered
    int32_t ends[kThreads];      // how many places after a thread's own ones its last attempt ended
  };
  struct Private {
    int32_t begin;   // where the thread's first attempt begins, relative to its first place
    uint32_t found;  // bitmask of the thread's places where a successful attempt begins
  };

  random::PhiloxStream stream;
  A attempts;
  // base: the first place of the round; wanted: successes that are still missing; done: successes
  // of earlier rounds.
  int64_t base, wanted, done;
  const int64_t* sums;  // cumulative successes per block, or null: this launch counts them
  int64_t* counts;
  int32_t* ends;
  RoundOutcome* outcome;

  TNP_HOST_DEVICE int phases() const { return 3 + kSteps + (sums ? 2 : 1); }

  TNP_HOST_DEVICE void run(int phase, Place at, Shared& shared, Private& own) const {
    const int lowest = at.block == 0 ? kBefore : 0;  // no attempts come before a round
    // The place that has index 0 in the shared arrays.
    const int64_t origin = base + static_cast<int64_t>(at.block) * kPlaces - kBefore;
    if (phase == 0) return fill_window(at, origin + lowest, shared);
    if (phase == 1) return try_all(at, origin, lowest, shared);
    if (phase == 2) return follow_attempts(at, lowest, shared, own);
    if (phase < 3 + kSteps) return scan(phase - 3, at, shared);
    const uint32_t* upto = shared.sums[kSteps % 2];
    const uint32_t total = upto[kThreads - 1];
    if (!sums) {
      if (at.thread == kThreads - 1) counts[at.block] = total, ends[at.block] = shared.ends[at.thread];
      if (at.block == 0 && at.thread == 0) *outcome = RoundOutcome{};
      return;
    }
    const int64_t before = at.block > 0 ? sums[at.block - 1] : 0;
    if (phase == 3 + kSteps) return keep(at, before, upto, shared, own);
    for (uint32_t j = at.thread; j < total; j += kThreads) {
      if (before + j < wanted) attempts.store(done + before + j, shared.kept[j]);
    }
  }

 private:
  TNP_HOST_DEVICE static int64_t unit_of(int64_t place) { return place * A::kUnitsPerPlace / A::kPlacesPerUnit; }

  TNP_HOST_DEVICE void fill_window(Place at, int64_t lowest_place, Shared& shared) const {
    const int64_t first = unit_of(lowest_place);
    const int64_t begin = stream.block_of<Unit>(first), end = stream.block_of<Unit>(first + kWindow - 1);
    for (int64_t b = begin + at.thread; b <= end; b += kThreads) {
      stream.each_unit<Unit>(b, [&](int64_t unit, Unit value) {
        if (unit >= first && unit < first + kWindow) shared.window[unit - first] = value;
      });
    }
  }

  TNP_HOST_DEVICE void try_all(Place at, int64_t origin, int lowest, Shared& shared) const {
    for (int k = static_cast<int>(at.thread); k < kAll; k += kThreads) {
      if (k < lowest) continue;
      const int64_t unit = unit_of(origin + k);
      UnitReader<Unit> bits{stream, shared.window, unit_of(origin + lowest), kWindow, unit};
      Value value{};
      const bool success = attempts.attempt(bits, origin + k, value);
      const int64_t used = bits.at - unit;
      shared.values[k] = value;
      // Attempts of 0x7fff units or more do not happen in practice.
      shared.codes[k] = static_cast<uint16_t>((used < 0x7fff ? used : 0x7fff) * 2 + (success ? 1 : 0));
    }
  }

  TNP_HOST_DEVICE void follow_attempts(Place at, int lowest, Shared& shared, Private& own) const {
    const int begin = kBefore + static_cast<int>(at.thread) * kItems, end = begin + kItems;
    own = {};
    int k = begin;
    if constexpr (A::kVariable) {
      k = begin - kBefore > lowest ? begin - kBefore : lowest;
      while (k < begin) k += shared.codes[k] >> 1;
      own.begin = k - begin;
    }
    uint32_t count = 0;
    while (k < end) {
      const uint32_t success = shared.codes[k] & 1u;
      own.found |= success << (k - begin);
      count += success;
      k += A::kVariable ? shared.codes[k] >> 1 : 1;
    }
    shared.ends[at.thread] = k - end;
    shared.sums[0][at.thread] = count;
  }

  TNP_HOST_DEVICE static void scan(int step, Place at, Shared& shared) {
    const uint32_t* from = shared.sums[step % 2];
    const uint32_t reach = 1u << step, own = from[at.thread];
    shared.sums[(step + 1) % 2][at.thread] = at.thread >= reach ? from[at.thread - reach] + own : own;
  }

  // Writes the block's successes without gaps, and reports the outcome.
  TNP_HOST_DEVICE void keep(Place at, int64_t before, const uint32_t* upto, Shared& shared, const Private& own) const {
    if constexpr (A::kVariable) {
      const int32_t expected = at.thread > 0 ? shared.ends[at.thread - 1] : at.block > 0 ? ends[at.block - 1] : 0;
      if (own.begin != expected) outcome->broken = 1;
    }
    uint32_t rank = at.thread > 0 ? upto[at.thread - 1] : 0;
    for (int i = 0; i < kItems; ++i) {
      if (!(own.found >> i & 1)) continue;
      const int k = kBefore + static_cast<int>(at.thread) * kItems + i;
      if (before + rank == wanted - 1) {
        const int64_t place = static_cast<int64_t>(at.block) * kPlaces + k - kBefore;
        outcome->used = place + (A::kVariable ? shared.codes[k] >> 1 : 1);
        if constexpr (A::kNumbers > 1) outcome->left_over = attempts.left_over(shared.values[k]);
      }
      shared.kept[rank++] = shared.values[k];
    }
    if (at.block == 0 && at.thread == 0) {
      const int64_t all = sums[at.blocks - 1];
      outcome->successes = all;
      if (all < wanted)
        outcome->used = static_cast<int64_t>(at.blocks) * kPlaces + (A::kVariable ? ends[at.blocks - 1] : 0);
    }
  }
};

// Runs `attempts` until n / kNumbers of them have succeeded, and advances the generator past the
// last one needed. `chance`: the approximate probability of a success. `left_over`: bits of the
// surplus number if kNumbers is 2 and n is odd. Returns false if the CPU has to draw; the generator
// is then unchanged.
template <class A>
bool draw_by_rejection(Generator& g, const A& attempts, int64_t n, double chance, Device device,
                       int64_t* left_over = nullptr) {
  using Kernel = Rejection<A>;
  const int64_t needed = (n + A::kNumbers - 1) / A::kNumbers;
  Kernel kernel{random::philox_stream(g), attempts, 0, needed, 0, nullptr, nullptr, nullptr, nullptr};
  const Tensor result = empty_tensor({4}, ScalarType::Int64, device);
  kernel.outcome = reinterpret_cast<RoundOutcome*>(result.address());
  while (kernel.wanted > 0) {
    const double left = static_cast<double>(kernel.wanted);
    const double places = left / chance + 6 * std::sqrt(left * (1 - chance)) / chance + 64;
    const auto blocks = static_cast<int64_t>(places / Kernel::kPlaces) + 1;
    TNP_CHECK(blocks <= kMaxBlocks, ErrorKind::NotImplemented, "drawing ", n, " random numbers at once on ", device,
              " is not implemented");
    const Tensor counts = empty_tensor({blocks}, ScalarType::Int64, device),
                 ends = empty_tensor({blocks}, ScalarType::Int32, device);
    kernel.sums = nullptr;
    kernel.counts = reinterpret_cast<int64_t*>(counts.address());
    kernel.ends = reinterpret_cast<int32_t*>(ends.address());
    launch(kernel, static_cast<uint32_t>(blocks), device);
    const Tensor sums = empty_tensor({blocks}, ScalarType::Int64, device);
    scan_integers(IntegerScan::Sums, reinterpret_cast<const uint64_t*>(counts.address()),
                  reinterpret_cast<uint64_t*>(sums.address()), blocks, device);
    kernel.sums = reinterpret_cast<const int64_t*>(sums.address());
    launch(kernel, static_cast<uint32_t>(blocks), device);
    const Tensor read = empty_tensor({4}, ScalarType::Int64);
    copy_across(read, result, false);  // synchronises: the host needs the number of places used
    RoundOutcome outcome;
    std::memcpy(&outcome, read.data_ptr<int64_t>(), sizeof outcome);
    if (outcome.broken) return false;
    if (left_over) *left_over = outcome.left_over;
    const int64_t successes = outcome.successes < kernel.wanted ? outcome.successes : kernel.wanted;
    kernel.base += outcome.used;
    kernel.done += successes;
    kernel.wanted -= successes;
  }
  const int64_t units = kernel.base * A::kUnitsPerPlace, rounded = (units + A::kPlacesPerUnit - 1) / A::kPlacesPerUnit;
  if constexpr (sizeof(typename A::Unit) == 8)
    random::skip_words(g, rounded);
  else
    random::skip_halves(g, rounded);
  return true;
}

}  // namespace tnp::gpu
