# Element loops: *_loops.cpp, and the generated loops_*.cpp. They are compiled once for each
# instruction set of TORCH_NP_CPU_CAPABILITIES (aten/core/threads/capability.h).
if(TORCH_NP_CPU_CAPABILITIES STREQUAL "native")
  file(STRINGS /proc/cpuinfo cpu_flags REGEX "^flags" LIMIT_COUNT 1)
  set(TORCH_NP_CPU_CAPABILITIES baseline)
  if(cpu_flags MATCHES " avx512bw " AND cpu_flags MATCHES " avx512dq " AND cpu_flags MATCHES " avx512vl ")
    set(TORCH_NP_CPU_CAPABILITIES avx512)
  elseif(cpu_flags MATCHES " avx2 " AND cpu_flags MATCHES " fma " AND cpu_flags MATCHES " bmi2 ")
    set(TORCH_NP_CPU_CAPABILITIES avx2)
  endif()
endif()
file(GLOB_RECURSE loop_sources CONFIGURE_DEPENDS aten/*_loops.cpp)
if(TORCH_NP_FFT STREQUAL "ducc")
  # Its vectorization is explicit. When GCC 12 vectorizes complex products, it contracts them to FMA
  # (vfmaddsub) despite -ffp-contract=off.
  set_source_files_properties(${CMAKE_SOURCE_DIR}/aten/kernels/cpu/fourier/line_transform_loops.cpp PROPERTIES
    COMPILE_OPTIONS "-isystem${ducc_source}/src;-fno-tree-vectorize")
else()
  list(FILTER loop_sources EXCLUDE REGEX "/line_transform_loops\\.cpp$")
endif()
set(generated_loops ${TORCH_NP_GENERATED_ATEN})
list(FILTER generated_loops INCLUDE REGEX "/aten/loops_")
list(FILTER TORCH_NP_GENERATED_ATEN EXCLUDE REGEX "/aten/loops_")
list(APPEND loop_sources ${generated_loops})

# Matrix products accumulate by FMA, as in every BLAS.
set(fused_products ${loop_sources})
list(FILTER fused_products INCLUDE REGEX "/([a-z_]*product|depthwise)_loops\\.cpp$")
set_source_files_properties(${fused_products} PROPERTIES COMPILE_OPTIONS -ffp-contract=fast)

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

# Baseline first: if several objects contain an out-of-line copy of an inline function, the linker
# keeps the first, which every machine can run.
set(TORCH_NP_LOOP_OBJECTS "")
foreach(capability ${TORCH_NP_CPU_CAPABILITIES})
  add_library(loops_${capability} OBJECT ${loop_sources})
  add_dependencies(loops_${capability} generated_sources)
  set_target_properties(loops_${capability} PROPERTIES TNP_LOOPS ON)
  target_compile_definitions(loops_${capability} PRIVATE TNP_CPU_CAPABILITY=${capability})
  # GCC 12 mistakes the undefined operands of its own intrinsics for uninitialised variables (GCC
  # bug 105593).
  target_compile_options(loops_${capability} PRIVATE $<$<CONFIG:Release>:-O3> ${capability_flags_${capability}}
    $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_include_directories(loops_${capability} PRIVATE ${CMAKE_SOURCE_DIR} ${TORCH_NP_GENERATED_DIR})
  target_link_libraries(loops_${capability} PRIVATE tbb_library)
  torch_np_precompile(loops_${capability} aten/kernels/cpu/pointwise/pointwise_loops.h aten/kernels/cpu/reduction/reduction_loops.h)
  list(APPEND TORCH_NP_LOOP_OBJECTS $<TARGET_OBJECTS:loops_${capability}>)
endforeach()
