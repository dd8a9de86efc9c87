# Flags. The baseline is x86-64-v2, on Arm ARMv8-A, which has NEON; only loops over elements are compiled for more (loops.cmake).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Hidden, so that libtorch and this can be loaded into one process.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")  # of the sanitizers: quick to compile, and lines in stacks

# Nobody reads errno of math functions; all else of IEEE arithmetic is kept (no -ffast-math). Loops over elements do not
# fuse products with sums: every instruction set gives the same numbers.
add_compile_options(-Wall -Wextra -fno-math-errno -fno-trapping-math $<$<BOOL:$<TARGET_PROPERTY:TNP_LOOPS>>:-ffp-contract=off>)
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(TORCH_NP_CPU_CAPABILITIES baseline)
  # x86-64-v2 has no fused operations: outside of loops, too, every processor gives the same numbers. On Arm, GCC tells of
  # some classes that GCC 9 passed them otherwise.
  add_compile_options(-ffp-contract=off -Wno-psabi)
else()
  add_compile_options(-march=x86-64-v2 -mtune=generic)
endif()
if(TORCH_NP_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(TORCH_NP_SANITIZE)
  # -O0: UBSan's checks are in the way of every optimisation; with -O1 a kernel compiles five times as long (GCC 12).
  # GLIBCXX_ASSERTIONS: indices beyond a std::vector's end within its capacity, empty std::optionals.
  add_compile_options(-O0 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
    -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
endif()
add_link_options(-Wl,--as-needed)
# Thread-local variables at a fixed offset, without a call to find them: they are few and small (thread_state, free lists).
add_compile_options(-ftls-model=initial-exec)

# Worktrees of one machine share a cache: paths below the source tree are hashed relative to it.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
