# Toolchain: Debian's cross compiler, with headers and libraries that tools/aarch64.py has unpacked
# in the build folder.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

cmake_path(SET target_dir NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64)
set(CMAKE_SYSROOT ${target_dir}/root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR ${target_dir}/run)

# The host environment's interpreter runs the build; the extension is for the target root's
# interpreter.
file(GLOB python_include ${CMAKE_SYSROOT}/usr/include/python3.*)
string(REGEX REPLACE ".*/python3\\." "" python_minor "${python_include}")
set(Python_INCLUDE_DIR ${python_include} CACHE PATH "")
set(Python_SOABI cpython-3${python_minor}-aarch64-linux-gnu CACHE STRING "")
set(TORCH_NP_PACKAGES ${target_dir}/packages CACHE PATH "")
