// Distributions of vectors: multinomial, Dirichlet, multivariate hypergeometric.
#include <limits>

#include "aten/core/scratch.h"
#include "aten/functions.h"
#include "aten/native_functions.h"
#include "aten/ops/random_distributions.h"
#include "aten/ops/random_drawing.h"
#include "aten/random/blocks.h"
#include "aten/random/discrete.h"

namespace tnp::native {

// Counts of `n` draws from categories of probabilities pvals[..., :]: binomials of what is left, one category at a
// time.
Tensor random_multinomial(const Tensor& n, const Tensor& pvals, OptIntList size, std::optional<Device> device,
                          Generator* generator) {
  TNP_CHECK(pvals.dim() > 0, ErrorKind::Value, "pvals must be at least 1-dimensional");
  const Tensor given[] = {n, pvals};
  const Device to = result_device(device, given);
  Drawing drawing(generator, 0, to);
  Generator& g = drawing.generator();
  const int64_t categories = pvals.size(-1);
  Tensor p = empty_tensor(pvals.sizes(), ScalarType::Float64);
  copy_into(p, pvals);
  const double* weights = p.data_ptr<double>();
  check_parameter("pvals", Must::Unit, weights, p.numel());
  for (int64_t row = 0; categories > 0 && row < p.numel() / categories; ++row) {
    double sum = 0;
    for (int64_t j = 0; j + 1 < categories; ++j) sum += weights[row * categories + j];
    TNP_CHECK(sum <= 1.0 + 1e-12, ErrorKind::Value,
              "sum(pvals[:-1].astype(np.float64)) > 1.0. The pvals array is cast to 64-bit floating point prior to "
              "checking the sum.");
  }
  // One index per distribution, so that n and the rows of pvals broadcast like any two parameters.
  Tensor rows = empty_tensor(pvals.sizes().subspan(0, pvals.sizes().size() - 1), ScalarType::Int64);
  for (int64_t i = 0; i < rows.numel(); ++i) rows.data_ptr<int64_t>()[i] = i;
  const Tensor both[] = {n, rows};
  Broadcast at(both, ScalarType::Int64, size);
  const int64_t* counts = at.value(0).data_ptr<int64_t>();
  for (int64_t i = 0; i < at.value(0).numel(); ++i) TNP_CHECK(counts[i] >= 0, ErrorKind::Value, "n < 0");
  DimVector sizes(at.shape());
  sizes.push_back(categories);
  Tensor out = empty_tensor(sizes, ScalarType::Int64);
  std::fill_n(out.data_ptr<int64_t>(), out.numel(), 0);
  auto fill = [&](auto draw) {
    at.for_each([&](int64_t i, const int64_t* offset) {
      int64_t* to = out.data_ptr<int64_t>() + i * categories;
      const double* w = weights + at.value(1).data_ptr<int64_t>()[offset[1]] * categories;
      int64_t left = counts[offset[0]];
      double rest = 1.0;
      for (int64_t j = 0; j + 1 < categories && left > 0; ++j) {
        to[j] = random::binomial(draw, left, std::min(w[j] / rest, 1.0));
        left -= to[j];
        rest -= w[j];
      }
      if (left > 0 && categories > 0) to[categories - 1] = left;
    });
  };
  if (g.legacy)
    fill(Legacy(g));
  else
    fill(Modern(g));
  return on_device(out, to);
}

// Points of the simplex: gammas divided by their sum. Where all of `alpha` are small the gammas may all underflow, and
// a stick is broken by beta numbers instead.
Tensor random_dirichlet(const Tensor& alpha, OptIntList size, std::optional<Device> device, Generator* generator) {
  TNP_CHECK(alpha.dim() == 1, ErrorKind::Value, "alpha must be 1-dimensional");
  const Tensor given[] = {alpha};
  const Device to = result_device(device, given);
  Drawing drawing(generator, 0, to);
  Generator& g = drawing.generator();
  const int64_t k = alpha.numel();
  Tensor weights = empty_tensor({k}, ScalarType::Float64);
  if (k > 0) copy_into(weights, alpha);
  const double* a = weights.data_ptr<double>();
  DimVector sizes = size ? DimVector(*size) : DimVector();
  const int64_t rows = numel_of(sizes);
  sizes.push_back(k);
  Tensor out = empty_tensor(sizes, ScalarType::Float64);
  const double largest = k > 0 ? *std::max_element(a, a + k) : 1;
  auto gammas = [&](auto draw) {
    for (int64_t i = 0; i < rows; ++i) {
      double *row = out.data_ptr<double>() + i * k, sum = 0;
      for (int64_t j = 0; j < k; ++j) sum += row[j] = random::standard_gamma(draw, a[j]);
      for (int64_t j = 0; j < k; ++j) row[j] *= 1 / sum;
    }
  };
  if (g.legacy) {
    gammas(Legacy(g));
  } else if (k > 0 && largest == 0) {
    std::fill_n(out.data_ptr<double>(), out.numel(), 0.0);
  } else if (k > 0 && largest < 0.1) {
    std::vector<double> rest(static_cast<size_t>(k), 0.0);  // the sum of what comes after
    for (int64_t j = k - 1; j-- > 0;) rest[static_cast<size_t>(j)] = rest[static_cast<size_t>(j) + 1] + a[j + 1];
    Modern draw(g);
    for (int64_t i = 0; i < rows; ++i) {
      double *row = out.data_ptr<double>() + i * k, left = 1;
      for (int64_t j = 0; j + 1 < k; ++j) {
        double v = random::beta(draw, a[j], rest[static_cast<size_t>(j)]);
        row[j] = left * v;
        left *= 1 - v;
        if (rest[static_cast<size_t>(j)] == 0 || rest[static_cast<size_t>(j) + 1] == 0) {
          for (int64_t l = j + 1; l < k; ++l) row[l] = 0;
          if (rest[static_cast<size_t>(j)] != 0) row[j + 1] = left;
          left = 0;
          break;
        }
      }
      if (left != 0 || k == 1) row[k - 1] = left;
    }
  } else {
    gammas(Modern(g));
  }
  return on_device(out, to);
}

// How many of each colour come when `nsample` of colors[0] + colors[1] + ... items are drawn. `count`: by shuffling the
// items; otherwise one colour after the other, each hypergeometric in what is left.
Tensor random_multivariate_hypergeometric(const Tensor& colors, int64_t nsample, OptIntList size, bool count,
                                          std::optional<Device> device, Generator* generator) {
  TNP_CHECK(colors.dim() == 1 && colors.dtype() == ScalarType::Int64, ErrorKind::Value,
            "colors must be a 1-d array of int64");
  const Tensor given[] = {colors};
  const Device to = result_device(device, given);
  Drawing drawing(generator, 0, to);
  Generator& g = drawing.generator();
  Tensor dense = empty_tensor(colors.sizes(), ScalarType::Int64);
  if (colors.numel() > 0) copy_into(dense, colors);
  const int64_t k = colors.numel(), *of = dense.data_ptr<int64_t>();
  int64_t total = 0;
  for (int64_t i = 0; i < k; ++i) {
    TNP_CHECK(of[i] >= 0 && !__builtin_add_overflow(total, of[i], &total), ErrorKind::Value,
              "colors must be nonnegative, and their sum an int64");
  }
  TNP_CHECK(nsample >= 0 && nsample <= total, ErrorKind::Value, "nsample > sum(colors)");
  DimVector sizes = size ? DimVector(*size) : DimVector();
  const int64_t rows = numel_of(sizes);
  sizes.push_back(k);
  Tensor out = empty_tensor(sizes, ScalarType::Int64);
  std::fill_n(out.data_ptr<int64_t>(), out.numel(), 0);
  const bool inverted = nsample > total / 2;  // draw those that stay behind
  const int64_t drawn = inverted ? total - nsample : nsample;
  std::vector<int64_t> items;
  if (count && rows > 0) {
    TNP_CHECK(total <= (int64_t{1} << 33), ErrorKind::Memory, "not enough memory for ", total, " items");
    items.reserve(static_cast<size_t>(total));
    for (int64_t i = 0; i < k; ++i) items.insert(items.end(), static_cast<size_t>(of[i]), i);
  }
  Modern draw(g);
  for (int64_t i = 0; i < rows && k > 0; ++i) {
    int64_t* row = out.data_ptr<int64_t>() + i * k;
    if (count) {
      for (int64_t j = 0; j < drawn; ++j) {
        auto other = j + static_cast<int64_t>(random::interval(*g.bits, static_cast<uint64_t>(total - j - 1), true));
        std::swap(items[static_cast<size_t>(j)], items[static_cast<size_t>(other)]);
        ++row[items[static_cast<size_t>(j)]];
      }
    } else {
      int64_t left = total, open = drawn;
      for (int64_t j = 0; j + 1 < k && open > 0; ++j) {
        left -= of[j];
        row[j] = random::hypergeometric(draw, of[j], left, open);
        open -= row[j];
      }
      if (open > 0) row[k - 1] = open;
    }
    if (inverted)
      for (int64_t j = 0; j < k; ++j) row[j] = of[j] - row[j];
  }
  return on_device(out, to);
}

}  // namespace tnp::native
