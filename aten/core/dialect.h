// Dialect: the differences between NumPy and PyTorch for the same call, each as a named query such
// as dialect().zero_dim_has_axis(). The front end sets the thread's dialect to that of the calling
// Python face (DialectGuard). C++ callers that set none get PyTorch's.
//
// Type promotion rules are the only query with a separate setting: the front end may choose them
// independently of the face, also per device type.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

enum class Face : uint8_t { Torch, NumPy };
enum class PromotionRules : uint8_t { Torch, NumPy };
// The state of floating-point error detection (floating_point_errors.h). Never: errors are not
// detected. Ready: an operator may open a watch. Open: a watch around running loops is open.
enum class ErrorWatch : uint8_t { Never, Ready, Open };

class alignas(4) Dialect {  // one word, so that a copy is a single load
 public:
  constexpr Dialect() = default;
  constexpr explicit Dialect(Face face)
      : Dialect(face, face == Face::NumPy ? PromotionRules::NumPy : PromotionRules::Torch) {}
  constexpr Dialect(Face face, PromotionRules promotion)
      : face_(face), promotion_(promotion), error_watch_(face == Face::NumPy ? ErrorWatch::Ready : ErrorWatch::Never) {}
  // A copy whose error watch is `watch`.
  constexpr Dialect with(ErrorWatch watch) const {
    Dialect other = *this;
    other.error_watch_ = watch;
    return other;
  }

  friend constexpr bool operator==(Dialect, Dialect) = default;

  constexpr Face face() const { return face_; }
  constexpr PromotionRules promotion() const { return promotion_; }
  constexpr ErrorWatch error_watch() const { return error_watch_; }

  // --- axes and shapes
  // PyTorch accepts axis 0 and -1 for a 0-d tensor. NumPy raises: a 0-d array has no axis.
  constexpr bool zero_dim_has_axis() const { return is_torch(); }
  // `dim=()` of a reduction: PyTorch reduces over all axes, NumPy over none.
  constexpr bool no_axes_mean_all() const { return is_torch(); }
  // reshape: NumPy infers the size for any negative number, PyTorch for -1 only.
  constexpr bool negative_size_is_inferred() const { return is_numpy(); }
  // tril and triu of a vector: NumPy repeats it as the rows of a square matrix, PyTorch requires a
  // matrix.
  constexpr bool vector_is_rows_of_square() const { return is_numpy(); }
  // roll: NumPy broadcasts shifts against axes, and adds up shifts given without axes. PyTorch
  // requires equal counts.
  constexpr bool shifts_broadcast() const { return is_numpy(); }
  // concatenate: PyTorch ignores a tensor of shape (0,) whatever the other shapes are. NumPy treats
  // it like any array.
  constexpr bool empty_vector_joins_anything() const { return is_torch(); }
  // A boolean index along an axis without elements: NumPy lets it match an axis of any size,
  // PyTorch raises.
  constexpr bool empty_mask_fits_any_axis() const { return is_numpy(); }
  // solve(a, b) where b has one dimension less than a: PyTorch treats b as a stack of vectors if
  // the shapes allow it, NumPy as a matrix.
  constexpr bool solves_stacks_of_vectors() const { return is_torch(); }

  // --- values
  // The maximum norm of an empty array: NumPy returns 0, PyTorch raises.
  constexpr bool largest_norm_of_nothing_is_zero() const { return is_numpy(); }
  // mean, var, ... of integers: NumPy computes in float64, PyTorch raises.
  constexpr bool integers_have_a_mean() const { return is_numpy(); }
  // imag of real numbers: NumPy returns read-only zeros, PyTorch raises.
  constexpr bool real_numbers_have_imaginary_part() const { return is_numpy(); }

  // `initial` of a reduction: NumPy first casts it to the dtype of the result. (PyTorch has no such
  // argument.)
  constexpr bool initial_is_cast_to_result() const { return is_numpy(); }
  // round(bools, decimals=-1): NumPy raises, PyTorch rounds 0 and 1.
  constexpr bool bools_round_to_tens() const { return is_torch(); }

  // --- memory
  // diag of a matrix: NumPy returns a read-only view, PyTorch a copy.
  constexpr bool diagonal_is_view() const { return is_numpy(); }
  // A tensor that an operator changes: PyTorch raises if its elements share memory, or if it shares
  // part of its memory with an operand. NumPy computes as if operands were copied.
  constexpr bool changes_apart() const { return is_torch(); }
  // A DLPack capsule without a version cannot express "read-only": NumPy assumes read-only, PyTorch
  // writeable.
  constexpr bool unversioned_dlpack_is_read_only() const { return is_numpy(); }

  // --- dtypes that do not follow from operands
  // full(size, 2**63): NumPy makes a uint64 array; in PyTorch every integer is an int64.
  constexpr bool integers_are_int64() const { return is_torch(); }
  // bincount with float32 weights: PyTorch sums them in float32, NumPy in float64.
  constexpr bool counts_keep_float32_weights() const { return is_torch(); }

  // sum(a, out=out): NumPy computes in the common dtype of both, PyTorch in that of `a` alone.
  constexpr bool out_takes_part_in_promotion_of_sums() const { return is_numpy(); }
  // Casting a reduction's result into `out`: NumPy allows any dtype, PyTorch only one of the same
  // kind.
  constexpr bool reductions_cast_into_any_out() const { return is_numpy(); }
  // var(a, dtype=dtype) of integers or complex numbers: NumPy computes the mean, the deviations and
  // their squares in `dtype`.
  constexpr bool variance_takes_its_steps_in_dtype() const { return is_numpy(); }

  // --- errors
  // Selects the error text where NumPy and PyTorch each have a message that programs match.
  constexpr bool errors_are_numpys() const { return is_numpy(); }

 private:
  constexpr bool is_torch() const { return face_ == Face::Torch; }
  constexpr bool is_numpy() const { return face_ == Face::NumPy; }

  Face face_ = Face::Torch;
  PromotionRules promotion_ = PromotionRules::Torch;
  // NumPy's face reports floating-point errors, PyTorch's does not
  ErrorWatch error_watch_ = ErrorWatch::Never;
};

}  // namespace tnp
