// C = A B by an object that stores the transposed B of the forward pass for backward. Each call has
// its own state, which lives as long as the graph needs it.
#include <torch_np/extension.h>

using namespace torch_np;

namespace {

template <class T>
class Gemm : public CustomStatefulOp {
 public:
  MXReturnValue Forward(MXTensors& in, MXTensors& out, const OpResource&) override {
    const int64_t n = in[0].shape[0], k = in[0].shape[1], m = in[1].shape[1];
    const T *a = in[0].data<T>(), *b = in[1].data<T>();
    T* c = out[0].data<T>();
    transposed_.resize(static_cast<size_t>(k * m));
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < m; ++j) transposed_[static_cast<size_t>(j * k + l)] = b[l * m + j];
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < m; ++j) {
        T sum = 0;
        for (int64_t l = 0; l < k; ++l) sum += a[i * k + l] * transposed_[static_cast<size_t>(j * k + l)];
        c[i * m + j] = sum;
      }
    }
    return MX_SUCCESS;
  }

  MXReturnValue Backward(MXTensors& in, MXTensors& out, const OpResource&) override {
    const int64_t n = in[1].shape[0], k = in[1].shape[1], m = in[2].shape[1];
    const T *grad = in[0].data<T>(), *a = in[1].data<T>();
    T *grad_a = out[0].data<T>(), *grad_b = out[1].data<T>();
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t l = 0; l < k; ++l) {
        T sum = 0;
        for (int64_t j = 0; j < m; ++j) sum += grad[i * m + j] * transposed_[static_cast<size_t>(j * k + l)];
        grad_a[i * k + l] = sum;
      }
    }
    for (int64_t l = 0; l < k; ++l) {
      for (int64_t j = 0; j < m; ++j) {
        T sum = 0;
        for (int64_t i = 0; i < n; ++i) sum += a[i * k + l] * grad[i * m + j];
        grad_b[l * m + j] = sum;
      }
    }
    return MX_SUCCESS;
  }

 private:
  std::vector<T> transposed_;
};

MXReturnValue parseAttrs(const Attributes& attributes, int* num_in, int* num_out) {
  attributes.expect_only({});
  *num_in = 2, *num_out = 1;
  return MX_SUCCESS;
}

MXReturnValue inferType(const Attributes&, std::vector<int>& in, std::vector<int>& out) {
  if (in[0] != kFloat32 || in[1] != kFloat32)
    throw TypeError("expected float32, got " + dtype_name(in[0]) + " and " + dtype_name(in[1]));
  out[0] = in[0];
  return MX_SUCCESS;
}

MXReturnValue inferShape(const Attributes&, std::vector<std::vector<int64_t>>& in,
                         std::vector<std::vector<int64_t>>& out) {
  if (in[0].size() != 2 || in[1].size() != 2 || in[0][1] != in[1][0]) throw ValueError("the matrices do not fit");
  out[0] = {in[0][0], in[1][1]};
  return MX_SUCCESS;
}

MXReturnValue createOpState(const Attributes&, CustomStatefulOp** op) {
  *op = new Gemm<float>;
  return MX_SUCCESS;
}

}  // namespace

REGISTER_OP(state_gemm)
    .setDoc("a @ b of matrices of float32, with a state.")
    .setParseAttrs(parseAttrs)
    .setInferType(inferType)
    .setInferShape(inferShape)
    .setCreateOpState(createOpState);
