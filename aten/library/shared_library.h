// A shared library with third-party operators, opened at run time.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "aten/core/macros.h"
#include "aten/library/c_interface.h"

namespace tnp {

// The library is closed when all its operators, and all graphs with such an operator, have been
// destroyed.
class TNP_API SharedLibrary {
 public:
  // Raises Runtime, naming the library, if it cannot be opened, is not an operator library, or was
  // built for another version. Raises Value if its description of the operators is inconsistent.
  static std::shared_ptr<SharedLibrary> open(const std::string& path);
  // Whether the file is loaded in this process. This may be true after the destructor ran, since
  // the loader never unloads some libraries.
  static bool is_open(const std::string& path);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  const std::string& path() const { return path_; }
  const std::string& file_name() const { return file_name_; }  // "libgemm.so", for messages
  std::span<const TorchNpOperator* const> operators() const { return operators_; }
  std::span<const TorchNpPartitioner* const> partitioners() const { return partitioners_; }

 private:
  explicit SharedLibrary(const std::string& path);
  void check_version() const;
  void read_operators();
  void read_partitioners(const TorchNpLibrary& table);
  void* symbol(const char* name) const;  // null unless the library itself defines it
  std::string path_, file_name_;
  void* handle_ = nullptr;
  std::span<const TorchNpOperator* const> operators_;
  std::span<const TorchNpPartitioner* const> partitioners_;
};

}  // namespace tnp
