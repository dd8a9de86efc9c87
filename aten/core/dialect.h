// What NumPy and PyTorch mean differently by the same call, asked by name: dialect().zero_dim_has_axis(). A call has
// the dialect of the face that it entered by, which the front end sets for the thread (DialectGuard); C++ that sets
// none speaks PyTorch's.
//
// The rules of type promotion are one such question, and the only one with an answer of its own: the front end may
// choose them apart from the face, also for a kind of device.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

enum class Face : uint8_t { Torch, NumPy };
enum class PromotionRules : uint8_t { Torch, NumPy };
// Whether loops are watched for floating-point errors; see floating_point_errors.h. Ready: an operator may open a
// watch.
enum class ErrorWatch : uint8_t { Never, Ready, Open };

class alignas(4) Dialect {  // one word, which is copied at once
 public:
  constexpr Dialect() = default;
  constexpr explicit Dialect(Face face)
      : Dialect(face, face == Face::NumPy ? PromotionRules::NumPy : PromotionRules::Torch) {}
  constexpr Dialect(Face face, PromotionRules promotion)
      : face_(face), promotion_(promotion), error_watch_(face == Face::NumPy ? ErrorWatch::Ready : ErrorWatch::Never) {}
  // The same, but for the watch.
  constexpr Dialect with(ErrorWatch watch) const {
    Dialect other = *this;
    other.error_watch_ = watch;
    return other;
  }

  constexpr Face face() const { return face_; }
  constexpr PromotionRules promotion() const { return promotion_; }
  constexpr ErrorWatch error_watch() const { return error_watch_; }

  // --- axes and shapes
  // PyTorch lets a 0-d tensor be indexed by axis 0 and -1. To NumPy it has no axis.
  constexpr bool zero_dim_has_axis() const { return is_torch(); }
  // `dim=()` of a reduction: PyTorch reduces over all axes, NumPy over none.
  constexpr bool no_axes_mean_all() const { return is_torch(); }
  // reshape: to NumPy every negative size is the one that remains, to PyTorch only -1.
  constexpr bool negative_size_is_inferred() const { return is_numpy(); }
  // tril and triu of a vector: NumPy repeats it as the rows of a square matrix, PyTorch wants a matrix.
  constexpr bool vector_is_rows_of_square() const { return is_numpy(); }
  // roll: NumPy broadcasts shifts and axes, and adds up shifts without axes; PyTorch wants as many of these as of
  // those.
  constexpr bool shifts_broadcast() const { return is_numpy(); }
  // concatenate: to PyTorch a tensor of shape (0,) is nothing, whatever the others' shape; to NumPy an array like any
  // other.
  constexpr bool empty_vector_joins_anything() const { return is_torch(); }
  // A boolean index whose axis has no elements: NumPy takes it for an axis of any size, PyTorch raises.
  constexpr bool empty_mask_fits_any_axis() const { return is_numpy(); }
  // solve(a, b) with b of one dimension less than a: PyTorch takes a stack of vectors where the shapes allow, NumPy a
  // matrix.
  constexpr bool solves_stacks_of_vectors() const { return is_torch(); }

  // --- values
  // The largest of no numbers, as a norm: NumPy 0, PyTorch an error.
  constexpr bool largest_norm_of_nothing_is_zero() const { return is_numpy(); }
  // mean, var, ... of integers: NumPy computes in float64, PyTorch raises.
  constexpr bool integers_have_a_mean() const { return is_numpy(); }
  // imag of real numbers: NumPy read-only zeros, PyTorch an error.
  constexpr bool real_numbers_have_imaginary_part() const { return is_numpy(); }

  // `initial` of a reduction: NumPy casts it to the dtype of the result first. (PyTorch has no such argument.)
  constexpr bool initial_is_cast_to_result() const { return is_numpy(); }
  // round(bools, decimals=-1): NumPy raises, PyTorch rounds 0 and 1.
  constexpr bool bools_round_to_tens() const { return is_torch(); }

  // --- memory
  // diag of a matrix: NumPy a read-only view, PyTorch a copy.
  constexpr bool diagonal_is_view() const { return is_numpy(); }
  // What arrives by a DLPack that cannot say: NumPy takes it for read-only, PyTorch for writeable.
  constexpr bool unversioned_dlpack_is_read_only() const { return is_numpy(); }

  // --- dtypes that do not follow from operands
  // full(size, 2**63): NumPy makes it uint64; to PyTorch every integer is an int64.
  constexpr bool integers_are_int64() const { return is_torch(); }
  // bincount with float32 weights: PyTorch sums them in float32, NumPy in float64.
  constexpr bool counts_keep_float32_weights() const { return is_torch(); }

  // sum(a, out=out): NumPy computes in the common dtype of both, PyTorch in that of `a` alone.
  constexpr bool out_takes_part_in_promotion_of_sums() const { return is_numpy(); }
  // What a reduction writes into `out`: NumPy casts it to any dtype, PyTorch to one of the same kind.
  constexpr bool reductions_cast_into_any_out() const { return is_numpy(); }
  // var(a, dtype=dtype) of integers or complex numbers: NumPy has the mean, the deviations and their squares in
  // `dtype`.
  constexpr bool variance_takes_its_steps_in_dtype() const { return is_numpy(); }

  // --- errors
  // Whose words a message has, where both have their own that programs look for.
  constexpr bool errors_are_numpys() const { return is_numpy(); }

 private:
  constexpr bool is_torch() const { return face_ == Face::Torch; }
  constexpr bool is_numpy() const { return face_ == Face::NumPy; }

  Face face_ = Face::Torch;
  PromotionRules promotion_ = PromotionRules::Torch;
  ErrorWatch error_watch_ = ErrorWatch::Never;  // NumPy's face has errors, PyTorch's none
};

}  // namespace tnp
