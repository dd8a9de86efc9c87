// Storage: a block of bytes on a device, its owner, and the version counter that all views of it share.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "aten/core/allocator.h"
#include "aten/core/free_list.h"
#include "aten/core/intrusive_ptr.h"

namespace tnp {

class Storage;
// New, uninitialised memory. A few bytes on the CPU lie in the same block as the Storage itself.
TNP_API intrusive_ptr<Storage> new_storage(size_t bytes, Device device);

class TNP_API Storage final : public RefCounted {
 public:
  // What goes when the bytes go: of foreign memory, its owner; of ours, what an operator keeps beside them.
  struct Attachment {
    virtual ~Attachment() = default;
  };

  // Memory that somebody else owns; `release` is called once, when the last view is gone.
  Storage(void* data, size_t bytes, Device device, std::function<void()> release)
      : block_{data, 0},
        bytes_(bytes),
        attachment_(std::make_unique<Owner>(std::move(release))),
        device_(device),
        memory_(Memory::Foreign) {}
  ~Storage() override {
    if (memory_ == Memory::Allocated) allocator(device_).free(block_, device_);
  }

  char* data() const { return static_cast<char*>(block_.data); }
  size_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  bool owns_memory() const { return memory_ != Memory::Foreign; }
  // What gives foreign memory back, of which a front end may know the owner; null where the memory is ours.
  const std::function<void()>* release_function() const {
    return owns_memory() ? nullptr : &static_cast<const Owner&>(*attachment_).release;
  }

  // Counts the in-place changes of the bytes; autograd compares it with what it was when a tensor was saved.
  uint32_t version() const { return version_; }
  void bump_version() { ++version_; }

  // Others who can write to our memory without bump_version(): NumPy arrays, buffers, DLPack's capsules, addresses.
  // An address is never given back.
  void lend() { loans_.fetch_add(1, std::memory_order_relaxed); }
  void give_back() { returned_.fetch_add(1, std::memory_order_relaxed); }
  bool is_lent() const { return !owns_memory() || loans() != returned_.load(std::memory_order_relaxed); }
  // How often it was lent so far. As long as this and version() stay, and it is not lent, the bytes stay.
  uint32_t loans() const { return loans_.load(std::memory_order_relaxed); }

  // Of memory that we own. The caller sees to it that no two threads do this at once.
  Attachment* attachment() const { return attachment_.get(); }
  void attach(std::unique_ptr<Attachment> attachment) { attachment_ = std::move(attachment); }

 private:
  struct Owner final : Attachment {
    explicit Owner(std::function<void()> f) : release(std::move(f)) {}
    ~Owner() override {
      if (release) release();
    }
    std::function<void()> release;
  };

  friend intrusive_ptr<Storage> new_storage(size_t bytes, Device device);
  enum class Memory : uint8_t { Inline, Allocated, Foreign, None };

  Storage(Allocation block, size_t bytes, Device device, Memory memory)
      : block_(block), bytes_(bytes), device_(device), memory_(memory) {}
  void destroy() override;

  Allocation block_;
  size_t bytes_;
  std::unique_ptr<Attachment> attachment_;
  Device device_;
  Memory memory_;
  uint32_t version_ = 0;
  std::atomic<uint32_t> loans_ = 0, returned_ = 0;
};

// A loan that ends with this object.
class Loan {
 public:
  explicit Loan(intrusive_ptr<Storage> storage) : storage_(std::move(storage)) { storage_->lend(); }
  ~Loan() {
    if (storage_) storage_->give_back();
  }
  Loan(Loan&&) = default;
  Loan& operator=(Loan&&) = delete;

 private:
  intrusive_ptr<Storage> storage_;
};

}  // namespace tnp
