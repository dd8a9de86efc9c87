// Intrusive reference counting: the count is in the object, so a handle is one word and an object
// one allocation.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace tnp {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  virtual ~RefCounted() = default;
  void retain() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    // If the count is 1, it is the caller's own reference, and no other thread can create a second
    // one. The decrement is then unnecessary.
    if (count_.load(std::memory_order_acquire) == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const_cast<RefCounted*>(this)->destroy();
    }
  }
  // Sets the first reference by a plain store, before the object is visible to other threads.
  void retain_first() const noexcept { count_.store(1, std::memory_order_relaxed); }
  // A count of 1 means sole ownership: the owner may then write memory that other threads have read
  // before.
  uint32_t use_count() const noexcept { return count_.load(std::memory_order_acquire); }

 protected:
  virtual void destroy() { delete this; }
  mutable std::atomic<uint32_t> count_{0};
};

// An object that other threads may reach through a borrowed pointer and retain while the last owner
// releases it.
class WeaklyKnown : public RefCounted {
 public:
  void release() const noexcept {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) const_cast<WeaklyKnown*>(this)->destroy();
  }
  // Adds a reference unless the object is already being destroyed.
  bool try_retain() const noexcept {
    uint32_t n = count_.load(std::memory_order_relaxed);
    while (n != 0 && !count_.compare_exchange_weak(n, n + 1, std::memory_order_acq_rel)) {
    }
    return n != 0;
  }
};

template <class T>
class intrusive_ptr {
 public:
  intrusive_ptr() = default;
  intrusive_ptr(std::nullptr_t) {}
  explicit intrusive_ptr(T* p) : p_(p) {
    if (p_) p_->retain();
  }
  intrusive_ptr(const intrusive_ptr& o) : p_(o.p_) {
    if (p_) p_->retain();
  }
  intrusive_ptr(intrusive_ptr&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  template <class U>
  intrusive_ptr(intrusive_ptr<U> o) : p_(o.detach()) {}
  ~intrusive_ptr() {
    if (p_) p_->release();
  }
  intrusive_ptr& operator=(intrusive_ptr o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  void reset() { intrusive_ptr().swap(*this); }
  void swap(intrusive_ptr& o) noexcept { std::swap(p_, o.p_); }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  static intrusive_ptr adopt(T* p) {  // takes ownership of a reference already counted in `p`
    intrusive_ptr owner;
    owner.p_ = p;
    return owner;
  }
  T* detach() { return std::exchange(p_, nullptr); }  // transfers the reference to the caller
  friend bool operator==(const intrusive_ptr& a, const intrusive_ptr& b) { return a.p_ == b.p_; }

 private:
  T* p_ = nullptr;
};

template <class T, class... Args>
intrusive_ptr<T> make_intrusive(Args&&... args) {
  T* made = new T(std::forward<Args>(args)...);
  made->retain_first();
  return intrusive_ptr<T>::adopt(made);
}

}  // namespace tnp
