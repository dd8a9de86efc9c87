// Args: the matched arguments of one call, read by slot as C++ values.
//
// Readers convert on demand and raise by throwing PythonError (a Python exception is set) or tnp::Error; call<compat>()
// turns both into a null return. What they hand out by reference lives as long as the Args.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "aten/autograd/variable.h"
#include "aten/core/promotion.h"
#include "aten/core/tensor.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"
#include "csrc/args/signature.h"

namespace tnp::python {

struct PythonError {};  // thrown when a Python exception is already set

template <bool compat, int N>
class Args {
 public:
  PyObject** values() { return values_.data(); }
  bool given(int slot) const { return values_[slot] != nullptr && values_[slot] != Py_None; }
  PyObject* object(int slot) const { return values_[slot]; }

  const Tensor& tensor(int slot);                     // Tensor, TensorOrNumber, ArrayLike
  const Tensor& tensor_or_undefined(int slot);        // `Tensor?`
  const std::vector<Tensor>& tensor_list(int slot);
  int64_t integer(int slot);
  int64_t integer(int slot, int64_t otherwise);
  std::optional<int64_t> opt_integer(int slot);
  double floating(int slot);
  double floating(int slot, double otherwise);
  std::optional<double> opt_floating(int slot);
  bool boolean(int slot);
  bool boolean(int slot, bool otherwise);
  std::optional<bool> opt_boolean(int slot);
  Scalar scalar(int slot);
  Scalar scalar(int slot, Scalar otherwise);
  std::optional<Scalar> opt_scalar(int slot);
  std::string_view string(int slot);
  std::string_view string(int slot, std::string_view otherwise);
  std::optional<std::string_view> opt_string(int slot);
  IntList int_list(int slot);
  IntList int_list(int slot, IntList otherwise);
  OptIntList opt_int_list(int slot);
  ScalarType dtype(int slot);
  std::optional<ScalarType> opt_dtype(int slot);
  Device device(int slot, Device otherwise = {});
  Order order(int slot, Order otherwise = Order::K);
  Casting casting(int slot, Casting otherwise = Casting::SameKind);
  const Tensor& out(int slot, int index = 0);         // undefined if not given
  const Tensor& mask(int slot);                       // undefined if not given or True

 private:
  std::array<PyObject*, N> values_{};
  std::array<Tensor, N + 1> converted_;               // what had to be made: numbers, sequences, foreign arrays
  std::array<DimVector, 4> lists_;
  std::vector<std::vector<Tensor>> tensor_lists_;
  int num_lists_ = 0;
};

// NumPy's common parameters of a ufunc or a reduction, from the slots that hold them; -1: this face has none.
struct PointwiseSlots { int out = -1, where = -1, dtype = -1, casting = -1, order = -1; };
struct ReduceSlots { int out = -1, initial = -1, where = -1; };
template <bool compat, int N>
PointwiseOptions pointwise_options(Args<compat, N>& args, PointwiseSlots slots);
template <bool compat, int N>
ReduceOptions reduce_options(Args<compat, N>& args, ReduceSlots slots);
// out= of operators that are neither pointwise nor reductions: copies the result there (casting='same_kind').
template <bool compat, int N>
Tensor into_out(Args<compat, N>& args, int slot, Tensor result);

}  // namespace tnp::python
