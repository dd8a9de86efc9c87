# tools/codegen: native_functions.yaml to C++, stubs and the operator list, in the build folder.
set(TORCH_NP_GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)
set(TORCH_NP_GENERATED_PYTHON ${CMAKE_BINARY_DIR}/generated_python)
if(TORCH_NP_IN_PLACE)
  set(TORCH_NP_GENERATED_PYTHON ${CMAKE_SOURCE_DIR}/torch_np)
endif()

file(GLOB codegen_modules CONFIGURE_DEPENDS tools/codegen/*.py)
file(GLOB functor_headers CONFIGURE_DEPENDS aten/functors/*.h)
execute_process(
  COMMAND ${Python_EXECUTABLE} -m tools.codegen --source ${CMAKE_SOURCE_DIR} --list
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE generated OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
list(TRANSFORM generated PREPEND ${TORCH_NP_GENERATED_DIR}/)

# Files are written only when their text changed (ninja's restat does the rest): a new operator rebuilds what names it.
add_custom_command(
  OUTPUT ${generated}
  COMMAND ${Python_EXECUTABLE} -B -m tools.codegen --source ${CMAKE_SOURCE_DIR} --output ${TORCH_NP_GENERATED_DIR}
          --python-output ${TORCH_NP_GENERATED_PYTHON}
  DEPENDS native_functions.yaml ${codegen_modules} ${functor_headers}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMENT "Generating from native_functions.yaml" VERBATIM)
add_custom_target(codegen DEPENDS ${generated})

set(TORCH_NP_GENERATED_ATEN ${generated})
list(FILTER TORCH_NP_GENERATED_ATEN INCLUDE REGEX "/aten/.*\\.cpp$")
set(TORCH_NP_GENERATED_CUDA ${generated})
list(FILTER TORCH_NP_GENERATED_CUDA INCLUDE REGEX "/aten/cuda_.*\\.(cu|cpp)$")
list(FILTER TORCH_NP_GENERATED_ATEN EXCLUDE REGEX "/aten/cuda_")
set(TORCH_NP_GENERATED_CSRC ${generated})
list(FILTER TORCH_NP_GENERATED_CSRC INCLUDE REGEX "/csrc/.*\\.cpp$")
