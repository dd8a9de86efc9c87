#include "aten/library/shared_library.h"

#include <dlfcn.h>

#include <cstddef>

#include "aten/core/error.h"
#include "aten/library/context.h"

namespace tnp {

std::shared_ptr<SharedLibrary> SharedLibrary::open(const std::string& path) {
  std::shared_ptr<SharedLibrary> library(new SharedLibrary(path));
  library->check_version();
  library->read_operators();
  return library;
}

SharedLibrary::SharedLibrary(const std::string& path)
    : path_(path), file_name_(path.substr(path.rfind('/') + 1)), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_) return;
  const char* reason = dlerror();
  TNP_RAISE(ErrorKind::Runtime, "the library ", path, " cannot be opened: ", reason ? reason : "for no known reason");
}

SharedLibrary::~SharedLibrary() {
  if (handle_) dlclose(handle_);
}

void* SharedLibrary::symbol(const char* name) const {
  void* found = dlsym(handle_, name);  // of the library, or of one that it is linked against
  Dl_info info;
  void* anchor = nullptr;
  if (!found || !dladdr(found, &info)) return nullptr;
  void* owner = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (owner) dlclose(owner), anchor = owner;
  return anchor == handle_ ? found : nullptr;
}

void SharedLibrary::check_version() const {
  const auto* version = static_cast<const int32_t*>(symbol("torch_np_extension_version"));
  TNP_CHECK(version && symbol("torch_np_extension_library"), ErrorKind::Runtime, path_,
            " is no library of operators: it was not built with torch_np/extension.h");
  TNP_CHECK(version[0] == TORCH_NP_EXTENSION_MAJOR, ErrorKind::Runtime, path_, " was built for version ", version[0],
            ".", version[1], " of torch_np/extension.h, this is version ", TORCH_NP_EXTENSION_MAJOR, ".",
            TORCH_NP_EXTENSION_MINOR, ": build it again");
}

void SharedLibrary::read_operators() {
  // dlsym gives an object pointer for a function, which POSIX allows to convert.
  const auto entry = reinterpret_cast<TorchNpEntry>(symbol("torch_np_extension_library"));
  CallContext context(file_name_, "the library");
  const TorchNpLibrary* table = entry(&library_host(), &context);
  context.check(table ? 0 : 1, "loading");
  constexpr size_t kLibraryOfVersion1 = sizeof(TorchNpLibrary), kOperatorOfVersion1 = sizeof(TorchNpOperator);
  TNP_CHECK(
      table->size >= kLibraryOfVersion1 && table->num_operators >= 0 && (table->num_operators == 0 || table->operators),
      ErrorKind::Value, path_, ": its table of operators is damaged");
  operators_ = {table->operators, static_cast<size_t>(table->num_operators)};
  for (size_t i = 0; i < operators_.size(); ++i) {
    const TorchNpOperator* op = operators_[i];
    TNP_CHECK(op && op->size >= kOperatorOfVersion1 && op->name && op->name[0], ErrorKind::Value, path_,
              ": operator number ", static_cast<int64_t>(i), " of its table has no name, or too small a description");
    TNP_CHECK(op->forward_cpu || op->forward_gpu, ErrorKind::Value, "operator ", op->name, " of ", path_,
              " has no function: neither for the CPU nor for the GPU");
    TNP_CHECK(!op->create_state || op->delete_state, ErrorKind::Value, "operator ", op->name, " of ", path_,
              " makes a state that nothing deletes");
  }
}

}  // namespace tnp
