# Runs tools/codegen, which generates C++, stubs and the operator list from native_functions.yaml
# and its includes.
set(TORCH_NP_GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)
set(TORCH_NP_GENERATED_PYTHON ${CMAKE_BINARY_DIR}/generated_python)
if(TORCH_NP_IN_PLACE)
  set(TORCH_NP_GENERATED_PYTHON ${CMAKE_SOURCE_DIR}/torch_np)
endif()

# All inputs of the generator. A test checks that the list is complete.
file(GLOB_RECURSE codegen_inputs CONFIGURE_DEPENDS
  native_functions/*.yaml tools/codegen/*.py tools/codegen/*.yaml tools/codegen/*.in aten/functors/*.h torch_np/_argument_names.py)
list(APPEND codegen_inputs ${CMAKE_SOURCE_DIR}/native_functions.yaml)
# The list of generated files depends on the included files.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS native_functions.yaml)
execute_process(
  COMMAND ${Python_EXECUTABLE} -m tools.codegen --source ${CMAKE_SOURCE_DIR} --list
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE generated OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(generated_names ${generated})
list(TRANSFORM generated PREPEND ${TORCH_NP_GENERATED_DIR}/)

# The generator only writes files whose text changed, and ninja's restat skips the rest. So a new
# operator only rebuilds the files that name it.
add_custom_command(
  OUTPUT ${generated}
  COMMAND ${Python_EXECUTABLE} -B -m tools.codegen --source ${CMAKE_SOURCE_DIR} --output ${TORCH_NP_GENERATED_DIR}
          --python-output ${TORCH_NP_GENERATED_PYTHON}
  DEPENDS ${codegen_inputs}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMENT "Generating from native_functions.yaml" VERBATIM)
add_custom_target(generated_sources DEPENDS ${generated})

foreach(part ATEN CUDA CSRC)
  set(TORCH_NP_GENERATED_${part} ${generated_names})
endforeach()
list(FILTER TORCH_NP_GENERATED_ATEN INCLUDE REGEX "^aten/.*\\.cpp$")
list(FILTER TORCH_NP_GENERATED_ATEN EXCLUDE REGEX "^aten/cuda_")
list(FILTER TORCH_NP_GENERATED_CUDA INCLUDE REGEX "^aten/cuda_.*\\.(cu|cpp)$")
list(FILTER TORCH_NP_GENERATED_CSRC INCLUDE REGEX "^csrc/.*\\.cpp$")
foreach(part ATEN CUDA CSRC)
  list(TRANSFORM TORCH_NP_GENERATED_${part} PREPEND ${TORCH_NP_GENERATED_DIR}/)
endforeach()

# Generated sources are compiled in groups, since starting the compiler takes as long as compiling the
# sources of a small family. Targets with the property UNITY_BUILD join each group. Operators and
# bindings are compiled one by one: in groups GCC inlines less of a call (np.sum: 28 instructions).
set(generated_sources_of_families ${TORCH_NP_GENERATED_ATEN} ${TORCH_NP_GENERATED_CSRC})
foreach(joined "autograd_nodes 12" "tables 8")  # folder, sources per group
  string(REGEX MATCH "^(.*) (.*)$" joined "${joined}")
  set(folder ${CMAKE_MATCH_1})
  set(size ${CMAKE_MATCH_2})
  set(sources ${generated_sources_of_families})
  list(FILTER sources INCLUDE REGEX "/${folder}/[a-z_]+\\.cpp$")
  set(index 0)
  foreach(source ${sources})
    math(EXPR group "${index} / ${size}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
    math(EXPR index "${index} + 1")
  endforeach()
endforeach()
