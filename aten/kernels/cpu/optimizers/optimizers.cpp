// One step of an optimiser on the CPU: a loop over pieces of all parameters, which threads share.
#include <algorithm>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/optimizers.h"
#include "aten/kernels/cpu/optimizers/optimizer_loops.h"

namespace tnp::native {

namespace {

const OptimizerLoop& loop_of(std::string_view rule, ScalarType dtype) {
  using namespace optimizer_loops;
  static constexpr LoopVariants<OptimizerLoop> variants = TNP_LOOP_VARIANTS(loops);
  for (const OptimizerLoop& loop : variants.choose())
    if (loop.dtype == dtype && rule == loop.rule) return loop;
  TNP_INTERNAL_ASSERT(false);
}

constexpr int64_t kPiece = 1 << 13;  // elements; the pieces of all arrays fit in the L2 cache
constexpr int kMostArrays = 5;

}  // namespace

void update_parameters_cpu(const Tensor& self, TensorList tensors, std::string_view rule,
                           std::span<const double> numbers) {
  const OptimizerLoop& loop = loop_of(rule, self.dtype());
  const auto arrays = static_cast<size_t>(loop.states + 2), each = static_cast<size_t>(loop.numbers);
  TNP_INTERNAL_ASSERT(arrays <= kMostArrays);
  const size_t count = tensors.size() / arrays;
  struct Piece {
    size_t parameter;
    int64_t first, n;
  };
  std::vector<Piece> pieces;
  pieces.reserve(count);
  int64_t total = 0;
  for (size_t k = 0; k < count; ++k) {
    const int64_t n = tensors[k * arrays].numel();
    total += n;
    for (int64_t first = 0; first < n; first += kPiece) pieces.push_back({k, first, std::min(kPiece, n - first)});
  }
  if (pieces.empty()) return;
  const int64_t item = self.itemsize(), all = static_cast<int64_t>(pieces.size());
  const int64_t grain = std::max<int64_t>(1, all * kParallelWork / std::max<int64_t>(total, 1));
  parallel_for(0, all, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Piece& piece = pieces[static_cast<size_t>(i)];
      char* data[kMostArrays];
      for (size_t a = 0; a < arrays; ++a) data[a] = tensors[piece.parameter * arrays + a].data() + piece.first * item;
      loop.run(numbers.data() + piece.parameter * each, data, piece.n);
    }
  });
}

}  // namespace tnp::native
