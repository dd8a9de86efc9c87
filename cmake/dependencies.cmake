# The Python that runs the build, and the libraries that came from PyPI into its environment: oneTBB and oneMKL.
if(TORCH_NP_PYTHON)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
else()
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)  # for tools/codegen only
endif()

# Where a file of a PyPI package lies: works in virtual environments and in pip's isolated builds alike. Without OPTIONAL
# it must be there; with it, the result may be empty.
function(find_in_package result package file)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c "
import importlib.metadata as m, sys
found = [f for f in m.files('${package}') or [] if ('/' + str(f)).endswith('/${file}')]
print(found[0].locate().resolve().parent if found else '', end='')"
    OUTPUT_VARIABLE folder ERROR_QUIET)
  if(NOT folder AND NOT "OPTIONAL" IN_LIST ARGN)
    message(FATAL_ERROR "${file} was not found: run '${Python_EXECUTABLE} -m pip install ${package}'")
  endif()
  set(${result} ${folder} PARENT_SCOPE)
endfunction()

find_in_package(tbb_include tbb-devel include/tbb/tbb.h)
find_in_package(tbb_lib tbb libtbb.so.12)
cmake_path(GET tbb_include PARENT_PATH tbb_include)
add_library(tbb_library SHARED IMPORTED)
set_target_properties(tbb_library PROPERTIES
  IMPORTED_LOCATION ${tbb_lib}/libtbb.so.12
  IMPORTED_SONAME libtbb.so.12)
target_include_directories(tbb_library SYSTEM INTERFACE ${tbb_include})

# libtorch_np.so lies in site-packages/torch_np; pip puts libtbb into the lib/ of the environment.
set(TORCH_NP_INSTALL_RPATH "$ORIGIN;$ORIGIN/../../..;$ORIGIN/../scipy_openblas64/lib")

# oneMKL: vector functions, Fourier transforms, and, as one of two, BLAS and LAPACK (blas.cmake).
add_library(mkl_library INTERFACE)
find_in_package(mkl_include mkl-include include/mkl.h)
find_in_package(mkl_lib mkl-static libmkl_core.a)
target_include_directories(mkl_library SYSTEM INTERFACE ${mkl_include})
target_compile_definitions(mkl_library INTERFACE MKL_ILP64)
# Static and not re-exported: another copy of MKL in the process (NumPy's, PyTorch's) does not meet ours.
target_link_libraries(mkl_library INTERFACE
  -Wl,--start-group ${mkl_lib}/libmkl_intel_ilp64.a ${mkl_lib}/libmkl_tbb_thread.a ${mkl_lib}/libmkl_core.a -Wl,--end-group
  -Wl,--exclude-libs,ALL pthread m dl)
