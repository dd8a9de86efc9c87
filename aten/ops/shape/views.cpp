// Views: tensors with other shapes and strides over the same memory. Each of these operators adds
// one autograd node. shape.cpp composes them to other operators.
#include <algorithm>
#include <string>

#include "aten/core/errors/dtype_names.h"
#include "aten/core/errors/shape_errors.h"
#include "aten/core/memory/array_bytes.h"
#include "aten/core/shapes.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/layout.h"
#include "aten/native_functions/shape.h"

namespace tnp::native {

namespace {

char* address(const Tensor& t, int64_t offset) { return t.address() + offset * t.stride_unit(); }

Tensor without_dims(const Tensor& input, const DimVector& dims) {
  DimVector sizes, strides;
  for (int64_t d = 0; d < input.dim(); ++d) {
    if (std::find(dims.begin(), dims.end(), d) != dims.end()) continue;
    sizes.push_back(input.size(d));
    strides.push_back(input.stride(d));
  }
  return view_of(input, sizes, strides, input.address());
}

Tensor new_zeros(const Tensor& grad, IntList size) {
  Tensor out = empty_tensor(size, grad.dtype(), grad.device());
  fill_with(out, 0);
  return out;
}

}  // namespace

Tensor alias(const Tensor& input) { return view_of(input, input.sizes(), input.strides(), input.address()); }

Tensor view(const Tensor& input, IntList size) {
  DimVector sizes = infer_shape(size, input.numel());
  check_ndim(sizes.size());
  auto strides = view_strides(input, sizes);
  TNP_CHECK(strides, ErrorKind::Shape, "view size is not compatible with input tensor's size and stride: {input} has ",
            "shape ", input.sizes(), " and strides ", input.strides(), ", which does not fit ", sizes,
            " without a copy. Use .reshape(...) instead.");
  return view_of(input, sizes, *strides, input.address());
}

// Raises PyTorch's errors for a view of elements of `from` bytes as elements of `to` bytes.
static void check_view_of_other_size(const Tensor& input, IntList sizes, IntList strides, int64_t from, int64_t to) {
  TNP_CHECK(input.dim() > 0, ErrorKind::Shape, "self.dim() cannot be 0 to view elements of ", from,
            " bytes as elements of ", to, " bytes");
  TNP_CHECK(sizes.back() == 1 || strides.back() == from || input.numel() == 0, ErrorKind::Shape,
            "self.stride(-1) must be 1 to view elements of ", from, " bytes as elements of ", to, " bytes, but the ",
            "stride is ", strides.back() / from);
  if (to < from) return;
  const int64_t ratio = to / from;
  auto check_divisible = [&](const std::string& what, int64_t n) {
    TNP_CHECK(n % ratio == 0, ErrorKind::Shape, what, " must be divisible by ", ratio, " to view elements of ", from,
              " bytes as elements of ", to, " bytes, but got ", n);
  };
  check_divisible("self.size(-1)", sizes.back());
  check_divisible("self.storage_offset()", input.storage_offset());
  for (size_t d = 0; d + 1 < strides.size(); ++d)
    check_divisible("self.stride(" + std::to_string(d) + ")", strides[d] / from);
}

Tensor view_dtype(const Tensor& input, ScalarType dtype) {
  int64_t from = input.itemsize(), to = element_size(dtype);
  DimVector sizes(input.sizes()), strides = input.byte_strides();
  if (from != to) {
    if (!dialect().errors_are_numpys()) check_view_of_other_size(input, sizes, strides, from, to);
    TNP_CHECK(input.dim() > 0, ErrorKind::Shape,
              "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
    TNP_CHECK(sizes.back() == 1 || strides.back() == from || input.numel() == 0, ErrorKind::Shape,
              "To change to a dtype of a different size, the last axis must be contiguous");
    if (to < from) {
      bool overflow = __builtin_mul_overflow(sizes.back(), from / to, &sizes.back());
      TNP_CHECK(!overflow, ErrorKind::Shape, "array is too big: {input} of shape ", input.sizes(), " and strides ",
                input.strides(), " has more elements of ", dtype, " than an index can count");
      bytes_of(sizes, dtype);
    } else {
      TNP_CHECK(sizes.back() % (to / from) == 0, ErrorKind::Shape,
                "When changing to a larger dtype, its size must be a divisor of "
                "the total size in bytes of the last axis of the array.");
      sizes.back() /= to / from;
    }
    strides.back() = to;
  }
  return view_with_byte_strides(input, sizes, strides, input.address(), dtype);
}

Tensor permute(const Tensor& input, IntList dims) {
  TNP_CHECK(static_cast<int64_t>(dims.size()) == input.dim(), ErrorKind::Shape, "{dims} ", dims,
            " don't match array of ", input.dim(), " dimensions");
  DimVector axes = wrap_dims(dims, input.dim(), "dims"), sizes, strides;
  for (int64_t axis : axes) {
    sizes.push_back(input.size(axis));
    strides.push_back(input.stride(axis));
  }
  return view_of(input, sizes, strides, input.address());
}

Tensor squeeze_dims(const Tensor& input, IntList dims) {
  DimVector axes = wrap_dims(dims, input.dim());
  for (int64_t d : axes)
    TNP_CHECK(input.size(d) == 1, ErrorKind::Value, "axis ", d, " has size ", input.size(d), ", not 1");
  return without_dims(input, axes);
}

Tensor unsqueeze(const Tensor& input, int64_t dim) { return native::expand_dims(input, {dim}); }

Tensor expand_dims(const Tensor& input, IntList dim) {
  auto ndim = input.dim() + static_cast<int64_t>(dim.size());
  check_ndim(static_cast<size_t>(ndim));
  DimVector added = wrap_dims(dim, ndim), sizes, strides;
  int64_t old = 0;
  for (int64_t d = 0; d < ndim; ++d) {
    bool is_new = std::find(added.begin(), added.end(), d) != added.end();
    sizes.push_back(is_new ? 1 : input.size(old));
    strides.push_back(is_new ? (old < input.dim() ? input.size(old) * input.stride(old) : 1) : input.stride(old));
    if (!is_new) ++old;
  }
  return view_of(input, sizes, strides, input.address());
}

Tensor expand(const Tensor& input, IntList size) {
  auto ndim = static_cast<int64_t>(size.size()), lead = ndim - input.dim();
  check_ndim(static_cast<size_t>(ndim));
  if (TNP_UNLIKELY(lead < 0)) {
    TNP_CHECK(!dialect().errors_are_numpys(), ErrorKind::Shape,
              "input operand has more dimensions than allowed: {input} of shape ", input.sizes(),
              " cannot be broadcast to shape ", size);
    TNP_RAISE(ErrorKind::Shape, "the number of sizes provided (", ndim,
              ") must be greater or equal to the number of dimensions in the tensor (", input.dim(), ")");
  }
  DimVector sizes(size), strides(size.size());
  for (int64_t d = 0; d < ndim; ++d) {
    auto i = static_cast<size_t>(d);
    if (d < lead) {
      TNP_CHECK(size[i] >= 0, ErrorKind::Shape, "The expanded size of the tensor (", size[i],
                ") isn't allowed in a leading, non-existing dimension ", d);
      continue;
    }
    int64_t old = input.size(d - lead);
    if (size[i] == -1) sizes[i] = old;
    if (TNP_UNLIKELY(sizes[i] != old && (old != 1 || sizes[i] < 0))) {
      TNP_CHECK(!dialect().errors_are_numpys(), ErrorKind::Shape,
                "operands could not be broadcast together: {input} of shape ", input.sizes(), " does not fit shape ",
                size);
      TNP_RAISE(ErrorKind::Shape, "The expanded size of the tensor (", size[i], ") must match the existing size (", old,
                ") at non-singleton dimension ", d, ".  Target sizes: ", AsList{size},
                ".  Tensor sizes: ", AsList{input.sizes()});
    }
    strides[i] = sizes[i] == old ? input.stride(d - lead) : 0;
  }
  bytes_of(sizes, input.dtype());
  return view_of(input, sizes, strides, input.address());
}

Tensor slice(const Tensor& input, int64_t dim, int64_t start, int64_t length, int64_t step) {
  int64_t axis = wrap_dim(dim, input.dim()), size = input.dim() == 0 ? 1 : input.size(axis), last = 0;
  TNP_CHECK(input.dim() > 0, ErrorKind::Index, "slice() cannot be applied to a 0-dim tensor");
  bool inside = length == 0 || (start >= 0 && start < size && !__builtin_mul_overflow(length - 1, step, &last) &&
                                !__builtin_add_overflow(start, last, &last) && last >= 0 && last < size);
  TNP_CHECK(length >= 0 && inside && (step != 0 || length <= 1), ErrorKind::Index, "the slice of ", length,
            " elements from ", start, " by ", step, " is out of bounds for axis ", axis, " with size ", size);
  DimVector sizes(input.sizes()), strides(input.strides());
  sizes[static_cast<size_t>(axis)] = length;
  if (length > 1) strides[static_cast<size_t>(axis)] *= step;
  return view_of(input, sizes, strides,
                 address(input, length == 0 || input.numel() == 0 ? 0 : start * input.stride(axis)));
}

Tensor slice_backward(const Tensor& grad, IntList size, int64_t dim, int64_t start, int64_t length, int64_t step) {
  Tensor out = new_zeros(grad, size);
  copy_into(native::slice(out, dim, start, length, step), grad);
  return out;
}

[[noreturn]] static TNP_COLD void raise_not_selectable(const Tensor& input, int64_t axis, int64_t index) {
  TNP_CHECK(!dialect().errors_are_numpys(), ErrorKind::Index, "index ", index, " is out of bounds for axis ", axis,
            " with size ", input.size(axis));
  std::string sizes;
  for (const int64_t n : input.sizes()) sizes += (sizes.empty() ? "" : ", ") + std::to_string(n);
  TNP_RAISE(ErrorKind::Index, "index ", index, " out of range for tensor of size [", sizes, "] at dimension ", axis);
}

Tensor select(const Tensor& input, int64_t dim, int64_t index) {
  TNP_CHECK(input.dim() > 0, ErrorKind::Index, "select() cannot be applied to a 0-dim tensor");
  int64_t axis = wrap_dim(dim, input.dim()), size = input.size(axis);
  if (TNP_UNLIKELY(index < -size || index >= size)) raise_not_selectable(input, axis, index);
  DimVector sizes(input.sizes()), strides(input.strides());
  sizes.erase(static_cast<size_t>(axis));
  strides.erase(static_cast<size_t>(axis));
  int64_t offset = (index < 0 ? index + size : index) * input.stride(axis);
  return view_of(input, sizes, strides, address(input, input.numel() == 0 ? 0 : offset));
}

Tensor select_backward(const Tensor& grad, IntList size, int64_t dim, int64_t index) {
  Tensor out = new_zeros(grad, size);
  copy_into(native::select(out, dim, index), grad);
  return out;
}

Tensor diagonal(const Tensor& input, int64_t offset, int64_t dim1, int64_t dim2) {
  TNP_CHECK(input.dim() >= 2, dialect().errors_are_numpys() ? ErrorKind::Shape : ErrorKind::Axis,
            "diagonal requires an array of at least two dimensions, got shape ", input.sizes());
  int64_t rows = wrap_dim(dim1, input.dim(), "dim1"), columns = wrap_dim(dim2, input.dim(), "dim2");
  TNP_CHECK(rows != columns, ErrorKind::RepeatedAxis, "{dim1} and {dim2} cannot be the same, got ", dim1, " and ",
            dim2);
  int64_t n = input.size(rows), m = input.size(columns);
  // Clamps `offset` to avoid overflow. An offset outside of the matrix gives an empty diagonal.
  int64_t k = std::clamp(offset, -n, m);
  int64_t length = std::max<int64_t>(0, k >= 0 ? std::min(n, m - k) : std::min(n + k, m));
  int64_t first = length == 0 || input.numel() == 0 ? 0 : k >= 0 ? k * input.stride(columns) : -k * input.stride(rows);
  Tensor view = without_dims(input, {rows, columns});
  DimVector sizes(view.sizes()), strides(view.strides());
  sizes.push_back(length);
  strides.push_back(input.stride(rows) + input.stride(columns));
  return view_of(input, sizes, strides, address(input, first));
}

Tensor diagonal_backward(const Tensor& grad, IntList size, int64_t offset, int64_t dim1, int64_t dim2) {
  Tensor out = new_zeros(grad, size);
  copy_into(native::diagonal(out, offset, dim1, dim2), grad);
  return out;
}

Tensor flip_view(const Tensor& input, OptIntList dims) {
  DimVector axes, strides(input.strides());
  if (dims)
    axes = wrap_dims(*dims, input.dim(), "dims");
  else
    for (int64_t d = 0; d < input.dim(); ++d) axes.push_back(d);
  int64_t offset = 0;
  for (int64_t d : axes) {
    if (input.dim() == 0) break;  // a 0-d tensor accepts axis 0
    if (input.numel() > 0) offset += (input.size(d) - 1) * input.stride(d);
    strides[static_cast<size_t>(d)] = -input.stride(d);
  }
  return view_of(input, input.sizes(), strides, address(input, offset));
}

Tensor as_strided(const Tensor& input, IntList size, IntList stride, std::optional<int64_t> storage_offset) {
  TNP_CHECK(size.size() == stride.size() && size.size() <= kMaxDims, ErrorKind::Shape, "{size} ", size,
            " and {stride} ", stride, ": mismatch in length of strides and shape, or more than ", kMaxDims,
            " dimensions");
  bytes_of(size, input.dtype());  // raises an error for negative or too large sizes
  int64_t begin = reinterpret_cast<intptr_t>(input.storage().data()),
          capacity = static_cast<int64_t>(input.storage().bytes());
  int64_t first = reinterpret_cast<intptr_t>(input.address()) - begin;  // bytes into the storage
  bool overflow = storage_offset && __builtin_mul_overflow(*storage_offset, input.itemsize(), &first);
  std::optional<ByteRange> range = byte_range(size, stride, input.itemsize(), input.itemsize());
  int64_t lowest = 0, end = 0;
  overflow = overflow || !range || __builtin_add_overflow(first, range->low, &lowest) ||
             __builtin_add_overflow(first, range->high, &end);
  TNP_CHECK(!overflow && lowest >= 0 && end <= capacity, ErrorKind::Shape, "shape ", size, " with strides ", stride,
            " and storage offset ", storage_offset.value_or(input.storage_offset()), " reaches outside the memory of ",
            capacity, " bytes");
  char* data = input.storage().data() + first;
  if (TNP_LIKELY(!input.is_unaligned())) return view_of(input, size, stride, data);
  DimVector in_bytes(stride);
  for (int64_t& s : in_bytes) s *= input.itemsize();
  return view_with_byte_strides(input, size, in_bytes, data, input.dtype());
}

Tensor view_as_real(const Tensor& input) {
  TNP_CHECK(input.is_complex(), ErrorKind::Type, "view_as_real is only supported for complex tensors, got ",
            input.dtype());
  DimVector sizes(input.sizes()), strides = input.byte_strides();
  sizes.push_back(2);
  strides.push_back(input.itemsize() / 2);
  return view_with_byte_strides(input, sizes, strides, input.address(), to_real(input.dtype()));
}

Tensor view_as_complex(const Tensor& input) {
  TNP_CHECK(input.dtype() == ScalarType::Float32 || input.dtype() == ScalarType::Float64, ErrorKind::Dtype,
            "view_as_complex is only supported for float and double tensors, but got a tensor of scalar type: ",
            InTorch{input.dtype()});
  const int64_t pair = 2 * input.itemsize();
  TNP_CHECK(input.dim() > 0, ErrorKind::Shape, "Input tensor must have one or more dimensions");
  TNP_CHECK(input.size(-1) == 2, ErrorKind::Shape, "Tensor must have a last dimension of size 2, got shape ",
            input.sizes());
  TNP_CHECK(2 * input.byte_stride(-1) == pair || input.numel() == 0, ErrorKind::Shape,
            "Tensor must have a last dimension with stride 1, got strides ", input.strides());
  DimVector sizes(input.sizes()), strides = input.byte_strides();
  sizes.pop_back();
  strides.pop_back();
  for (size_t d = 0; d < strides.size(); ++d)
    TNP_CHECK(strides[d] % pair == 0 || sizes[d] <= 1, ErrorKind::Shape,
              "Tensor must have a stride divisible by 2 for all but last dimension, got strides ", input.strides());
  bool aligned = reinterpret_cast<uintptr_t>(input.address()) % static_cast<uintptr_t>(pair) == 0;
  TNP_CHECK(aligned || input.numel() == 0, ErrorKind::Shape, "Tensor must have a storage_offset divisible by 2");
  return view_with_byte_strides(input, sizes, strides, input.address(), to_complex(input.dtype()));
}

}  // namespace tnp::native
