// Per-thread objects that are allocated on first use.
//
// Note [Thread-local memory] Thread-local variables of the initial-exec model
// (cmake/compiler.cmake) are as fast as ordinary ones, but occupy static TLS that the process
// reserves at start. glibc reserves a few hundred bytes of it for all libraries loaded at run time,
// libstdc++ among them. If they do not suffice, the library cannot be loaded at all. So every
// thread-local variable here is a number or a pointer; anything larger, or with a destructor, is a
// ThreadObject. test/python/memory_and_threads/test_thread_local_memory.py checks the limit. For
// the same reason std::call_once is not used: it needs initial-exec variables of libstdc++, and
// there is no room for them if another library (PyTorch) has loaded libstdc++.
#pragma once

#include "aten/core/macros.h"

namespace tnp {

// Registers a callback for this thread's exit, called in reverse order of registration. False if
// out of memory.
TNP_API bool at_thread_end(void (*call)()) noexcept;

// The thread's T, created on first use. There is one object per type T, so each use needs a type of
// its own.
template <class T>
class ThreadObject {
 public:
  static T& get() {
    if (TNP_UNLIKELY(!object_)) make();
    return *object_;
  }
  // The thread's T, or null if this thread has not created it.
  static T* get_if_made() { return object_; }

 private:
  TNP_COLD static void make() {
    auto* const made = new T;
    object_ = made;
    static_cast<void>(at_thread_end([] {
      delete object_;
      object_ = nullptr;
    }));
  }
  static inline thread_local constinit T* object_ = nullptr;
};

}  // namespace tnp
