// oneDNN, loaded at run time. The functions keep their names without the prefix dnnl_.
#pragma once

#include <dnnl.h>

namespace tnp::onednn {

// clang-format off
#define TNP_ONEDNN_FUNCTIONS(F)                                                                                       \
  F(version) F(get_effective_cpu_isa) F(engine_create) F(stream_create) F(stream_destroy) F(stream_wait)              \
  F(memory_desc_create_with_strides) F(memory_desc_destroy) F(memory_create) F(memory_destroy)                        \
  F(matmul_primitive_desc_create) F(primitive_desc_query) F(primitive_desc_destroy) F(primitive_create)               \
  F(primitive_execute) F(primitive_destroy) F(primitive_desc_query_md) F(primitive_attr_create)                        \
  F(primitive_attr_destroy) F(primitive_attr_set_scratchpad_mode) F(memory_desc_create_with_tag)                      \
  F(memory_desc_equal) F(memory_desc_get_size) F(memory_desc_query) F(reorder_primitive_desc_create)                  \
  F(convolution_forward_primitive_desc_create) F(convolution_backward_data_primitive_desc_create)                     \
  F(convolution_backward_weights_primitive_desc_create)
// clang-format on

struct Library {
#define TNP_MEMBER(name) decltype(&dnnl_##name) name = nullptr;
  TNP_ONEDNN_FUNCTIONS(TNP_MEMBER)
#undef TNP_MEMBER
  dnnl_engine_t cpu = nullptr;
};

// Returns null if the library is not installed, or is not an oneTBB build of version 3. The first
// call loads it.
const Library* library();

}  // namespace tnp::onednn
