# The loops over elements, compiled once for each instruction set of TORCH_NP_CPU_CAPABILITIES; see
# aten/core/capability.h. Their objects come in this order, baseline first: where an inline function was compiled
# out of line by several, the linker keeps the one that every machine can run.
set(loop_sources ${TORCH_NP_GENERATED_ATEN})
list(FILTER loop_sources INCLUDE REGEX "/aten/loops_")
list(FILTER TORCH_NP_GENERATED_ATEN EXCLUDE REGEX "/aten/loops_")
list(APPEND loop_sources ${CMAKE_SOURCE_DIR}/aten/iterator/cast_loops.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/finite_loops.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/optimizer_loops.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/attention_loops.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/recurrent_loops.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/ctc_loops.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/depthwise_loops.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/nonzero_loops.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/packed_product_loops.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/product_loops.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/repeat_loops.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/row_loops.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/sort_loops.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/small_step_loops.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/vector_math/loops.cpp)
if(TORCH_NP_FFT STREQUAL "ducc")
  list(APPEND loop_sources ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/line_transform_loops.cpp)
  # Its vectors are explicit. Of complex products that GCC 12 makes vectors of, it fuses products and sums in spite of
  # -ffp-contract=off (vfmaddsub).
  set_source_files_properties(${CMAKE_SOURCE_DIR}/aten/kernels/cpu/line_transform_loops.cpp PROPERTIES
    COMPILE_OPTIONS "-isystem${ducc_source}/src;-fno-tree-vectorize")
endif()

# Products are sums of fused multiplications, as those of every BLAS.
set_source_files_properties(${CMAKE_SOURCE_DIR}/aten/kernels/cpu/product_loops.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/depthwise_loops.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/packed_product_loops.cpp
  PROPERTIES COMPILE_OPTIONS -ffp-contract=fast)

# GCC 12 takes the undefined operands of its own intrinsics for uninitialised variables (its bug 105593).
set_source_files_properties(${CMAKE_SOURCE_DIR}/aten/kernels/cpu/repeat_loops.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/row_loops.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/sort_loops.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/vector_math/loops.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/attention_loops.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/ctc_loops.cpp
  PROPERTIES COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized;-Wno-maybe-uninitialized>")

set(capability_flags_baseline "")
set(capability_flags_avx2 -march=x86-64-v3)
set(capability_flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
# By default GCC copies short arrays in 16-byte pieces. A 32-byte load from two such stores must
# wait until both have reached the cache, so allow 32-byte stores (rows of 100 float32: 29 ns, then
# 7; AMD EPYC, Zen 4).
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag("-march=x86-64-v3 -mmove-max=256 -mstore-max=256" TORCH_NP_HAS_MOVE_MAX)
if(TORCH_NP_HAS_MOVE_MAX)
  list(APPEND capability_flags_avx2 -mmove-max=256 -mstore-max=256)
endif()

set(TORCH_NP_LOOP_OBJECTS "")
set(TORCH_NP_LOOP_DEFINITIONS "")
foreach(capability ${TORCH_NP_CPU_CAPABILITIES})
  add_library(loops_${capability} OBJECT ${loop_sources})
  add_dependencies(loops_${capability} codegen)
  set_target_properties(loops_${capability} PROPERTIES TNP_LOOPS ON)
  target_compile_definitions(loops_${capability} PRIVATE TNP_CPU_CAPABILITY=${capability})
  target_compile_options(loops_${capability} PRIVATE $<$<CONFIG:Release>:-O3> ${capability_flags_${capability}})
  target_include_directories(loops_${capability} PRIVATE ${CMAKE_SOURCE_DIR} ${TORCH_NP_GENERATED_DIR})
  target_link_libraries(loops_${capability} PRIVATE tbb_library)
  list(APPEND TORCH_NP_LOOP_OBJECTS $<TARGET_OBJECTS:loops_${capability}>)
  string(TOUPPER ${capability} upper)
  list(APPEND TORCH_NP_LOOP_DEFINITIONS TNP_WITH_${upper})
endforeach()
set(operator_tables ${TORCH_NP_GENERATED_ATEN})
list(FILTER operator_tables INCLUDE REGEX "/aten/operators/.*_tables")
if(NOT operator_tables)  # they would choose the baseline's loops on every machine, silently
  message(FATAL_ERROR "The generated tables of operators were not found")
endif()
set_source_files_properties(${operator_tables} ${CMAKE_SOURCE_DIR}/aten/iterator/cast.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/matmul.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/nonzero.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/optimizers.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/attention.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/convolution.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/ctc_loss.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/depthwise.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/recurrent.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/recurrent_cells.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/repeat.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/rows.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/sort.cpp
  ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/vector_math.cpp ${CMAKE_SOURCE_DIR}/aten/kernels/cpu/line_transform_ducc.cpp
  PROPERTIES COMPILE_DEFINITIONS "${TORCH_NP_LOOP_DEFINITIONS}")
