// Storage: a block of bytes on a device, its owner, and the version counter that all views of it share.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

#include "aten/core/memory/allocator.h"
#include "aten/core/memory/free_list.h"
#include "aten/core/memory/intrusive_ptr.h"

namespace tnp {

class Storage;
// Note [Pending results] A storage may have no bytes yet: fusion (aten/fusion) has recorded the operator that gives
// them, and computes it when somebody asks where they are. It is one dense result from its first byte on, and no
// other tensor but the result itself is made of it before. And storages know that pending results will read them:
// whoever is going to change bytes says so first.
//
// Guards what is known of pending results; nothing is computed under it. Recursive, since what is known of them goes
// under it, too.
TNP_API std::recursive_mutex& pending_lock();
// Both do nothing if another thread was faster.
TNP_API void compute_pending(Storage& storage);          // its bytes
TNP_API void compute_pending_readers(Storage& storage);  // what will be computed from its bytes
// What keeps operands alive that nobody else holds, so that no more memory is held than if results had been computed at
// once: before large memory is taken.
void compute_pending_of_released();

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

  char* data() const {
    if (TNP_UNLIKELY(is_pending())) compute_pending(const_cast<Storage&>(*this));
    return static_cast<char*>(block_.data);
  }
  size_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  bool owns_memory() const { return memory_.load(std::memory_order_relaxed) != Memory::Foreign; }
  // What gives foreign memory back, of which a front end may know the owner; null where the memory is ours.
  const std::function<void()>* release_function() const {
    return owns_memory() ? nullptr : &static_cast<const Owner&>(*attachment_).release;
  }

  // Counts the in-place changes of the bytes; autograd compares it with what it was when a tensor was saved.
  uint32_t version() const { return version_; }
  void bump_version() { ++version_; }

  // Note [Pending results]
  bool is_pending() const { return memory_.load(std::memory_order_acquire) == Memory::Pending; }
  // These and the counts of loans are in one order for all threads: who records a reader sees the loan, or who borrows
  // sees the reader.
  bool has_pending_readers() const { return fusion_.load() & kHasReaders; }
  void set_pending_readers(bool has) {
    if (has)
      fusion_.fetch_or(kHasReaders);
    else
      fusion_.fetch_and(static_cast<uint8_t>(~kHasReaders));
  }
  // For fusion, which knows of what was pending by a pointer, under its lock: false if its last owner is letting go.
  bool try_retain() const noexcept;
  // To be called before the bytes change.
  void prepare_change() {
    if (TNP_UNLIKELY(is_pending())) compute_pending(*this);
    if (TNP_UNLIKELY(has_pending_readers())) compute_pending_readers(*this);
  }
  // The bytes of a pending result, which it owns from now on.
  void fulfil(Allocation block) {
    block_ = block;
    memory_.store(Memory::Allocated, std::memory_order_release);
  }

  // Others who can write to our memory without bump_version(): NumPy arrays, buffers, DLPack's capsules, addresses.
  // An address is never given back.
  void lend();
  void give_back() { returned_.fetch_add(1); }
  bool is_lent() const { return !owns_memory() || loans() != returned_.load(); }
  // How often it was lent so far. As long as this and version() stay, and it is not lent, the bytes stay.
  uint32_t loans() const { return loans_.load(); }

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
  friend intrusive_ptr<Storage> new_pending_storage(size_t bytes, std::unique_ptr<Attachment> maker);
  enum class Memory : uint8_t { Inline, Allocated, Foreign, None, Pending };

  Storage(Allocation block, size_t bytes, Device device, Memory memory)
      : block_(block), bytes_(bytes), device_(device), memory_(memory) {}
  void destroy() override;

  Allocation block_;
  size_t bytes_;
  std::unique_ptr<Attachment> attachment_;
  Device device_;
  std::atomic<Memory> memory_;
  static constexpr uint8_t kHasReaders = 1, kWasPending = 2;
  std::atomic<uint8_t> fusion_ = 0;
  uint32_t version_ = 0;
  std::atomic<uint32_t> loans_ = 0, returned_ = 0;
};

// Memory of the CPU without bytes yet; `maker` is its attachment until fulfil().
intrusive_ptr<Storage> new_pending_storage(size_t bytes, std::unique_ptr<Storage::Attachment> maker);

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
