// Execution of pointwise operators: promotion, selection of a loop, and the iterator if it is
// needed.
#include "aten/dispatch/pointwise.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/pointwise.h"

#include <algorithm>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/numbers/cast_error.h"
#include "aten/core/numbers/no_loop.h"
#include "aten/core/observer.h"
#include "aten/core/profiler/profiler.h"
#include "aten/core/threads/parallel.h"
#include "aten/dispatch/direct.h"
#include "aten/dispatch/one_line.h"
#include "aten/dispatch/out.h"
#include "aten/dispatch/pointwise_choice.h"
#include "aten/fusion/deferral.h"
#include "aten/iterator/cast.h"
#include "aten/iterator/device_of.h"
#include "aten/iterator/overlap.h"
#include "aten/operator_tables/comparison.h"
#include "aten/operator_tables/sorting.h"

namespace tnp {

namespace {

constexpr int kMaxLoopOperands = 4;

// On `meta`, the CPU's loops determine the supported dtypes.
DeviceType loops_of(DeviceType device) { return device == DeviceType::Meta ? DeviceType::CPU : device; }

const PointwiseLoop* find_loop(std::span<const PointwiseLoop> loops, ScalarType key) {
  for (const PointwiseLoop& loop : loops)
    if (loop.key == key) return &loop;
  return nullptr;
}

[[noreturn]] TNP_COLD void raise_no_loop(const PointwiseOp& op, TensorList inputs, const LoopTypes& types,
                                         bool dtype_given) {
  throw NoLoopError(op.name, inputs.size(), types.compute, dtype_given);
}

using Choice = PointwiseChoice;

}  // namespace

PointwiseChoice choose_loop(const PointwiseOp& op, TensorList inputs, std::optional<ScalarType> dtype,
                            DeviceType device) {
  std::span<const PointwiseLoop> loops = op.loops(loops_of(device));
  if (loops.empty()) raise_no_kernel(Device{device, 0}, op.name);
  LoopTypes types = loop_types(op.promotion, op.name, inputs, dtype);
  const PointwiseLoop* loop = find_loop(loops, types.compute);
  if (!loop) loop = find_loop(loops, compute_type(types.compute));
  if (!loop && op.promotion == Promotion::Logical) {
    types.compute = ScalarType::Bool;
    loop = find_loop(loops, types.compute);
  }
  // NumPy's operators without a bool loop start at int8, and bool casts safely to it: True ** True
  // is an int8.
  if (!loop && is_bool(types.compute) && promotion_rules() == PromotionRules::NumPy &&
      op.promotion != Promotion::ArithmeticNoBool) {
    loop = find_loop(loops, ScalarType::Int8);
    if (loop)
      types = {ScalarType::Int8,
               is_bool(types.result) && types.result == types.compute ? ScalarType::Int8 : types.result};
  }
  if (TNP_UNLIKELY(!loop)) raise_no_loop(op, inputs, types, dtype.has_value());
  return {loop, types};
}

namespace {

// Whether only the truth or the kind of operand `i` is used, so that any cast to `dtype` is
// acceptable. NumPy's ldexp has loops for int32 exponents as well as for int64.
bool takes_dtype(const PointwiseOp& op, size_t i, ScalarType dtype) {
  if (op.promotion == Promotion::LoadExponent) return i == 1 && dtype == ScalarType::Int32;
  return op.promotion == Promotion::Logical || op.promotion == Promotion::Comparison ||
         op.promotion == Promotion::Predicate || (op.promotion == Promotion::Select && i == 0);
}

// A Python number may be cast to every dtype of its kind or of a higher one.
bool is_weak_for(ScalarType number, ScalarType to) {
  auto kind = [](ScalarType t) { return is_bool(t) ? 0 : is_integral(t) ? 1 : is_complex(t) ? 3 : 2; };
  return kind(number) <= kind(to);
}

}  // namespace

void check_input_casts(const PointwiseOp& op, const PointwiseChoice& choice, TensorList inputs, Casting casting) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = inputs[i];
    ScalarType to = shown_dtype(choice.loop->types[op.nout + i], choice.types.compute);
    if (t.dtype() == to || (t.is_wrapped_number() && is_weak_for(t.dtype(), to)) || takes_dtype(op, i, t.dtype()))
      continue;
    if (TNP_LIKELY(can_cast(t.dtype(), to, casting))) continue;
    raise_cannot_cast_input("{op}", inputs.size() > 1 ? static_cast<int64_t>(i) : -1, t.dtype(), to, casting);
  }
}

namespace {

// Note [Without an iterator] Operands that form one line, in the loop's dtypes, need no iterator:
// one call of the loop, or one per chunk in parallel. Constants are cast first.
bool run_without_iterator(const PointwiseOp& op, const Choice& choice, TensorList inputs,
                          const PointwiseOptions& options, Tensor* results) {
  const PointwiseLoop& loop = *choice.loop;
  OneLine line;
  const TensorImpl* operands[kMaxLoopOperands];
  alignas(16) char constants[kMaxLoopOperands][16];
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = inputs[i];
    const size_t k = op.nout + i;
    if (t.is_unaligned()) return false;
    t.data();  // computes a pending operand
    operands[i] = t.impl();
    if (t.dtype() == loop.types[k]) {
      if (!line.add(static_cast<int>(k), *t.impl())) return false;
      continue;
    }
    if (t.dim() != 0) return false;
    const FloatingPointWatch watch("cast");
    cast_element(constants[k], loop.types[k], t.data(), t.dtype());
    line.add_number(static_cast<int>(k), constants[k]);
  }
  if (options.order == Order::F && line.shape && line.shape->sizes.size() > 1) return false;
  const DimVector sizes = line.shape ? line.shape->sizes : DimVector();
  for (size_t k = 0; k < op.nout; ++k) {
    const ScalarType shown = shown_dtype(loop.types[k], choice.types.result);
    if (shown != loop.types[k]) return false;
    const Tensor& out = options.out[k];
    if (!out.defined()) continue;
    if (out.dtype() != shown || out.is_unaligned()) return false;
    out.data();
    if (!line.add_out(static_cast<int>(k), *out.impl(), sizes, operands, op.nin)) return false;
    out.storage().prepare_change();
  }
  for (size_t k = 0; k < op.nout; ++k) {
    if (options.out[k].defined()) {
      results[k] = options.out[k];
      continue;
    }
    results[k] = empty_tensor(sizes, loop.types[k], inputs[0].device());
    line.data[k] = results[k].data();
    line.strides[k] = element_size(loop.types[k]);
  }
  int64_t n = results[0].numel();
  if (n == 0) return true;
  int64_t grain =
      std::max<int64_t>(static_cast<int64_t>(static_cast<double>(kParallelWork) / std::max(op.cost, 0.01)), 1);
  const FloatingPointWatch watch(op.watched_as);
  if (n <= grain) {
    loop.loop(line.data, line.strides, n);
    return true;
  }
  parallel_for(0, n, std::max<int64_t>(grain / kTasksPerGrain, 1), [&](int64_t begin, int64_t end) {
    char* piece[kMaxLoopOperands];
    for (int k = 0; k < op.nout + op.nin; ++k) piece[k] = line.data[k] + begin * line.strides[k];
    loop.loop(piece, line.strides, end - begin);
  });
  return true;
}

// Note [int64 with uint64] No dtype holds both, but the uint64 loop can compare them exactly. Where
// the signed operand is negative, the pair is replaced by (0, 1), or by (1, 0) if the second
// operand is the signed one. The replacement compares as the operands do.
void mixed_comparison(const PointwiseOp& op, const PointwiseLoop& loop, const Tensor* inputs,
                      const PointwiseOptions& options, Tensor* result) {
  auto kind = [](const Tensor& t) { return is_unsigned(t.dtype()) ? ScalarType::UInt64 : ScalarType::Int64; };
  bool is_signed[] = {kind(inputs[0]) == ScalarType::Int64, kind(inputs[1]) == ScalarType::Int64};
  Iterator iterator;
  iterator.output(*result, ScalarType::Bool, ScalarType::Bool)
      .input(inputs[0], kind(inputs[0]))
      .input(inputs[1], kind(inputs[1]));
  if (options.where.defined()) iterator.mask(options.where);
  iterator.casting(options.casting).order(options.order).build();
  iterator.for_each_with(
      [&](char* const* data, const int64_t* strides, int64_t n) {
        constexpr int64_t kPiece = 256;
        uint64_t a[kPiece], b[kPiece];
        for (int64_t start = 0; start < n; start += kPiece) {
          int64_t length = std::min(kPiece, n - start);
          for (int64_t i = 0; i < length; ++i) {
            a[i] = *reinterpret_cast<const uint64_t*>(data[1] + (start + i) * strides[1]);
            b[i] = *reinterpret_cast<const uint64_t*>(data[2] + (start + i) * strides[2]);
            if (is_signed[0] && static_cast<int64_t>(a[i]) < 0)
              a[i] = 0, b[i] = 1;
            else if (is_signed[1] && static_cast<int64_t>(b[i]) < 0)
              a[i] = 1, b[i] = 0;
          }
          char* piece[] = {data[0] + start * strides[0], reinterpret_cast<char*>(a), reinterpret_cast<char*>(b)};
          int64_t piece_strides[] = {strides[0], 8, 8};
          loop.loop(piece, piece_strides, length);
        }
      },
      op.cost + 1);
}

// mixed_comparison() on another device, composed of operators.
void mixed_comparison_on_device(const PointwiseOp& op, const Tensor* inputs, const PointwiseOptions& options,
                                Tensor* result, Device device) {
  Tensor pair[2];
  for (int i = 0; i < 2; ++i) {
    pair[i] = empty_tensor(inputs[i].sizes(), ScalarType::UInt64, device);
    copy_into(pair[i], inputs[i]);
  }
  for (int i = 0; i < 2; ++i) {
    if (!is_signed_integer(inputs[i].dtype())) continue;
    Tensor own = inputs[i];
    if (own.device() != device) copy_into(own = empty_tensor(own.sizes(), own.dtype(), device), inputs[i]);
    const Tensor negative = pointwise(pointwise_ops::lt, std::array{own, scalar_tensor(Scalar(0), own.dtype())});
    auto number = [](uint64_t n) { return scalar_tensor(Scalar(n), ScalarType::UInt64); };
    pair[i] = pointwise(pointwise_ops::where, std::array{negative, number(0), pair[i]});
    pair[1 - i] = pointwise(pointwise_ops::where, std::array{negative, number(1), pair[1 - i]});
  }
  pointwise(op, TensorList(pair, 2), options, result);
}

}  // namespace

namespace {

TNP_COLD profiler::Ticket begin_profiled(const PointwiseOp& op, TensorList inputs) {
  Device device;
  find_device(device, inputs);
  return profiler::begin(op.name, profiler::Kind::Operator, device);
}

}  // namespace

bool mixes_signs(const PointwiseOp& op, const PointwiseChoice& choice, TensorList inputs) {
  if (op.promotion != Promotion::Comparison || choice.types.compute != ScalarType::UInt64 || op.nin != 2) return false;
  for (const Tensor& t : inputs) {
    if (is_signed_integer(t.dtype()) && !(t.is_wrapped_number() && t.item().fits(ScalarType::UInt64))) return true;
  }
  return false;
}

namespace {

// Runs before dtype checks, as in PyTorch.
TNP_COLD void check_devices(TensorList inputs, const PointwiseOptions& options, Device device) {
  for (const Tensor& t : inputs) check_device(t, device);
  for (const Tensor& t : options.out)
    if (t.defined() && t.device() != device) raise_devices_differ(device, t.device());
  check_device(options.where, device);
}

// The strides that a newly allocated result would have.
DimVector strides_of_result(TensorList inputs) {
  Iterator iterator;
  Tensor result;
  iterator.output(result, ScalarType::Bool, ScalarType::Bool);
  std::array<Tensor, kMaxLoopOperands> layouts;
  for (size_t i = 0; i < inputs.size(); ++i) {
    layouts[i] =
        empty_strided_tensor(inputs[i].sizes(), inputs[i].strides(), ScalarType::Bool, Device{DeviceType::Meta});
    iterator.input(layouts[i], ScalarType::Bool);
  }
  iterator.build();
  return result.strides();
}

// Whether `out` has the broadcast shape of `inputs`, in the simple case that each input has that
// shape or is 0-d. True for every in-place operator and nearly every out=.
bool has_their_size(const Tensor& out, TensorList inputs) {
  bool found = false;
  for (const Tensor& t : inputs) {
    if (t.sizes() == out.sizes())
      found = true;
    else if (t.dim() != 0)
      return false;
  }
  return found;
}

// Note [out= of another shape] In an in-place operator, out= is also an operand and keeps its
// shape.
void fit_outs(const PointwiseOp& op, const Choice& choice, TensorList inputs, const PointwiseOptions& options,
              Device device) {
  for (size_t k = 0; k < op.nout; ++k) {
    const Tensor& out = options.out[k];
    if (!out.defined()) continue;
    const ScalarType type = shown_dtype(choice.loop->types[k], choice.types.result);
    const bool is_real_part = !is_complex(type) && std::any_of(inputs.begin(), inputs.end(),
                                                               [](const Tensor& t) { return is_complex(t.dtype()); });
    if (!is_real_part) check_out_dtype(options.out_dtype, type, out.dtype());
    const bool is_fitting = has_their_size(out, inputs);
    DimVector sizes;
    for (size_t i = 0; i < inputs.size() && !is_fitting; ++i) sizes = broadcast_shapes(sizes, inputs[i].sizes());
    if (is_fitting || !takes_another_size(out, sizes)) {
      check_elements_apart(out);
      for (const Tensor& t : inputs) check_apart(out, t);
      continue;
    }
    const bool in_place = std::any_of(inputs.begin(), inputs.end(), [&](const Tensor& t) { return t.is_same(out); });
    TNP_CHECK(!in_place, ErrorKind::Shape, "output with shape ", out.sizes(), " doesn't match the broadcast shape ",
              IntList(sizes));
    check_writeable(out, "output array");
    if (out.device() != device) raise_devices_differ(device, out.device());
    TNP_CHECK(can_cast(type, out.dtype(), options.casting), ErrorKind::Casting, "result type ", type,
              " can't be cast to the desired output type ", out.dtype());
    fit_out(out, sizes, strides_of_result(inputs));
  }
}

// Checks only the values selected by `where`. Values that are not selected count as 0.
void check_values(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options, ScalarType compute) {
  if (!options.where.defined()) return op.check(inputs, compute);
  std::array<Tensor, kMaxLoopOperands> selected;
  for (size_t i = 0; i < inputs.size(); ++i)
    selected[i] = pointwise(pointwise_ops::where, std::array{options.where, inputs[i], wrapped_number(Scalar(0))});
  op.check(TensorList(selected.data(), inputs.size()), compute);
}

// Caches a loop choice that depends on the operands' dtypes alone, if the loop computes in those
// dtypes. A Python number takes no part in the choice if it is computed in the array's dtype:
// without the number, promotion would select the same loop.
void remember_direct(const PointwiseOp& op, const Choice& choice, TensorList inputs, const PointwiseOptions& options) {
  const PointwiseLoop& loop = *choice.loop;
  if (op.nout != 1 || options.dtype || options.casting != Casting::SameKind) return;
  if (shown_dtype(loop.types[0], choice.types.result) != loop.types[0]) return;
  const Tensor* last = nullptr;
  for (const Tensor& t : inputs)
    if (!t.is_wrapped_number()) last = &t;
  if (!last && promotion_rules() != PromotionRules::NumPy) return;
  const ScalarType dtype = last ? last->dtype() : loop.types[1];
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = inputs[i];
    if (t.is_wrapped_number()
            ? !takes_directly(dtype, t.item()) || loop.types[1 + i] != dtype
            : t.dtype() != loop.types[1 + i] || (t.dim() == 0 && promotion_rules() == PromotionRules::Torch))
      return;
  }
  op.direct[static_cast<int>(promotion_rules())][static_cast<int>(dtype)].store(&loop, std::memory_order_release);
}

}  // namespace

void pointwise(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options, Tensor* results) {
  TNP_INTERNAL_ASSERT(inputs.size() == op.nin && op.nin + op.nout <= kMaxLoopOperands);
  const profiler::Operation profiled([&] { return begin_profiled(op, inputs); });
  TNP_CHECK(op.nout == 2 || !options.out[1].defined(), ErrorKind::Value,
            "The '{out}' tuple must have exactly one entry per ufunc output");
  if (TNP_UNLIKELY(observer() != nullptr) && observer()->pointwise(op, inputs, options, results)) return;
  Device device;  // the kernel's device; the iterator checks that all operands are on it, or are CPU scalars
  for (const Tensor& t : inputs)
    if (TNP_UNLIKELY(!t.device().is_cpu())) device = t.device();
  if (TNP_UNLIKELY(!device.is_cpu())) check_devices(inputs, options, device);
  Choice choice = choose_loop(op, inputs, options.dtype, device.type);
  check_input_casts(op, choice, inputs, options.casting);
  if (TNP_UNLIKELY(op.check != nullptr) && !device.is_meta()) check_values(op, inputs, options, choice.types.compute);
  // The loop computes in float32, but a float combined with 16-bit ones is first rounded to their
  // dtype: float16(x) + 0.1 adds float16(0.1). PyTorch's operators with `keeps_numbers` do not round
  // numbers, so that float16(0.01) * 65536 is finite.
  std::array<Tensor, kMaxLoopOperands> rounded;
  if (TNP_UNLIKELY(options.out[0].defined() || options.out[1].defined()) && !dialect().errors_are_numpys())
    fit_outs(op, choice, inputs, options, device);
  if (TNP_UNLIKELY(is_reduced_float(choice.types.compute))) {
    const bool keeps_numbers = op.keeps_numbers && promotion_rules() == PromotionRules::Torch;
    for (size_t i = 0; i < inputs.size(); ++i) {
      rounded[i] = inputs[i];
      if (keeps_numbers && inputs[i].dim() == 0) continue;
      if (choice.loop->types[op.nout + i] != ScalarType::Float32 || inputs[i].dtype() == choice.types.compute) continue;
      if (is_integral(inputs[i].dtype()) && inputs[i].itemsize() == 1) continue;  // exact in any float dtype
      rounded[i] = empty_tensor(inputs[i].sizes(), choice.types.compute, inputs[i].device());
      copy_into(rounded[i], inputs[i]);
    }
    inputs = TensorList(rounded.data(), inputs.size());
  }
  if (device.is_cpu()) remember_direct(op, choice, inputs, options);
  // Called only after all checks: an out= whose elements stay unchanged keeps its version.
  auto bump_versions = [&] {
    for (int k = 0; k < op.nout; ++k)
      if (options.out[k].defined()) options.out[k].bump_version();
  };
  // Floating-point errors may be raised when the elements have changed already.
  auto bumping = [&](auto&& run) {
    try {
      if (!run()) return false;
    } catch (...) {
      bump_versions();
      throw;
    }
    bump_versions();
    return true;
  };
  if (TNP_UNLIKELY(mixes_signs(op, choice, inputs))) {
    results[0] = options.out[0];
    bumping([&] {
      if (!device.is_cpu())
        mixed_comparison_on_device(op, inputs.data(), options, results, device);
      else
        mixed_comparison(op, *choice.loop, inputs.data(), options, results);
      return true;
    });
    return;
  }
  if (TNP_UNLIKELY(fusion::is_on()) && device.is_cpu() &&
      fusion::defer(op, *choice.loop, shown_dtype(choice.loop->types[0], choice.types.result), inputs, options,
                    results))
    return;
  if (device.is_cpu() && !options.where.defined() &&
      bumping([&] { return run_without_iterator(op, choice, inputs, options, results); }))
    return;

  Iterator iterator;
  for (size_t k = 0; k < op.nout; ++k) {
    results[k] = options.out[k];
    ScalarType loop_dtype = choice.loop->types[k];
    iterator.output(results[k], loop_dtype, shown_dtype(loop_dtype, choice.types.result));
  }
  for (size_t i = 0; i < inputs.size(); ++i) iterator.input(inputs[i], choice.loop->types[op.nout + i]);
  if (options.where.defined()) iterator.mask(options.where);
  iterator.check_input_casts(false).casting(options.casting).order(options.order).build();
  bump_versions();
  if (TNP_LIKELY(device.is_cpu())) {
    const FloatingPointWatch watch(op.watched_as);
    iterator.for_each(choice.loop->loop, op.cost);
  } else if (iterator.numel() > 0 && !device.is_meta())
    choice.loop->launch(iterator.plan());
}

Tensor pointwise(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options) {
  TNP_INTERNAL_ASSERT(op.nout == 1);
  Tensor result;
  pointwise(op, inputs, options, &result);
  return result;
}

FoldChoice choose_fold(const PointwiseOp& op, const Tensor& input, std::optional<ScalarType> dtype) {
  TNP_CHECK(op.nin == 2 && op.nout == 1, ErrorKind::Value, "reduce only supported for binary functions");
  const DeviceType device = input.device().type;
  Tensor operands[] = {input, input};
  Choice choice{};
  if (op.promotion == Promotion::Comparison || op.promotion == Promotion::Logical) {
    // A fold feeds results back as operands: bool. Comparisons of other dtypes have no such loop,
    // unless dtype=bool is passed.
    if (op.promotion == Promotion::Comparison && !is_bool(dtype.value_or(input.dtype())))
      raise_no_loop(op, operands, {input.dtype(), ScalarType::Bool}, true);
    choice = {find_loop(op.loops(loops_of(device)), ScalarType::Bool), {ScalarType::Bool, ScalarType::Bool}};
    if (!choice.loop) raise_no_loop(op, operands, choice.types, dtype.has_value());
  } else {
    choice = choose_loop(op, operands, dtype, device);
  }
  const PointwiseLoop& loop = *choice.loop;
  TNP_CHECK(loop.types[0] == loop.types[1] && loop.types[1] == loop.types[2], ErrorKind::Dtype,
            "could not find a matching type for ", op.name, ".reduce, requested type has type code '",
            choice.types.result, "'");
  return {choice.loop, loop.types[0], shown_dtype(loop.types[0], choice.types.result)};
}

}  // namespace tnp
