// Shuffled numbers, and some of many.
#include <unordered_set>

#include "aten/core/scratch.h"
#include "aten/functions.h"
#include "aten/native_functions.h"
#include "aten/ops/random_drawing.h"
#include "aten/random/blocks.h"
#include "aten/random/discrete.h"

namespace tnp::native {

namespace {

// The numbers below n, the last n - first places shuffled. NumPy draws by masks (`use_mask`) in shuffles and
// permutations, and by Lemire's method in choices.
template <class T>
void shuffled_numbers(Generator& g, T* data, int64_t n, int64_t first, bool use_mask) {
  for (int64_t i = 0; i < n; ++i) data[i] = static_cast<T>(i);
  visit_bits(*g.bits, [&](auto& bits) {
    if (use_mask)
      random::shuffle_masked(bits, data, n, first);
    else
      for (int64_t i = n - 1; i >= first; --i)
        std::swap(data[i], data[random::interval(bits, static_cast<uint64_t>(i), false)]);
  });
}

}  // namespace

Tensor random_permutation(int64_t n, std::optional<Device> device, Generator* generator) {
  TNP_CHECK(n >= 0, ErrorKind::Value, "n must be non-negative, got ", n);
  const Device to = result_device(device);
  Tensor order = empty_tensor({n}, ScalarType::Int64);
  int64_t* data = order.data_ptr<int64_t>();
  Drawing drawing(generator, n, to);
  Generator& g = drawing.generator();
  if (n > INT32_MAX) {
    shuffled_numbers(g, data, n, 1, true);
    return on_device(order, to);
  }
  Scratch<int32_t> narrow(n);  // half the memory: twice as many of the swaps stay in a cache
  shuffled_numbers(g, narrow.data(), n, 1, true);
  std::copy_n(narrow.data(), n, data);
  return on_device(order, to);
}

// `count` different numbers below `population`. Few of many: Floyd's set (Bentley, Commun. ACM 30 (1987) 754-757);
// otherwise the end of a shuffle that stops there.
Tensor random_choice(int64_t population, int64_t count, bool shuffled, std::optional<Device> device,
                     Generator* generator) {
  TNP_CHECK(count >= 0 && count <= population, ErrorKind::Value,
            "Cannot take a larger sample than population when replace is False");
  const Device to = result_device(device);
  Drawing drawing(generator, count, to);
  Generator& g = drawing.generator();
  Tensor out = empty_tensor({count}, ScalarType::Int64);
  int64_t* data = out.data_ptr<int64_t>();
  if (population > 10000 && count > population / (shuffled ? 50 : 20)) {
    Scratch<int64_t> order(population);
    shuffled_numbers(g, order.data(), population, std::max<int64_t>(population - count, 1), false);
    std::copy_n(order.data() + population - count, count, data);
    return on_device(out, to);
  }
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
  return on_device(out, to);
}

Tensor randperm(int64_t n, std::optional<ScalarType> dtype, std::optional<Device> device, Generator* generator) {
  const Tensor drawn = native::random_permutation(n, device, generator);
  return !dtype || *dtype == ScalarType::Int64 ? drawn : tnp::cast(drawn, *dtype);
}

}  // namespace tnp::native
