// Shape functions of connectionist temporal classification. `_ctc_loss` has checked the arguments'
// values.
#include "aten/meta/device_dtypes.h"
#include "aten/meta_functions/losses.h"

namespace tnp::meta {

void ctc_losses(Outputs& outputs, Operand& log_probs, Operand& targets, Operand& sequences, int64_t& longest, int64_t&,
                bool&) {
  const ScalarType given = log_probs->dtype(), computed = compute_type(given);
  make_dense(log_probs, computed);
  make_dense(targets, ScalarType::Int64);
  make_dense(sequences, ScalarType::Int64);
  const int64_t steps = log_probs->size(0), count = log_probs->size(1);
  outputs.add({count}, given).computed_in(computed);
  outputs.add({count, steps, 2 * longest + 1}, computed);
}

void ctc_gradient(Outputs& outputs, Operand& grad, Operand& log_probs, Operand& targets, Operand& sequences,
                  Operand& log_alpha, int64_t&, int64_t&, bool&) {
  const ScalarType given = log_probs->dtype(), computed = compute_type(given);
  bring_number(outputs, grad);
  make_dense(grad, computed);
  make_dense(log_probs, computed);
  make_dense(targets, ScalarType::Int64);
  make_dense(sequences, ScalarType::Int64);
  make_dense(log_alpha, computed);
  outputs.add(log_probs->sizes(), given).computed_in(computed);
}

}  // namespace tnp::meta
