// Shape functions of recurrent layers: shapes, and dense operands in the compute dtype.
#include "aten/meta_functions/recurrent.h"
#include "aten/iterator/dense.h"

namespace tnp::meta {

namespace {

int64_t gates_of(std::string_view mode) {
  if (mode == "lstm") return 4;
  if (mode == "gru") return 3;
  TNP_CHECK(mode == "rnn_tanh" || mode == "rnn_relu", ErrorKind::Value, "{mode} is '", mode,
            "', not 'rnn_tanh', 'rnn_relu', 'lstm' or 'gru'");
  return 1;
}

void check_shape(const Tensor& t, IntList sizes, const char* name) {
  TNP_CHECK(std::ranges::equal(t.sizes(), sizes), ErrorKind::Shape, "{", name, "} must be of shape ", sizes, ", got ",
            t.sizes());
}

void dense(Operand& t, ScalarType dtype) {
  if (t->defined()) t = native::to_dense(t, dtype);
}

}  // namespace

void recurrent_steps(Outputs& outputs, Operand& input, Operand& h_0, Operand& c_0, Operand& weight_ih,
                     Operand& weight_hh, Operand& bias_ih, Operand& bias_hh, std::string_view mode, bool&,
                     DimVector& batch_sizes, bool& keep) {
  const int64_t count = gates_of(mode);
  const ScalarType given = input->dtype(), dtype = compute_type(given);
  TNP_CHECK(is_floating(given), ErrorKind::Dtype, "{input} must be of floats, got ", given);
  TNP_CHECK(input->dim() == 3, ErrorKind::Shape, "{input} must be of shape (steps, rows, size), got ", input->sizes());
  TNP_CHECK(h_0->dim() == 2, ErrorKind::Shape, "{h_0} must be of shape (rows, state), got ", h_0->sizes());
  const int64_t steps = input->size(0), rows = input->size(1), h = h_0->size(1);
  check_shape(h_0, {rows, h}, "h_0");
  check_shape(weight_ih, {count * h, input->size(2)}, "weight_ih");
  check_shape(weight_hh, {count * h, h}, "weight_hh");
  if (bias_ih->defined()) check_shape(bias_ih, {count * h}, "bias_ih");
  if (bias_hh->defined()) check_shape(bias_hh, {count * h}, "bias_hh");
  TNP_CHECK(c_0->defined() == (mode == "lstm"), ErrorKind::Shape, "{c_0} must be given for mode 'lstm', and only then");
  if (c_0->defined()) check_shape(c_0, {rows, h}, "c_0");
  for (const Operand* t : {&h_0, &c_0, &weight_ih, &weight_hh, &bias_ih, &bias_hh})
    TNP_CHECK(!(*t)->defined() || (*t)->dtype() == given, ErrorKind::Dtype, "{input} has dtype ", given,
              ", but a state or weight has ", (*t)->dtype());
  if (!batch_sizes.empty()) {
    TNP_CHECK(static_cast<int64_t>(batch_sizes.size()) == steps, ErrorKind::Shape, "{batch_sizes} has ",
              batch_sizes.size(), " elements for ", steps, " steps");
    int64_t before = rows;
    for (int64_t n : batch_sizes) {
      TNP_CHECK(n >= 0 && n <= before, ErrorKind::Shape, "{batch_sizes} must not increase, nor exceed ", rows);
      before = n;
    }
  }
  for (Operand* t : {&input, &h_0, &c_0, &weight_ih, &weight_hh, &bias_ih, &bias_hh}) dense(*t, dtype);
  outputs.add({steps, rows, h}, given).computed_in(dtype);
  // Results that a mode lacks are empty instead of undefined, so that the autograd tape can save
  // them.
  const bool cells = mode == "lstm";
  outputs.add({rows, h}, given).computed_in(dtype);
  outputs.add({cells ? rows : 0, h}, given).computed_in(dtype);
  outputs.add({keep && count > 1 ? steps : 0, rows, 4 * h}, dtype);
  outputs.add({keep && cells ? steps : 0, rows, h}, dtype);
}

void recurrent_steps_backward(Outputs& outputs, Operand& grad_out, Operand& grad_h, Operand& grad_c, Operand& h_0,
                              Operand& c_0, Operand& weight_ih, Operand& weight_hh, std::string_view mode, bool&,
                              DimVector&, Operand& out, Operand& saved, Operand& cells, bool& of_input) {
  const int64_t count = gates_of(mode), steps = out->size(0), rows = out->size(1), h = out->size(2);
  const ScalarType given = out->dtype(), dtype = compute_type(given);
  for (Operand* t : {&grad_out, &grad_h, &grad_c, &h_0, &c_0, &weight_ih, &weight_hh, &out, &saved, &cells})
    dense(*t, dtype);
  outputs.add({steps, rows, count * h}, dtype);
  if (mode == "gru")
    outputs.add({steps, rows, count * h}, dtype);
  else
    outputs.add_none();
  outputs.add({steps, rows, h}, dtype);
  if (of_input)
    outputs.add({steps, rows, weight_ih->size(1)}, given).computed_in(dtype);
  else
    outputs.add_none();
  outputs.add({rows, h}, given).computed_in(dtype);
  if (mode == "lstm")
    outputs.add({rows, h}, given).computed_in(dtype);
  else
    outputs.add_none();
}

}  // namespace tnp::meta
