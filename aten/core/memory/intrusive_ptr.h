// A reference count that lies in the object itself: one word per handle, one allocation per object.
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
    // The only reference is the caller's, and nobody else can make another: no need to count down.
    if (count_.load(std::memory_order_acquire) == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const_cast<RefCounted*>(this)->destroy();
    }
  }
  // The first reference, before any other thread can know of the object: a plain store.
  void retain_first() const noexcept { count_.store(1, std::memory_order_relaxed); }
  // Who finds itself the only owner may write what others read until they let go.
  uint32_t use_count() const noexcept { return count_.load(std::memory_order_acquire); }

 protected:
  virtual void destroy() { delete this; }
  mutable std::atomic<uint32_t> count_{0};
};

// An object that others may know by a borrowed pointer, and want to take a reference of while its last owner lets go.
class WeaklyKnown : public RefCounted {
 public:
  void release() const noexcept {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) const_cast<WeaklyKnown*>(this)->destroy();
  }
  // Takes a reference unless the object is being destroyed already.
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
  static intrusive_ptr adopt(T* p) {  // takes over a reference that `p` counts already
    intrusive_ptr owner;
    owner.p_ = p;
    return owner;
  }
  T* detach() { return std::exchange(p_, nullptr); }  // gives the reference away
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
