// Gradient of an embedding table on a GPU, without atomics, so that every run gives the same
// result. The indices' positions (places) are sorted by row and cut into pieces, which are summed
// in parallel. If the places of a row extend over several pieces, a second launch adds their sums.
#include <bit>

#include "aten/iterator/copy.h"
#include "aten/kernel_functions/embedding.h"
#include "aten/kernels/cuda/copying/cast.h"
#include "aten/kernels/cuda/divider.h"
#include "aten/kernels/cuda/for_each.h"
#include "aten/kernels/cuda/operands.h"
#include "aten/kernels/cuda/sorting/radix_sort.h"

namespace tnp {

namespace gpu {
namespace {

// Makes the sort keys. Indices of padding and indices out of bounds get no gradient; their key is
// `rows`, so they come last.
template <class Key>
struct MakeKeys {
  const int64_t* indices;
  Key *keys, *places;
  int64_t rows, padding;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t row = indices[i];
    keys[i] = static_cast<Key>(row >= 0 && row < rows && row != padding ? row : rows);
    places[i] = static_cast<Key>(i);
  }
};

template <class S, class Key>
struct SortedPlaces {
  using A = accumulate_t<S>;
  static constexpr int64_t kPiece = 32;  // number of places that a thread sums
  const Key *keys, *places;
  int64_t count, rows;
  Division columns;  // division by the number of columns
  const S* grad;
  S* out;
  // (pieces, 2, columns): the sum of the row continued from the previous piece, and of the row
  // continued in the next one
  A* parts;
  bool by_frequency;

  TNP_HOST_DEVICE int64_t pieces() const { return (count + kPiece - 1) / kPiece; }
  // The first place whose key is at least `key`.
  TNP_HOST_DEVICE int64_t lower_bound(Key key) const {
    int64_t low = 0, high = count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (keys[middle] < key)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  TNP_HOST_DEVICE int64_t end_of(Key row) const { return lower_bound(row + Key(1)); }
  TNP_HOST_DEVICE void put(Key row, int64_t column, A sum) const {
    if (by_frequency) sum = sum / A(end_of(row) - lower_bound(row));
    out[static_cast<int64_t>(row) * columns.divisor + column] = S(sum);
  }
};

template <class S, class Key>
struct SumPieces : SortedPlaces<S, Key> {
  using Base = SortedPlaces<S, Key>;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t n = this->columns.divisor, piece = this->columns.quotient(i), column = i - piece * n;
    const int64_t begin = piece * Base::kPiece;
    const int64_t end = begin + Base::kPiece < this->count ? begin + Base::kPiece : this->count;
    for (int64_t k = begin; k < end;) {
      const Key row = this->keys[k];
      if (static_cast<int64_t>(row) == this->rows) return;
      const bool starts = k > begin || begin == 0 || this->keys[begin - 1] != row;
      typename Base::A sum(0);
      for (; k < end && this->keys[k] == row; ++k)
        sum += static_cast<typename Base::A>(this->grad[static_cast<int64_t>(this->places[k]) * n + column]);
      const bool ends = k < end || end == this->count || this->keys[end] != row;
      if (starts && ends)
        this->put(row, column, sum);
      else
        this->parts[(piece * 2 + (starts ? 1 : 0)) * n + column] = sum;
    }
  }
};

// Adds the sums of rows whose places extend over several pieces. One thread per first piece of such
// a row, and column.
template <class S, class Key>
struct JoinPieces : SortedPlaces<S, Key> {
  using Base = SortedPlaces<S, Key>;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t n = this->columns.divisor, piece = this->columns.quotient(i), column = i - piece * n;
    const int64_t begin = piece * Base::kPiece, end = begin + Base::kPiece;
    if (end >= this->count) return;
    const Key row = this->keys[end - 1];
    if (static_cast<int64_t>(row) == this->rows || this->keys[end] != row) return;
    if (begin > 0 && this->keys[begin - 1] == row) return;
    typename Base::A sum = this->parts[(piece * 2 + 1) * n + column];
    const int64_t last = (this->end_of(row) - 1) / Base::kPiece;
    for (int64_t p = piece + 1; p <= last; ++p) sum += this->parts[p * 2 * n + column];
    this->put(row, column, sum);
  }
};

}  // namespace
}  // namespace gpu

void native::embedding_gradient_cuda(const Tensor& grad, const Tensor& indices, IntList sizes, int64_t padding_idx,
                                     bool scale_grad_by_freq, const Tensor& out) {
  using namespace gpu;
  if (out.numel() == 0) return;
  fill_with(out, Scalar(0));
  const int64_t rows = sizes[0], count = indices.numel(), n = out.numel() / rows;
  if (count == 0) return;
  const Device device = out.device();
  auto run = [&]<class Key>(Key) {
    Tensor keys = empty_tensor({count}, scalar_type_of<Key>, device),
           places = empty_tensor({count}, scalar_type_of<Key>, device);
    for_each(count,
             MakeKeys<Key>{pointer<int64_t>(indices), pointer<Key>(keys), pointer<Key>(places), rows, padding_idx},
             device);
    radix_sort(keys, places, 1, static_cast<int>(std::bit_width(static_cast<uint64_t>(rows))));
    visit<FloatingTypes>(out.dtype(), [&]<class S>() {
      using A = accumulate_t<S>;
      SortedPlaces<S, Key> sorted{pointer<Key>(keys), pointer<Key>(places), count,           rows,
                                  Division(n),        pointer<S>(grad),     pointer<S>(out), nullptr,
                                  scale_grad_by_freq};
      const Tensor parts = empty_tensor({sorted.pieces(), 2, n}, scalar_type_of<A>, device);
      sorted.parts = pointer<A>(parts);
      for_each(sorted.pieces() * n, SumPieces<S, Key>{sorted}, device);
      if (sorted.pieces() > 1) for_each(sorted.pieces() * n, JoinPieces<S, Key>{sorted}, device);
    });
  };
  // The key type must also hold the row numbers `rows` and `rows` + 1.
  if (std::max(rows, count) < (int64_t{1} << 32) - 2)
    run(uint32_t());
  else
    run(uint64_t());
}

}  // namespace tnp
