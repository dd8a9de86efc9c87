#include "aten/kernels/cuda/linalg/linalg.h"

#include <algorithm>

#include "aten/iterator/copy.h"
#include "aten/kernels/cuda/for_each.h"

namespace tnp::gpu {

namespace {

template <class T>
struct KeepTriangle {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  T* matrices;
  int64_t rows, cols, total;
  bool upper;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, total, [this](int64_t i) {
      const int64_t c = i % cols, r = i / cols % rows;
      if (upper ? c < r : c > r) matrices[i] = T(0);
    });
  }
};

// Searches real numbers (complex numbers are pairs of them) for infinities and NaNs. All threads
// that write store the same value.
template <class T>
struct FindNotFinite {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const T* x;
  int64_t count;
  int32_t* found;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [this](int64_t i) {
      if (!(x[i] - x[i] == T(0))) *found = 1;
    });
  }
};

// Sets found[count] if there is a NaN, and found[matrix] for each matrix with an infinity.
template <class T>
struct FindInfinite {
  const T* x;
  int64_t size, count;  // size: number of real numbers per matrix; count: number of matrices
  int32_t* found;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    if (x[i] != x[i])
      found[count] = 1;
    else if (!(x[i] - x[i] == T(0)))
      found[i / size] = 1;
  }
};

template <class T>
struct FillChosen {
  T* x;
  const int32_t* chosen;
  int64_t size;
  T value;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    if (chosen[i / size]) x[i] = value;
  }
};

// Sets info to the first NaN on a factor's diagonal, if it is still 0. One thread per diagonal
// element. Only a thread at the beginning of a run of NaNs checks the elements before it, and only
// one of these threads writes.
template <class T>
struct NoNumberOnDiagonal {
  const T* a;
  int32_t* info;
  int64_t n;
  TNP_HOST_DEVICE bool is_number(int64_t matrix, int64_t k) const {
    const T x = a[(matrix * n + k) * n + k];
    return x == x;
  }
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t matrix = i / n, own = i % n;
    if (is_number(matrix, own) || (own > 0 && !is_number(matrix, own - 1)) || info[matrix] != 0) return;
    for (int64_t k = 0; k < own; ++k)
      if (!is_number(matrix, k)) return;
    info[matrix] = static_cast<int32_t>(own + 1);
  }
};

}  // namespace

Tensor find_infinite(const Tensor& t, const char* message) {
  const int64_t count = native::stack_size(t), numbers = t.is_complex() ? 2 * t.numel() : t.numel();
  const Tensor found = empty_tensor({count + 1}, ScalarType::Int32, t.device());
  fill_with(found, Scalar(0));
  visit<FloatTypes>(to_real(t.dtype()), [&]<class T>() {
    for_each(numbers,
             FindInfinite<T>{reinterpret_cast<const T*>(t.address()), numbers / count, count,
                             reinterpret_cast<int32_t*>(found.address())},
             t.device());
  });
  const Tensor host = empty_tensor(found.sizes(), found.dtype());
  copy_across(host, found, false);
  const int32_t* values = host.data_ptr<int32_t>();
  TNP_CHECK(values[count] == 0, ErrorKind::LinAlg, message);
  return std::any_of(values, values + count, [](int32_t v) { return v != 0; }) ? found : Tensor();
}

void fill_chosen(const Tensor& stack, const Tensor& chosen, double value) {
  visit<native::BlasTypes>(stack.dtype(), [&]<class T>() {
    for_each(stack.numel(),
             FillChosen<T>{reinterpret_cast<T*>(stack.address()), reinterpret_cast<const int32_t*>(chosen.address()),
                           stack.numel() / (chosen.numel() - 1), T(static_cast<real_t<T>>(value))},
             stack.device());
  });
}

void keep_triangle(const Tensor& t, bool upper) {
  visit<native::BlasTypes>(t.dtype(), [&]<class T>() {
    launch(KeepTriangle<T>{reinterpret_cast<T*>(t.address()), t.size(-2), t.size(-1), t.numel(), upper},
           grid_stride_blocks(t.numel()), t.device());
  });
}

Tensor cholesky(const Tensor& input, bool upper, const Tensor& out) {
  // Factors the lower triangle of the column-major matrix in both cases: cuSOLVER takes twice as
  // long for the upper triangle.
  Tensor a = out, info;
  if (upper) {
    copy_into(out, input);
  } else {
    a = columns_of(input, out.dtype());
  }
  const Tensor stack = stack_of(a);
  info = solver::potrf('L', stack);
  visit<native::BlasTypes>(out.dtype(), [&]<class T>() {
    for_each(stack.size(0) * stack.size(1),
             NoNumberOnDiagonal<T>{reinterpret_cast<const T*>(stack.address()),
                                   reinterpret_cast<int32_t*>(info.address()), stack.size(1)},
             out.device());
  });
  if (!upper) copy_into(out, transposed(a));
  keep_triangle(out, upper);
  return info;
}

void check_info(const Tensor& info, const char* message, ErrorKind kind) {
  const Tensor host = empty_tensor(info.sizes(), info.dtype());
  copy_across(host, info, false);
  const int32_t* values = host.data_ptr<int32_t>();
  for (int64_t i = 0; i < host.numel(); ++i) TNP_CHECK(values[i] == 0, kind, message);
}

void check_finite(const Tensor& t, const char* message, ErrorKind kind) {
  const Tensor found = empty_tensor({1}, ScalarType::Int32, t.device());
  fill_with(found, Scalar(0));
  const int64_t count = t.is_complex() ? 2 * t.numel() : t.numel();
  visit<FloatTypes>(to_real(t.dtype()), [&]<class T>() {
    launch(
        FindNotFinite<T>{reinterpret_cast<const T*>(t.address()), count, reinterpret_cast<int32_t*>(found.address())},
        grid_stride_blocks(count), t.device());
  });
  check_info(found, message, kind);
}

}  // namespace tnp::gpu
