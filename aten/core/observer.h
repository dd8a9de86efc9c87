// Who is told of what a thread does with tensors: torch_np.compile, while it records a function.
#pragma once

#include <optional>
#include <span>

#include "aten/core/containers/dim_vector.h"
#include "aten/core/numbers/dtype.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

class Scalar;
class Storage;
class Tensor;
class TensorImpl;
struct PointwiseOp;
struct PointwiseOptions;
struct ReductionOp;
struct ReduceOptions;
enum class Casting : uint8_t;

// Note [Observers] A thread that records a function has an observer. Operators tell it of their calls
// (aten/compiler/recorder.h). For all else tensors that are part of the record are Access::Watched: whoever reads or
// writes their bytes, makes a view of them, or lends them to others, is found out, however he came by them.
class TNP_API Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // Instead of the operator, which they call in their turn. False: it is a part of another, and runs by itself.
  virtual bool pointwise(const PointwiseOp& op, std::span<const Tensor> inputs, const PointwiseOptions& options,
                         Tensor* results) = 0;
  virtual bool reduce(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                      std::optional<ScalarType> dtype, const ReduceOptions& options, Tensor& result) = 0;
  virtual bool copy(const Tensor& to, const Tensor& from, Casting casting) = 0;
  virtual bool fill(const Tensor& t, const Scalar& value) = 0;

  // The bytes are going to be read or written. Called within operators, too.
  virtual void touched(const Tensor& t) = 0;
  // Its one element was read.
  virtual void read_item(const Tensor& t, const Scalar& value) = 0;
  // Random bits are going to be drawn, or a generator's state is read or set.
  virtual void drew() = 0;
  virtual void made_view(const Tensor& of, TensorImpl& view) = 0;
  // Somebody who does not tell what he does gets the address.
  virtual void lent(Storage& storage) = 0;
  // Made of numbers and sequences of Python's, or of others' arrays.
  virtual void made_constant(const Tensor& t) = 0;

 protected:
  ~Observer() = default;
};

inline Observer* observer() { return thread_state.observer; }

}  // namespace tnp
