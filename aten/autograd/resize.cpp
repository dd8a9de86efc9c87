// resize_(): changes a tensor's size in place. Raises an error for tensors that are part of an
// autograd graph.
#include "aten/autograd/variable.h"
#include "aten/dispatch/out.h"
#include "aten/iterator/memory_format.h"
#include "aten/native_functions/attributes.h"

namespace tnp::native {

namespace {

MemoryFormat format_of(std::optional<std::string_view> name, IntList size) {
  return name ? memory_format_of(*name, static_cast<int64_t>(size.size())) : MemoryFormat::Contiguous;
}

const Tensor& resize(const Tensor& self, IntList size, const DimVector& strides, bool has_format) {
  if (self.storage().is_inference()) {
    check_writeable(self, "{self}");
  } else {
    TNP_CHECK(!self.requires_grad(), ErrorKind::Runtime, "cannot resize variables that require grad");
    check_untracked(self, "resize_()");
  }
  if (has_format || self.sizes() != size) {
    const uint32_t version = self.version();
    resize_memory(self, size, strides);
    while (self.version() <= version) self.bump_version();  // new memory counts from 0
  }
  return self;
}

}  // namespace

const Tensor& resize_(const Tensor& self, IntList size, std::optional<std::string_view> memory_format) {
  const MemoryFormat format = format_of(memory_format, size);
  TNP_CHECK(format != MemoryFormat::Preserve, ErrorKind::Runtime, "{memory_format} of resize_() cannot be ",
            *memory_format);
  return resize(self, size, strides_in_format(size, format, self), memory_format.has_value());
}

const Tensor& resize_as_(const Tensor& self, const Tensor& the_template,
                         std::optional<std::string_view> memory_format) {
  const IntList size = the_template.sizes();
  const DimVector strides = strides_in_format(size, format_of(memory_format, size), the_template);
  return resize(self, size, strides, memory_format.has_value());
}

}  // namespace tnp::native
