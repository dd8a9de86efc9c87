# BLAS and LAPACK: oneMKL, which is linked, and OpenBLAS, which is opened at run time if it is
# installed (aten/kernels/blas_openblas.cpp). With both, a table selects one per operation and
# processor (aten/kernels/blas_choice.cpp).
set(blas_default both)
if(NOT TORCH_NP_MKL)
  set(blas_default openblas)
endif()
set(TORCH_NP_BLAS ${blas_default} CACHE STRING "Libraries of linear algebra: mkl, openblas, or both")
set_property(CACHE TORCH_NP_BLAS PROPERTY STRINGS mkl openblas both)
if(NOT TORCH_NP_BLAS MATCHES "^(mkl|openblas|both)$")
  message(FATAL_ERROR "TORCH_NP_BLAS is '${TORCH_NP_BLAS}', but must be mkl, openblas or both")
endif()
if(NOT TORCH_NP_MKL AND NOT TORCH_NP_BLAS STREQUAL "openblas")
  message(FATAL_ERROR "TORCH_NP_BLAS is '${TORCH_NP_BLAS}', but TORCH_NP_MKL is off")
endif()
if(NOT TORCH_NP_BLAS STREQUAL "openblas")
  target_sources(engine PRIVATE aten/kernels/blas_mkl.cpp)
  set_property(SOURCE aten/kernels/blas_choice.cpp APPEND PROPERTY COMPILE_DEFINITIONS TNP_WITH_MKL_BLAS)
endif()
if(NOT TORCH_NP_BLAS STREQUAL "mkl")
  target_sources(engine PRIVATE aten/kernels/blas_openblas.cpp)
  set_property(SOURCE aten/kernels/blas_choice.cpp APPEND PROPERTY COMPILE_DEFINITIONS TNP_WITH_OPENBLAS)
  # Not needed to build. An in-place build finds the library here, a package beside itself
  # (TORCH_NP_INSTALL_RPATH).
  find_in_package(openblas_lib scipy-openblas64 libscipy_openblas64_.so OPTIONAL)
  if(openblas_lib)
    list(APPEND CMAKE_BUILD_RPATH ${openblas_lib})
  endif()
endif()
