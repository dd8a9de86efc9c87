#include "aten/iterator/memory_format.h"

#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"

namespace tnp {

DimVector channels_last_strides(IntList sizes) {
  DimVector strides(sizes.size());
  int64_t step = 1;
  auto place = [&](size_t d) { strides[d] = step, step *= std::max<int64_t>(sizes[d], 1); };
  place(1);
  for (size_t d = sizes.size() - 1; d > 1; --d) place(d);
  place(0);
  return strides;
}

bool is_channels_last(const Tensor& t) {
  const IntList sizes = t.sizes();
  if (sizes.size() < 3 || sizes.size() > 5 || t.is_unaligned()) return false;
  const DimVector strides = channels_last_strides(sizes);
  for (size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] != 1 && t.strides()[d] != strides[d]) return false;
  return true;
}

bool prefers_channels_last(const Tensor& t) {
  const size_t n = t.sizes().size();
  if ((n != 4 && n != 5) || t.strides()[1] == 0 || t.is_unaligned()) return false;
  int64_t least = 0;
  auto follows = [&](size_t d) {
    const int64_t size = t.sizes()[d], stride = t.strides()[d];
    if (size == 0 || stride < least || (d == 0 && least == t.strides()[1])) return false;
    least = size > 1 ? stride * size : stride;
    return true;
  };
  if (!follows(1)) return false;
  for (size_t d = n - 1; d > 1; --d)
    if (!follows(d)) return false;
  return follows(0);
}

Tensor to_format(const Tensor& t, ScalarType dtype, bool channels_last) {
  if (!channels_last) return native::to_dense(t, dtype);
  if (t.dtype() == dtype && is_channels_last(t)) return t;
  Tensor copy = empty_strided_tensor(t.sizes(), channels_last_strides(t.sizes()), dtype, t.device());
  if (t.numel() > 0) copy_into(copy, t);
  return copy;
}

MemoryFormat memory_format_of(std::string_view name, int64_t dims) {
  if (name == "torch_np.contiguous_format") return MemoryFormat::Contiguous;
  if (name == "torch_np.preserve_format") return MemoryFormat::Preserve;
  const bool images = name == "torch_np.channels_last";
  TNP_CHECK(images || name == "torch_np.channels_last_3d", ErrorKind::Type, "{memory_format} is '", name,
            "', which is not a memory format");
  TNP_CHECK(dims == (images ? 4 : 5), ErrorKind::Runtime, "{memory_format} ", name, " is for ", images ? 4 : 5,
            " dimensions, not ", dims);
  return images ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
}

DimVector strides_in_format(IntList sizes, MemoryFormat format, const Tensor& like) {
  const bool last = format == MemoryFormat::ChannelsLast || format == MemoryFormat::ChannelsLast3d ||
                    (format == MemoryFormat::Preserve && prefers_channels_last(like));
  return last ? channels_last_strides(sizes) : contiguous_strides(sizes);
}

bool has_format(const Tensor& t, MemoryFormat format) {
  if (format == MemoryFormat::Preserve) return true;
  return format == MemoryFormat::Contiguous ? t.is_contiguous() : is_channels_last(t);
}

}  // namespace tnp
