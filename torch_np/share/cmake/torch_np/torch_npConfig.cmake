# CMake package: find_package(torch_np) defines the target torch_np::extension, which is the header
# of operator libraries, and torch_np_add_library(<name> <sources>...), which builds a library for
# torch_np.library.load().
get_filename_component(_torch_np_package "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET torch_np::extension)
  add_library(torch_np::extension INTERFACE IMPORTED)
  set_target_properties(torch_np::extension PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_torch_np_package}/include")
  set_property(TARGET torch_np::extension PROPERTY INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()
unset(_torch_np_package)

function(torch_np_add_library name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE torch_np::extension)
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
endfunction()
