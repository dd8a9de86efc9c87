// Loops of random numbers that the CPU alone has; those that devices have, too, are operators (random_fill). Outputs
// exist and are contiguous, parameters are checked; the generator's lock is held.
#pragma once

#include <span>

#include "aten/core/tensor.h"
#include "aten/random/distribution.h"
#include "aten/random/generator.h"

namespace tnp::native {

// One number for each element of `out`, in row-major order. `parameters`: float64, broadcast to the shape of `out`.
// `out`: of the distribution's dtype; float32 of standard_gamma, drawn in single precision.
void draw_samples(const Tensor& out, Distribution distribution, std::span<const Tensor> parameters,
                  Generator& generator);

// Integers from `low` to `high`, both included and of the dtype and shape of `out`; `low` is not above `high`.
void draw_integers(const Tensor& out, const Tensor& low, const Tensor& high, Generator& generator);

// The numbers below out.numel(), the places from `first` on shuffled; int32 or int64. NumPy draws by masks (`use_mask`)
// in shuffles and permutations, and by Lemire's method in choices.
void draw_permutation(const Tensor& out, int64_t first, bool use_mask, Generator& generator);
// As many different numbers below `population` as `out` has places (int64), in random order if `shuffled`.
void draw_choice(const Tensor& out, int64_t population, bool shuffled, Generator& generator);

// Counts (..., k), int64, of draws from k categories. `n`, `row`: int64, broadcast to (...): how many are drawn, and
// with which row of the probabilities `pvals` (rows, k).
void draw_multinomial(const Tensor& out, const Tensor& n, const Tensor& row, const Tensor& pvals, Generator& generator);
// Points (..., k) of the simplex, float64. `alpha`: (k,), float64.
void draw_dirichlet(const Tensor& out, const Tensor& alpha, Generator& generator);
// How many items of each colour (..., k) are among `nsample` of colors[0] + colors[1] + ... `items`: what is shuffled,
// the colour of each item, int64; if it is undefined, one colour is drawn after the other.
void draw_multivariate_hypergeometric(const Tensor& out, const Tensor& colors, int64_t nsample, const Tensor& items,
                                      Generator& generator);

}  // namespace tnp::native
