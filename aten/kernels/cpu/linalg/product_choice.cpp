#include "aten/kernels/product_choice.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "aten/core/containers/function_ref.h"
#include "aten/core/threads/kept_threads.h"
#include "aten/core/threads/parallel.h"
#include "aten/core/threads/spin.h"
#include "aten/kernel_functions/products.h"
#include "aten/kernels/blas.h"
#include "aten/kernels/cpu/linalg/matmul_operands.h"
#include "aten/kernels/cpu/linalg/same_products.h"

namespace tnp::native {

namespace {

constexpr int64_t kLeastWork = 1 << 13, kMostWork = 1 << 24;  // minimum and maximum number of multiplications
constexpr int64_t kStep = 16;   // lines of a part are multiples of the kernels' block size
constexpr double kGain = 0.95;  // maximum ratio of the new time to the old one

bool is_readable(const Tensor& t) { return readable(t.size(0), t.size(1), t.stride(0), t.stride(1)); }

// Reads and writes all elements, as the producers and consumers of operands would. Afterwards they
// are in this thread's cache, not in the caches of threads that shared the product.
void touch(const Tensor& dense) {
  const auto all = [&]<class T>(T* x) {
    for (int64_t i = 0; i < dense.numel(); ++i) x[i] = -x[i];
  };
  dense.dtype() == ScalarType::Float32 ? all(dense.data_ptr<float>()) : all(dense.data_ptr<double>());
}

void wait_for_threads() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::microseconds(200);
  while (KeptThreads::waiting() < std::min(get_num_threads() - 1, KeptThreads::kMost) && Clock::now() < end) spin();
}

// The minimum of several rounds, in seconds.
template <class F>
double time_of(F&& body) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 7;
  constexpr double kRound = 60e-6;
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  double least = std::numeric_limits<double>::max();
  for (int round = 0; round < kRounds; ++round) {
    const KeptThreads threads;  // as in replays of compiled functions
    wait_for_threads();
    int calls = 0;
    const Clock::time_point begin = Clock::now();
    double spent;
    do {
      body();
      ++calls;
      spent = seconds(Clock::now() - begin);
    } while (spent < kRound);
    least = std::min(least, spent / calls);
  }
  return least;
}

}  // namespace

ProductChoice::ProductChoice(const Tensor& input, const Tensor& other, const blas::Library& library, bool by_rows,
                             int64_t lines)
    : dtype_(input.dtype()),
      library_(&library),
      m_(input.size(0)),
      n_(other.size(1)),
      k_(input.size(1)),
      by_rows_(by_rows),
      lines_(lines) {
  const auto describe = [](const Tensor& t) {
    Matrix m{t.stride(0), t.stride(1), 0, false};
    m.is_transposed =
        transposed(native::Matrix<char>{nullptr, t.size(0), t.size(1), m.row_stride, m.col_stride}, m.leading);
    return m;
  };
  a_ = describe(input);
  b_ = describe(other);
}

template <class T>
void ProductChoice::run_as(const T* a, const T* b, T* c) const {
  const int64_t all = by_rows_ ? m_ : n_;
  const auto part = [&](int64_t first, int64_t last) {
    const blas::OneThread one(*library_, true);
    for (int64_t begin = first * lines_; begin < std::min(last * lines_, all); begin += lines_) {
      const int64_t count = std::min(lines_, all - begin);
      if (by_rows_)
        blas::gemm(*library_, a_.is_transposed, b_.is_transposed, count, n_, k_, a + begin * a_.row_stride, a_.leading,
                   b, b_.leading, c + begin * n_, n_);
      else
        blas::gemm(*library_, a_.is_transposed, b_.is_transposed, m_, count, k_, a, a_.leading,
                   b + begin * b_.col_stride, b_.leading, c + begin, n_);
    }
  };
  const int64_t parts = (all + lines_ - 1) / lines_;
  parts == 1 ? part(0, 1) : parallel_for(0, parts, 1, part);
}

void ProductChoice::run(const char* input, const char* other, char* out) const {
  if (dtype_ == ScalarType::Float32)
    run_as(reinterpret_cast<const float*>(input), reinterpret_cast<const float*>(other), reinterpret_cast<float*>(out));
  else
    run_as(reinterpret_cast<const double*>(input), reinterpret_cast<const double*>(other),
           reinterpret_cast<double*>(out));
}

std::optional<ProductChoice> ProductChoice::fastest(const Tensor& input, const Tensor& other) {
  const bool is_real = input.dtype() == ScalarType::Float32 || input.dtype() == ScalarType::Float64;
  if (!is_real || input.dim() != 2 || other.dim() != 2 || !is_readable(input) || !is_readable(other)) return {};
  const int64_t m = input.size(0), n = other.size(1), work = m * n * input.size(1);
  if (m < 2 || n < 2 || work < kLeastWork || work > kMostWork) return {};

  std::vector<ProductChoice> choices;
  for (const blas::Library* library : {blas::openblas(), blas::mkl()}) {
    if (!library) continue;
    choices.push_back({input, other, *library, true, m});
    for (int parts = 2; parts <= get_num_threads(); parts *= 2) {
      for (const bool by_rows : {true, false}) {
        const int64_t all = by_rows ? m : n, lines = ((all + parts - 1) / parts + kStep - 1) / kStep * kStep;
        if (lines < all) choices.push_back({input, other, *library, by_rows, lines});
      }
    }
  }
  std::erase_if(choices, [&](const ProductChoice& choice) {
    return !has_same_bits(input, other, [&](const Tensor& a, const Tensor& b, const Tensor& out) {
      choice.run(a.data(), b.data(), out.data());
    });
  });
  const Tensor a = random_operand(input, 1), b = random_operand(other, 2);
  const Tensor got = empty_tensor({m, n}, input.dtype());
  const auto time_among_others = [&](function_ref<void()> multiply) {
    return time_of([&] {
      multiply();
      for (const Tensor& t : {a, b, got}) touch(t);
    });
  };
  double least = kGain * time_among_others([&] { matmul_cpu(a, b, got); });
  std::optional<ProductChoice> best;
  for (const ProductChoice& choice : choices) {
    const double time = time_among_others([&] { choice.run(a.data(), b.data(), got.data()); });
    if (time < least) least = time, best = choice;
  }
  return best;
}

}  // namespace tnp::native
