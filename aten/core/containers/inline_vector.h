// InlineVector: SmallVector for elements with constructors and destructors.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace tnp {

template <class T, size_t N>
class InlineVector {
 public:
  InlineVector() = default;
  InlineVector(const InlineVector&) = delete;
  InlineVector& operator=(const InlineVector&) = delete;
  ~InlineVector() {
    std::destroy_n(data_, size_);
    if (data_ != inline_elements()) std::allocator<T>().deallocate(data_, capacity_);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }

  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) grow();
    return *new (data_ + size_++) T(std::forward<Args>(args)...);
  }
  void push_back(T value) { emplace_back(std::move(value)); }
  void resize(size_t n) {
    while (size_ > n) std::destroy_at(data_ + --size_);
    while (size_ < n) emplace_back();
  }

 private:
  T* inline_elements() { return std::launder(reinterpret_cast<T*>(inline_)); }
  void grow() {
    T* grown = std::allocator<T>().allocate(2 * capacity_);
    std::uninitialized_move_n(data_, size_, grown);
    std::destroy_n(data_, size_);
    if (data_ != inline_elements()) std::allocator<T>().deallocate(data_, capacity_);
    data_ = grown;
    capacity_ *= 2;
  }

  alignas(T) unsigned char inline_[N * sizeof(T)];
  T* data_ = reinterpret_cast<T*>(inline_);
  size_t size_ = 0, capacity_ = N;
};

}  // namespace tnp
