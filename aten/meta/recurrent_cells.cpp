// Shape functions of recurrent cells: shapes, and operands in the dtypes that kernels accept.
#include "aten/meta_functions/recurrent_cells.h"
#include "aten/meta/device_dtypes.h"

namespace tnp::meta {

namespace {

// The sizes of `count` gates per element of the state.
DimVector gate_sizes(const Tensor& state, int64_t count) {
  DimVector sizes(state.sizes());
  sizes.back() *= count;
  return sizes;
}

void check(const Tensor& input_gates, const Tensor& state_gates, const Tensor& state, const char* name, int64_t count) {
  TNP_CHECK(is_floating(state.dtype()), ErrorKind::Dtype, "{", name, "} must be of floats, got ", state.dtype());
  TNP_CHECK(state.dim() > 0, ErrorKind::Shape, "{", name, "} is 0-d");
  const DimVector wanted = gate_sizes(state, count);
  const std::pair<const Tensor*, const char*> gates[] = {{&input_gates, "input_gates"}, {&state_gates, "state_gates"}};
  for (const auto& [t, own] : gates) {
    TNP_CHECK(std::ranges::equal(t->sizes(), wanted), ErrorKind::Shape, "{", own, "} must be of shape ", wanted,
              ", got ", t->sizes());
    TNP_CHECK(t->dtype() == state.dtype(), ErrorKind::Dtype, "{", own, "} has dtype ", t->dtype(), ", but {", name,
              "} has ", state.dtype());
  }
}

}  // namespace

void _lstm_cell(Outputs& outputs, Operand& input_gates, Operand& state_gates, Operand& c) {
  check(input_gates, state_gates, c, "c", 4);
  const ScalarType given = c->dtype(), taken = taken_dtype(outputs, given);
  for (Operand* t : {&input_gates, &state_gates, &c}) make_dense(*t, taken);
  outputs.add(c->sizes(), given).computed_in(taken);
  outputs.add(c->sizes(), given).computed_in(taken);
  outputs.add(gate_sizes(c, 4), compute_type(given));
}

void lstm_cell_gradients(Outputs& outputs, Operand& grad_h, Operand& grad_c, Operand& c, Operand& c_n, Operand& saved) {
  const ScalarType given = c->dtype(), taken = taken_dtype(outputs, given);
  for (Operand* t : {&grad_h, &grad_c, &c, &c_n}) make_dense(*t, taken);
  make_dense(saved, compute_type(given));
  outputs.add(gate_sizes(c, 4), given).computed_in(taken);
  outputs.add(c->sizes(), given).computed_in(taken);
}

void _gru_cell(Outputs& outputs, Operand& input_gates, Operand& state_gates, Operand& h) {
  check(input_gates, state_gates, h, "h", 3);
  const ScalarType given = h->dtype(), taken = taken_dtype(outputs, given);
  for (Operand* t : {&input_gates, &state_gates, &h}) make_dense(*t, taken);
  outputs.add(h->sizes(), given).computed_in(taken);
  outputs.add(gate_sizes(h, 4), compute_type(given));
}

void gru_cell_gradients(Outputs& outputs, Operand& grad, Operand& h, Operand& saved) {
  const ScalarType given = h->dtype(), taken = taken_dtype(outputs, given);
  for (Operand* t : {&grad, &h}) make_dense(*t, taken);
  make_dense(saved, compute_type(given));
  for (int k = 0; k < 2; ++k) outputs.add(gate_sizes(h, 3), given).computed_in(taken);
  outputs.add(h->sizes(), given).computed_in(taken);
}

}  // namespace tnp::meta
