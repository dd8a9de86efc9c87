#include "aten/cuda/compiler/nvrtc.h"

#include <dlfcn.h>

#include <memory>
#include <string_view>
#include <vector>

#include "aten/cuda/compiler/header_texts.h"

namespace tnp::gpu {

namespace {

// Declarations of nvrtc.h, repeated so that the build does not need that header.
using Program = struct OpaqueProgram*;

struct Library {
  int (*create)(Program*, const char* source, const char* name, int headers, const char* const* texts,
                const char* const* names);
  int (*compile)(Program, int, const char* const* options);
  int (*log_size)(Program, size_t*);
  int (*log)(Program, char*);
  int (*cubin_size)(Program, size_t*);
  int (*cubin)(Program, char*);
  int (*ptx_size)(Program, size_t*);
  int (*ptx)(Program, char*);
  int (*destroy)(Program*);
};

template <class F>
bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

// Returns null if NVRTC is not installed.
const Library* open() {
  for (const char* file : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) continue;
    Library l;
    if (find(handle, "nvrtcCreateProgram", l.create) && find(handle, "nvrtcCompileProgram", l.compile) &&
        find(handle, "nvrtcGetProgramLogSize", l.log_size) && find(handle, "nvrtcGetProgramLog", l.log) &&
        find(handle, "nvrtcGetCUBINSize", l.cubin_size) && find(handle, "nvrtcGetCUBIN", l.cubin) &&
        find(handle, "nvrtcGetPTXSize", l.ptx_size) && find(handle, "nvrtcGetPTX", l.ptx) &&
        find(handle, "nvrtcDestroyProgram", l.destroy))
      return new Library(l);
  }
  return nullptr;
}

const Library* library() {
  static const Library* const opened = open();
  return opened;
}

constexpr const char* kStandardHeaders[] = {"algorithm", "bit",    "cmath",       "complex", "cstddef",
                                            "cstdint",   "limits", "type_traits", "string",  "utility"};

}  // namespace

bool has_nvrtc() { return library() != nullptr; }

Compiled compile_by_nvrtc(const std::string& source, const std::string& architecture) {
  const Library& nvrtc = *library();
  std::vector<const char*> names, texts;
  for (const HeaderText& header : header_texts()) {
    names.push_back(header.name);
    // Replaces error.h by an empty file, because only host code raises errors.
    texts.push_back(std::string_view(header.name) == "aten/core/errors/error.h" ? "#pragma once\n" : header.text);
  }
  for (const char* name : kStandardHeaders) {
    names.push_back(name);
    texts.push_back("#include \"aten/cuda/compiler/standard_library.h\"\n");
  }
  Program program = nullptr;
  if (nvrtc.create(&program, source.c_str(), "kernel.cu", static_cast<int>(names.size()), texts.data(), names.data()))
    return {};
  const std::string wanted = "--gpu-architecture=" + architecture;
  // Disabled warnings: 1097, unknown attributes of the host's compiler; 161, unknown pragmas.
  const char* const options[] = {"--std=c++20", "--fmad=false", "--device-as-default-execution-space",
                                 "--diag-suppress=1097,161", wanted.c_str()};
  Compiled result;
  const int status = nvrtc.compile(program, static_cast<int>(std::size(options)), options);
  size_t size = 0;
  if (nvrtc.log_size(program, &size) == 0 && size > 1) {
    result.log.resize(size);
    nvrtc.log(program, result.log.data());
  }
  if (status == 0) {
    const bool is_ptx = architecture.starts_with("compute_");
    if ((is_ptx ? nvrtc.ptx_size : nvrtc.cubin_size)(program, &size) == 0) {
      result.code.resize(size);
      if ((is_ptx ? nvrtc.ptx : nvrtc.cubin)(program, result.code.data()) != 0) result.code.clear();
    }
  }
  nvrtc.destroy(&program);
  return result;
}

}  // namespace tnp::gpu
