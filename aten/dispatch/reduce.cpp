// Planning of reductions: axes, dtypes, checks, the order of dimensions.
#include <algorithm>
#include <bitset>
#include <cstdlib>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/numbers/element.h"
#include "aten/core/observer.h"
#include "aten/core/profiler/profiler.h"
#include "aten/core/shapes.h"
#include "aten/dispatch/out.h"
#include "aten/dispatch/pointwise.h"
#include "aten/dispatch/reduce.h"
#include "aten/fusion/reduction_source.h"
#include "aten/iterator/aligned.h"
#include "aten/iterator/cast.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/overlap.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduce_plan.h"
#include "aten/operator_tables/floating_point.h"
#include "aten/operator_tables/reductions.h"

namespace tnp {

namespace {

struct Dtypes {
  ScalarType key;     // the dtype that selects the loop
  ScalarType result;  // dtype of the result returned to the caller
};

// `out` is undefined if not given.
Dtypes reduction_dtypes(const ReductionOp& op, ScalarType input, std::optional<ScalarType> dtype, const Tensor& out) {
  switch (op.promotion) {
    case ReductionRule::IntegerSum: {
      ScalarType t = input;
      if (dtype)
        t = *dtype;
      else if (out.defined() && dialect().out_takes_part_in_promotion_of_sums())
        t = promote_types(input, out.dtype());
      else if (is_integral(input))
        t = integer_sum_dtype(input);
      return {t, t};
    }
    case ReductionRule::Same:
      return {dtype.value_or(input), dtype.value_or(input)};
    case ReductionRule::Floating:
    case ReductionRule::FloatingReal: {
      ScalarType t = dtype.value_or(input);
      if (is_integral(t)) {
        TNP_CHECK(dialect().integers_have_a_mean(), ErrorKind::NotImplemented, "not implemented for ", t,
                  ": could not infer output dtype. Input dtype must be either a "
                  "floating point or complex dtype. Got: ",
                  t);
        return {ScalarType::Float64, dtype ? *dtype : floating_dtype_of_integers()};
      }
      return {t, op.promotion == ReductionRule::FloatingReal ? to_real(t) : t};
    }
    case ReductionRule::Bool:
      return {input, ScalarType::Bool};
    case ReductionRule::Index:
    case ReductionRule::Count:
      return {input, ScalarType::Int64};
  }
  return {input, input};
}

const ReductionLoop& find_loop(const ReductionOp& op, ScalarType key, DeviceType device) {
  // On `meta`, the CPU's loops determine the supported dtypes.
  std::span<const ReductionLoop> loops = op.loops(device == DeviceType::Meta ? DeviceType::CPU : device);
  if (loops.empty()) raise_no_kernel(Device{device, 0}, op.name);
  for (const ReductionLoop& loop : loops)
    if (loop.key == key) return loop;
  // Falls back to loops that read the same values: float32 for 16-bit floats, 64 bits for narrow
  // integers, bool if only the truth matters.
  auto with_key = [&](ScalarType t) {
    return std::find_if(loops.begin(), loops.end(), [&](const ReductionLoop& loop) { return loop.key == t; });
  };
  auto found = with_key(compute_type(key));
  if (found == loops.end() && is_integral(key)) found = with_key(key == ScalarType::UInt64 ? key : ScalarType::Int64);
  if (found == loops.end() && (op.promotion == ReductionRule::Bool || op.promotion == ReductionRule::Count))
    found = with_key(ScalarType::Bool);
  if (found != loops.end()) return *found;
  TNP_RAISE(ErrorKind::Dtype, "\"", op.name, "\" is not supported for dtype ", key);
}

DimVector reduced_axes(const ReductionOp& op, const Tensor& input, OptIntList dim) {
  DimVector axes;
  // In PyTorch too, any() and all() over no axes reduce nothing.
  if (!dim || (dim->empty() && dialect().no_axes_mean_all() && op.promotion != ReductionRule::Bool)) {
    for (int64_t d = 0; d < input.dim(); ++d) axes.push_back(d);
    return axes;
  }
  // NumPy accepts axis 0 for 0-d arrays in reductions only.
  if (input.dim() == 0 && dim->size() == 1 && ((*dim)[0] == 0 || (*dim)[0] == -1)) return axes;
  axes = wrap_dims(*dim, input.dim());
  if (input.dim() == 0) axes.clear();
  return axes;
}

Tensor truth_of(const Tensor& input) {
  Tensor truth = empty_tensor(input.sizes(), ScalarType::Bool, input.device());
  copy_into(truth, input);
  return truth;
}

// Raises if `t` is on another device than `device`, since kernels access `t` in place.
void check_same_device(const Tensor& t, Device device) {
  if (t.defined() && t.device() != device && !device.is_meta()) raise_devices_differ(device, t.device());
}

// Insertion sort: the list is short and mostly sorted.
void sort_by_step(AxisList& list) {
  for (size_t i = 1; i < list.axes.size(); ++i) {
    const Axis axis = list.axes[i];
    size_t place = i;
    for (; place > 0 && std::abs(axis.in) < std::abs(list.axes[place - 1].in); --place)
      list.axes[place] = list.axes[place - 1];
    list.axes[place] = axis;
  }
}

void coalesce(AxisList& list, bool indexed) {
  sort_by_step(list);
  list.count = 1;
  size_t merged = 0;  // number of merged axes so far, at the front of the list
  for (const Axis& a : list.axes) {
    list.count *= a.size;
    if (a.size == 1) continue;
    if (merged > 0) {
      Axis& last = list.axes[merged - 1];
      if (a.in == last.in * last.size && a.mask == last.mask * last.size &&
          (!indexed || a.out == last.out * last.size)) {
        last.size *= a.size;
        continue;
      }
    }
    list.axes[merged++] = a;
  }
  list.axes.resize_uninitialized(merged);
  if (merged == 0) list.axes.push_back({list.count, 0, 0, 0});
}

using IsReduced = std::bitset<kMaxDims>;

IsReduced find_reduced(const ReductionOp& op, const Tensor& input, OptIntList dim) {
  IsReduced is_reduced;
  for (int64_t d : reduced_axes(op, input, dim)) is_reduced.set(static_cast<size_t>(d));
  return is_reduced;
}

// Whether the reduction is over all elements of a dense tensor, so that it is a single line.
bool is_one_line(const Tensor& input, OptIntList dim, bool keepdim) {
  return !dim && !keepdim && input.is_contiguous();
}

// `mask_strides` is empty if there is no mask.
void add_axes(ReducePlan& plan, const Tensor& input, bool is_line, const IsReduced& is_reduced, bool keepdim,
              const DimVector& mask_strides, const Tensor& result) {
  if (is_line) return plan.reduced.axes.push_back({input.numel(), input.itemsize(), 0, 1});
  size_t out_axis = result.sizes().size();
  int64_t index_step = 1;
  for (auto d = static_cast<size_t>(input.dim()); d-- > 0;) {
    Axis axis{input.sizes()[d], input.strides()[d] * input.itemsize(), mask_strides.empty() ? 0 : mask_strides[d], 0};
    if (is_reduced[d]) {
      axis.out = index_step;
      index_step *= axis.size;
      out_axis -= keepdim;
      plan.reduced.axes.push_back(axis);
    } else {
      axis.out = result.strides()[--out_axis] * result.itemsize();
      plan.kept.axes.push_back(axis);
    }
  }
}

// Whether the reduction is a sum of bools. It is computed as count_nonzero, which reads bytes
// without conversion.
bool is_count(const ReductionOp& op, ScalarType input, ScalarType key) {
  return is_bool(input) && key == ScalarType::Int64 && &op == &reduction_ops::sum;
}

// Whether the plan of a dense input has the form that Note [Sources of elements] requires.
bool takes_source(const ReductionOp& op, const ReducePlan& plan, int64_t itemsize) {
  const bool reads_twice = op.promotion == ReductionRule::FloatingReal;  // var and std
  if (reads_twice || plan.mask || !plan.device.is_cpu() || plan.reduced.axes.size() != 1) return false;
  const Axis &k = plan.kept.axes[0], &r = plan.reduced.axes[0];
  if (plan.rows && k.in == itemsize) return true;
  return r.in == itemsize && plan.kept.axes.size() == 1 && (plan.kept.count == 1 || k.in == r.size * itemsize);
}

// Reduces a pending input that is not used afterwards, without storing its elements. Returns false
// and does nothing if `input` cannot be such a source.
TNP_COLD bool reduce_pending(const ReductionLoop& loop, ReducePlan& plan, const Tensor& input, const Tensor& result,
                             const char* watched) {
  const auto run = [&] {
    FloatingPointWatch watch(watched);
    loop.run(plan);
    return watch.end();
  };
  while (const std::unique_ptr<fusion::ReductionSource> source = fusion::source_of(input)) {
    plan.source = source.get();
    const FloatingPointErrors errors = run();
    plan.source = nullptr;
    if (!source->publish()) continue;
    source->expression().verify_reduction(result, errors,
                                          [&](const char* elements) { return plan.in = elements, run(); });
    if (TNP_UNLIKELY(errors)) report_floating_point_errors(watched, errors);
    return true;
  }
  return false;
}

bool any(const PointwiseOp& predicate, const Tensor& t) {
  return reduce(reduction_ops::any, pointwise(predicate, std::array{t}), std::nullopt, false).item<bool>();
}

// Reports the errors that NumPy has for var and std, if flags were set. Infinities minus
// their mean are NaN, squares may overflow, and the divisor may be 0.
TNP_COLD void report_errors_of_deviations(const Tensor& input, const Tensor& result, double divisor) {
  const bool nan = any(pointwise_ops::isnan, result), infinite = any(pointwise_ops::isinf, result);
  if (divisor <= 0) {
    if (nan) report_floating_point_errors("divide", kInvalid);
    if (infinite) report_floating_point_errors("divide", kDivideByZero);
    return;
  }
  if (nan && !any(pointwise_ops::isnan, input)) report_floating_point_errors("subtract", kInvalid);
  if (infinite && !any(pointwise_ops::isinf, input)) report_floating_point_errors("multiply", kOverflow);
}

}  // namespace

void arrange(ReducePlan& plan, ReductionRule rule, int64_t itemsize) {
  coalesce(plan.kept, true);
  coalesce(plan.reduced, rule == ReductionRule::Index);
  const Axis &k = plan.kept.axes[0], &r = plan.reduced.axes[0];
  const bool plain = !plan.load && !plan.mask && plan.device.is_cpu();  // the choice below is about CPU vectors
  const bool arithmetic = rule != ReductionRule::Index && rule != ReductionRule::Bool && rule != ReductionRule::Count;
  const bool upright =
      plain && arithmetic && (itemsize == 4 || itemsize == 8) && r.in == itemsize && r.size <= kLongestShortLine;
  const bool kept_is_faster = std::abs(k.in) < std::abs(r.in) || r.size < 16 || upright;
  // Reductions with early exit preferably compute one result after the other.
  const bool narrow = plain && rule != ReductionRule::Bool && k.in == itemsize && r.in == k.size * itemsize;
  plan.rows = plan.reduced.count > 1 && (k.size >= 8 ? kept_is_faster : narrow);
}

namespace {

Tensor reduced(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim,
               std::optional<ScalarType> dtype, const ReduceOptions& options) {
  if (TNP_UNLIKELY(observer() != nullptr)) {
    if (Tensor result; observer()->reduce(op, input, dim, keepdim, dtype, options, result)) return result;
  }
  if (TNP_UNLIKELY(input.is_unaligned())) return reduced(op, aligned_copy(input), dim, keepdim, dtype, options);
  // A CPU scalar mask may accompany a device array (aten/iterator/device_of.h), but device kernels
  // cannot read it there.
  if (const Tensor& where = options.where;
      where.defined() && where.dim() == 0 && where.device().is_cpu() && input.device().is_cuda()) {
    ReduceOptions there = options;
    there.where = empty_tensor({}, where.dtype(), input.device());
    copy_into(there.where, where);
    return reduced(op, input, dim, keepdim, dtype, there);
  }
  Dtypes dtypes = reduction_dtypes(op, input.dtype(), dtype, options.out);
  // A sum of bools is their logical or. It uses the truth of each element, not the truth of a sum
  // of other numbers.
  if (op.promotion == ReductionRule::IntegerSum && is_bool(dtypes.key) && !is_bool(input.dtype()))
    return reduced(op, truth_of(input), dim, keepdim, dtypes.key, options);
  if (is_count(op, input.dtype(), dtypes.key) && !options.out.defined() && !options.initial)
    return reduced(reduction_ops::count_nonzero, input, dim, keepdim, std::nullopt, options);
  const ReductionLoop& loop = find_loop(op, dtypes.key, input.device().type);

  const auto ndim = static_cast<size_t>(input.dim());
  const bool line = !options.where.defined() && is_one_line(input, dim, keepdim);
  IsReduced is_reduced;
  DimVector sizes;
  if (!line) {
    is_reduced = find_reduced(op, input, dim);
    for (size_t d = 0; d < ndim; ++d) {
      if (!is_reduced[d])
        sizes.push_back(input.sizes()[d]);
      else if (keepdim)
        sizes.push_back(1);
    }
  }

  DimVector mask_strides;
  if (options.where.defined()) {
    const Tensor& where = options.where;
    mask_strides.resize(ndim, 0);
    TNP_CHECK(where.dtype() == ScalarType::Bool, ErrorKind::Type, "{where} must be a boolean array, got ",
              where.dtype());
    size_t offset = ndim - static_cast<size_t>(where.dim());
    TNP_CHECK(broadcasts_to(where.sizes(), input.sizes()), ErrorKind::Shape,
              "operands could not be broadcast together with shapes ", input.sizes(), " ", where.sizes());
    for (size_t d = 0; d < static_cast<size_t>(where.dim()); ++d)
      mask_strides[offset + d] = where.sizes()[d] == 1 ? 0 : where.strides()[d];
    TNP_CHECK(!loop.empty_error || options.initial, ErrorKind::Value, "reduction operation '", op.name,
              "' does not have an identity, so to use a where mask one has to specify 'initial'");
  }

  Tensor result = options.out;
  if (result.defined()) {
    check_writeable(result, "output array");
    check_out_dtype(options.out_dtype, dtypes.result, result.dtype());
    const bool other_size = takes_another_size(result, sizes);
    if (!other_size) check_elements_apart(result);
    TNP_CHECK(other_size || result.sizes() == IntList(sizes), ErrorKind::Shape,
              "output parameter for reduction operation ", op.name, " has shape ", result.sizes(),
              ", but the result has shape ", IntList(sizes));
    const bool anything_goes = dialect().reductions_cast_into_any_out() && op.promotion != ReductionRule::Index;
    TNP_CHECK(anything_goes || can_cast(dtypes.result, result.dtype(), Casting::SameKind), ErrorKind::Casting,
              "Cannot cast ufunc '", op.name, "' output from dtype('", dtypes.result, "') to dtype('", result.dtype(),
              "') with casting rule 'same_kind'");
    auto meets = [&](const Tensor& t) { return t.defined() && memory_overlap(t, result) != Overlap::None; };
    // dtype= may be narrower than both the loop's compute dtype and the output's dtype.
    const bool in_between = dtype && dtypes.result != loop.result && dtypes.result != result.dtype();
    const bool is_operand = result.is_same(input) || (options.where.defined() && result.is_same(options.where));
    if (other_size && !is_operand) fit_out(result, sizes);
    if (meets(input) || meets(options.where) || in_between || result.is_unaligned() || (other_size && is_operand)) {
      ReduceOptions apart = options;
      apart.out = Tensor();
      const Tensor made =
          reduced(op, input, dim, keepdim, op.promotion == ReductionRule::IntegerSum ? dtypes.result : dtype, apart);
      fit_out(result, sizes);
      copy_into(result, made);
      result.bump_version();
      return result;
    }
  } else {
    result = empty_tensor(sizes, dtypes.result, input.device());
  }

  ReducePlan plan;
  add_axes(plan, input, line, is_reduced, keepdim, mask_strides, result);
  if (input.dtype() != loop.key) {
    plan.load = cast_loop(loop.key, input.dtype());
    report_discarded_imaginary_part(loop.key, input.dtype());
  }
  plan.mask = options.where.defined() ? options.where.address() : nullptr;
  plan.device = input.device();
  arrange(plan, op.promotion, input.itemsize());
  // PyTorch's exception class depends on whether an axis was given; for index reductions (argmax)
  // it is always IndexError.
  const bool of_axis = !dialect().errors_are_numpys() && (dim || op.promotion == ReductionRule::Index);
  TNP_CHECK(plan.reduced.count > 0 || !loop.empty_error || options.initial,
            of_axis ? ErrorKind::Index : ErrorKind::Shape, loop.empty_error);
  // The pending input may be computed from the memory of a given out=.
  const bool may_be_pending = input.impl()->access() == Access::Pending && !options.out.defined();
  if (TNP_LIKELY(!may_be_pending)) plan.in = input.address();
  plan.out = result.address();
  plan.in_dtype = input.dtype();
  plan.out_dtype = result.dtype();
  check_same_device(options.where, plan.device);
  check_same_device(result, plan.device);
  if (result.dtype() != loop.result) plan.store = cast_loop(result.dtype(), loop.result);
  std::optional<Scalar> initial = options.initial;
  if (initial && dialect().initial_is_cast_to_result()) initial = element_of(*initial, dtypes.result);
  plan.initial = initial ? &*initial : nullptr;
  plan.parameter = options.parameter;
  if (options.out.defined()) result.bump_version();
  if (TNP_UNLIKELY(!plan.device.is_cpu())) {
    if (!plan.device.is_meta()) loop.run(plan);
    return result;
  }
  const char* const watched = op.errors != ErrorSource::None ? PlannedReduction::kWatchedAs : nullptr;
  if (TNP_UNLIKELY(may_be_pending)) {
    if (takes_source(op, plan, input.itemsize()) && reduce_pending(loop, plan, input, result, watched)) return result;
    plan.in = input.address();
  }
  FloatingPointWatch watch(watched);
  loop.run(plan);
  if (op.errors == ErrorSource::Values) {
    if (TNP_UNLIKELY(watch.end()))
      report_errors_of_deviations(input, result, static_cast<double>(plan.reduced.count) - plan.parameter);
  } else if (TNP_UNLIKELY(plan.reduced.count == 0)) {  // of an empty reduction, only the mean has an error
    if (const FloatingPointErrors errors = watch.end()) report_floating_point_errors("divide", errors);
  }
  return result;
}

}  // namespace

Tensor reduce(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype,
              const ReduceOptions& options) {
  const profiler::Operation profiled(
      [&] { return profiler::begin(op.name, profiler::Kind::Operator, input.device()); });
  return reduced(op, input, dim, keepdim, dtype, options);
}

std::optional<PlannedReduction> PlannedReduction::of(const ReductionOp& op, const Tensor& input, OptIntList dim,
                                                     bool keepdim, std::optional<ScalarType> dtype, double parameter,
                                                     const Tensor& result) {
  if (op.errors == ErrorSource::Values || input.numel() == 0) return {};
  const Dtypes dtypes = reduction_dtypes(op, input.dtype(), dtype, Tensor());
  if (is_count(op, input.dtype(), dtypes.key))
    return of(reduction_ops::count_nonzero, input, dim, keepdim, std::nullopt, parameter, result);
  if (dtypes.result != result.dtype() || (is_complex(input.dtype()) && !is_complex(dtypes.key))) return {};
  if (op.promotion == ReductionRule::IntegerSum && is_bool(dtypes.key) && !is_bool(input.dtype())) return {};
  const ReductionLoop& loop = find_loop(op, dtypes.key, DeviceType::CPU);
  PlannedReduction planned;
  ReducePlan& plan = planned.plan_;
  const bool is_line = is_one_line(input, dim, keepdim);
  add_axes(plan, input, is_line, is_line ? IsReduced() : find_reduced(op, input, dim), keepdim, {}, result);
  if (input.dtype() != loop.key) plan.load = cast_loop(loop.key, input.dtype());
  if (result.dtype() != loop.result) plan.store = cast_loop(result.dtype(), loop.result);
  arrange(plan, op.promotion, input.itemsize());
  plan.in_dtype = input.dtype();
  plan.out_dtype = result.dtype();
  plan.parameter = parameter;
  planned.loop_ = loop.run;
  planned.is_watched_ = op.errors != ErrorSource::None;
  planned.is_dense_ = input.is_contiguous();
  planned.takes_source_ = planned.is_dense_ && ::tnp::takes_source(op, plan, input.itemsize());
  return planned;
}

void PlannedReduction::run(const char* input, char* result) const {
  ReducePlan plan = plan_;
  plan.in = input;
  plan.out = result;
  const FloatingPointWatch watch(watched());
  loop_(plan);
}

FloatingPointErrors PlannedReduction::run(ElementSource& source, char* result) const {
  ReducePlan plan = plan_;
  plan.source = &source;
  plan.out = result;
  FloatingPointWatch watch(watched());
  loop_(plan);
  return watch.end();
}

// If ranges are not split into segments, each result is computed independently. The exception is
// columns that are joined to wider rows: then whole lines of columns are computed together.
bool PlannedReduction::takes_rows(int64_t rows) const {
  const AxisList &kept = plan_.kept, &reduced = plan_.reduced;
  if (!is_dense_ || rows <= 1 || kept.count % rows != 0 || reduced.count == 0) return false;
  const int64_t size = element_size(plan_.in_dtype), line = kept.axes[0].size;
  const int64_t bytes_of_row = kept.count / rows * reduced.count * size;
  for (const Axis& a : reduced.axes)
    if (a.size > 1 && (a.in <= 0 || a.in * a.size > bytes_of_row)) return false;
  constexpr int64_t kMostColumns = 1024, kManyLines = 64;
  const int64_t segment =
      plan_.rows ? std::max(kElementsOfSegment / std::min(line, kMostColumns) / kLeastRowsOfSegment, int64_t{1}) *
                       kLeastRowsOfSegment
                 : kElementsOfSegment;
  const bool is_cut = reduced.count > segment && !(plan_.rows && kept.count / line >= kManyLines);
  const bool is_alone = !plan_.rows || kept.axes[0].in != size || kept.count / rows % line == 0;
  return !is_cut && is_alone;
}

FloatingPointErrors PlannedReduction::run_rows(int64_t rows, int64_t begin, int64_t end, ReducePlan& plan) const {
  const int64_t of_one = plan.kept.count / rows;
  plan.first_result = begin * of_one;
  plan.num_results = (end - begin) * of_one;
  plan.results_of_row = of_one;
  FloatingPointWatch watch(watched());
  loop_(plan);
  return watch.end();
}

FloatingPointErrors PlannedReduction::run_rows(int64_t rows, int64_t begin, int64_t end, const char* input,
                                               char* result) const {
  ReducePlan plan = plan_;
  plan.in = input;
  plan.out = result;
  return run_rows(rows, begin, end, plan);
}

FloatingPointErrors PlannedReduction::run_rows(int64_t rows, int64_t begin, int64_t end, ElementSource& source,
                                               char* result) const {
  ReducePlan plan = plan_;
  plan.source = &source;
  plan.out = result;
  return run_rows(rows, begin, end, plan);
}

}  // namespace tnp
