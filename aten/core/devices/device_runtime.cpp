// Locates and opens the CUDA library: see Note [Other devices].
#include "aten/core/devices/device_runtime.h"

#include "aten/core/devices/device_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace tnp {

namespace {

std::atomic<DeviceRuntime*> registered{nullptr};
constexpr const char* kRegister = "torch_np_register_cuda";
// Set once, by `import torch_np`. Never destroyed, like the runtime that is loaded from this
// folder.
std::string& folder_of_another_package() {
  static std::string* folder = new std::string;
  return *folder;
}

// The folder that contains this shared library.
std::string own_folder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&register_device_runtime), &info) || !info.dli_fname) return ".";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

// Returns the reason why CUDA is unavailable, or an empty string if it is available.
std::string load() {
  // An emulated device in host memory, for tests on machines without a GPU: docs/cuda.md.
  const char* emulated = std::getenv("TORCH_NP_CUDA_EMULATED");
  const bool emulate = emulated && *emulated && std::string_view(emulated) != "0";
  if (!emulate && !dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL))
    return "the machine has no NVIDIA driver (libcuda.so.1)";
  std::string path = own_folder() + (emulate ? "/libtorch_np_cuda_emulated.so" : "/libtorch_np_cuda.so");
  if (!emulate && access(path.c_str(), F_OK) != 0) {
    if (folder_of_another_package().empty())
      return "torch_np has no CUDA library (" + path +
             "), and the package that brings one, torch-np-cuda, is not installed";
    path = folder_of_another_package() + "/libtorch_np_cuda.so";
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* error = dlerror();
    return std::string("this build of torch_np has no CUDA library that can be loaded: ") +
           (error ? error : path.c_str());
  }
  auto entry = reinterpret_cast<void (*)()>(dlsym(library, kRegister));
  if (!entry) return path + " is no CUDA library of torch_np";
  try {
    entry();
  } catch (const Error& error) {
    return error.message();
  }
  return registered.load() ? "" : "the driver finds no GPU";
}

// Tries to load the library once. Avoids std::call_once: Note [Thread-local memory]. The string is
// never destroyed, as arrays may outlive every static object.
const std::string& why_not() {
  static const std::string* reason = new std::string(load());
  return *reason;
}

}  // namespace

void set_device_library_folder(std::string folder) { folder_of_another_package() = std::move(folder); }

void register_device_runtime(DeviceRuntime* runtime) { registered.store(runtime); }

DeviceRuntime* loaded_device_runtime() { return registered.load(std::memory_order_acquire); }

DeviceRuntime* device_runtime() {
  if (DeviceRuntime* runtime = loaded_device_runtime()) return runtime;
  why_not();
  return loaded_device_runtime();
}

DeviceRuntime& runtime_of(Device device) {
  if (TNP_UNLIKELY(device.is_sparse() || device.is_wrapped())) raise_no_kernel(device);
  DeviceRuntime* runtime = device_runtime();
  TNP_CHECK(runtime != nullptr, ErrorKind::Runtime, "CUDA is not available: ", why_not());
  TNP_CHECK(device.index < runtime->device_count(), ErrorKind::Runtime, "there is no device ", device,
            ": the number of GPUs is ", runtime->device_count());
  return *runtime;
}

void raise_no_kernel(Device device, const char* op) {
  TNP_CHECK(!device.is_sparse(), ErrorKind::NotImplemented, op ? op : "this operation", op ? "()" : "",
            " is not implemented for sparse tensors; to_dense() makes a dense one");
  TNP_CHECK(!device.is_wrapped(), ErrorKind::Runtime, op ? op : "this operation", op ? "()" : "",
            " needs the elements of a tensor that belongs to a transformation (vmap, forward-mode derivatives, a "
            "subclass with __torch_dispatch__), which has none of its own; or the transformation has ended");
  TNP_RAISE(ErrorKind::NotImplemented, op ? op : "", op ? "() is " : "", "not implemented for arrays on ", device,
            " yet. Copy them to the CPU first: _cpu(), in torch_np cpu()");
}

void raise_no_data(const char* op) {
  TNP_CHECK(!op, ErrorKind::NotImplemented, op,
            "() needs the values of its tensors, and a tensor on the device 'meta' has none");
  TNP_RAISE(ErrorKind::NotImplemented, "this operation reads values, and a tensor on the device 'meta' has none");
}

void raise_devices_differ(Device here, Device there) {
  if (here.is_sparse() || there.is_sparse()) raise_no_kernel(Device{DeviceType::Sparse});
  if (here.is_wrapped() || there.is_wrapped()) raise_no_kernel(Device{DeviceType::Wrapped});
  TNP_RAISE(ErrorKind::Runtime, "expected all arrays to be on the same device, but found ", here, " and ", there);
}

}  // namespace tnp
