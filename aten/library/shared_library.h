// A shared library with operators of others inside, opened at run time.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "aten/core/macros.h"
#include "aten/library/c_interface.h"

namespace tnp {

// Closed when neither an operator of it nor a graph that holds one is left.
class TNP_API SharedLibrary {
 public:
  // Raises Runtime, naming the library: it cannot be opened, is no library of operators, or was built for another
  // version; Value: what it says of its operators makes no sense.
  static std::shared_ptr<SharedLibrary> open(const std::string& path);
  // Whether the file is in this process: of some, the loader lets go no more.
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
  void* symbol(const char* name) const;  // null if the library itself has none
  std::string path_, file_name_;
  void* handle_ = nullptr;
  std::span<const TorchNpOperator* const> operators_;
  std::span<const TorchNpPartitioner* const> partitioners_;
};

}  // namespace tnp
