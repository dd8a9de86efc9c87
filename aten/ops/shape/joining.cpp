// Joining and splitting of tensors.
#include "aten/functions/joining.h"

#include <algorithm>
#include "aten/core/devices/device_runtime.h"
#include "aten/core/errors/dtype_names.h"
#include "aten/core/errors/shape_errors.h"
#include "aten/core/numbers/promotion.h"
#include "aten/functions/copies.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/device_of.h"
#include "aten/iterator/layout.h"
#include "aten/iterator/memory_format.h"
#include "aten/native_functions/joining.h"
#include "aten/native_functions/shape.h"
#include "aten/ops/out.h"
#include "aten/ops/shape/several_views.h"

namespace tnp::native {

namespace {

void check_joinable(TensorList tensors, int64_t axis) {
  const Tensor& first = tensors[0];
  for (size_t i = 1; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    if (!dialect().errors_are_numpys()) {
      TNP_CHECK(t.dim() == first.dim(), ErrorKind::Shape, "Tensors must have same number of dimensions: got ",
                first.dim(), " and ", t.dim());
      for (int64_t d = 0; d < t.dim(); ++d) {
        TNP_CHECK(d == axis || t.size(d) == first.size(d), ErrorKind::Shape,
                  "Sizes of tensors must match except in dimension ", axis, ". Expected size ", first.size(d),
                  " but got size ", t.size(d), " for tensor number ", static_cast<int64_t>(i), " in the list.");
      }
    }
    TNP_CHECK(t.dim() == first.dim(), ErrorKind::Shape,
              "all the input arrays must have same number of dimensions, but the array at index 0 has ", first.dim(),
              " dimension(s) and the array at index ", static_cast<int64_t>(i), " has ", t.dim(), " dimension(s)");
    for (int64_t d = 0; d < t.dim(); ++d) {
      TNP_CHECK(
          d == axis || t.size(d) == first.size(d), ErrorKind::Shape,
          "all the input array dimensions except for the concatenation axis must match exactly, but along dimension ",
          d, ", the array at index 0 has size ", first.size(d), " and the array at index ", static_cast<int64_t>(i),
          " has size ", t.size(d));
    }
  }
}

std::vector<Tensor> each(TensorList tensors, Tensor (*f)(const Tensor&)) {
  std::vector<Tensor> out;
  for (const Tensor& t : tensors) out.push_back(f(t));
  return out;
}

void check_not_empty(TensorList tensors, const char* op) {
  TNP_CHECK(!tensors.empty(), ErrorKind::Shape, "need at least one array to ", op);
}

}  // namespace

Tensor join(TensorList tensors, int64_t dim, ScalarType dtype) {
  DimVector sizes(tensors[0].sizes());
  auto axis = static_cast<size_t>(dim);
  bool fortran = true;
  sizes[axis] = 0;
  for (const Tensor& t : tensors) {
    TNP_CHECK(!__builtin_add_overflow(sizes[axis], t.size(dim), &sizes[axis]), ErrorKind::Value, "array is too big");
    fortran = fortran && t.is_column_major() && !t.is_row_major();
    if (t.device() != tensors[0].device()) raise_devices_differ(tensors[0].device(), t.device());
  }
  const auto images = [](const Tensor& t) { return (t.dim() == 4 || t.dim() == 5) && prefers_channels_last(t); };
  const bool channels_last = !dialect().errors_are_numpys() && std::all_of(tensors.begin(), tensors.end(), images);
  Tensor out = channels_last ? empty_strided_tensor(sizes, channels_last_strides(sizes), dtype, tensors[0].device())
                             : empty_in_order(sizes, dtype, tensors[0].device(), fortran ? Order::F : Order::C);
  int64_t start = 0;
  for (const Tensor& t : tensors) {
    copy_into(native::slice(out, dim, start, t.size(dim), 1), t);
    start += t.size(dim);
  }
  return out;
}

Tensor cat(TensorList tensors, std::optional<int64_t> dim, std::optional<ScalarType> dtype, Casting casting,
           const Tensor& out) {
  TNP_CHECK(!tensors.empty() || dialect().errors_are_numpys(), ErrorKind::Value,
            "{tensors} must not be empty: expected a non-empty list of Tensors");
  check_not_empty(tensors, "concatenate");
  TNP_CHECK(!(out.defined() && dtype), ErrorKind::Type,
            "concatenate() only takes `out` or `dtype` as an argument, but both were provided.");
  std::vector<Tensor> parts(tensors.begin(), tensors.end());
  // Copies CPU tensors that may be moved implicitly (such as numbers) to the device of the others.
  Device device;
  find_device(device, tensors);
  for (Tensor& part : parts)
    if (part.device() != device && goes_along(part, device)) part = tnp::to(part, std::optional(device));
  if (!dim) {
    parts = each(parts, [](const Tensor& t) { return tnp::reshape(t, {-1}); });
  } else if (dialect().empty_vector_joins_anything() && parts.size() > 1) {
    auto is_nothing = [](const Tensor& t) { return t.dim() == 1 && t.size(0) == 0; };
    bool others = std::any_of(parts.begin(), parts.end(), [&](const Tensor& t) { return !is_nothing(t); });
    if (others) std::erase_if(parts, is_nothing);
  }
  for (const Tensor& t : parts) {
    TNP_CHECK(t.dim() > 0, ErrorKind::Shape, "zero-dimensional arrays cannot be concatenated");
  }
  int64_t axis = wrap_dim(dim.value_or(0), parts[0].dim());
  check_joinable(parts, axis);
  // The dtype follows from the original tensors: Python numbers, which are only accepted with
  // dim=None, are weak in promotion.
  ScalarType type = out.defined() ? out.dtype() : dtype ? *dtype : result_type(tensors);
  for (const Tensor& t : parts) {
    bool allowed = (!dtype && !out.defined()) || can_cast(t.dtype(), type, casting);
    TNP_CHECK(allowed, ErrorKind::Type, "Cannot cast array data from dtype('", t.dtype(), "') to dtype('", type,
              "') according to the rule '", casting_name(casting), "'");
  }
  return into_out(out, tnp::join(parts, axis, type));
}

Tensor stack(TensorList tensors, int64_t dim, std::optional<ScalarType> dtype, Casting casting, const Tensor& out) {
  check_not_empty(tensors, "stack");
  for (size_t i = 1; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    TNP_CHECK(t.sizes() == tensors[0].sizes() || dialect().errors_are_numpys(), ErrorKind::Shape,
              "stack expects each tensor to be equal size, but got ", AsList{tensors[0].sizes()}, " at entry 0 and ",
              AsList{t.sizes()}, " at entry ", static_cast<int64_t>(i));
    TNP_CHECK(t.sizes() == tensors[0].sizes(), ErrorKind::Shape, "all input arrays must have the same shape, got ",
              tensors[0].sizes(), " and ", t.sizes());
  }
  int64_t axis = wrap_dim(dim, tensors[0].dim() + 1);
  std::vector<Tensor> parts;
  for (const Tensor& t : tensors) parts.push_back(tnp::unsqueeze(t, axis));
  return native::cat(parts, axis, dtype, casting, out);
}

Tensor hstack(TensorList tensors, std::optional<ScalarType> dtype, Casting casting) {
  check_not_empty(tensors, "concatenate");
  auto parts = each(tensors, native::atleast_1d);
  return native::cat(parts, parts[0].dim() == 1 ? 0 : 1, dtype, casting, {});
}

Tensor vstack(TensorList tensors, std::optional<ScalarType> dtype, Casting casting) {
  check_not_empty(tensors, "concatenate");
  return native::cat(each(tensors, native::atleast_2d), 0, dtype, casting, {});
}

Tensor dstack(TensorList tensors) {
  check_not_empty(tensors, "concatenate");
  return native::cat(each(tensors, native::atleast_3d), 2, std::nullopt, Casting::SameKind, {});
}

Tensor column_stack(TensorList tensors) {
  check_not_empty(tensors, "concatenate");
  auto column = [](const Tensor& t) { return t.dim() < 2 ? tnp::reshape(t, {-1, 1}) : t; };
  return native::cat(each(tensors, column), 1, std::nullopt, Casting::SameKind, {});
}

namespace {

int64_t axis_to_split(const Tensor& input, int64_t dim, const char* op) {
  if (TNP_UNLIKELY(input.dim() == 0)) {
    TNP_CHECK(!dialect().errors_are_numpys(), ErrorKind::Index, "a 0-d array has no axis to split");
    TNP_RAISE(ErrorKind::Shape, op, " at least a 1-dimensional tensor, but got a tensor with 0 dims");
  }
  return wrap_dim(dim, input.dim());
}

std::vector<Tensor> split_at(const Tensor& input, int64_t axis, const DimVector& starts) {
  std::vector<Tensor> out;
  int64_t size = input.size(axis);
  for (size_t i = 0; i <= starts.size(); ++i) {
    int64_t begin = i == 0 ? 0 : starts[i - 1], end = i < starts.size() ? starts[i] : size;
    out.push_back(tnp::slice(input, axis, begin, std::max<int64_t>(0, end - begin), 1));
  }
  return several_views(std::move(out));
}

// Splits along `axis` into `sections` parts of `small` elements. The first `larger_ones` parts have
// one element more.
std::vector<Tensor> split_into(const Tensor& input, int64_t axis, int64_t sections, int64_t small,
                               int64_t larger_ones) {
  std::vector<Tensor> out;
  out.reserve(static_cast<size_t>(sections));  // raises immediately if memory is insufficient
  int64_t begin = 0;
  for (int64_t i = 0; i < sections; ++i) {
    int64_t length = small + (i < larger_ones ? 1 : 0);
    out.push_back(tnp::slice(input, axis, begin, length, 1));
    begin += length;
  }
  return several_views(std::move(out));
}

}  // namespace

std::vector<Tensor> split(const Tensor& input, int64_t split_size, int64_t dim) {
  int64_t axis = axis_to_split(input, dim, "split expects"), size = input.size(axis);
  TNP_CHECK(split_size >= 0, ErrorKind::Shape,
            "split expects {split_size} be non-negative, but got split_size=", split_size);
  TNP_CHECK(split_size > 0 || size == 0, ErrorKind::Shape,
            "{split_size} can only be 0 if dimension size is 0, but got dimension size of ", size);
  std::vector<Tensor> out;
  for (int64_t begin = 0; begin == 0 || begin < size; begin += split_size) {
    out.push_back(tnp::slice(input, axis, begin, std::min(split_size, size - begin), 1));
    if (split_size >= size - begin) break;
  }
  return several_views(std::move(out));
}

std::vector<Tensor> split_sizes(const Tensor& input, IntList split_size, int64_t dim) {
  int64_t axis = axis_to_split(input, dim, "split_with_sizes expects"), begin = 0;
  std::vector<Tensor> out;
  for (int64_t length : split_size) {
    TNP_CHECK(length >= 0, ErrorKind::Shape,
              "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=",
              AsList{split_size});
    if (length > input.size(axis) - begin) break;
    out.push_back(tnp::slice(input, axis, begin, length, 1));
    begin += length;
  }
  TNP_CHECK(begin == input.size(axis) && out.size() == split_size.size(), ErrorKind::Shape,
            "split_with_sizes expects split_sizes to sum exactly to ", input.size(axis),
            " (input tensor's size at dimension ", axis, "), but got split_sizes=", AsList{split_size});
  return several_views(std::move(out));
}

std::vector<Tensor> chunk(const Tensor& input, int64_t chunks, int64_t dim) {
  TNP_CHECK(chunks > 0, ErrorKind::Shape, "chunk expects `{chunks}` to be greater than 0, got: ", chunks);
  int64_t axis = axis_to_split(input, dim, "chunk expects"), size = input.size(axis);
  int64_t each = size / chunks + (size % chunks != 0);
  if (each == 0) return split_into(input, axis, chunks, 0, 0);
  return native::split(input, each, axis);
}

std::vector<Tensor> tensor_split(const Tensor& input, int64_t sections, int64_t dim) {
  int64_t axis = axis_to_split(input, dim, "tensor_split expected"), size = input.size(axis);
  if (TNP_UNLIKELY(sections <= 0)) {
    TNP_CHECK(!dialect().errors_are_numpys(), ErrorKind::Shape, "number sections must be larger than 0.");
    TNP_RAISE(ErrorKind::Shape, "number of sections must be larger than 0, got ", sections);
  }
  return split_into(input, axis, sections, size / sections, size % sections);
}

std::vector<Tensor> tensor_split_indices(const Tensor& input, IntList indices, int64_t dim) {
  int64_t axis = axis_to_split(input, dim, "tensor_split expected"), size = input.size(axis);
  DimVector starts;
  for (int64_t at : indices) starts.push_back(std::clamp<int64_t>(at < 0 ? at + size : at, 0, size));
  return split_at(input, axis, starts);
}

std::vector<Tensor> tensor_split_tensor(const Tensor& input, const Tensor& tensor_indices_or_sections, int64_t dim) {
  const Tensor& given = tensor_indices_or_sections;
  TNP_CHECK(given.dtype() == ScalarType::Int64, ErrorKind::Dtype,
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got ", InTorch{given.dtype()});
  TNP_CHECK(
      given.dim() <= 1, ErrorKind::Shape,
      "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got "
      "a tensor with ",
      given.dim(), " dims");
  if (given.dim() == 0) return native::tensor_split(input, given.item<int64_t>(), dim);
  const Tensor line = tnp::clone(tnp::to(given, std::optional(Device{})), Order::C);
  return native::tensor_split_indices(input, IntList(line.data_ptr<int64_t>(), static_cast<size_t>(line.numel())), dim);
}

std::vector<Tensor> split_equally(const Tensor& input, int64_t sections, int64_t dim) {
  int64_t axis = axis_to_split(input, dim, "split expects"), size = input.size(axis);
  const bool numpys = dialect().errors_are_numpys();
  TNP_CHECK(sections != 0 || !numpys, ErrorKind::ZeroDivision, "integer modulo by zero");
  if (TNP_UNLIKELY(sections == 0 || size % sections != 0)) {
    TNP_CHECK(!numpys, ErrorKind::Shape, "array split does not result in an equal division");
    TNP_RAISE(ErrorKind::Shape, "torch.{op} attempted to split along dimension ", axis,
              ", but the size of the dimension ", size, " is not divisible by the split_size ", sections, "!");
  }
  return native::tensor_split(input, sections, axis);
}

namespace {

int64_t axis_of(const Tensor& input, const char* op, int64_t least, int64_t axis) {
  TNP_CHECK(input.dim() >= least || dialect().errors_are_numpys(), ErrorKind::Shape, "torch.", op,
            " requires a tensor with at least ", least, " dimension", least > 1 ? "s" : "", ", but got a tensor with ",
            input.dim(), " dimensions!");
  TNP_CHECK(input.dim() >= least, ErrorKind::Shape, op, " only works on arrays of ", least, " or more dimensions");
  return axis;
}
int64_t horizontal(const Tensor& input) { return axis_of(input, "hsplit", 1, input.dim() > 1 ? 1 : 0); }
int64_t vertical(const Tensor& input) { return axis_of(input, "vsplit", 2, 0); }
int64_t deep(const Tensor& input) { return axis_of(input, "dsplit", 3, 2); }

}  // namespace

std::vector<Tensor> hsplit(const Tensor& x, int64_t n) { return native::split_equally(x, n, horizontal(x)); }
std::vector<Tensor> vsplit(const Tensor& x, int64_t n) { return native::split_equally(x, n, vertical(x)); }
std::vector<Tensor> dsplit(const Tensor& x, int64_t n) { return native::split_equally(x, n, deep(x)); }
std::vector<Tensor> hsplit_indices(const Tensor& x, IntList at) {
  return native::tensor_split_indices(x, at, horizontal(x));
}
std::vector<Tensor> vsplit_indices(const Tensor& x, IntList at) {
  return native::tensor_split_indices(x, at, vertical(x));
}
std::vector<Tensor> dsplit_indices(const Tensor& x, IntList at) { return native::tensor_split_indices(x, at, deep(x)); }

}  // namespace tnp::native
