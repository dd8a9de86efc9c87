// Random loops that only the CPU has. Random loops that exist on other devices too are operators
// (random_fill). Outputs are allocated and contiguous, parameters are checked, and the caller holds
// the generator's lock.
#pragma once

#include <span>

#include "aten/core/tensor.h"
#include "aten/random/distribution.h"
#include "aten/random/generator.h"

namespace tnp::native {

// Draws one number for each element of `out`, in row-major order. `parameters`: float64, broadcast
// to the shape of `out`. `out` has the distribution's dtype, or float32 for standard_gamma drawn in
// single precision.
void draw_samples(const Tensor& out, Distribution distribution, std::span<const Tensor> parameters,
                  Generator& generator);

// Draws integers from `low` to `high`, both included, with the dtype and shape of `out`. Requires
// low <= high.
void draw_integers(const Tensor& out, const Tensor& low, const Tensor& high, Generator& generator);

// Fills `out` (int32 or int64) with 0 ... out.numel() - 1 and shuffles the elements from `first`
// on. Draws by masked rejection if `use_mask`, as NumPy's shuffles and permutations do, else by
// Lemire's method, as NumPy's choices do.
void draw_permutation(const Tensor& out, int64_t first, bool use_mask, Generator& generator);
// Fills `out` (int64) with distinct numbers below `population`, in random order if `shuffled`.
void draw_choice(const Tensor& out, int64_t population, bool shuffled, Generator& generator);

// Writes the counts (..., k), int64, of draws from k categories. `n` and `row` are int64 and
// broadcast to (...): the number of draws, and the row of the probabilities `pvals` (rows, k) to
// draw with.
void draw_multinomial(const Tensor& out, const Tensor& n, const Tensor& row, const Tensor& pvals, Generator& generator);
// Draws points (..., k) of the simplex, float64. `alpha`: (k,), float64.
void draw_dirichlet(const Tensor& out, const Tensor& alpha, Generator& generator);
// Draws `nsample` of colors[0] + colors[1] + ... items and counts the items of each colour, (...,
// k). `items` (int64): the colour of each item. The function shuffles this array. If it is
// undefined, the colours are drawn one after the other.
void draw_multivariate_hypergeometric(const Tensor& out, const Tensor& colors, int64_t nsample, const Tensor& items,
                                      Generator& generator);

}  // namespace tnp::native
