// The order of the elements of a coalesced sparse tensor on the CPU, and sums of elements with one key.
//
// Keys are distributed into buckets by their highest bits, which is stable, and each bucket again, in
// the cache, into parts of a few elements. Keys of sparse tensors are spread over their range, so the
// buckets are alike; the worst case costs one comparison sort.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/sparse.h"
#include "aten/kernels/sparse.h"

namespace tnp::native {

namespace {

template <class P>
struct Element {
  int64_t key;
  P payload;  // the element's place, or its value
};

constexpr int64_t kGrain = 1 << 14;
constexpr int64_t kFew = 32;

struct Survey {
  bool is_sorted = true;
  int64_t largest = 0;
};

Survey survey(const Tensor& keys) {
  const auto* key = keys.data_ptr<int64_t>();
  Survey found;
  int64_t before = 0, smallest = 0;
  for (int64_t i = 0; i < keys.numel(); ++i) {
    found.is_sorted &= key[i] >= before;
    before = key[i];
    smallest = std::min(smallest, key[i]);
    found.largest = std::max(found.largest, key[i]);
  }
  TNP_CHECK(smallest >= 0, ErrorKind::Runtime, "{keys} must not be negative");
  return found;
}

Tensor dense_keys(const Tensor& keys) {
  TNP_CHECK(keys.dim() == 1 && keys.dtype() == ScalarType::Int64, ErrorKind::Runtime, "{keys} of ", keys.dtype(),
            " and shape ", keys.sizes(), " must be int64 and 1-d");
  return to_dense(keys, ScalarType::Int64);
}

template <class P>
void sort_few(Element<P>* elements, int64_t n) {
  if (n > kFew)
    return std::stable_sort(elements, elements + n, [](const auto& a, const auto& b) { return a.key < b.key; });
  for (int64_t i = 1; i < n; ++i) {
    const Element<P> moved = elements[i];
    int64_t to = i;
    for (; to > 0 && elements[to - 1].key > moved.key; --to) elements[to] = elements[to - 1];
    elements[to] = moved;
  }
}

// Sorts a bucket, whose keys differ in their lowest `bits` bits only: distributes it again into parts
// of a few elements.
template <class P>
void sort_bucket(Element<P>* elements, int64_t n, int bits, std::vector<Element<P>>& scratch) {
  if (n <= kFew || bits == 0) return sort_few(elements, n);
  const int used = std::min(bits, std::clamp(60 - std::countl_zero(static_cast<uint64_t>(n)), 1, 12));
  const int64_t mask = (int64_t{1} << used) - 1;
  const int shift = bits - used;
  std::array<int64_t, 4097> ends;
  std::fill_n(ends.begin(), mask + 2, 0);
  for (int64_t i = 0; i < n; ++i) ++ends[static_cast<size_t>((elements[i].key >> shift) & mask) + 1];
  for (int64_t b = 0; b < mask; ++b) ends[static_cast<size_t>(b) + 1] += ends[static_cast<size_t>(b)];
  if (static_cast<int64_t>(scratch.size()) < n) scratch.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i)
    scratch[static_cast<size_t>(ends[static_cast<size_t>((elements[i].key >> shift) & mask)]++)] = elements[i];
  int64_t begin = 0;
  for (int64_t b = 0; b <= mask; ++b) {
    const int64_t end = ends[static_cast<size_t>(b)];
    sort_few(scratch.data() + begin, end - begin);
    begin = end;
  }
  std::copy(scratch.begin(), scratch.begin() + n, elements);
}

// Elements in the order of their keys, in buckets that runs of equal keys do not cross.
template <class P>
class Sorted {
 public:
  // `payload(i)` is that of element i.
  template <class F>
  Sorted(const Tensor& keys, F&& payload) : n_(keys.numel()) {
    const auto* key = keys.data_ptr<int64_t>();
    const Survey found = survey(keys);
    // Buckets of about 4,096 elements, which fit in the L2 cache.
    const int key_bits = 64 - std::countl_zero(static_cast<uint64_t>(found.largest));
    const int bits = std::clamp(64 - std::countl_zero(static_cast<uint64_t>(n_ / 4096)), 0, std::min(key_bits, 13));
    constexpr int64_t kWords = sizeof(Element<P>) / 8;
    memory_ = empty_tensor(IntList{kWords * n_}, ScalarType::Int64);  // the engine's allocator reuses large blocks
    elements_ = reinterpret_cast<Element<P>*>(memory_.data());
    distribute(key, key_bits - bits, bits, payload);
    if (found.is_sorted) return;
    for_buckets([&, scratch = std::vector<Element<P>>()](size_t, int64_t first, int64_t last) mutable {
      sort_bucket(elements_ + first, last - first, key_bits - bits, scratch);
    });
  }

  // Calls body(run, first, last) for each run of equal keys, whose number is `run`, after start(number of
  // runs), and each bucket in parallel.
  template <class S, class F>
  void for_runs(S&& start, F&& body) const {
    std::vector<int64_t> runs(starts_.size());  // of each bucket, then of all before it
    for_buckets([&](size_t bucket, int64_t first, int64_t last) {
      int64_t count = first < last;
      for (int64_t i = first + 1; i < last; ++i) count += elements_[i].key != elements_[i - 1].key;
      runs[bucket] = count;
    });
    int64_t sum = 0;
    for (int64_t& count : runs) sum += std::exchange(count, sum);
    start(sum);
    for_buckets([&](size_t bucket, int64_t first, int64_t last) {
      int64_t run = runs[bucket];
      while (first < last) {
        int64_t end = first + 1;
        while (end < last && elements_[end].key == elements_[first].key) ++end;
        body(run++, first, end);
        first = end;
      }
    });
  }
  const Element<P>& operator[](int64_t i) const { return elements_[i]; }

 private:
  // Distributes the keys into 2^bits buckets by key >> shift.
  template <class F>
  void distribute(const int64_t* keys, int shift, int bits, F&& payload) {
    const int64_t buckets = int64_t{1} << bits;
    const int64_t parts = std::clamp<int64_t>(n_ / kGrain, 1, get_num_threads());
    // next[part * buckets + b]: the place of the next key of the part in bucket b
    std::vector<int64_t> next(static_cast<size_t>(parts * buckets));
    starts_.resize(static_cast<size_t>(buckets) + 1);
    const auto for_parts = [&](auto&& body) {
      parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part)
          body(next.data() + part * buckets, n_ * part / parts, n_ * (part + 1) / parts);
      });
    };
    for_parts([&](int64_t* count, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++count[keys[i] >> shift];
    });
    int64_t sum = 0;
    for (int64_t b = 0; b < buckets; ++b) {
      starts_[static_cast<size_t>(b)] = sum;
      for (int64_t part = 0; part < parts; ++part)
        sum += std::exchange(next[static_cast<size_t>(part * buckets + b)], sum);
    }
    starts_[static_cast<size_t>(buckets)] = n_;
    for_parts([&](int64_t* place, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) elements_[place[keys[i] >> shift]++] = {keys[i], payload(i)};
    });
  }

  template <class F>
  void for_buckets(F&& body) const {
    const auto count = static_cast<int64_t>(starts_.size()) - 1;
    const int64_t grain = std::max<int64_t>(kGrain * count / std::max<int64_t>(n_, 1), 1);
    parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
      auto own = body;  // with memory of its own
      for (int64_t b = begin; b < end; ++b)
        own(static_cast<size_t>(b), starts_[static_cast<size_t>(b)], starts_[static_cast<size_t>(b) + 1]);
    });
  }

  int64_t n_;
  Tensor memory_;
  Element<P>* elements_ = nullptr;
  std::vector<int64_t> starts_;  // of each bucket, and n
};

}  // namespace

std::tuple<Tensor, Tensor> coalesced_order_cpu(const Tensor& keys) {
  const Tensor dense = dense_keys(keys);
  const Sorted<int64_t> sorted(dense, [](int64_t i) { return i; });
  Tensor order = empty_tensor(dense.sizes(), ScalarType::Int64), starts;
  auto* const to = order.data_ptr<int64_t>();
  int64_t* start = nullptr;
  sorted.for_runs(
      [&](int64_t runs) {
        starts = empty_tensor(IntList{runs}, ScalarType::Int64);
        start = starts.data_ptr<int64_t>();
      },
      [&](int64_t run, int64_t first, int64_t last) {
        start[run] = first;
        for (int64_t i = first; i < last; ++i) to[i] = sorted[i].payload;
      });
  return {order, starts};
}

std::tuple<Tensor, Tensor> coalesced_sums_cpu(const Tensor& keys, const Tensor& values) {
  const Tensor dense = dense_keys(keys);
  const ScalarType given = values.dtype();
  TNP_CHECK(values.sizes() == keys.sizes(), ErrorKind::Runtime, "{values} of shape ", values.sizes(),
            " must have the shape of {keys}, ", keys.sizes());
  TNP_CHECK(given != ScalarType::Bool, ErrorKind::NotImplemented, "not implemented for ", given);
  const ScalarType computed = sparse_compute_type(given);
  const Tensor elements = to_dense(values, computed);
  Tensor distinct, sums;
  visit<SparseComputeTypes>(computed, [&]<class T>() {
    const T* const value = elements.data_ptr<T>();
    const Sorted<T> sorted(dense, [&](int64_t i) { return value[i]; });
    int64_t* key = nullptr;
    T* sum = nullptr;
    sorted.for_runs(
        [&](int64_t runs) {
          distinct = empty_tensor(IntList{runs}, ScalarType::Int64);
          sums = empty_tensor(IntList{runs}, computed);
          key = distinct.data_ptr<int64_t>();
          sum = sums.data_ptr<T>();
        },
        [&](int64_t run, int64_t first, int64_t last) {
          key[run] = sorted[first].key;
          T total = sorted[first].payload;
          for (int64_t i = first + 1; i < last; ++i) total += sorted[i].payload;
          sum[run] = total;
        });
  });
  return {distinct, to_dense(sums, given)};
}

}  // namespace tnp::native
