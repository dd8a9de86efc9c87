// Distributions of vectors: multinomial, Dirichlet, multivariate hypergeometric.
#include <algorithm>
#include <numeric>

#include "aten/functions/random.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/random.h"
#include "aten/native_functions/random.h"
#include "aten/ops/random/random_drawing.h"

namespace tnp::native {

namespace {

// The shape `size` with an additional last axis of size k.
DimVector with_last(OptIntList size, int64_t k) {
  DimVector sizes = size ? DimVector(*size) : DimVector();
  sizes.push_back(k);
  return sizes;
}

void check_probabilities(const Tensor& pvals) {
  const int64_t categories = pvals.size(-1);
  const double* weights = pvals.data_ptr<double>();
  random::check_parameter({"pvals", random::Domain::Unit}, weights, pvals.numel());
  for (int64_t row = 0; categories > 0 && row < pvals.numel(); row += categories) {
    TNP_CHECK(std::accumulate(weights + row, weights + row + categories - 1, 0.0) <= 1.0 + 1e-12, ErrorKind::Value,
              "sum(pvals[:-1].astype(np.float64)) > 1.0. The pvals array is cast to 64-bit floating point prior to "
              "checking the sum.");
  }
}

}  // namespace

// For each category, the number of occurrences among `n` draws with the probabilities pvals[...,
// :].
Tensor random_multinomial(const Tensor& n, const Tensor& pvals, OptIntList size, std::optional<Device> device,
                          Generator* generator) {
  TNP_CHECK(pvals.dim() > 0, ErrorKind::Value, "pvals must be at least 1-dimensional");
  const Tensor given[] = {n, pvals};
  const Device to = result_device(device, given);
  if (to.is_meta()) {
    const Tensor rows = empty_tensor(pvals.sizes().first(pvals.sizes().size() - 1), ScalarType::Int64, to);
    const Tensor both[] = {n, rows};
    return empty_tensor(with_last(IntList(drawn_shape(both, size)), pvals.size(-1)), ScalarType::Int64, to);
  }
  Drawing drawing(generator, 0, to);
  const Tensor p = parameter_copy(pvals, ScalarType::Float64);
  check_probabilities(p);
  // One index per row of probabilities, so that n and the rows broadcast like any two parameters.
  const Tensor rows = empty_tensor(p.sizes().subspan(0, p.sizes().size() - 1), ScalarType::Int64);
  std::iota(rows.data_ptr<int64_t>(), rows.data_ptr<int64_t>() + rows.numel(), int64_t{0});
  const Tensor both[] = {n, rows};
  const Parameters at(both, ScalarType::Int64, size);
  const int64_t *counts = at.dense(0).data_ptr<int64_t>(), *end = counts + at.dense(0).numel();
  TNP_CHECK(std::all_of(counts, end, [](int64_t count) { return count >= 0; }), ErrorKind::Value, "n < 0");
  Tensor out = empty_tensor(with_last(at.shape(), p.size(-1)), ScalarType::Int64);
  const std::vector<Tensor> views = at.broadcast();
  draw_multinomial(out, views[0], views[1], p, drawing.generator());
  return on_device(out, to);
}

Tensor random_dirichlet(const Tensor& alpha, OptIntList size, std::optional<Device> device, Generator* generator) {
  TNP_CHECK(alpha.dim() == 1, ErrorKind::Value, "alpha must be 1-dimensional");
  const Tensor given[] = {alpha};
  const Device to = result_device(device, given);
  if (to.is_meta()) return empty_tensor(with_last(size, alpha.numel()), ScalarType::Float64, to);
  Drawing drawing(generator, 0, to);
  Tensor out = empty_tensor(with_last(size, alpha.numel()), ScalarType::Float64);
  draw_dirichlet(out, parameter_copy(alpha, ScalarType::Float64), drawing.generator());
  return on_device(out, to);
}

// For each colour, the number of occurrences among `nsample` draws without replacement from
// colors[0] + colors[1] + ... items. If `count` is set, shuffles the items. Otherwise draws each
// colour's count from a hypergeometric distribution of the remaining items.
Tensor random_multivariate_hypergeometric(const Tensor& colors, int64_t nsample, OptIntList size, bool count,
                                          std::optional<Device> device, Generator* generator) {
  TNP_CHECK(colors.dim() == 1 && colors.dtype() == ScalarType::Int64, ErrorKind::Value,
            "colors must be a 1-d array of int64");
  const Tensor given[] = {colors};
  const Device to = result_device(device, given);
  if (to.is_meta()) return empty_tensor(with_last(size, colors.numel()), ScalarType::Int64, to);
  Drawing drawing(generator, 0, to);
  const Tensor dense = parameter_copy(colors, ScalarType::Int64);
  int64_t total = 0;
  for (const int64_t of : std::span(dense.data_ptr<int64_t>(), static_cast<size_t>(dense.numel()))) {
    TNP_CHECK(of >= 0 && !__builtin_add_overflow(total, of, &total), ErrorKind::Value,
              "colors must be nonnegative, and their sum an int64");
  }
  TNP_CHECK(nsample >= 0 && nsample <= total, ErrorKind::Value, "nsample > sum(colors)");
  Tensor out = empty_tensor(with_last(size, colors.numel()), ScalarType::Int64), items;
  if (count && out.numel() > 0) {
    TNP_CHECK(total <= (int64_t{1} << 33), ErrorKind::Memory, "not enough memory for ", total, " items");
    items = empty_tensor({total}, ScalarType::Int64);
  }
  draw_multivariate_hypergeometric(out, dense, nsample, items, drawing.generator());
  return on_device(out, to);
}

}  // namespace tnp::native
