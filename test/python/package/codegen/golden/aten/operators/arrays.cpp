// Generated from native_functions/arrays.yaml. Operators: dispatch, and recording for autograd.
#include "aten/functions/arrays.h"

#include "aten/autograd/autocast.h"
#include "aten/autograd/generated_support.h"
#include "aten/autograd_nodes/arrays.h"
#include "aten/compiler/boxed.h"
#include "aten/compiler/traced.h"
#include "aten/cuda_kernels/arrays.h"
#include "aten/kernel_functions/arrays.h"
#include "aten/meta_functions/arrays.h"
#include "aten/native_functions/arrays.h"
#include "aten/operator_tables/arrays.h"

namespace tnp {

namespace schemas { constinit const OperatorSchema filled{"filled"}; }

// filled(int[*] size, Scalar value=1, *, ScalarType? dtype=None, Order order='C') -> Tensor
Tensor filled(IntList size, const Scalar& value, std::optional<ScalarType> dtype, Order order) {
  return compiler::traced_composite(schemas::filled, [&] { return compute_requires_grad(); }, native::filled, size, value, dtype, order);
}

constinit const OperatorSchema schemas::product{"product"};

static Tensor forward_product(const Tensor& input_given, const Tensor& other_given, double scale, const OutOptions& options) {
  Operand input(input_given);
  Operand other(other_given);
  OutputsOf<1> outputs("product", device_of_all(input_given, other_given), &options);
  meta::product(outputs, input, other, scale);
  outputs.allocate({&*input, &*other});
  if (auto* kernel = outputs.kernel(native::product_cpu, decltype(&native::product_cpu)(nullptr))) kernel(*input, *other, scale, outputs[0]);
  return outputs.result(0);
}

// product(Tensor input, Tensor other, float scale=1.5) -> Tensor
Tensor product(const Tensor& input, const Tensor& other, double scale, const OutOptions& options) {
  if (TNP_LIKELY(!compute_requires_grad(input, options.out))) return compiler::traced(schemas::product, forward_product, input, other, scale, options);
  check_out_requires_no_grad(true, options.out);
  auto node = make_intrusive<ProductBackward>();
  set_next_edges(*node, {&input});
  node->other_ = SavedTensor(other, false);
  node->scale_ = double(scale);
  auto result = without_grad([&] { return compiler::traced(schemas::product, forward_product, input, other, scale, options); });
  set_history(result, node);
  return result;
}

namespace schemas { constinit const OperatorSchema swapped{"swapped"}; }

// swapped(Tensor(a) input, int dim0, int dim1) -> Tensor(a)
Tensor swapped(const Tensor& input, int64_t dim0, int64_t dim1) {
  if (TNP_LIKELY(!compute_requires_grad(input))) return compiler::traced_composite(schemas::swapped, [&] { return compute_requires_grad(input); }, native::swapped, input, dim0, dim1);
  auto node = make_intrusive<SwappedBackward>();
  set_next_edges(*node, {&input});
  node->dim0_ = int64_t(dim0);
  node->dim1_ = int64_t(dim1);
  auto result = without_grad([&] { return compiler::traced_composite(schemas::swapped, [&] { return compute_requires_grad(input); }, native::swapped, input, dim0, dim1); });
  set_history(result, node);
  return result;
}

constinit const OperatorSchema schemas::assign_{"assign_"};

static const Tensor& forward_assign_(const Tensor& self, const Tensor& src_given) {
  if (TNP_UNLIKELY(self.is_unaligned())) {
    const Tensor apart = aligned_copy(self);
    forward_assign_(apart, src_given);
    copy_into(self, apart);
    return self;
  }
  Operand src(src_given);
  OutputsOf<0> outputs("assign_", device_of_all(self, src_given));
  meta::assign_(outputs, self, src);
  outputs.allocate({&*src});
  if (auto* kernel = outputs.kernel(native::assign_cpu, decltype(&native::assign_cpu)(nullptr))) kernel(self, *src);
  self.bump_version();
  return self;
}

// assign_(Tensor(a!) self, Tensor src) -> Tensor(a!)
const Tensor& assign_(const Tensor& self, const Tensor& src) {
  const bool requires_grad = compute_requires_grad(self, src);
  check_inplace(self, requires_grad);
  check_elements_apart(self);
  if (TNP_LIKELY(!requires_grad)) {
    compiler::traced(schemas::assign_, forward_assign_, self, src);
    return self;
  }
  auto node = make_intrusive<AssignBackward>();
  set_next_edges(*node, {&self, &src});
  without_grad([&] { compiler::traced(schemas::assign_, forward_assign_, self, src); });
  rebase_history(self, node, 0);
  return self;
}

constinit const OperatorSchema schemas::joined{"joined"};

static Tensor forward_joined(TensorList tensors_given, int64_t dim) {
  OperandList tensors(tensors_given);
  OutputsOf<1> outputs("joined", device_of_all(tensors_given));
  meta::joined(outputs, tensors, dim);
  outputs.allocate({});
  if (auto* kernel = outputs.kernel(native::joined_cpu, decltype(&native::joined_cpu)(nullptr))) kernel(tensors, dim, outputs[0]);
  return outputs.result(0);
}

// joined(Tensor[] tensors, int dim=0) -> Tensor
Tensor joined(TensorList tensors, int64_t dim) {
  if (TNP_LIKELY(!compute_requires_grad(tensors))) return compiler::traced(schemas::joined, forward_joined, tensors, dim);
  auto node = make_intrusive<JoinedBackward>();
  set_next_edges(*node, tensors);
  node->tensors_sizes_ = sizes_of(tensors);
  node->dim_ = int64_t(dim);
  auto result = without_grad([&] { return compiler::traced(schemas::joined, forward_joined, tensors, dim); });
  set_history(result, node);
  return result;
}

namespace schemas { constinit const OperatorSchema joined_lists{"joined"}; }

// joined.lists(Tensor[] tensors, *, str mode='plain') -> Tensor[]
std::vector<Tensor> joined(TensorList tensors, std::string_view mode) {
  return compiler::traced_composite(schemas::joined_lists, [&] { return compute_requires_grad(tensors); }, native::joined_lists, tensors, mode);
}

constinit const OperatorSchema schemas::chosen{"chosen"};

static std::tuple<Tensor, Tensor> forward_chosen(const Tensor& input_given, int64_t dim) {
  Operand input(input_given);
  OutputsOf<2> outputs("chosen", device_of_all(input_given));
  meta::chosen(outputs, input, dim);
  outputs.allocate({&*input});
  if (auto* kernel = outputs.kernel(native::chosen_cpu, native::chosen_composite)) kernel(*input, dim, outputs[0], outputs[1]);
  return {outputs.result(0), outputs.result(1)};
}

// chosen(Tensor input, int dim) -> (Tensor values, Tensor indices)
std::tuple<Tensor, Tensor> chosen(const Tensor& input, int64_t dim) {
  if (TNP_LIKELY(!compute_requires_grad(input))) return compiler::traced(schemas::chosen, forward_chosen, input, dim);
  auto node = make_intrusive<NotDifferentiable>();
  set_next_edges(*node, {&input});
  node->operation = "chosen";
  node->reason = "its result is an integer";
  auto result = without_grad([&] { return compiler::traced(schemas::chosen, forward_chosen, input, dim); });
  set_history(std::get<0>(result), node);
  set_history(std::get<1>(result), node, 1);
  return result;
}

constinit const OperatorSchema schemas::places{"places"};

static Tensor forward_places(const Tensor& input_given, std::optional<int64_t> dim, const OutOptions& options) {
  Operand input(input_given);
  OutputsOf<1> outputs("places", device_of_all(input_given), &options);
  meta::places(outputs, input, dim);
  outputs.allocate({&*input});
  if (auto* kernel = outputs.kernel(native::places_cpu, decltype(&native::places_cpu)(nullptr))) kernel(*input, dim, outputs[0]);
  return outputs.result(0);
}

// places(Tensor input, int? dim=None) -> Tensor
Tensor places(const Tensor& input, std::optional<int64_t> dim, const OutOptions& options) {
  if (TNP_LIKELY(!compute_requires_grad(input, options.out))) return compiler::traced(schemas::places, forward_places, input, dim, options);
  check_out_requires_no_grad(true, options.out);
  auto node = make_intrusive<NotDifferentiable>();
  set_next_edges(*node, {&input});
  node->operation = "places";
  node->reason = "its result is an integer";
  auto result = without_grad([&] { return compiler::traced(schemas::places, forward_places, input, dim, options); });
  set_history(result, node);
  return result;
}

namespace schemas { constinit const OperatorSchema normalized{"normalized"}; }

// normalized(Tensor input, Tensor? weight=None, float[] scales=[0.5, 2.0], *, float[]? range=None, bool[] flags=[True]) -> (Tensor values, Tensor norm)
std::tuple<Tensor, Tensor> normalized(const Tensor& input, const Tensor& weight, std::span<const double> scales, std::optional<std::span<const double>> range, std::span<const bool> flags) {
  if (TNP_LIKELY(!compute_requires_grad(input, weight))) return compiler::traced_composite(schemas::normalized, [&] { return compute_requires_grad(input, weight); }, native::normalized, input, weight, scales, range, flags);
  auto node = make_intrusive<NormalizedBackward>();
  set_next_edges(*node, {&input, &weight});
  node->input_ = SavedTensor(input, false);
  node->weight_ = SavedTensor(weight, false);
  node->scales_ = std::vector<double>(scales.begin(), scales.end());
  node->range_ = range ? std::optional(std::vector<double>(range->begin(), range->end())) : std::nullopt;
  auto result = without_grad([&] { return compiler::traced_composite(schemas::normalized, [&] { return compute_requires_grad(input, weight); }, native::normalized, input, weight, scales, range, flags); });
  set_history(std::get<0>(result), node);
  set_history(std::get<1>(result), node, 1);
  return result;
}

namespace schemas { constinit const OperatorSchema numbers{"numbers"}; }

// numbers(Distribution distribution, int[] size, *, Generator? generator=None) -> Tensor
Tensor numbers(Distribution distribution, IntList size, Generator* generator) {
  return compiler::traced_composite(schemas::numbers, [&] { return compute_requires_grad(); }, native::numbers, distribution, size, generator);
}

constinit const OperatorSchema schemas::fill_numbers{"fill_numbers"};

// fill_numbers(Tensor(a!) self, Distribution distribution, Generator? generator) -> bool
bool fill_numbers(const Tensor& self, Distribution distribution, Generator* generator) {
  check_inplace(self, compute_requires_grad(self));
  check_elements_apart(self);
  return compiler::traced_look(schemas::fill_numbers, kernel_for("fill_numbers", native::fill_numbers_cpu, decltype(&native::fill_numbers_cpu)(nullptr), self), self, distribution, generator);
}

namespace boxed_families {
void arrays(std::vector<compiler::BoxedFunction>& to) {
  to.push_back(compiler::boxed(&schemas::filled, "filled", "filled(int[*] size, Scalar value=1, *, ScalarType? dtype=None, Order order='C') -> Tensor", static_cast<Tensor (*)(IntList, const Scalar&, std::optional<ScalarType>, Order)>(&tnp::filled)));
  to.push_back(compiler::boxed(&schemas::product, "product", "product(Tensor input, Tensor other, float scale=1.5) -> Tensor", static_cast<Tensor (*)(const Tensor&, const Tensor&, double, const OutOptions&)>(&tnp::product)));
  to.push_back(compiler::boxed(&schemas::swapped, "swapped", "swapped(Tensor(a) input, int dim0, int dim1) -> Tensor(a)", static_cast<Tensor (*)(const Tensor&, int64_t, int64_t)>(&tnp::swapped)));
  to.push_back(compiler::boxed(&schemas::assign_, "assign_", "assign_(Tensor(a!) self, Tensor src) -> Tensor(a!)", static_cast<const Tensor& (*)(const Tensor&, const Tensor&)>(&tnp::assign_)));
  to.push_back(compiler::boxed(&schemas::joined, "joined", "joined(Tensor[] tensors, int dim=0) -> Tensor", static_cast<Tensor (*)(TensorList, int64_t)>(&tnp::joined)));
  to.push_back(compiler::boxed(&schemas::joined_lists, "joined.lists", "joined.lists(Tensor[] tensors, *, str mode='plain') -> Tensor[]", static_cast<std::vector<Tensor> (*)(TensorList, std::string_view)>(&tnp::joined)));
  to.push_back(compiler::boxed(&schemas::chosen, "chosen", "chosen(Tensor input, int dim) -> (Tensor values, Tensor indices)", static_cast<std::tuple<Tensor, Tensor> (*)(const Tensor&, int64_t)>(&tnp::chosen)));
  to.push_back(compiler::boxed(&schemas::places, "places", "places(Tensor input, int? dim=None) -> Tensor", static_cast<Tensor (*)(const Tensor&, std::optional<int64_t>, const OutOptions&)>(&tnp::places)));
  to.push_back(compiler::boxed(&schemas::normalized, "normalized", "normalized(Tensor input, Tensor? weight=None, float[] scales=[0.5, 2.0], *, float[]? range=None, bool[] flags=[True]) -> (Tensor values, Tensor norm)", static_cast<std::tuple<Tensor, Tensor> (*)(const Tensor&, const Tensor&, std::span<const double>, std::optional<std::span<const double>>, std::span<const bool>)>(&tnp::normalized)));
  to.push_back(compiler::boxed(&schemas::numbers, "numbers", "numbers(Distribution distribution, int[] size, *, Generator? generator=None) -> Tensor", static_cast<Tensor (*)(Distribution, IntList, Generator*)>(&tnp::numbers)));
  to.push_back(compiler::boxed(&schemas::fill_numbers, "fill_numbers", "fill_numbers(Tensor(a!) self, Distribution distribution, Generator? generator) -> bool", static_cast<bool (*)(const Tensor&, Distribution, Generator*)>(&tnp::fill_numbers)));
}
}  // namespace boxed_families

}  // namespace tnp
