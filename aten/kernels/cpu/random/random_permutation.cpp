// Random permutations, and random choices without replacement.
#include <numeric>
#include <unordered_set>

#include "aten/kernels/random.h"
#include "aten/random/blocks.h"

namespace tnp::native {

void draw_permutation(const Tensor& out, int64_t first, bool use_mask, Generator& g) {
  auto shuffle = [&]<class T>(T* data) {
    const int64_t n = out.numel();
    std::iota(data, data + n, T{0});
    visit_bits(*g.bits, [&](auto& bits) {
      if (use_mask)
        random::shuffle_masked(bits, data, n, first);
      else
        for (int64_t i = n - 1; i >= first; --i)
          std::swap(data[i], data[random::interval(bits, static_cast<uint64_t>(i), false)]);
    });
  };
  if (out.dtype() == ScalarType::Int32)
    shuffle(out.data_ptr<int32_t>());
  else
    shuffle(out.data_ptr<int64_t>());
}

// Uses Floyd's algorithm. Source: Bentley, Commun. ACM 30 (1987) 754-757.
void draw_choice(const Tensor& out, int64_t population, bool shuffled, Generator& g) {
  const int64_t count = out.numel();
  int64_t* data = out.data_ptr<int64_t>();
  std::unordered_set<int64_t> seen;
  seen.reserve(static_cast<size_t>(count));
  for (int64_t j = population - count; j < population; ++j) {
    auto value = static_cast<int64_t>(random::interval(*g.bits, static_cast<uint64_t>(j), false));
    if (!seen.insert(value).second) seen.insert(value = j);
    data[j - population + count] = value;
  }
  if (shuffled) {
    for (int64_t i = count - 1; i >= 1; --i)
      std::swap(data[i], data[random::interval(*g.bits, static_cast<uint64_t>(i), false)]);
  }
}

}  // namespace tnp::native
