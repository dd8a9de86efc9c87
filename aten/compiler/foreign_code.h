// What steps have that run code of others: it may do anything besides, so that no graph of a device replaces it,
// and keep what it is handed, so that the memory of that is not used again.
#pragma once

namespace tnp::compiler {

class ForeignCode {
 protected:
  virtual ~ForeignCode() = default;
};

}  // namespace tnp::compiler
