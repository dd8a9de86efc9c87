# Vector math: our own (aten/kernels/cpu/vector_math/), and oneMKL's where a table says that it is faster
# (aten/kernels/cpu/vector_math.cpp).
set(TORCH_NP_VECTOR_MATH both CACHE STRING "Vector math: own, or both: oneMKL's too")
set_property(CACHE TORCH_NP_VECTOR_MATH PROPERTY STRINGS own both)
if(NOT TORCH_NP_VECTOR_MATH MATCHES "^(own|both)$")
  message(FATAL_ERROR "TORCH_NP_VECTOR_MATH is '${TORCH_NP_VECTOR_MATH}', which is none of own and both")
endif()
if(TORCH_NP_VECTOR_MATH STREQUAL "both")
  target_sources(engine PRIVATE aten/kernels/cpu/vector_math_mkl.cpp)
  set_property(SOURCE aten/kernels/cpu/vector_math.cpp APPEND PROPERTY COMPILE_DEFINITIONS TNP_WITH_MKL_VECTOR_MATH)
endif()
