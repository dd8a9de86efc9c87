// Pool of library handles (cuBLAS, cuSOLVER, ...). A handle serves one thread at a time and owns
// memory of its device. When a thread ends, its handles return to the pool. They are never
// destroyed, since the library may be unloaded by then.
#pragma once

#include <map>
#include <mutex>
#include <vector>

namespace tnp::gpu {

// Each library needs its own Handle type, because there is one pool per type.
template <class Handle>
class HandlePool {
 public:
  // Returns this thread's handle of the device: one from the pool, or else a new one from make().
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
    std::map<int, std::vector<Handle>> left;  // keyed by device index
  };
  static Shared& instance() {
    static auto* shared = new Shared;  // never destroyed: threads may end after every static object
    return *shared;
  }
  struct Lease {
    std::map<int, Handle> handles;  // keyed by device index
    ~Lease() {
      Shared& shared = instance();
      std::lock_guard lock(shared.mutex);
      for (auto& [device, handle] : handles) shared.left[device].push_back(handle);
    }
  };
};

}  // namespace tnp::gpu
