// Storage: a block of bytes on a device, its owner, and the version counter that all views of it
// share.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "aten/core/memory/allocator.h"
#include "aten/core/memory/free_list.h"
#include "aten/core/memory/intrusive_ptr.h"

namespace tnp {

class Storage;
// Note [Pending results] A storage may be unallocated: fusion (aten/fusion) has deferred the
// operator that computes it, and runs that operator when the storage's address is requested. A
// pending result is dense and starts at offset 0. While it is pending, no other tensor uses its
// storage. Storages also know whether pending results will read them. Code that changes a storage's
// bytes calls prepare_change() first.
// pending_lock.h has the lock of the expressions.
//
// The first two functions do nothing if another thread has already computed the results.
TNP_API void compute_pending(Storage& storage);          // computes the storage's own bytes
TNP_API void compute_pending_readers(Storage& storage);  // computes the pending results that read the storage
// Called before a large allocation. Computes the pending results that are the only owners of some
// operand, which releases that operand. Peak memory is then no higher than without fusion.
void compute_pending_of_released();

// New, uninitialised memory. Small CPU storages share one block with the Storage object.
TNP_API intrusive_ptr<Storage> new_storage(size_t bytes, Device device);

class TNP_API Storage final : public RefCounted {
 public:
  // Base of the objects that storages own. A storage owns at most one, and its state tells of which
  // class: foreign memory has an Owner, a pending result its expression (aten/fusion), and the
  // engine's own memory a cache of kernels (KeptWeight).
  struct Attachment {
    virtual ~Attachment() = default;
  };

  // Foreign memory. `release` is called once, when the last view is released.
  template <class Release>
  Storage(void* data, size_t bytes, Device device, Release release)
      : block_{data, 0},
        bytes_(bytes),
        attachment_(std::make_unique<Owner<Release>>(std::move(release))),
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
  // The callback that releases foreign memory, from which a front end may identify the owner. Null
  // if the callback has another type than Release, or if the storage owns its memory.
  template <class Release>
  const Release* release_function() const {
    auto* owner = owns_memory() ? nullptr : attachment<Owner<Release>>();
    return owner ? &owner->release : nullptr;
  }

  // The number of in-place changes.
  uint32_t version() const { return version_; }
  void bump_version() { ++version_; }
  // How many of them were made through `x.data`. Autograd ignores these: Tensor::version().
  uint32_t data_changes() const { return data_changes_; }
  void count_data_change() { ++data_changes_; }

  // Whether the storage was allocated in autograd.inference_mode: no graph may need its values.
  bool is_inference() const { return fusion_.load(std::memory_order_relaxed) & kInference; }

  // See Note [Pending results].
  bool is_pending() const { return memory_.load(std::memory_order_acquire) == Memory::Pending; }
  // The reader flag and the loan counts use sequentially consistent order. Either the thread that
  // records a reader sees the loan, or the thread that borrows sees the reader.
  bool has_pending_readers() const { return fusion_.load() & kHasReaders; }
  void set_pending_readers(bool has) {
    if (has)
      fusion_.fetch_or(kHasReaders);
    else
      fusion_.fetch_and(static_cast<uint8_t>(~kHasReaders));
  }
  // For fusion, which refers to pending storages by raw pointer under its lock. Returns false if
  // the last owner is already releasing the storage.
  bool try_retain() const noexcept;
  // Must be called before the bytes change.
  void prepare_change() {
    if (TNP_UNLIKELY(is_pending())) compute_pending(*this);
    if (TNP_UNLIKELY(has_pending_readers())) compute_pending_readers(*this);
  }
  // Gives a pending result its memory. The storage owns `block` from then on.
  void fulfil(Allocation block) {
    block_ = block;
    memory_.store(Memory::Allocated, std::memory_order_release);
  }

  // A loan: foreign code can write to our memory without bump_version(), such as NumPy arrays,
  // buffers, DLPack capsules or a raw address. An exported address is a loan that never ends.
  void lend();
  void give_back() { returned_.fetch_add(1); }
  bool is_lent() const { return !owns_memory() || loans() != returned_.load(); }
  // The number of loans so far. While loans() and version() are unchanged and is_lent() is false,
  // the bytes are unchanged.
  uint32_t loans() const { return loans_.load(); }

  // The attachment, or null if there is none of class T. The caller must serialise accesses.
  template <class T>
  T* attachment() const {
    return dynamic_cast<T*>(attachment_.get());
  }
  // Requires that nothing is attached.
  void attach(std::unique_ptr<Attachment> attachment);
  std::unique_ptr<Attachment> detach() { return std::move(attachment_); }

 private:
  template <class Release>
  struct Owner final : Attachment {
    explicit Owner(Release f) : release(std::move(f)) {}
    ~Owner() override { release(); }
    Release release;
  };

  friend intrusive_ptr<Storage> new_storage(size_t bytes, Device device);
  friend intrusive_ptr<Storage> new_pending_storage(size_t bytes, std::unique_ptr<Attachment> attachment);
  enum class Memory : uint8_t { Inline, Allocated, Foreign, None, Pending };

  Storage(Allocation block, size_t bytes, Device device, Memory memory)
      : block_(block), bytes_(bytes), device_(device), memory_(memory) {}
  void destroy() override;

  uint32_t data_changes_ = 0;  // first: fits behind the reference count
  Allocation block_;
  size_t bytes_;
  std::unique_ptr<Attachment> attachment_;
  Device device_;
  std::atomic<Memory> memory_;
  static constexpr uint8_t kHasReaders = 1, kWasPending = 2, kInference = 4;
  std::atomic<uint8_t> fusion_ = 0;
  uint32_t version_ = 0;
  std::atomic<uint32_t> loans_ = 0, returned_ = 0;
};

// A pending CPU storage of `bytes` bytes, not yet allocated. `attachment` belongs to it until
// fusion detaches it, just before fulfil().
intrusive_ptr<Storage> new_pending_storage(size_t bytes, std::unique_ptr<Storage::Attachment> attachment);

// RAII: lends a storage during its own lifetime.
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
