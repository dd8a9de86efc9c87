# _C_native: the extension without the bindings of NumPy's face, on the same engine. It is built on
# demand, to check that these bindings do not slow down the other face (make bench-instructions).
set(native_dir ${CMAKE_BINARY_DIR}/generated_native)
set(native_sources ${TORCH_NP_GENERATED_CSRC})
list(TRANSFORM native_sources REPLACE "^${TORCH_NP_GENERATED_DIR}/" "${native_dir}/")
add_custom_command(
  OUTPUT ${native_sources}
  COMMAND ${Python_EXECUTABLE} -B -m tools.codegen --source ${CMAKE_SOURCE_DIR} --output ${native_dir} --native-only
  DEPENDS ${codegen_inputs}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMENT "Generating the bindings of the torch face alone" VERBATIM)
Python_add_library(_C_native MODULE ${csrc_sources} ${native_sources})
add_dependencies(_C_native generated_sources)
target_include_directories(_C_native BEFORE PRIVATE ${native_dir})
target_link_libraries(_C_native PRIVATE torch_np)
set_target_properties(_C_native PROPERTIES EXCLUDE_FROM_ALL ON OUTPUT_NAME _C LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/native)
