// PyTorch's operators that write to, or combine values at, selected indices. They call
// put_indexed_() and reduce_indexed_(), whose kernels support all layouts.
#include <algorithm>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/requires_grad.h"
#include "aten/core/threads/thread_state.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/reductions.h"
#include "aten/functions/scatter.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/layout.h"
#include "aten/iterator/overlap.h"
#include "aten/kernels/pointwise.h"
#include "aten/native_functions/indexing.h"
#include "aten/native_functions/scatter.h"
#include "aten/ops/indexing/indexing.h"
#include "aten/ops/operators.h"

namespace tnp {

// Argument of the kernels: these operators accept no negative indices. The constants differ in the
// error that an index out of range raises.
static constexpr auto kElseIndexError = static_cast<int64_t>(Counting::FromStart);
static constexpr auto kElseRuntimeError = static_cast<int64_t>(Counting::FromStartElseRuntime);

namespace native {

namespace {

void check_integers(const Tensor& index, ErrorKind kind = ErrorKind::Dtype) {
  TNP_CHECK(index.dtype() == ScalarType::Int64 || index.dtype() == ScalarType::Int32, kind,
            "expected {index} of int32 or int64, not of ", index.dtype());
}
void check_long(const Tensor& index, ErrorKind kind = ErrorKind::Dtype) {
  TNP_CHECK(index.dtype() == ScalarType::Int64, kind, "expected {index} of int64, not of ", index.dtype());
}
void check_same_dtype(const Tensor& self, const Tensor& src, const char* name) {
  TNP_CHECK(src.dtype() == self.dtype(), ErrorKind::Dtype, "{self} and {", name, "} must be of one dtype, not ",
            self.dtype(), " and ", src.dtype());
}

Tensor flat(const Tensor& t) { return tnp::reshape(t, DimVector{-1}); }
// Views a 0-d tensor as a vector of one element.
Tensor as_line(const Tensor& t) { return t.dim() == 0 ? tnp::reshape(t, DimVector{1}) : t; }

// The numbers 0 to n - 1 along axis `dim`, in a tensor with `ndim` axes. All other axes have size
// 1.
Tensor positions_along(int64_t n, int64_t dim, int64_t ndim, Device device) {
  DimVector sizes(static_cast<size_t>(ndim), 1);
  sizes[static_cast<size_t>(dim)] = n;
  return tnp::reshape(tnp::arange(Scalar(n), ScalarType::Int64, device), sizes);
}

// The checked arguments of all scatter operators: the target, the values and one index array per
// axis.
struct Scattering {
  Tensor to, from;
  std::vector<Tensor> places;
  Scattering(const Tensor& self, int64_t dim, const Tensor& given, const Tensor& src) {
    check_integers(given);
    check_same_dtype(self, src, "src");
    const int64_t axis = wrap_dim(dim, self.dim());
    to = as_line(self);
    from = as_line(src);
    const Tensor index = as_line(given);
    TNP_CHECK(to.dim() == index.dim() && index.dim() == from.dim(), ErrorKind::Shape,
              "{index} must have the same number of dimensions as {self} and {src}");
    for (int64_t d = 0; d < to.dim(); ++d) {
      TNP_CHECK(index.size(d) <= from.size(d) && (d == axis || index.size(d) <= to.size(d)), ErrorKind::Shape,
                "{index} ", index.sizes(), " is larger than {src} ", from.sizes(), ", or than {self} ", to.sizes(),
                " apart from dimension ", axis);
      places.push_back(d == axis ? index : positions_along(index.size(d), d, to.dim(), to.device()));
    }
    for (int64_t d = 0; d < from.dim(); ++d)
      if (index.size(d) < from.size(d)) from = tnp::narrow(from, d, 0, index.size(d));
  }
};

// scatter by an empty index, which may have any shape. The result still depends on `src` in the graph.
const Tensor& scatter_nothing(const Tensor& self, const Tensor& src) {
  if (!src.requires_grad()) return self;
  const Tensor nowhere[] = {tnp::zeros(IntList{0}, ScalarType::Int64, self.device())};
  tnp::put_indexed_(as_line(self), nowhere, tnp::sum(tnp::narrow(flat(src), 0, 0, 0)), false, 0);
  return self;
}

const Tensor& scatter_into(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, bool accumulate) {
  if (index.numel() == 0) return scatter_nothing(self, src);
  check_no_overlap(self, index);
  check_no_overlap(self, src);
  const Scattering s(self, dim, index, src);
  tnp::put_indexed_(s.to, s.places, s.from, accumulate, 0, kElseRuntimeError);
  return self;
}

Tensor spread(const Scalar& value, const Tensor& self, const Tensor& index) {
  return tnp::expand(number_like(self, value), index.sizes());
}

std::string_view reduction_of(std::string_view reduce) {
  TNP_CHECK(reduce == "add" || reduce == "multiply", ErrorKind::Domain, "{reduce} must be 'add' or 'multiply', not '",
            reduce, "'");
  return reduce == "add" ? "sum" : "prod";
}

bool is_mean(std::string_view reduce) { return reduce == "mean"; }

// The checked arguments of index_add, index_copy and index_reduce: these operators write slices of
// `source` to slices of `self`.
struct LineUpdate {
  Tensor to, from;
  std::vector<Tensor> places;
  LineUpdate(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
    const int64_t axis = wrap_dim(dim, self.dim());
    to = as_line(self);
    from = as_line(source);
    places.resize(static_cast<size_t>(axis + 1));
    places.back() = flat(index);
  }
  int64_t axis() const { return static_cast<int64_t>(places.size()) - 1; }
};

// Checks the arguments of index_add and index_reduce.
LineUpdate combining_lines(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  TNP_CHECK(index.dim() <= 1, ErrorKind::Index, "{index} is supposed to be a vector");
  check_integers(index);
  check_same_dtype(self, source, "source");
  LineUpdate update(self, dim, index, source);
  DimVector expected(update.to.sizes());
  expected[static_cast<size_t>(update.axis())] = index.numel();
  TNP_CHECK(update.from.sizes() == IntList(expected) && (self.dim() > 0 || source.dim() <= 1), ErrorKind::Shape,
            "source tensor shape must match self tensor shape, excluding the specified dimension: got {source} of "
            "shape ",
            update.from.sizes(), ", expected the shape ", IntList(expected));
  return update;
}

}  // namespace

const Tensor& index_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                         const Scalar& alpha) {
  check_no_overlap(self, index);
  check_no_overlap(self, source);
  const LineUpdate update = combining_lines(self, dim, index, source);
  const Tensor scaled = alpha.to<Complex<double>>() == Complex<double>(1)
                            ? update.from
                            : tnp::mul(update.from, number_like(update.from, alpha));
  // PyTorch raises IndexError for vectors only.
  tnp::put_indexed_(update.to, update.places, scaled, true, update.axis(),
                    self.dim() > 1 ? kElseRuntimeError : kElseIndexError);
  return self;
}

Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha) {
  return tnp::index_add_(tnp::clone(input), dim, index, source, alpha);
}

Tensor index_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self) {
  TNP_CHECK(reduce == "prod" || reduce == "mean" || reduce == "amax" || reduce == "amin", ErrorKind::Domain,
            "{reduce} must be 'prod', 'mean', 'amax' or 'amin', not '", reduce, "'");
  const LineUpdate update = combining_lines(input, dim, index, source);
  // Calls index() only to check the indices and discards its result, because scatter_reduce() would
  // raise a different error.
  const Tensor one = tnp::zeros(IntList{1}, ScalarType::Bool, input.device());
  tnp::index(tnp::expand(one, IntList{update.to.size(update.axis())}), std::span(&update.places.back(), 1), 0,
             kElseIndexError);
  DimVector line(static_cast<size_t>(update.to.dim()), 1);
  line[static_cast<size_t>(update.axis())] = index.numel();
  const Tensor places = tnp::expand(tnp::reshape(update.places.back(), line), update.from.sizes());
  const Tensor result = tnp::scatter_reduce(update.to, update.axis(), places, update.from, reduce, include_self);
  return input.dim() == 0 ? tnp::reshape(result, DimVector{}) : result;
}

const Tensor& index_copy_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  TNP_CHECK(index.dim() <= 1, ErrorKind::Index, "{index} is supposed to be a vector");
  TNP_CHECK(self.dim() == source.dim() || self.dim() == 0 || source.dim() == 0, ErrorKind::Index, "{source} has ",
            source.dim(), " dimensions, {self} has ", self.dim());
  check_long(index);
  check_same_dtype(self, source, "source");
  check_no_overlap(self, index);
  check_no_overlap(self, source);
  const LineUpdate update(self, dim, index, source);
  const int64_t axis = update.axis();
  for (int64_t d = 0; d < update.to.dim(); ++d) {
    if (d == axis) continue;
    TNP_CHECK(source.dim() > 0 && source.size(d) == self.size(d), ErrorKind::Shape, "{source} of shape ",
              source.sizes(), " does not fit {self} of shape ", self.sizes(), " apart from dimension ", axis);
  }
  TNP_CHECK(update.from.size(source.dim() == 0 ? 0 : axis) == index.numel(), ErrorKind::Index, "{source} of shape ",
            source.sizes(), " must have ", index.numel(), " places, as {index} has");
  tnp::put_indexed_(update.to, update.places, update.from, false, axis, kElseIndexError);
  return self;
}

Tensor index_copy(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source) {
  return tnp::index_copy_(tnp::clone(input), dim, index, source);
}

static void check_not_complex(const Tensor& self, bool complex_value) {
  TNP_CHECK(!complex_value || self.is_complex(), ErrorKind::Dtype,
            "converting complex Scalar to non-complex type is not supported: {self} has dtype ", self.dtype());
}

const Tensor& index_fill__tensor(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  TNP_CHECK(value.dim() == 0, ErrorKind::Shape, "{value} must be 0-d, not of shape ", value.sizes());
  check_not_complex(self, value.is_complex());
  check_long(index, ErrorKind::Index);
  warn_of_expanded(self, "index_fill_");
  check_no_overlap(self, index);
  TNP_CHECK(index.dim() <= 1, ErrorKind::Shape, "{index} must be a vector or a number, not of shape ", index.sizes());
  check_number_fits(value, self.dtype());
  const LineUpdate update(self, dim, index, tnp::cast(value, self.dtype()));
  DimVector ones(static_cast<size_t>(update.to.dim()), 1);
  tnp::put_indexed_(update.to, update.places, tnp::reshape(update.from, ones), false, update.axis());
  return self;
}

const Tensor& index_fill_(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  check_not_complex(self, value.is_complex());
  return native::index_fill__tensor(self, dim, index, number_like(self, value));
}

Tensor index_fill(const Tensor& input, int64_t dim, const Tensor& index, const Scalar& value) {
  return tnp::index_fill_(tnp::clone(input), dim, index, value);
}
Tensor index_fill_tensor(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& value) {
  return tnp::index_fill_(tnp::clone(input), dim, index, value);
}

Tensor index_put(const Tensor& input, TensorList indices, const Tensor& values, bool accumulate) {
  return tnp::index_put_(tnp::clone(input), indices, values, accumulate);
}

const Tensor& scatter_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return scatter_into(self, dim, index, src, false);
}
const Tensor& scatter__value(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  return scatter_into(self, dim, index, spread(value, self, index), false);
}
const Tensor& scatter_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return scatter_into(self, dim, index, src, true);
}
Tensor scatter(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  return tnp::scatter_(tnp::clone(input), dim, index, src);
}
Tensor scatter_value(const Tensor& input, int64_t dim, const Tensor& index, const Scalar& value) {
  return tnp::scatter_(tnp::clone(input), dim, index, value);
}
Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  return tnp::scatter_add_(tnp::clone(input), dim, index, src);
}

Tensor scatter_reduced(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src,
                       std::string_view reduce) {
  return tnp::scatter_reduce(input, dim, index, src, reduction_of(reduce), true);
}
Tensor scatter_value_reduced(const Tensor& input, int64_t dim, const Tensor& index, const Scalar& value,
                             std::string_view reduce) {
  return tnp::scatter_reduce(input, dim, index, spread(value, input, index), reduction_of(reduce), true);
}
const Tensor& scatter__reduced(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                               std::string_view reduce) {
  return tnp::scatter_reduce_(self, dim, index, src, reduction_of(reduce), true);
}
const Tensor& scatter__value_reduced(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value,
                                     std::string_view reduce) {
  return tnp::scatter_reduce_(self, dim, index, spread(value, self, index), reduction_of(reduce), true);
}

Tensor scatter_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce,
                      bool include_self) {
  const bool extremum = reduce == "amax" || reduce == "amin", mean = is_mean(reduce);
  TNP_CHECK(reduce == "sum" || reduce == "prod" || mean || extremum, ErrorKind::Domain,
            "{reduce} must be 'sum', 'prod', 'mean', 'amax' or 'amin', not '", reduce, "'");
  TNP_CHECK(!(extremum && input.is_complex()) && !(mean && is_bool(input.dtype())), ErrorKind::NotImplemented, "'",
            reduce, "' is not implemented for ", input.dtype());
  // 16-bit floats are accumulated in float32, so that they are rounded only once, at the end.
  const ScalarType wide = extremum ? input.dtype() : compute_type(input.dtype());
  check_same_dtype(input, src, "src");
  Tensor out = tnp::cast(input, wide);
  if (index.numel() == 0) return out.dtype() == input.dtype() ? out : tnp::cast(out, input.dtype());
  const Scattering s(out, dim, index, src.dtype() == wide ? src : tnp::cast(src, wide));
  // Overwrites the old values at these indices: for an extremum with one of the new values,
  // otherwise with the identity of the product or the sum.
  if (!include_self) {
    const Tensor first = extremum ? s.from : number_like(out, Scalar(reduce == "prod" ? 1 : 0));
    tnp::put_indexed_(s.to, s.places, first, false, 0, kElseRuntimeError);
  }
  if (reduce == "sum" || mean)
    tnp::put_indexed_(s.to, s.places, s.from, true, 0, kElseRuntimeError);
  else
    tnp::reduce_indexed_(s.to, s.places, s.from, reduce, 0, kElseRuntimeError);
  if (mean) {
    const bool whole = is_integral(wide);
    const Tensor counts = include_self ? tnp::ones_like(s.to) : tnp::zeros_like(s.to);
    tnp::put_indexed_(counts, s.places, number_like(out, Scalar(1)), true, 0, kElseRuntimeError);
    const Tensor divisor = tnp::reshape(
        include_self ? counts : tnp::where(counts == Scalar(0), counts + Scalar(1), counts), DimVector(out.sizes()));
    out = whole ? tnp::floor_divide(out, divisor) : out / divisor;
  }
  return out.dtype() == input.dtype() ? out : tnp::cast(out, input.dtype());
}

const Tensor& masked_scatter_(const Tensor& self, const Tensor& mask, const Tensor& source) {
  TNP_CHECK(is_bool(mask.dtype()), ErrorKind::Dtype, "only supports boolean masks, but got {mask} of ", mask.dtype());
  check_same_dtype(self, source, "source");
  const Tensor to = as_line(self);
  const std::vector<Tensor> places = mask_indices(as_line(tnp::expand(mask, self.sizes())));
  const int64_t count = places[0].numel();
  TNP_CHECK(source.numel() >= count, ErrorKind::Shape, "{source} has ", source.numel(), " elements for ", count,
            " places where {mask} is true");
  tnp::put_indexed_(to, places, tnp::narrow(flat(source), 0, 0, count), false, 0);
  return self;
}

Tensor masked_scatter(const Tensor& input, const Tensor& mask, const Tensor& source) {
  const DimVector sizes = broadcast_shapes(input.sizes(), mask.sizes());
  return tnp::masked_scatter_(tnp::clone(tnp::expand(input, sizes), Order::C), mask, source);
}

const Tensor& put_(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  check_long(index);
  check_same_dtype(self, source, "source");
  TNP_CHECK(index.numel() == source.numel(), ErrorKind::Index, "{source} has ", source.numel(),
            " elements, {index} has ", index.numel());
  if (index.numel() == 0) return self;
  TNP_CHECK(self.numel() > 0, ErrorKind::Index, "{self} has no elements to replace");
  check_no_overlap(self, index);
  check_no_overlap(self, source);
  const Tensor places[] = {flat(index)};
  if (self.is_contiguous()) {
    tnp::put_indexed_(tnp::view(self, DimVector{-1}), places, flat(source), accumulate, 0);
    return self;
  }
  const Tensor dense = tnp::clone(self, Order::C);
  tnp::put_indexed_(tnp::view(dense, DimVector{-1}), places, flat(source), accumulate, 0);
  tnp::copy_(self, dense, false);
  return self;
}

Tensor put(const Tensor& input, const Tensor& index, const Tensor& source, bool accumulate) {
  return tnp::put_(tnp::clone(input, Order::C), index, source, accumulate);
}

}  // namespace native
}  // namespace tnp
