// Handles of NVIDIA's libraries. A handle serves one thread at a time, and owns memory of its device: when a thread
// ends, its handles go to the next thread that needs some. None is ever destroyed, since the library may be gone by
// then.
#pragma once

#include <map>
#include <mutex>
#include <vector>

namespace tnp::gpu {

// Handle: default-constructed where there is none yet. One type of Handle for each library.
template <class Handle>
class HandlePool {
 public:
  // This thread's handle of the device; make() -> Handle makes one if no other thread has left any.
  template <class Make>
  static Handle& of(int device, Make&& make) {
    thread_local Lease lease;
    auto found = lease.handles.find(device);
    if (found != lease.handles.end()) return found->second;
    Shared& shared = instance();
    {
      std::lock_guard lock(shared.mutex);
      auto& left = shared.left[device];
      if (!left.empty()) {
        found = lease.handles.emplace(device, left.back()).first;
        left.pop_back();
        return found->second;
      }
    }
    return lease.handles.emplace(device, make()).first->second;
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::map<int, std::vector<Handle>> left;  // by device
  };
  static Shared& instance() {
    static auto* shared = new Shared;  // never destroyed: threads may end after every static object
    return *shared;
  }
  struct Lease {
    std::map<int, Handle> handles;  // by device
    ~Lease() {
      Shared& shared = instance();
      std::lock_guard lock(shared.mutex);
      for (auto& [device, handle] : handles) shared.left[device].push_back(handle);
    }
  };
};

}  // namespace tnp::gpu
