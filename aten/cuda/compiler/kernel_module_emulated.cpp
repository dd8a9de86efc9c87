// Fused kernels on the emulated device: the host's compiler compiles the same sources to loops.
// Used by tests, which name the compiler.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "aten/cuda/compiler/header_texts.h"
#include "aten/cuda/compiler/kernel_module.h"
#include "aten/cuda/emulation.h"

namespace tnp::gpu {

namespace {

namespace fs = std::filesystem;

const char* compiler() { return std::getenv("TORCH_NP_CUDA_EMULATED_COMPILER"); }

using Function = void (*)(const void* operands, uint32_t numel, uint32_t blocks, bool backwards);

class Module final : public KernelModule {
 public:
  explicit Module(Function function) : function_(function) {}
  void launch(std::span<const KernelOperand> operands, uint32_t numel, uint32_t blocks, StreamHandle) override {
    if (emulation::is_capturing()) {
      emulation::add_to_graph([this, kept = std::vector(operands.begin(), operands.end()), numel, blocks] {
        launch(kept, numel, blocks, 0);
      });
      return;
    }
    const emulation::Access access;
    function_(operands.data(), numel, blocks, emulation::backwards());
  }

 private:
  Function function_;
};

void write(const fs::path& path, const char* text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

bool run(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& part : command) arguments.push_back(part.data());
  arguments.push_back(nullptr);
  const pid_t child = vfork();
  if (child == 0) {
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool has_compiler() { return compiler() && *compiler(); }

std::unique_ptr<KernelModule> load_kernel(const std::string& source) {
  std::string folder = (fs::temp_directory_path() / "torch_np_kernel_XXXXXX").string();
  if (!mkdtemp(folder.data())) return nullptr;
  const fs::path place = folder;
  for (const HeaderText& header : header_texts()) write(place / header.name, header.text);
  write(place / "kernel.cpp", source.c_str());
  const std::string library = (place / "kernel.so").string();
  const bool is_done = run({compiler(), "-std=c++20", "-O1", "-ffp-contract=off", "-fPIC", "-shared", "-w",
                            "-I" + folder, (place / "kernel.cpp").string(), "-o", library});
  void* handle = is_done ? dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  std::error_code ignored;
  fs::remove_all(place, ignored);
  auto function = handle ? reinterpret_cast<Function>(dlsym(handle, "tnp_fused_kernel")) : nullptr;
  return function ? std::make_unique<Module>(function) : nullptr;
}

}  // namespace tnp::gpu
