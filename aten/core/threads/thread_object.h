// Objects of which each thread has one of its own.
//
// Note [Thread-local memory] Variables of the model initial-exec (cmake/compiler.cmake) are as fast as others, but lie
// in memory that a process sets apart when it begins: glibc keeps some hundred bytes of it for all libraries that are
// loaded at run time, libstdc++ among them, and where they do not suffice the library cannot be loaded at all. So a
// thread-local variable is a number or a pointer; what is larger, or has a destructor, is an object behind one of
// these. test/python/test_thread_local_memory.py knows the limit. For the same reason there is no std::call_once: it
// would use variables of libstdc++'s in this way, which have no room any more if another library (PyTorch) has brought
// libstdc++ along.
#pragma once

#include "aten/core/macros.h"

namespace tnp {

// Calls it when this thread ends, those that came last first. False where there is no memory to remember it.
TNP_API bool at_thread_end(void (*call)()) noexcept;

// The thread's T, made when it asks for the first time. Each T is one object: name a type for it.
template <class T>
class ThreadObject {
 public:
  static T& get() {
    if (TNP_UNLIKELY(!object_)) make();
    return *object_;
  }
  // Null where none was asked for.
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
