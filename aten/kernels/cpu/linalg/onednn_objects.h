// RAII owners of oneDNN's objects.
#pragma once

#include "aten/core/errors/error.h"
#include "aten/core/threads/thread_object.h"
#include "aten/kernels/cpu/linalg/onednn_library.h"

namespace tnp::onednn {

template <class T>
class Owned {
 public:
  using Destroy = dnnl_status_t (*)(T);
  explicit Owned(Destroy destroy) : destroy_(destroy) {}
  ~Owned() {
    if (handle_) destroy_(handle_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  T* address() { return &handle_; }
  operator T() const { return handle_; }

 private:
  Destroy destroy_;
  T handle_ = nullptr;
};

// Each thread has its own stream, because two threads must not use a stream at once.
inline dnnl_stream_t stream_of_this_thread(const Library& lib) {
  struct Stream : Owned<dnnl_stream_t> {
    Stream() : Owned(library()->stream_destroy) {}
  };
  Stream& stream = ThreadObject<Stream>::get();
  if (!stream)
    TNP_INTERNAL_ASSERT(lib.stream_create(stream.address(), lib.cpu, dnnl_stream_default_flags) == dnnl_success);
  return stream;
}

}  // namespace tnp::onednn
