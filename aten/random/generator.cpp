// Construction of bit generators by name, and the default generators.
#include "aten/random/generator.h"

#include "aten/core/observer.h"

#include <cstring>
#include <optional>
#include <random>

#include "aten/core/threads/parallel.h"
#include "aten/random/bit_generators.h"
#include "aten/random/draws.h"

namespace tnp {

intrusive_ptr<BitGenerator> make_bit_generator(const char* name) {
  auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  if (is("PCG64")) return make_intrusive<PCG64>();
  if (is("PCG64DXSM")) return make_intrusive<PCG64DXSM>();
  if (is("MT19937")) return make_intrusive<MT19937>();
  if (is("Philox")) return make_intrusive<Philox>();
  if (is("SFC64")) return make_intrusive<SFC64>();
  TNP_RAISE(ErrorKind::Value, name, " is not a known BitGenerator module.");
}

namespace {
thread_local uint64_t draws = 0;
}
uint64_t draws_of_thread() { return draws; }

BitLock BitGenerator::lock(bool long_draw) {
  ++draws;
  if (TNP_UNLIKELY(observer() != nullptr)) observer()->drew();
  BitLock held;
  if (kind_ == Kind::Foreign) return held;
  held.inner_ = std::unique_lock(mutex_, std::try_to_lock);
  if (!held.inner_) {
    LongWork wait;
    held.inner_.lock();
  }
  if (TNP_UNLIKELY(outer_ != nullptr) && outer_->lock(long_draw)) held.outer_ = outer_.get();
  return held;
}

namespace {

struct Defaults {
  intrusive_ptr<Generator> cpu, torch, gpu[128];
  std::optional<uint64_t> seed;  // for GPU generators created later
};
Defaults& defaults() {
  static auto* them = new Defaults;  // never destroyed: may be used during shutdown
  return *them;
}

}  // namespace

uint64_t random_seed() {
  std::random_device entropy;
  return static_cast<uint64_t>(entropy()) << 32 | entropy();
}

Generator& default_generator(Device device) {
  auto& slot = device.is_cpu() ? defaults().cpu : defaults().gpu[device.index];
  if (!slot && device.is_cpu()) {
    slot = make_intrusive<Generator>(make_bit_generator("MT19937"), true);
    seed_bits(*slot, std::random_device{}());
  } else if (!slot) {
    slot = make_intrusive<Generator>(make_bit_generator("Philox"));
    const std::optional<uint64_t> seed = defaults().seed;
    seed_bits(*slot, seed ? *seed : random_seed());
  }
  return *slot;
}

intrusive_ptr<Generator> make_torch_generator() {
  auto generator = make_intrusive<Generator>(make_bit_generator("MT19937"), true);
  generator->torch = true;
  return generator;
}

Generator& default_torch_generator(Device device) {
  if (!device.is_cpu()) return default_generator(device);
  auto& slot = defaults().torch;
  if (!slot) {
    slot = make_torch_generator();
    seed_bits(*slot, random_seed());
  }
  return *slot;
}

void set_default_generator(intrusive_ptr<Generator> generator) { defaults().cpu = std::move(generator); }

void seed_bits(Generator& g, uint64_t seed) {
  auto lock = g.bits->lock();
  const uint64_t given = seed;
  if (g.bits->kind() == BitGenerator::Kind::MT19937) {
    static_cast<MT19937&>(*g.bits).seed(static_cast<uint32_t>(g.torch ? seed : seed ^ (seed >> 32)));
  } else {
    std::vector<uint64_t> words = g.bits->state();
    for (uint64_t& word : words) {  // splitmix64: Steele, Lea and Flood, OOPSLA 2014
      uint64_t z = seed += 0x9e3779b97f4a7c15ULL;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      word = z ^ (z >> 31);
    }
    bool is_pcg = g.bits->kind() == BitGenerator::Kind::PCG64 || g.bits->kind() == BitGenerator::Kind::PCG64DXSM;
    if (is_pcg) words[3] |= 1;                                        // the increment is odd
    if (g.bits->kind() == BitGenerator::Kind::Philox) words[10] = 4;  // the buffer is empty
    words[words.size() - 2] = words[words.size() - 1] = 0;
    g.bits->set_state(words);
  }
  g.seed = given;
  *g.gauss = {};
}

void manual_seed(uint64_t seed) {
  seed_bits(default_torch_generator(), seed);
  for (auto& gpu : defaults().gpu) {
    if (gpu) seed_bits(*gpu, seed);
  }
  defaults().seed = seed;
}

}  // namespace tnp
