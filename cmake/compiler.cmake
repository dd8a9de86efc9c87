# Compiler flags. The baseline is x86-64-v2, or ARMv8-A with NEON; only element loops are compiled
# for newer instruction sets (loops.cmake).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Hidden symbols, so that libtorch and this library can be loaded into one process.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")  # for sanitizers: quick to compile, with line numbers

# Math functions need not set errno; IEEE arithmetic is otherwise preserved (no -ffast-math).
# Element loops do not contract products and sums to FMA, so that all instruction sets give the same
# numbers.
add_compile_options(-Wall -Wextra -fno-math-errno -fno-trapping-math $<$<BOOL:$<TARGET_PROPERTY:TNP_LOOPS>>:-ffp-contract=off>)
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(TORCH_NP_CPU_CAPABILITIES baseline)
  # x86-64-v2 has no FMA, so other code gives the same numbers on every processor too. -Wno-psabi:
  # on Arm, GCC notes that GCC 9 passed some classes differently.
  add_compile_options(-ffp-contract=off -Wno-psabi)
else()
  add_compile_options(-march=x86-64-v2 -mtune=generic)
endif()
if(TORCH_NP_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(TORCH_NP_SANITIZE)
  # -O0: UBSan's checks prevent optimisations; with -O1 a kernel takes five times as long to compile
  # (GCC 12). GLIBCXX_ASSERTIONS detects indices beyond a std::vector's size but within its
  # capacity, and empty std::optionals.
  add_compile_options(-O0 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
    -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
endif()
add_link_options(-Wl,--as-needed)
# Thread-local variables at a fixed offset, accessed without a call: they are few and small
# (thread_state, free lists).
add_compile_options(-ftls-model=initial-exec)

# Worktrees of one machine share a cache (ccache.sh).
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER sh ${CMAKE_SOURCE_DIR}/cmake/ccache.sh ${CMAKE_SOURCE_DIR} ${CCACHE})
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()
