// What steps have that run code of others: it may do anything besides, so that no graph of a device replaces it.
#pragma once

namespace tnp::compiler {

class ForeignCode {
 protected:
  virtual ~ForeignCode() = default;
};

}  // namespace tnp::compiler
