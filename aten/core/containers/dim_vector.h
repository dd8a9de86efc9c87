// IntList: a non-owning view of integers (sizes, strides, axes). DimVector: an owning vector, with
// up to 6 elements inline.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "aten/core/containers/small_vector.h"

namespace tnp {

inline constexpr int kMaxDims = 64;  // NumPy's NPY_MAXDIMS

class IntList : public std::span<const int64_t> {
 public:
  using std::span<const int64_t>::span;
  constexpr IntList(std::span<const int64_t> s) : std::span<const int64_t>(s) {}
  constexpr IntList(std::initializer_list<int64_t> l) : std::span<const int64_t>(l.begin(), l.size()) {}
  friend bool operator==(IntList a, IntList b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
};

class DimVector : public SmallVector<int64_t, 6> {
 public:
  DimVector() = default;
  explicit DimVector(size_t n, int64_t value = 0) { resize(n, value); }
  DimVector(std::initializer_list<int64_t> l) { assign(l.begin(), l.size()); }
  DimVector(IntList l) { assign(l.data(), l.size()); }

  operator IntList() const { return IntList(data(), size()); }
  void append(IntList l) {
    for (int64_t v : l) push_back(v);
  }
  friend bool operator==(const DimVector& a, const DimVector& b) { return IntList(a) == IntList(b); }
};

// `int[]? dim=None` of a schema. An autograd formula may store this value type.
using OptIntList = std::optional<IntList>;

}  // namespace tnp
