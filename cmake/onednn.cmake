# oneDNN multiplies matrices of 16-bit floats, and convolves. Only its headers are needed here. The
# library is large, so it is opened at the first call that it makes faster
# (aten/kernels/cpu/linalg/onednn_library.cpp), not by `import torch_np`.
option(TORCH_NP_ONEDNN "Products of 16-bit floats by oneDNN, where it is installed; OFF: always in float32" ON)
if(NOT TORCH_NP_ONEDNN OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")  # PyPI has oneDNN for x86-64 only
  return()
endif()

find_in_package(onednn_include onednn-devel-cpu-tbb include/dnnl.h)
file(GLOB_RECURSE onednn_sources CONFIGURE_DEPENDS aten/kernels/cpu/onednn_*.cpp)
target_sources(engine PRIVATE ${onednn_sources})
target_include_directories(engine SYSTEM PRIVATE ${onednn_include})
target_compile_definitions(engine PRIVATE TNP_WITH_ONEDNN)
