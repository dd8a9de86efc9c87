# libtorch_np_cuda.so: GPU kernels and memory, opened by libtorch_np.so if there is a driver. See
# docs/cuda.md. libtorch_np_cuda_emulated.so: the same sources for an emulated device in host
# memory, for tests without a GPU.
set(TORCH_NP_CUDA_ARCHITECTURES "90" CACHE STRING "Compute capabilities that kernels are compiled for; PTX for later ones comes from the last one")
option(TORCH_NP_CUDA_EMULATION "Build the emulated device that tests of CUDA run on where there is no GPU" ${TORCH_NP_TESTS})

file(GLOB_RECURSE cuda_common CONFIGURE_DEPENDS aten/cuda/*.cpp aten/kernels/cuda/*.cpp)
set(cuda_emulated ${cuda_common})
list(FILTER cuda_common EXCLUDE REGEX "_emulated\\.cpp$")
list(FILTER cuda_emulated INCLUDE REGEX "_emulated\\.cpp$")
# .cu files: those that call NVIDIA's libraries (*_cuda.cu) have an emulated counterpart.
file(GLOB_RECURSE cuda_units CONFIGURE_DEPENDS aten/cuda/*.cu aten/kernels/cuda/*.cu)
set(cuda_kernels ${cuda_units})
list(FILTER cuda_kernels EXCLUDE REGEX "_cuda\\.cu$")
set(cuda_generated_units ${TORCH_NP_GENERATED_CUDA})
list(FILTER cuda_generated_units INCLUDE REGEX "\\.cu$")
set(cuda_generated_tables ${TORCH_NP_GENERATED_CUDA})
list(FILTER cuda_generated_tables INCLUDE REGEX "\\.cpp$")

# Headers that the sources of fused kernels include, embedded as text
# (aten/cuda/compiler/header_texts.h).
file(GLOB kernel_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} aten/functors/*.h)
set(header_texts ${CMAKE_BINARY_DIR}/header_texts.cpp)
add_custom_command(
  OUTPUT ${header_texts}
  COMMAND ${Python_EXECUTABLE} -B tools/header_texts.py --source ${CMAKE_SOURCE_DIR} --output ${header_texts} --depfile ${header_texts}.d
          aten/cuda/compiler/fused_kernel.h aten/cuda/compiler/standard_library.h ${kernel_headers}
  DEPENDS tools/header_texts.py ${kernel_headers} DEPFILE ${header_texts}.d
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMENT "Headers of functors as texts" VERBATIM)
list(APPEND cuda_common ${header_texts})

function(torch_np_cuda_library target)
  add_dependencies(${target} generated_sources)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR} ${TORCH_NP_GENERATED_DIR})
  target_link_libraries(${target} PRIVATE torch_np)
  target_link_options(${target} PRIVATE -Wl,-z,defs)
  # Opened at run time, when no static TLS space may be left.
  target_compile_options(${target} PRIVATE -ftls-model=global-dynamic)
  set_target_properties(${target} PROPERTIES BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
  if(TORCH_NP_IN_PLACE)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_SOURCE_DIR}/torch_np)
  endif()
endfunction()

if(TORCH_NP_CUDA_EMULATION)
  add_library(cuda_emulated OBJECT ${cuda_common} ${cuda_emulated} ${cuda_kernels} ${TORCH_NP_GENERATED_CUDA})
  add_dependencies(cuda_emulated generated_sources)
  target_include_directories(cuda_emulated PUBLIC ${CMAKE_SOURCE_DIR} ${TORCH_NP_GENERATED_DIR})
  target_link_libraries(cuda_emulated PUBLIC tbb_library)
  # Many small loops whose speed does not matter: compile them quickly.
  set_source_files_properties(${cuda_kernels} ${cuda_generated_units} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
  target_compile_options(cuda_emulated PRIVATE -O0 -ftls-model=global-dynamic)
  torch_np_precompile(cuda_emulated ${engine_headers} aten/cuda/launch.h aten/kernels/cuda/pointwise/pointwise_loops.h
    aten/kernels/cuda/reduction/reduction_loops.h)
  add_library(torch_np_cuda_emulated SHARED $<TARGET_OBJECTS:cuda_emulated>)
  set_target_properties(torch_np_cuda_emulated PROPERTIES LINKER_LANGUAGE CXX)
  torch_np_cuda_library(torch_np_cuda_emulated)
endif()

if(TORCH_NP_CUDA STREQUAL "OFF")
  return()
endif()
find_program(NVCC nvcc HINTS /usr/local/cuda/bin)
if(NOT NVCC)
  if(TORCH_NP_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TORCH_NP_CUDA=ON, but nvcc was not found")
  endif()
  return()
endif()

# One custom rule per .cu file instead of CMake's CUDA language, since the emulated device compiles
# the same file as C++. It also saves trial compilations during configuration.
set(nvcc_flags -std=c++20 -O2 --expt-relaxed-constexpr -Werror=cross-execution-space-call -fmad=false -Xcompiler=-fPIC,-fvisibility=hidden,-Wall,-Wno-unknown-pragmas
  -I${CMAKE_SOURCE_DIR} -I${TORCH_NP_GENERATED_DIR})
foreach(architecture ${TORCH_NP_CUDA_ARCHITECTURES})
  list(APPEND nvcc_flags -gencode=arch=compute_${architecture},code=sm_${architecture})
endforeach()
list(GET TORCH_NP_CUDA_ARCHITECTURES -1 latest)
list(APPEND nvcc_flags -gencode=arch=compute_${latest},code=compute_${latest})
set(cuda_objects "")
foreach(unit ${cuda_units} ${cuda_generated_units})
  get_filename_component(name ${unit} NAME)
  set(object ${CMAKE_BINARY_DIR}/cuda/${name}.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${NVCC} ${nvcc_flags} -MMD -MF ${object}.d -MT ${object} -c ${unit} -o ${object}
    DEPENDS ${unit} generated_sources DEPFILE ${object}.d
    COMMENT "Compiling ${name} for CUDA" VERBATIM)
  list(APPEND cuda_objects ${object})
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/cuda)
get_filename_component(cuda_root ${NVCC} REALPATH)
get_filename_component(cuda_root ${cuda_root} DIRECTORY)
get_filename_component(cuda_root ${cuda_root} DIRECTORY)
find_library(CUDART_STATIC cudart_static HINTS ${cuda_root}/lib64 ${cuda_root}/targets/x86_64-linux/lib REQUIRED)

# DEMAND: not part of `all`, since nvcc takes minutes; build it with `ninja torch_np_cuda`.
set(exclude "")
if(TORCH_NP_CUDA STREQUAL "DEMAND")
  set(exclude EXCLUDE_FROM_ALL)
endif()
add_library(torch_np_cuda SHARED ${exclude} ${cuda_common} ${cuda_generated_tables} ${cuda_objects})
set_source_files_properties(${cuda_objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
target_link_libraries(torch_np_cuda PRIVATE ${CUDART_STATIC} pthread dl rt)
torch_np_cuda_library(torch_np_cuda)
# Where dlopen looks for cuBLAS, cuSOLVER and cuFFT if the loader does not find them: in the toolkit
# of the build or, once installed, in PyPI's packages beside this one (CUDA 13; CUDA 12).
set_target_properties(torch_np_cuda PROPERTIES
  BUILD_RPATH "$ORIGIN;${cuda_root}/lib64;${cuda_root}/targets/x86_64-linux/lib"
  INSTALL_RPATH "$ORIGIN;$ORIGIN/../torch_np;$ORIGIN/../nvidia/cu13/lib;$ORIGIN/../nvidia/cublas/lib;$ORIGIN/../nvidia/cusolver/lib;$ORIGIN/../nvidia/cufft/lib")
if(NOT exclude)
  install(TARGETS torch_np_cuda LIBRARY DESTINATION torch_np)
endif()
# The package torch-np-cuda (tools/wheels/cuda_wheel.py): `cmake --install --component cuda`.
install(TARGETS torch_np_cuda LIBRARY DESTINATION torch_np_cuda COMPONENT cuda EXCLUDE_FROM_ALL)
