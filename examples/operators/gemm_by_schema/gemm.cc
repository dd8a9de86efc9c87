// C = alpha A B, or alpha A B', by a schema: functions accept the schema's arguments. The
// derivative consists of the operator itself, so that it can be differentiated again.
#include <torch_np/extension.h>

using namespace torch_np;

static void gemm(Tensor a, Tensor b, double alpha, bool transpose, Tensor c) {
  with_floating(c.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = c.size(0), m = c.size(1), k = a.size(1), row = transpose ? 1 : m, column = transpose ? k : 1;
    const T *x = a.data<T>(), *y = b.data<T>();
    T* to = c.data<T>();
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < m; ++j) {
        T sum = 0;
        for (int64_t l = 0; l < k; ++l) sum += x[i * k + l] * y[l * row + j * column];
        to[i * m + j] = static_cast<T>(alpha) * sum;
      }
    }
  });
}

static Shape gemm_shape(Tensor a, Tensor b, double, bool transpose) {
  if (a.ndim() != 2 || b.ndim() != 2 || a.size(1) != b.size(transpose ? 1 : 0))
    throw ValueError("the matrices do not fit");
  if (a.dtype() != b.dtype()) throw TypeError("expected two matrices of one dtype");
  return {a.size(0), b.size(transpose ? 0 : 1)};
}

static std::vector<Value> gemm_gradient(const Graph& g, Value a, Value b, double alpha, bool transpose) {
  const Value of_a = g.call("gemm", g.grad(), b, Argument("alpha", alpha), Argument("transpose", !transpose));
  const Value left = g.call("t", transpose ? g.grad() : a), right = transpose ? a : g.grad();
  return {of_a, g.call("gemm", left, right, Argument("alpha", alpha))};
}

TORCH_NP_OP("gemm(Tensor a, Tensor b, *, float alpha=1.0, bool transpose=False) -> Tensor", gemm)
    .shape(gemm_shape)
    .gradient(gemm_gradient)
    .doc("alpha * a @ b, or alpha * a @ b.T if `transpose`, of matrices of float32 or float64.");
