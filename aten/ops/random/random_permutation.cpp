// Random permutations, and samples without replacement.
#include "aten/functions/copies.h"
#include "aten/functions/random.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/random.h"
#include "aten/native_functions/random.h"
#include "aten/ops/random/random_drawing.h"

namespace tnp::native {

namespace {

Tensor permutations(int64_t n, int64_t rows, Device to, Generator* generator) {
  Tensor orders = empty_tensor({rows, n}, ScalarType::Int64);
  Drawing drawing(generator, rows * n, to);
  for (int64_t row = 0; row < rows; ++row) {
    char* const first = reinterpret_cast<char*>(orders.data_ptr<int64_t>() + row * n);
    draw_permutation(view_of(orders, {n}, {1}, first), 1, true, drawing.generator());
  }
  return on_device(orders, to);
}

}  // namespace

Tensor random_permutation(int64_t n, std::optional<int64_t> rows, std::optional<Device> device, Generator* generator) {
  TNP_CHECK(n >= 0 && rows.value_or(0) >= 0, ErrorKind::Value, "n must be non-negative, got ", n);
  const Device to = result_device(device);
  if (to.is_meta()) return empty_tensor(rows ? DimVector{*rows, n} : DimVector{n}, ScalarType::Int64, to);
  if (rows) return permutations(n, *rows, to, generator);
  Tensor order = empty_tensor({n}, ScalarType::Int64);
  Drawing drawing(generator, n, to);
  // int32 halves the memory, so that more of the swaps hit the cache.
  const Tensor shuffled = n > INT32_MAX ? order : empty_tensor({n}, ScalarType::Int32);
  draw_permutation(shuffled, 1, true, drawing.generator());
  if (n <= INT32_MAX) copy_into(order, shuffled);
  return on_device(order, to);
}

// `count` different numbers below `population`. For a small sample, draws numbers and rejects those
// in a set of numbers drawn before. A large sample is the end of a partially shuffled array.
Tensor random_choice(int64_t population, int64_t count, bool shuffled, std::optional<Device> device,
                     Generator* generator) {
  TNP_CHECK(count >= 0 && count <= population, ErrorKind::Value,
            "Cannot take a larger sample than population when replace is False");
  const Device to = result_device(device);
  if (to.is_meta()) return empty_tensor({count}, ScalarType::Int64, to);
  Drawing drawing(generator, count, to);
  Generator& g = drawing.generator();
  Tensor out = empty_tensor({count}, ScalarType::Int64);
  if (population > 10000 && count > population / (shuffled ? 50 : 20)) {
    const Tensor order = empty_tensor({population}, ScalarType::Int64);
    draw_permutation(order, std::max<int64_t>(population - count, 1), false, g);
    int64_t* end = order.data_ptr<int64_t>() + population - count;
    copy_into(out, view_of(order, out.sizes(), out.strides(), reinterpret_cast<char*>(end)));
  } else {
    draw_choice(out, population, shuffled, g);
  }
  return on_device(out, to);
}

}  // namespace tnp::native
