// Last uses: whether a reduction is the last reader of its input, so that a pending input need not
// be written to memory.
//
// A reduction takes itself for the last reader of an argument that the caller holds as a temporary,
// as in `(x * x).sum()`. A wrong guess only costs time: the value is computed again if it is read
// after all. Operators that are composed of others know more, and say so by the classes below.
#pragma once

#include <atomic>

#include "aten/core/tensor.h"

namespace tnp::fusion {

// Whether a reduction that reads `t` now is its last reader.
bool is_last_use(const Tensor& t);

// Callback of the front end: whether the Python object of a tensor, which is the tensor's only
// owner, will be destroyed when the current call ends. If the callback is null, no tensor is treated
// as temporary.
TNP_API extern std::atomic<bool (*)(const TensorImpl&)> is_temporary;

// Scope guard of an operator that reads an argument again after reducing it. While it exists, no
// reduction takes itself for the argument's last reader. Operators without it are found by
// test/python/fusion/test_last_uses.py, since they compute pending arguments twice.
class UsedAgain {
 public:
  explicit UsedAgain(const Tensor& t) : second_owner_(t) {}
  UsedAgain(const UsedAgain&) = delete;
  UsedAgain& operator=(const UsedAgain&) = delete;

 private:
  const Tensor second_owner_;  // a tensor with two owners is no temporary
};

// Scope guard of an operator whose reductions are the last readers of their inputs. While it
// exists, reductions of this thread do not count the owners of their inputs.
class LastUse {
 public:
  TNP_API LastUse();
  TNP_API ~LastUse();
  LastUse(const LastUse&) = delete;
  LastUse& operator=(const LastUse&) = delete;

 private:
  bool before_;
};

}  // namespace tnp::fusion
