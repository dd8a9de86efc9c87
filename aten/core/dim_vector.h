// IntList: a view of integers (sizes, strides, axes). DimVector: an owner of a few, without heap up to 6.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>

#include "aten/core/macros.h"

namespace tnp {

inline constexpr int kMaxDims = 64;  // NumPy's NPY_MAXDIMS

class IntList : public std::span<const int64_t> {
 public:
  using std::span<const int64_t>::span;
  constexpr IntList(std::span<const int64_t> s) : std::span<const int64_t>(s) {}
  constexpr IntList(std::initializer_list<int64_t> l) : std::span<const int64_t>(l.begin(), l.size()) {}
  friend bool operator==(IntList a, IntList b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }
};

class DimVector {
 public:
  static constexpr size_t kInline = 6;

  DimVector() = default;
  explicit DimVector(size_t n, int64_t value = 0) { resize(n, value); }
  DimVector(std::initializer_list<int64_t> l) { assign(l.begin(), l.size()); }
  DimVector(IntList l) { assign(l.data(), l.size()); }
  DimVector(const DimVector& o) { assign(o.data(), o.size_); }
  DimVector(DimVector&& o) noexcept { steal(o); }
  DimVector& operator=(const DimVector& o) {
    if (this != &o) assign(o.data(), o.size_);
    return *this;
  }
  DimVector& operator=(DimVector&& o) noexcept {
    if (this != &o) {
      release();
      steal(o);
    }
    return *this;
  }
  ~DimVector() { delete[] heap_; }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* data() { return heap_ ? heap_ : inline_; }
  const int64_t* data() const { return heap_ ? heap_ : inline_; }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + size_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  int64_t& operator[](size_t i) { return data()[i]; }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t& back() { return data()[size_ - 1]; }
  int64_t back() const { return data()[size_ - 1]; }
  operator IntList() const { return IntList(data(), size_); }

  void reserve(size_t n) {
    if (n <= capacity_) return;
    auto* grown = new int64_t[n];
    std::memcpy(grown, data(), size_ * sizeof(int64_t));
    delete[] heap_;
    heap_ = grown;
    capacity_ = n;
  }
  void resize(size_t n, int64_t value = 0) {
    reserve(n);
    for (size_t i = size_; i < n; ++i) data()[i] = value;
    size_ = n;
  }
  void resize_uninitialized(size_t n) {
    reserve(n);
    size_ = n;
  }
  void push_back(int64_t v) {
    if (size_ == capacity_) reserve(capacity_ * 2);
    data()[size_++] = v;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void insert(size_t at, int64_t v) {
    push_back(v);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  void append(IntList l) {
    for (int64_t v : l) push_back(v);
  }
  void assign(const int64_t* from, size_t n) {
    if (n > capacity_) reserve(n);
    int64_t* to = data();
    if (n <= 4)
      for (size_t i = 0; i < n; ++i) to[i] = from[i];  // what nearly all arrays have
    else
      std::memmove(to, from, n * sizeof(int64_t));
    size_ = n;
  }
  friend bool operator==(const DimVector& a, const DimVector& b) { return IntList(a) == IntList(b); }

 private:
  void release() {
    delete[] heap_;
    heap_ = nullptr;
    size_ = 0;
    capacity_ = kInline;
  }
  void steal(DimVector& o) {
    size_ = o.size_;
    capacity_ = o.capacity_;
    heap_ = o.heap_;
    std::memcpy(inline_, o.inline_, sizeof inline_);
    o.heap_ = nullptr;
    o.size_ = 0;
    o.capacity_ = kInline;
  }
  size_t size_ = 0, capacity_ = kInline;
  int64_t* heap_ = nullptr;
  int64_t inline_[kInline];
};

// `int[]? dim=None` of a schema. A value type, so that a formula may keep it.
using OptIntList = std::optional<IntList>;

}  // namespace tnp
