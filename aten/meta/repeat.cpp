// Shape functions of repeat: entries repeated by given counts. See Note [Repetitions].
#include <cmath>

#include "aten/core/devices/device_runtime.h"
#include "aten/dispatch/reduce.h"
#include "aten/iterator/dense.h"
#include "aten/kernels/repetition.h"
#include "aten/meta_functions/joining.h"
#include "aten/operator_tables/reductions.h"

namespace tnp::meta {

namespace {

// The line along `dim`, or the flattened tensor. A 0-d tensor counts as a line of one entry.
DenseLines entries_of(IntList size, std::optional<int64_t>& dim) {
  const auto ndim = static_cast<int64_t>(size.size());
  if (dim && ndim == 0 && (*dim == 0 || *dim == -1)) dim = std::nullopt;
  if (dim) dim = wrap_dim(*dim, ndim);
  return repeated_lines(size, dim);
}

// `entries` * `count`, where `count` comes from the caller. Raises Shape if negative, Value on
// overflow.
int64_t product(int64_t entries, int64_t count) {
  int64_t total = 0;
  TNP_CHECK(count >= 0, ErrorKind::Shape, "repeats may not contain negative values.");
  TNP_CHECK(!__builtin_mul_overflow(count, entries, &total), ErrorKind::Value, "array is too big");
  return total;
}

// The sum of the counts. Reads their values on the host, since the shape of the result depends on
// them.
int64_t sum_of(const Tensor& counts) {
  if (counts.device().is_meta()) raise_no_data();
  int64_t total = 0;
  if (counts.device().is_cpu()) {
    const int64_t* count = counts.data_ptr<int64_t>();
    for (int64_t i = 0; i < counts.numel(); ++i) {
      TNP_CHECK(!__builtin_add_overflow(total, product(1, count[i]), &total), ErrorKind::Value, "array is too big");
    }
    return total;
  }
  auto all = [&](const ReductionOp& op, ScalarType dtype) { return reduce(op, counts, std::nullopt, false, dtype); };
  product(1, reduce(reduction_ops::amin, counts, std::nullopt, false).item<int64_t>());
  TNP_CHECK(all(reduction_ops::sum, ScalarType::Float64).item<double>() < std::ldexp(1.0, 62), ErrorKind::Value,
            "array is too big");
  return all(reduction_ops::sum, ScalarType::Int64).item<int64_t>();
}

// Converts `repeats` to the form that kernels require. Returns the total number of repetitions of
// the n entries.
int64_t read_repeats(Operand& repeats, int64_t n) {
  TNP_CHECK(repeats->dim() <= 1, ErrorKind::Shape, "object too deep for desired array: {repeats} has shape ",
            repeats->sizes());
  TNP_CHECK(repeats->is_wrapped_number() || repeats->numel() == 0 ||
                can_cast(repeats->dtype(), ScalarType::Int64, Casting::Safe),
            ErrorKind::Type, "Cannot cast array data from dtype('", repeats->dtype(),
            "') to dtype('int64') according to the rule 'safe'");
  TNP_CHECK(repeats->numel() == 1 || repeats->numel() == n, ErrorKind::Shape,
            "operands could not be broadcast together with shape (", n, ",) ", repeats->sizes());
  if (repeats->numel() == 1) return n > 0 ? product(n, repeats->item<int64_t>()) : 0;
  // a copy, since another thread may write to the caller's array
  repeats = native::dense_copy(repeats, ScalarType::Int64);
  return n > 0 ? sum_of(repeats) : 0;
}

// Makes `t` row-major, on the results' device, and views it in another shape.
void shape_densely(const Outputs& outputs, Operand& t, IntList sizes) {
  if (t->device() != outputs.device()) {  // a CPU scalar
    Tensor there = empty_tensor(t->sizes(), t->dtype(), outputs.device());
    copy_into(there, t);
    t = std::move(there);
  }
  t = native::to_dense(t, t->dtype());
  t = view_of(t, sizes, contiguous_strides(sizes), t->address());
}

}  // namespace

void repeat_interleave(Outputs& outputs, Operand& input, Operand& repeats, std::optional<int64_t>& dim) {
  const DenseLines entries = entries_of(input->sizes(), dim);
  const int64_t total = read_repeats(repeats, entries.n);
  DimVector sizes = input->sizes();
  if (dim)
    sizes[static_cast<size_t>(*dim)] = total;
  else
    sizes = DimVector{total};
  outputs.add(sizes, input->dtype());
  shape_densely(outputs, input, {entries.outer, entries.n, entries.inner});
}

void sum_repetitions(Outputs& outputs, Operand& grad, Operand& repeats, DimVector& size, std::optional<int64_t>& dim) {
  const DenseLines entries = entries_of(size, dim);
  const int64_t total = read_repeats(repeats, entries.n);
  TNP_CHECK(grad->numel() == entries.count() * total, ErrorKind::Shape, "{grad} of shape ", grad->sizes(),
            " where there are ", total, " repetitions of the entries of ", IntList(size));
  outputs.add(size, grad->dtype());
  shape_densely(outputs, grad, {entries.outer, total, entries.inner});
  size = DimVector{entries.outer, entries.n, entries.inner};
}

}  // namespace tnp::meta
