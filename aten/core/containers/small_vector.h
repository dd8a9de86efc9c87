// SmallVector: a vector of trivially copyable elements, with up to N elements inline.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace tnp {

template <class T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>);

 public:
  static constexpr size_t kInline = N;

  SmallVector() = default;
  SmallVector(const SmallVector& o) { assign(o.data(), o.size_); }
  SmallVector(SmallVector&& o) noexcept { steal(o); }
  SmallVector& operator=(const SmallVector& o) {
    if (this != &o) assign(o.data(), o.size_);
    return *this;
  }
  SmallVector& operator=(SmallVector&& o) noexcept {
    if (this != &o) {
      delete[] heap_;
      steal(o);
    }
    return *this;
  }
  ~SmallVector() { delete[] heap_; }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_ ? heap_ : inline_; }
  const T* data() const { return heap_ ? heap_ : inline_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void reserve(size_t n) {
    if (n <= capacity_) return;
    auto* grown = new T[n];
    std::memcpy(grown, data(), size_ * sizeof(T));
    delete[] heap_;
    heap_ = grown;
    capacity_ = n;
  }
  void resize(size_t n, T value = T()) {
    reserve(n);
    for (size_t i = size_; i < n; ++i) data()[i] = value;
    size_ = n;
  }
  void resize_uninitialized(size_t n) {
    reserve(n);
    size_ = n;
  }
  void push_back(T v) {
    if (size_ == capacity_) reserve(capacity_ * 2);
    data()[size_++] = v;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void insert(size_t at, T v) {
    push_back(v);
    std::memmove(data() + at + 1, data() + at, (size_ - 1 - at) * sizeof(T));
    data()[at] = v;
  }
  void erase(size_t at) {
    --size_;
    std::memmove(data() + at, data() + at + 1, (size_ - at) * sizeof(T));
  }
  void assign(const T* from, size_t n) {
    if (n > capacity_) reserve(n);
    T* to = data();
    if (n <= 4)
      for (size_t i = 0; i < n; ++i) to[i] = from[i];  // avoids a call in the common case
    else
      std::memmove(to, from, n * sizeof(T));
    size_ = n;
  }

 private:
  void steal(SmallVector& o) {
    size_ = o.size_;
    capacity_ = o.capacity_;
    heap_ = o.heap_;
    std::memcpy(inline_, o.inline_, sizeof inline_);
    o.heap_ = nullptr;
    o.size_ = 0;
    o.capacity_ = N;
  }
  size_t size_ = 0, capacity_ = N;
  T* heap_ = nullptr;
  T inline_[N];
};

}  // namespace tnp
