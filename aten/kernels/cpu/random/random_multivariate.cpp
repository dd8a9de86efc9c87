// Vector distributions: multinomial, Dirichlet, multivariate hypergeometric.
#include <algorithm>
#include <vector>

#include "aten/iterator/iterator.h"
#include "aten/kernels/random.h"
#include "aten/random/discrete.h"

namespace tnp::native {

namespace {

int64_t last_size(const Tensor& t) { return t.sizes().back(); }
int64_t rows_of(const Tensor& t) { return t.numel() / std::max<int64_t>(last_size(t), 1); }

// Draws Dirichlet vectors as gamma numbers divided by their sum.
template <class Draw>
void gammas(Draw draw, const double* a, int64_t k, double* out, int64_t rows) {
  for (double* row = out; row < out + rows * k; row += k) {
    double sum = 0;
    for (int64_t j = 0; j < k; ++j) sum += row[j] = random::standard_gamma(draw, a[j]);
    for (int64_t j = 0; j < k; ++j) row[j] *= 1 / sum;
  }
}

// Draws Dirichlet vectors by stick breaking with beta numbers. This method is for small `a`, where
// all gamma numbers might underflow.
void broken_sticks(random::Modern draw, const double* a, size_t k, double* out, int64_t rows) {
  std::vector<double> rest(k, 0.0);  // rest[j]: the sum of the entries of `a` after j
  for (size_t j = k - 1; j-- > 0;) rest[j] = rest[j + 1] + a[j + 1];
  for (double* row = out; row < out + rows * static_cast<int64_t>(k); row += k) {
    double left = 1;
    for (size_t j = 0; j + 1 < k; ++j) {
      double v = random::beta(draw, a[j], rest[j]);
      row[j] = left * v;
      left *= 1 - v;
      if (rest[j] == 0 || rest[j + 1] == 0) {
        std::fill(row + j + 1, row + k, 0.0);
        if (rest[j] != 0) row[j + 1] = left;
        left = 0;
        break;
      }
    }
    if (left != 0 || k == 1) row[k - 1] = left;
  }
}

}  // namespace

// For one category at a time, draws a binomial number out of the remaining count.
void draw_multinomial(const Tensor& out, const Tensor& n, const Tensor& row, const Tensor& pvals, Generator& g) {
  const int64_t categories = last_size(out);
  int64_t* to = out.data_ptr<int64_t>();
  std::fill_n(to, out.numel(), 0);
  if (categories == 0) return;
  const double* weights = pvals.data_ptr<double>();
  Iterator iterator;
  iterator.input(n, ScalarType::Int64).input(row, ScalarType::Int64).build();
  auto fill = [&](auto draw) {
    iterator.for_each_serial([&](char* const* data, const int64_t* strides, int64_t count) {
      for (int64_t i = 0; i < count; ++i, to += categories) {
        int64_t left = *reinterpret_cast<const int64_t*>(data[0] + i * strides[0]);
        const double* w = weights + *reinterpret_cast<const int64_t*>(data[1] + i * strides[1]) * categories;
        double rest = 1.0;
        for (int64_t j = 0; j + 1 < categories && left > 0; ++j) {
          to[j] = random::binomial(draw, left, std::min(w[j] / rest, 1.0));
          left -= to[j];
          rest -= w[j];
        }
        if (left > 0) to[categories - 1] = left;
      }
    });
  };
  if (g.legacy)
    fill(random::Legacy(g));
  else
    fill(random::Modern(g));
}

void draw_dirichlet(const Tensor& out, const Tensor& alpha, Generator& g) {
  const double* a = alpha.data_ptr<double>();
  const int64_t k = alpha.numel(), rows = rows_of(out);
  double* to = out.data_ptr<double>();
  if (k == 0) return;
  const double largest = *std::max_element(a, a + k);
  if (g.legacy)
    gammas(random::Legacy(g), a, k, to, rows);
  else if (largest == 0)
    std::fill_n(to, out.numel(), 0.0);
  else if (largest < 0.1)
    broken_sticks(random::Modern(g), a, static_cast<size_t>(k), to, rows);
  else
    gammas(random::Modern(g), a, k, to, rows);
}

void draw_multivariate_hypergeometric(const Tensor& out, const Tensor& colors, int64_t nsample, const Tensor& items,
                                      Generator& g) {
  const int64_t k = colors.numel(), *of = colors.data_ptr<int64_t>();
  int64_t total = 0;
  for (int64_t i = 0; i < k; ++i) total += of[i];
  const bool inverted = nsample > total / 2;  // if so, draws the items that are left behind
  const int64_t drawn = inverted ? total - nsample : nsample;
  int64_t *row = out.data_ptr<int64_t>(), *item = items.defined() ? items.data_ptr<int64_t>() : nullptr;
  std::fill_n(row, out.numel(), 0);
  if (item) {
    for (int64_t i = 0, *to = item; i < k; ++i) to = std::fill_n(to, of[i], i);
  }
  random::Modern draw(g);
  for (int64_t i = 0; i < rows_of(out) && k > 0; ++i, row += k) {
    if (item) {
      for (int64_t j = 0; j < drawn; ++j) {
        auto other = j + static_cast<int64_t>(random::interval(*g.bits, static_cast<uint64_t>(total - j - 1), true));
        std::swap(item[j], item[other]);
        ++row[item[j]];
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
}

}  // namespace tnp::native
