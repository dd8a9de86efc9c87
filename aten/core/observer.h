// Observer interface: torch_np.compile registers one per thread to trace every operator call and
// memory access.
#pragma once

#include <optional>
#include <span>

#include "aten/core/containers/dim_vector.h"
#include "aten/core/numbers/dtype.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

class Scalar;
struct Device;
class Storage;
class Tensor;
class TensorImpl;
struct PointwiseOp;
struct PointwiseOptions;
struct ReductionOp;
struct ReduceOptions;
enum class Casting : uint8_t;

// Note [Observers] A thread that traces a function has an observer. Operators report their calls to
// it (aten/compiler/tracer.h). Traced tensors have Access::Watched, so reads, writes, views and
// exports of their memory that bypass the operators are detected too.
class TNP_API Observer {
 public:
  enum class Kind : uint8_t { Tracer, Interceptor };  // aten/compiler/tracer.h, aten/compiler/interceptor.h
  explicit Observer(Kind kind) : kind(kind) {}
  const Kind kind;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // Called at the start of an operator. Returns true if the observer has run the operator. Returns
  // false if the operator is part of another one and must run as usual.
  virtual bool pointwise(const PointwiseOp& op, std::span<const Tensor> inputs, const PointwiseOptions& options,
                         Tensor* results) = 0;
  virtual bool reduce(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                      std::optional<ScalarType> dtype, const ReduceOptions& options, Tensor& result) = 0;
  virtual bool copy(const Tensor& to, const Tensor& from, Casting casting) = 0;
  virtual bool fill(const Tensor& t, const Scalar& value) = 0;

  // The elements are about to be read or written. Called within operators, too.
  virtual void touched(const Tensor& t) = 0;
  // The host read the value of a one-element tensor.
  virtual void read_item(const Tensor& t, const Scalar& value) = 0;
  // The value of a one-element wrapped tensor.
  virtual Scalar item_of_wrapped(const Tensor& t) = 0;
  // The device of new tensors beside wrapped ones.
  virtual Device device_of_parts() = 0;
  // Random bits are about to be drawn, or a generator's state is read or set.
  virtual void drew() = 0;
  virtual void made_view(const Tensor& of, TensorImpl& view) = 0;
  // Code that does not report its accesses gets the storage's address.
  virtual void lent(Storage& storage) = 0;
  // The tensor was created from Python numbers and sequences, or from another library's array.
  virtual void made_constant(const Tensor& t) = 0;
  // Python reads state of the tensor that is no part of a trace: `what`, such as "the base".
  virtual void read_hidden(const Tensor& t, const char* what) = 0;
  // Python reads or assigns the tensor's gradient.
  virtual void accessed_gradient(const Tensor& t) = 0;

 protected:
  ~Observer() = default;
};

inline Observer* observer() { return thread_state.observer; }
// Whether a function is being traced on this thread.
inline bool is_tracing() { return TNP_UNLIKELY(observer() != nullptr) && observer()->kind == Observer::Kind::Tracer; }

}  // namespace tnp
