#include "aten/random/seed_sequence.h"

#include <vector>

#include "aten/random/bit_generators.h"

namespace tnp {

namespace {

// SeedSequence.generate_state(): each word hashes one word of the pool with a running constant.
class SeedWords {
 public:
  explicit SeedWords(std::span<const uint32_t> pool) : pool_(pool) {}
  uint32_t next() {
    uint32_t word = pool_[at_] ^ constant_;
    if (++at_ == pool_.size()) at_ = 0;
    constant_ *= 0x58f38ded;
    word *= constant_;
    return word ^ word >> 16;
  }
  uint64_t next_wide() {
    const uint64_t low = next();
    return low | static_cast<uint64_t>(next()) << 32;
  }

 private:
  std::span<const uint32_t> pool_;
  size_t at_ = 0;
  uint32_t constant_ = 0x8b51f9dd;
};

// Both PCG64 generators: a state and a stream of 128 bits.
std::vector<uint64_t> congruential_state(SeedWords& seeds) {
  constexpr uint128 multiplier = make_uint128(2549297995355413924ULL, 4865540595714422341ULL);
  const uint64_t high = seeds.next_wide(), low = seeds.next_wide();
  const uint64_t stream_high = seeds.next_wide(), stream_low = seeds.next_wide();
  const uint128 increment = make_uint128(stream_high, stream_low) << 1 | 1;
  const uint128 state = (make_uint128(high, low) + increment) * multiplier + increment;
  return {static_cast<uint64_t>(state >> 64),
          static_cast<uint64_t>(state),
          static_cast<uint64_t>(increment >> 64),
          static_cast<uint64_t>(increment),
          0,
          0};
}

}  // namespace

void seed_from_pool(BitGenerator& bits, std::span<const uint32_t> pool) {
  TNP_CHECK(!pool.empty(), ErrorKind::Value, "the pool of a seed sequence must not be empty");
  SeedWords seeds(pool);
  switch (bits.kind()) {
    case BitGenerator::Kind::PCG64:
    case BitGenerator::Kind::PCG64DXSM:
      return bits.set_state(congruential_state(seeds));
    case BitGenerator::Kind::MT19937: {
      std::vector<uint64_t> words(MT19937::kLength + 1);
      for (int i = 0; i < MT19937::kLength; ++i) words[static_cast<size_t>(i)] = seeds.next();
      words[0] = 0x80000000;  // the state must not be zero
      words[MT19937::kLength] = MT19937::kLength - 1;
      return bits.set_state(words);
    }
    case BitGenerator::Kind::Philox: {  // counter, key, buffer, position in the buffer, half word
      std::vector<uint64_t> words(13);
      words[4] = seeds.next_wide();
      words[5] = seeds.next_wide();
      words[10] = 4;
      return bits.set_state(words);
    }
    case BitGenerator::Kind::SFC64: {
      std::vector<uint64_t> words(6);
      for (size_t i = 0; i < 3; ++i) words[i] = seeds.next_wide();
      words[3] = 1;
      bits.set_state(words);
      for (int i = 0; i < 12; ++i) bits.next_uint64();
      return;
    }
    default:
      TNP_RAISE(ErrorKind::Value, "a foreign bit generator has no seeding");
  }
}

}  // namespace tnp
