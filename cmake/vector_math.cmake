# Vector math: our own (aten/kernels/cpu/pointwise/vector_math/), and oneMKL's where a table says
# that it is faster (aten/kernels/cpu/pointwise/vector_math.cpp).
if(TORCH_NP_MKL)
  target_sources(engine PRIVATE aten/kernels/cpu/pointwise/vector_math_mkl.cpp)
  set_property(SOURCE aten/kernels/cpu/pointwise/vector_math_mkl.cpp APPEND PROPERTY COMPILE_OPTIONS -fopenmp-simd)
  set_property(SOURCE aten/kernels/cpu/pointwise/vector_math.cpp APPEND PROPERTY COMPILE_DEFINITIONS TNP_WITH_MKL_VECTOR_MATH)
endif()
