# BLAS and LAPACK: oneMKL, which is linked, and OpenBLAS, which is opened at run time where it is installed
# (aten/kernels/blas_openblas.cpp). With both, a table says which one does what on which processor
# (aten/kernels/blas_choice.cpp).
set(TORCH_NP_BLAS both CACHE STRING "Libraries of linear algebra: mkl, openblas, or both")
set_property(CACHE TORCH_NP_BLAS PROPERTY STRINGS mkl openblas both)
if(NOT TORCH_NP_BLAS MATCHES "^(mkl|openblas|both)$")
  message(FATAL_ERROR "TORCH_NP_BLAS is '${TORCH_NP_BLAS}', which is none of mkl, openblas and both")
endif()
if(NOT TORCH_NP_BLAS STREQUAL "openblas")
  target_sources(engine PRIVATE aten/kernels/blas_mkl.cpp)
  set_property(SOURCE aten/kernels/blas_choice.cpp APPEND PROPERTY COMPILE_DEFINITIONS TNP_WITH_MKL_BLAS)
endif()
if(NOT TORCH_NP_BLAS STREQUAL "mkl")
  target_sources(engine PRIVATE aten/kernels/blas_openblas.cpp)
  set_property(SOURCE aten/kernels/blas_choice.cpp APPEND PROPERTY COMPILE_DEFINITIONS TNP_WITH_OPENBLAS)
  # Not needed to build: what is built in place finds it here, and a package beside itself (TORCH_NP_INSTALL_RPATH).
  find_in_package(openblas_lib scipy-openblas64 libscipy_openblas64_.so OPTIONAL)
  if(openblas_lib)
    list(APPEND CMAKE_BUILD_RPATH ${openblas_lib})
  endif()
endif()
