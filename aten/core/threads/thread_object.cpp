#include "aten/core/threads/thread_object.h"

#include <new>
#include <utility>

namespace tnp {

namespace {

struct Call {
  void (*call)();
  Call* before;
};

struct Calls {
  Call* last = nullptr;
  ~Calls() {
    while (last) {  // a callback may register further callbacks
      Call* const call = std::exchange(last, last->before);
      call->call();
      delete call;
    }
  }
};

thread_local constinit Calls calls;

}  // namespace

bool at_thread_end(void (*call)()) noexcept {
  auto* const made = new (std::nothrow) Call{call, calls.last};
  if (!made) return false;
  calls.last = made;
  return true;
}

}  // namespace tnp
