// A library's partitioner as a backend of compiled functions: Note [Subgraphs] in
// aten/compiler/subgraph.h.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aten/compiler/subgraph.h"
#include "aten/library/context.h"
#include "aten/library/shared_library.h"

namespace tnp {

class TNP_API LibraryPartitioner final : public compiler::Backend,
                                         public std::enable_shared_from_this<LibraryPartitioner> {
 public:
  // `options`: names and values that the user passed to torch_np.compile for this backend.
  LibraryPartitioner(std::shared_ptr<SharedLibrary> library, const TorchNpPartitioner& table,
                     std::vector<std::pair<std::string, std::string>> options);

  const char* name() const override { return table_.name; }
  // Both functions raise the library's errors. Messages name the partitioner and the library.
  std::vector<bool> supported(const compiler::Subgraph& all) const override;
  std::unique_ptr<compiler::Executor> executor(const compiler::Subgraph& subgraph) const override;

  const TorchNpPartitioner& table() const { return table_; }
  const TorchNpPartitioner& librarys_table() const { return librarys_table_; }
  CallContext context() const { return CallContext(library_->file_name(), table_.name); }
  // Fills in `call`; its arguments are the options.
  void describe(TorchNpCall& call, CallContext& context) const;

 private:
  std::shared_ptr<SharedLibrary> library_;
  const TorchNpPartitioner& librarys_table_;
  TorchNpPartitioner table_{};  // a copy; fields that an older library does not have are 0
  std::vector<std::pair<std::string, std::string>> options_;
  std::vector<const char*> option_names_;
  std::vector<TorchNpValue> option_values_;
};

}  // namespace tnp
