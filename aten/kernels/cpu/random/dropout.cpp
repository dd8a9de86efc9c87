// Dropout with PyTorch's stream of random numbers.
#include <cmath>

#include "aten/iterator/copy.h"
#include "aten/kernel_functions/dropout.h"
#include "aten/kernels/dropout.h"
#include "aten/random/drawing.h"
#include "aten/random/torch_stream.h"

namespace tnp::native {

namespace {

// Draws the mask and scales the elements. `x`, `out` and `kept` are contiguous. Draws two 32-bit
// words per element and uses 53 of their bits.
template <class T, bool shifted>
void drop(random::TorchStream& stream, const T* x, T* out, bool* kept, int64_t n, double keep,
          const DropoutRule& rule) {
  using Compute = std::conditional_t<sizeof(T) == 2, float, T>;
  constexpr int64_t kBlock = 512;
  uint32_t words[2 * kBlock];
  // An element is kept if u < keep, where u = k / 2^53 and k is the drawn 53-bit integer. This is
  // equivalent to k < limit.
  const auto limit = static_cast<uint64_t>(std::ceil(std::ldexp(keep, 53)));
  auto rounded = [](double v) { return static_cast<Compute>(static_cast<T>(static_cast<Compute>(v))); };
  const Compute scale = rounded(rule.scale), kept_shift = rounded(rule.kept_shift),
                dropped_shift = rounded(rule.dropped_shift);
  for (int64_t first = 0; first < n; first += kBlock) {
    const int64_t m = std::min(kBlock, n - first);
    stream.fill_words(words, 2 * m);
    for (int64_t i = 0; i < m; ++i) {
      const uint64_t k = (static_cast<uint64_t>(words[2 * i]) << 32 | words[2 * i + 1]) & ((uint64_t{1} << 53) - 1);
      kept[first + i] = k < limit;
    }
    for (int64_t i = first; i < first + m; ++i) {
      const Compute v = static_cast<Compute>(x[i]) * (kept[i] ? scale : Compute(0));
      out[i] = static_cast<T>(shifted ? v + (kept[i] ? kept_shift : dropped_shift) : v);
    }
  }
}

}  // namespace

void dropped_cpu(const Tensor& input, double keep, bool alpha, Generator* generator, const Tensor& out,
                 const Tensor& kept) {
  Tensor x = input;
  if (x.strides() != out.strides() || x.is_unaligned()) {
    x = empty_strided_tensor(input.sizes(), out.strides(), input.dtype(), input.device());
    copy_into(x, input);
  }
  const DropoutRule rule = dropout_rule(input.dtype(), keep, alpha);
  Drawing drawing(generator, input.numel(), input.device(), true);
  random::TorchStream stream(drawing.generator());
  visit<FloatingTypes>(input.dtype(), [&]<class T>() {
    const auto f = alpha ? &drop<T, true> : &drop<T, false>;
    f(stream, x.data_ptr<T>(), out.data_ptr<T>(), kept.data_ptr<bool>(), input.numel(), keep, rule);
  });
}

}  // namespace tnp::native
