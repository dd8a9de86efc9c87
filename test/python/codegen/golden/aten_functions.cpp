// halves(Tensor input) -> (Tensor low, Tensor high)
std::tuple<Tensor, Tensor> halves(const Tensor& input, const PointwiseOptions& options) {
  if (TNP_LIKELY(!any_needs_recording(input, options.out[0], options.out[1]))) return run_pointwise_pair(pointwise_ops::halves, options, input);
  check_out_is_not_recorded(true, options.out[0]);
  check_out_is_not_recorded(true, options.out[1]);
  auto node = make_intrusive<HalvesBackward>();
  set_next_edges(*node, {&input});
  node->mask_ = options.where;
  auto result = without_recording([&] { return run_pointwise_pair(pointwise_ops::halves, options, input); });
  set_history(std::get<0>(result), node);
  set_history(std::get<1>(result), node, 1);
  node->result1_ = SavedTensor(std::get<1>(result), is_differentiable(std::get<1>(result).dtype()), 1);
  return result;
}

// swapped(Tensor(a) input, int dim0, int dim1) -> Tensor(a)
Tensor swapped(const Tensor& input, int64_t dim0, int64_t dim1) {
  if (TNP_LIKELY(!any_needs_recording(input))) return native::swapped(input, dim0, dim1);
  auto node = make_intrusive<SwappedBackward>();
  set_next_edges(*node, {&input});
  node->dim0_ = int64_t(dim0);
  node->dim1_ = int64_t(dim1);
  auto result = without_recording([&] { return native::swapped(input, dim0, dim1); });
  set_history(result, node);
  return result;
}

// assign_(Tensor(a!) self, Tensor src) -> Tensor(a!)
const Tensor& assign_(const Tensor& self, const Tensor& src) {
  const bool recording = any_needs_recording(self, src);
  check_inplace(self, recording);
  if (TNP_LIKELY(!recording)) {
    (on_cpu("assign_", self, src), native::assign_cpu(self, src));
    return self;
  }
  auto node = make_intrusive<AssignBackward>();
  set_next_edges(*node, {&self, &src});
  without_recording([&] { (on_cpu("assign_", self, src), native::assign_cpu(self, src)); });
  rebase_history(self, node, 0);
  return self;
}

// places(Tensor input, int? dim=None) -> Tensor
Tensor places(const Tensor& input, std::optional<int64_t> dim) {
  if (TNP_LIKELY(!any_needs_recording(input))) return (on_cpu("places", input), native::places_cpu(input, dim));
  auto node = make_intrusive<NotDifferentiable>();
  set_next_edges(*node, {&input});
  node->operation = "places";
  node->reason = "its result is an integer";
  auto result = without_recording([&] { return (on_cpu("places", input), native::places_cpu(input, dim)); });
  set_history(result, node);
  return result;
}

// total(Tensor input, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
Tensor total(const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype, const ReduceOptions& options) {
  if (TNP_LIKELY(!any_needs_recording(input, options.out))) return reduce(reduction_ops::total, input, dim, keepdim, dtype, options);
  check_out_is_not_recorded(true, options.out);
  auto node = make_intrusive<TotalBackward>();
  set_next_edges(*node, {&input});
  node->input_sizes_ = DimVector(input.sizes());
  node->dim_ = stored(dim);
  node->keepdim_ = bool(keepdim);
  node->mask_ = SavedTensor(options.where, false);
  auto result = without_recording([&] { return reduce(reduction_ops::total, input, dim, keepdim, dtype, options); });
  set_history(result, node);
  return result;
}

// product(Tensor input, Tensor other, float scale=1.5) -> Tensor
Tensor product(const Tensor& input, const Tensor& other, double scale) {
  if (TNP_LIKELY(!any_needs_recording(input))) return (on_cpu("product", input, other), native::product_cpu(input, other, scale));
  auto node = make_intrusive<ProductBackward>();
  set_next_edges(*node, {&input});
  node->other_ = SavedTensor(other, false);
  node->scale_ = double(scale);
  auto result = without_recording([&] { return (on_cpu("product", input, other), native::product_cpu(input, other, scale)); });
  set_history(result, node);
  return result;
}

// filled(int[*] size, Scalar value=1, *, ScalarType? dtype=None, Order order='C') -> Tensor
Tensor filled(IntList size, const Scalar& value, std::optional<ScalarType> dtype, Order order) {
  return native::filled(size, value, dtype, order);
}

// twice(Tensor input) -> Tensor
Tensor twice(const Tensor& input, const PointwiseOptions& options) {
  if (TNP_LIKELY(!any_needs_recording(input, options.out[0]))) return run_pointwise(pointwise_ops::twice, options, input);
  check_out_is_not_recorded(true, options.out[0]);
  auto node = make_intrusive<TwiceBackward>();
  set_next_edges(*node, {&input});
  node->mask_ = options.where;
  node->input_ = SavedTensor(input, false);
  auto result = without_recording([&] { return run_pointwise(pointwise_ops::twice, options, input); });
  set_history(result, node);
  node->result0_ = SavedTensor(result, is_differentiable(result.dtype()), 0);
  return result;
}

// twice(Tensor input) -> Tensor
const Tensor& twice_(const Tensor& input) {
  const bool recording = any_needs_recording(input);
  check_inplace(input, recording);
  PointwiseOptions options;
  options.out[0] = input;
  if (TNP_LIKELY(!recording)) {
    run_pointwise(pointwise_ops::twice, options, input);
    return input;
  }
  auto node = make_intrusive<TwiceBackward>();
  set_next_edges(*node, {&input});
  node->input_ = SavedTensor(identity_copy(input), false);
  without_recording([&] { run_pointwise(pointwise_ops::twice, options, input); });
  rebase_history(input, node, 0);
  node->result0_ = SavedTensor(input, is_differentiable(input.dtype()), 0);
  return input;
}

// joined(Tensor[] tensors, int dim=0) -> Tensor
Tensor joined(TensorList tensors, int64_t dim) {
  if (TNP_LIKELY(!any_needs_recording(tensors))) return (on_cpu("joined", tensors), native::joined_cpu(tensors, dim));
  auto node = make_intrusive<JoinedBackward>();
  set_next_edges(*node, tensors);
  node->tensors_sizes_ = sizes_of(tensors);
  node->dim_ = int64_t(dim);
  auto result = without_recording([&] { return (on_cpu("joined", tensors), native::joined_cpu(tensors, dim)); });
  set_history(result, node);
  return result;
}

// joined.lists(Tensor[] tensors, *, str mode='plain') -> Tensor[]
std::vector<Tensor> joined(TensorList tensors, std::string_view mode) {
  return native::joined_lists(tensors, mode);
}

// numbers(Distribution distribution, int[] size, *, Generator? generator=None) -> Tensor
Tensor numbers(Distribution distribution, IntList size, Generator* generator) {
  return native::numbers(distribution, size, generator);
}

// fill_numbers(Tensor(a!) self, Distribution distribution, Generator? generator) -> bool
bool fill_numbers(const Tensor& self, Distribution distribution, Generator* generator) {
  check_inplace(self, any_needs_recording(self));
  return (on_cpu("fill_numbers", self), native::fill_numbers_cpu(self, distribution, generator));
}
