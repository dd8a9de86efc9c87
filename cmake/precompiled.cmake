# Precompiled headers: those of the standard library, and those of ours that most sources of a
# target include. They are parsed once a target instead of once a source (aten/autograd/node.cpp has
# 39 lines, and 98,000 after the preprocessor). Sources still include what they use:
# CMAKE_DISABLE_PRECOMPILE_HEADERS compiles without, as the preset `aarch64` does.
set(standard_headers <algorithm> <array> <atomic> <bit> <cmath> <cstdint> <cstdlib> <cstring> <functional> <limits> <map>
  <memory> <mutex> <numeric> <optional> <span> <string> <string_view> <tuple> <type_traits> <unordered_map> <utility>
  <variant> <vector>)

# `torch_np_precompile(target aten/core/tensor.h ...)`: the headers of every source of the target.
function(torch_np_precompile target)
  set(headers ${ARGN})
  list(TRANSFORM headers REPLACE "(.+)" "<\\1>")  # not by absolute paths, so that checkouts share ccache's results
  target_precompile_headers(${target} PRIVATE ${standard_headers} ${headers})
endfunction()
