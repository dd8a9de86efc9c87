// C = alpha A B with MXNet's interface: functions with text attributes, set by REGISTER_OP's
// setters.
#include <torch_np/extension.h>

using namespace torch_np;

namespace {

double alpha_of(const Attributes& attributes) {
  return attributes.number("alpha", 1.0);
}  // throws unless it is a number

// c (n x m) = or += (according to `req`) alpha * a (n x k) * b (k x m). A transposed matrix has
// swapped strides.
template <class T>
void gemm(T alpha, const T* a, int64_t a_row, int64_t a_column, const T* b, int64_t b_row, int64_t b_column,
          MXTensor& c, int64_t k) {
  T* to = c.data<T>();
  const int64_t n = c.shape[0], m = c.shape[1];
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < m; ++j) {
      T sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += a[i * a_row + l * a_column] * b[l * b_row + j * b_column];
      assign(to[i * m + j], c.req, alpha * sum);
    }
  }
}

MXReturnValue parseAttrs(const Attributes& attributes, int* num_in, int* num_out) {
  attributes.expect_only({"alpha"});
  alpha_of(attributes);
  *num_in = 2, *num_out = 1;
  return MX_SUCCESS;
}

MXReturnValue inferType(const Attributes&, std::vector<int>& in, std::vector<int>& out) {
  if (in[0] != kFloat32 && in[0] != kFloat64) throw TypeError("expected float32 or float64, got " + dtype_name(in[0]));
  if (in[0] != in[1])
    throw TypeError("expected two matrices of one dtype, got " + dtype_name(in[0]) + " and " + dtype_name(in[1]));
  out[0] = in[0];
  return MX_SUCCESS;
}

MXReturnValue inferShape(const Attributes&, std::vector<std::vector<int64_t>>& in,
                         std::vector<std::vector<int64_t>>& out) {
  if (in[0].size() != 2 || in[1].size() != 2) throw ValueError("expected matrices");
  if (in[0][1] != in[1][0])
    throw ValueError("columns of the first (" + std::to_string(in[0][1]) + ") and rows of the second (" +
                     std::to_string(in[1][0]) + ") differ");
  out[0] = {in[0][0], in[1][1]};
  return MX_SUCCESS;
}

MXReturnValue forward(const Attributes& attributes, MXTensors& in, MXTensors& out, const OpResource&) {
  with_floating(out[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    const int64_t k = in[0].shape[1], m = in[1].shape[1];
    gemm<T>(static_cast<T>(alpha_of(attributes)), in[0].data<T>(), k, 1, in[1].data<T>(), m, 1, out[0], k);
  });
  return MX_SUCCESS;
}

// dA = alpha dC B', dB = alpha A' dC.
MXReturnValue backward(const Attributes& attributes, MXTensors& in, MXTensors& out, const OpResource&) {
  const MXTensor &grad = in[0], &a = in[1], &b = in[2];
  with_floating(grad.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T alpha = static_cast<T>(alpha_of(attributes));
    const int64_t n = a.shape[0], k = a.shape[1], m = b.shape[1];
    if (out[0].req != Req::Null) gemm<T>(alpha, grad.data<T>(), m, 1, b.data<T>(), 1, m, out[0], m);
    if (out[1].req != Req::Null) gemm<T>(alpha, a.data<T>(), 1, k, grad.data<T>(), m, 1, out[1], n);
  });
  return MX_SUCCESS;
}

}  // namespace

REGISTER_OP(my_gemm)
    .setDoc("alpha * a @ b of matrices of float32 or float64. Attributes: alpha (1).")
    .setParseAttrs(parseAttrs)
    .setInferType(inferType)
    .setInferShape(inferShape)
    .setForward(forward, "cpu")
    .setBackward(backward, "cpu")
    .setTakesReq();

// A library may check the version of torch_np that loads it.
MXReturnValue initialize(int version) { return version >= 100 ? MX_SUCCESS : MX_FAIL; }
