// Mark of steps that run code from outside the library. Such code may have side effects, so no
// device graph replaces the step. It may also keep its arguments, so their memory is not reused.
#pragma once

namespace tnp::compiler {

class ForeignCode {
 protected:
  virtual ~ForeignCode() = default;
};

}  // namespace tnp::compiler
