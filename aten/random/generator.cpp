// Making bit generators by name, and the generator that is used when none is given.
#include "aten/core/generator.h"

#include <cstring>
#include <random>

#include "aten/random/bit_generators.h"

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
intrusive_ptr<Generator>& slot() {
  static auto* generator = new intrusive_ptr<Generator>;  // never destroyed: it may be used during shutdown
  return *generator;
}
}  // namespace

Generator& default_generator() {
  if (!slot()) manual_seed(std::random_device{}());
  return *slot();
}

void set_default_generator(intrusive_ptr<Generator> generator) { slot() = std::move(generator); }

void manual_seed(uint64_t seed) {
  if (!slot() || slot()->bits->kind() != BitGenerator::Kind::MT19937) {
    slot() = make_intrusive<Generator>(make_bit_generator("MT19937"), true);
  }
  static_cast<MT19937&>(*slot()->bits).seed(static_cast<uint32_t>(seed ^ (seed >> 32)));
  slot()->has_gauss = false;
}

}  // namespace tnp
