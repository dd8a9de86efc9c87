// Two CSR matrices as operands of a kernel.
#pragma once

#include <limits>

#include "aten/iterator/dense.h"
#include "aten/kernels/sparse.h"

namespace tnp::native {

using IndexTypes = TypeList<int32_t, int64_t>;

inline Tensor dense_indices(const Tensor& t, const char* name, ScalarType dtype) {
  TNP_CHECK(t.dim() == 1 && t.dtype() == dtype, ErrorKind::Runtime, "{", name, "} of ", t.dtype(), " and shape ",
            t.sizes(), " must be 1-d and of ", dtype);
  return to_dense(t, dtype);
}

inline void check_pattern(const Tensor& crow, const char* name) {
  TNP_CHECK(crow.dtype() == ScalarType::Int32 || crow.dtype() == ScalarType::Int64, ErrorKind::Runtime, "{", name,
            "} of ", crow.dtype(), " must be int32 or int64");
  TNP_CHECK(crow.dim() == 1 && crow.numel() > 0, ErrorKind::Runtime, "{", name, "} of shape ", crow.sizes(),
            " must be 1-d and have at least one element");
}

// Turns the counts of rows in pointers[1], ... into pointers; returns their sum.
template <class I>
int64_t accumulate(I* pointers, int64_t rows) {
  int64_t sum = 0;
  pointers[0] = 0;
  for (int64_t row = 1; row <= rows; ++row) {
    sum += pointers[row];
    TNP_CHECK(sum <= std::numeric_limits<I>::max(), ErrorKind::Overflow,
              "the result has more elements than int32 counts");
    pointers[row] = static_cast<I>(sum);
  }
  return sum;
}

template <class I, class T>
struct CsrArrays {
  const I *pointers, *columns;
  const T* values;
};

// A CSR matrix in dense tensors.
struct CsrTensors {
  Tensor pointers, columns, values;
  template <class I, class T>
  CsrArrays<I, T> memory() const {
    return {pointers.data_ptr<I>(), columns.data_ptr<I>(), values.data_ptr<T>()};
  }
};

// Two matrices whose indices are of one dtype and whose values are of another one. Raises Runtime for other
// operands. The values are converted to the dtype in which kernels compute.
struct CsrPair {
  CsrPair(const Tensor& crow_a, const Tensor& col_a, const Tensor& values_a, const Tensor& crow_b, const Tensor& col_b,
          const Tensor& values_b)
      : index_dtype(crow_a.dtype()), dtype(values_a.dtype()), computed(sparse_compute_type(dtype)) {
    check_pattern(crow_a, "crow_a");
    check_pattern(crow_b, "crow_b");
    TNP_CHECK(values_b.dtype() == dtype, ErrorKind::Runtime, "{values_a} and {values_b} must have one dtype, got ",
              dtype, " and ", values_b.dtype());
    TNP_CHECK(values_a.dim() == 1 && values_b.dim() == 1 && values_a.numel() == col_a.numel() &&
                  values_b.numel() == col_b.numel(),
              ErrorKind::Runtime, "{values_a} and {values_b} must have one element for each column");
    a = {dense_indices(crow_a, "crow_a", index_dtype), dense_indices(col_a, "col_a", index_dtype),
         to_dense(values_a, computed)};
    b = {dense_indices(crow_b, "crow_b", index_dtype), dense_indices(col_b, "col_b", index_dtype),
         to_dense(values_b, computed)};
  }

  ScalarType index_dtype, dtype, computed;
  CsrTensors a, b;
};

}  // namespace tnp::native
