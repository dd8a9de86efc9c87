#include "aten/library/shared_library.h"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <fstream>

#include "aten/core/errors/error.h"
#include "aten/core/threads/parallel.h"
#include "aten/library/context.h"

namespace tnp {

std::shared_ptr<SharedLibrary> SharedLibrary::open(const std::string& path) {
  std::shared_ptr<SharedLibrary> library(new SharedLibrary(path));
  library->check_version();
  library->read_operators();
  return library;
}

// Whether the file contains all segments that the loader maps. The check is necessary because the
// loader would crash on a truncated file. Returns true if the file is not a library for this
// machine, because the loader then reports the reason.
static bool is_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<uint64_t>(file.tellg());
  ElfW(Ehdr) header;
  const auto read = [&](void* to, uint64_t at, size_t bytes) {
    return at <= size && bytes <= size - at && file.seekg(static_cast<std::streamoff>(at)) &&
           file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
  };
  if (!file || !read(&header, 0, sizeof(header)) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof(ElfW(Phdr)))
    return true;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) part;
    if (!read(&part, header.e_phoff + i * sizeof(part), sizeof(part))) return false;
    if (part.p_type == PT_LOAD && (part.p_offset > size || part.p_filesz > size - part.p_offset)) return false;
  }
  return true;
}

SharedLibrary::SharedLibrary(const std::string& path) : path_(path), file_name_(path.substr(path.rfind('/') + 1)) {
  TNP_CHECK(is_whole(path), ErrorKind::Runtime, "the library ", path, " cannot be opened: the file is truncated");
  {
    LongWork constructors;  // other threads may run while dlopen constructs the library's static objects
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (handle_) return;
  const char* reason = dlerror();
  TNP_RAISE(ErrorKind::Runtime, "the library ", path, " cannot be opened: ", reason ? reason : "for no known reason");
}

bool SharedLibrary::is_open(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle) dlclose(handle);
  return handle != nullptr;
}

SharedLibrary::~SharedLibrary() {
  if (handle_) dlclose(handle_);
}

void* SharedLibrary::symbol(const char* name) const {
  // the symbol may belong to the library, or to a library that it is linked against
  void* found = dlsym(handle_, name);
  Dl_info info;
  if (!found || !dladdr(found, &info)) return nullptr;
  void* owner = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (owner) dlclose(owner);  // handle_ keeps it open
  return owner == handle_ ? found : nullptr;
}

void SharedLibrary::check_version() const {
  const auto* version = static_cast<const int32_t*>(symbol("torch_np_extension_version"));
  TNP_CHECK(version && symbol("torch_np_extension_library"), ErrorKind::Runtime, path_,
            " is not a library of operators: it was not built with torch_np/extension.h");
  TNP_CHECK(version[0] == TORCH_NP_EXTENSION_MAJOR, ErrorKind::Runtime, path_, " was built for version ", version[0],
            ".", version[1], " of torch_np/extension.h, this is version ", TORCH_NP_EXTENSION_MAJOR, ".",
            TORCH_NP_EXTENSION_MINOR, ": build it again");
}

void SharedLibrary::read_operators() {
  // dlsym returns an object pointer for a function; POSIX allows the conversion.
  const auto entry = reinterpret_cast<TorchNpEntry>(symbol("torch_np_extension_library"));
  CallContext context(file_name_, "");
  const TorchNpLibrary* table = nullptr;
  context.check(context.shielded([&] {
    table = entry(&library_host(), &context);
    return table ? 0 : 1;
  }),
                "loading");
  constexpr int64_t kMostOperators = 65536;
  // Struct sizes of version 1.0. Older libraries lack fields that were added later.
  constexpr size_t kLibraryOfVersion1 = 24, kOperatorOfVersion1 = 136;
  static_assert(sizeof(TorchNpLibrary) >= kLibraryOfVersion1 && sizeof(TorchNpOperator) >= kOperatorOfVersion1);
  TNP_CHECK(table->size >= kLibraryOfVersion1 && table->num_operators >= 0 && table->num_operators <= kMostOperators &&
                (table->num_operators == 0 || table->operators),
            ErrorKind::Value, path_, ": its table of operators is damaged");
  operators_ = {table->operators, static_cast<size_t>(table->num_operators)};
  for (size_t i = 0; i < operators_.size(); ++i) {
    const TorchNpOperator* op = operators_[i];
    TNP_CHECK(op && op->size > offsetof(TorchNpOperator, name) && op->name && op->name[0], ErrorKind::Value, path_,
              ": operator number ", static_cast<int64_t>(i), " of its table has no name");
    TNP_CHECK(op->size >= kOperatorOfVersion1, ErrorKind::Value, "operator ", op->name, " of ", path_,
              " is described in ", op->size, " bytes, expected ", static_cast<uint64_t>(kOperatorOfVersion1));
    TNP_CHECK(op->forward_cpu || op->forward_gpu, ErrorKind::Value, "operator ", op->name, " of ", path_,
              " has no function: neither for the CPU nor for the GPU");
    TNP_CHECK(!op->create_state || op->delete_state, ErrorKind::Value, "operator ", op->name, " of ", path_,
              " creates a state but has no function to delete it");
    TNP_CHECK(!op->schema || !op->mutate_inputs, ErrorKind::Value, "operator ", op->name, " of ", path_,
              " has both a schema, which states the changed arguments, and mutate_inputs, which would be ignored");
  }
  read_partitioners(*table);
}

void SharedLibrary::read_partitioners(const TorchNpLibrary& table) {
  // Struct sizes of version 1.1.
  constexpr size_t kLibraryWithPartitioners = 40, kPartitionerOfVersion1 = 88;
  static_assert(sizeof(TorchNpLibrary) >= kLibraryWithPartitioners &&
                sizeof(TorchNpPartitioner) >= kPartitionerOfVersion1);
  if (table.size < kLibraryWithPartitioners) return;
  constexpr int64_t kMost = 65536;
  TNP_CHECK(table.num_partitioners >= 0 && table.num_partitioners <= kMost &&
                (table.num_partitioners == 0 || table.partitioners),
            ErrorKind::Value, path_, ": its table of partitioners is damaged");
  partitioners_ = {table.partitioners, static_cast<size_t>(table.num_partitioners)};
  for (size_t i = 0; i < partitioners_.size(); ++i) {
    const TorchNpPartitioner* p = partitioners_[i];
    TNP_CHECK(p && p->size > offsetof(TorchNpPartitioner, name) && p->name && p->name[0], ErrorKind::Value, path_,
              ": partitioner number ", static_cast<int64_t>(i), " of its table has no name");
    TNP_CHECK(p->size >= kPartitionerOfVersion1, ErrorKind::Value, "partitioner ", p->name, " of ", path_,
              " is described in ", p->size, " bytes, expected ", static_cast<uint64_t>(kPartitionerOfVersion1));
    TNP_CHECK(p->create_executor && p->delete_executor && p->forward, ErrorKind::Value, "partitioner ", p->name, " of ",
              path_, " has no executor: create_executor, delete_executor and forward are needed");
    const bool is_list = p->num_supported_ops > 0 && p->num_supported_ops <= kMost && p->supported_ops;
    bool has_names = is_list;
    for (int64_t k = 0; has_names && k < p->num_supported_ops; ++k) has_names = p->supported_ops[k] != nullptr;
    TNP_CHECK(has_names, ErrorKind::Value, "partitioner ", p->name, " of ", path_,
              " names no operators that it supports");
  }
}

}  // namespace tnp
