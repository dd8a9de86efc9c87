# The Python that runs the build, and the libraries from PyPI in its environment: oneTBB and oneMKL.
if(TORCH_NP_PYTHON)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
else()
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)  # for tools/codegen only
endif()

# Finds the folder of a file of a PyPI package, in virtual environments and in pip's isolated builds
# alike. With OPTIONAL the result may be empty; otherwise the file is required. TORCH_NP_PACKAGES:
# the target machine's packages, when cross-compiling. Links are kept: the .venv of a worktree may be
# a link to another checkout's, and ccache then finds its results only under the worktree's own paths.
function(find_in_package result package file)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c "
import importlib.metadata as m, os.path
path = {'path': ['${TORCH_NP_PACKAGES}']} if '${CMAKE_CROSSCOMPILING}' == 'TRUE' else {}
found = [f for d in m.distributions(name='${package}', **path) for f in d.files or [] if ('/' + str(f)).endswith('/${file}')]
print(os.path.dirname(os.path.normpath(found[0].locate())) if found else '', end='')"
    OUTPUT_VARIABLE folder ERROR_QUIET)
  if(NOT folder AND NOT "OPTIONAL" IN_LIST ARGN)
    message(FATAL_ERROR "${file} was not found: run '${Python_EXECUTABLE} -m pip install ${package}'")
  endif()
  set(${result} ${folder} PARENT_SCOPE)
endfunction()

# oneTBB: PyPI's if installed, otherwise the system's (PyPI has none for Arm; Debian: libtbb-dev).
find_in_package(tbb_include tbb-devel include/tbb/tbb.h OPTIONAL)
if(tbb_include)
  find_in_package(tbb_lib tbb libtbb.so.12)
  cmake_path(GET tbb_include PARENT_PATH tbb_include)
  add_library(tbb_library SHARED IMPORTED)
  set_target_properties(tbb_library PROPERTIES
    IMPORTED_LOCATION ${tbb_lib}/libtbb.so.12
    IMPORTED_SONAME libtbb.so.12)
  target_include_directories(tbb_library SYSTEM INTERFACE ${tbb_include})
else()
  find_package(TBB 2021 REQUIRED COMPONENTS tbb)
  add_library(tbb_library ALIAS TBB::tbb)
endif()

# libtorch_np.so is in site-packages/torch_np; pip puts libtbb into the environment's lib/ or
# (`--target`) beside it.
set(TORCH_NP_INSTALL_RPATH "$ORIGIN;$ORIGIN/../../..;$ORIGIN/../lib;$ORIGIN/../scipy_openblas64/lib")

# oneMKL: vector functions, Fourier transforms (fourier.cmake), and optionally BLAS and LAPACK
# (blas.cmake).
set(mkl_default OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(mkl_default ON)
endif()
option(TORCH_NP_MKL "oneMKL; OFF: OpenBLAS and ducc (there is no oneMKL but for x86-64)" ${mkl_default})
add_library(mkl_library INTERFACE)
if(TORCH_NP_MKL)
  find_in_package(mkl_include mkl-include include/mkl.h)
  find_in_package(mkl_lib mkl-static libmkl_core.a)
  target_include_directories(mkl_library SYSTEM INTERFACE ${mkl_include})
  target_compile_definitions(mkl_library INTERFACE MKL_ILP64)
  # Static and not re-exported, so that it does not clash with another copy of MKL in the process
  # (NumPy's, PyTorch's).
  target_link_libraries(mkl_library INTERFACE
    -Wl,--start-group ${mkl_lib}/libmkl_intel_ilp64.a ${mkl_lib}/libmkl_tbb_thread.a ${mkl_lib}/libmkl_core.a -Wl,--end-group
    -Wl,--exclude-libs,ALL)
  # Its licence terms must be distributed with it.
  find_in_package(mkl_terms mkl-static LICENSE.txt OPTIONAL)
  find_in_package(mkl_third_party mkl-include mkl/licensing/third-party-programs.txt OPTIONAL)
  foreach(file ${mkl_terms}/LICENSE.txt ${mkl_third_party}/third-party-programs.txt)
    install(FILES ${file} DESTINATION torch_np/share/licenses/onemkl OPTIONAL)
  endforeach()
endif()
target_link_libraries(mkl_library INTERFACE pthread m dl)
