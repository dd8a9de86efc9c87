// Indexing with arrays: gather, scatter and accumulate. One thread per element of the result; see
// Note [Index arrays].
#include <algorithm>

#include "aten/core/numbers/element_bits.h"
#include "aten/cuda/fault.h"
#include "aten/cuda/launch.h"
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/embedding.h"
#include "aten/kernel_functions/indexing.h"
#include "aten/kernel_functions/scatter.h"
#include "aten/kernels/cuda/atomic_add.h"
#include "aten/kernels/cuda/element.h"
#include "aten/kernels/cuda/pointwise/launch_tiles.h"
#include "aten/kernels/index_geometry.h"

namespace tnp {

namespace gpu {
namespace {

constexpr int kMostIndices = kMaxOperands - 2;

// Operand 0: the rows, in the result's shape. Operand 1: the table, with steps of 0 along the
// indices' axes. The indices follow.
template <class Body>
struct IndexKernel {
  using T = typename Body::Type;
  static constexpr uint32_t kThreads = 256;
  StridedArguments<kMaxOperands> a;
  int32_t count;                                       // number of index operands
  int64_t sizes[kMostIndices], strides[kMostIndices];  // sizes of the table's axes, and strides in bytes
  int32_t axes[kMostIndices];
  IndexFault* fault;
  Body body;
  bool only_check;  // if true, checks the indices and moves nothing
  bool from_start;  // if true, negative indices are out of bounds
  ErrorKind error;

  TNP_HOST_DEVICE void run(Place place) const {
    uint32_t i = place.block * kThreads + place.thread;
    if (i >= a.numel) return;
    int64_t row = 0, table = 0, at[kMostIndices] = {};
    for (int d = 0; d < a.ndim; ++d) {
      const uint32_t rest = a.dims[d].quotient(i), index = i - rest * a.dims[d].divisor;
      row += index * a.steps[0][d];
      table += index * a.steps[1][d];
      for (int k = 0; k < count; ++k) at[k] += index * a.steps[2 + k][d];
      i = rest;
    }
    for (int k = 0; k < count; ++k) {
      const OperandArguments& o = a.operands[2 + k];
      const int64_t index = load_element<int64_t>(o.data + at[k], o.dtype);
      if (index < (from_start ? 0 : -sizes[k]) || index >= sizes[k]) {
        fault->report(error, index, axes[k], sizes[k]);
        return;
      }
      table += (index < 0 ? index + sizes[k] : index) * strides[k];
    }
    if (!only_check)
      body.move(reinterpret_cast<T*>(a.operands[0].data + row), reinterpret_cast<T*>(a.operands[1].data + table));
  }
};

template <class T>
struct Gather {
  using Type = T;
  TNP_HOST_DEVICE static void move(T* row, T* table) { *row = *table; }
};
template <class T>
struct Scatter {
  using Type = T;
  TNP_HOST_DEVICE static void move(T* row, T* table) { *table = *row; }
};
template <class T>
struct Add {
  using Type = T;
  TNP_HOST_DEVICE static void move(T* row, T* table) { atomic_add(table, *row); }
};

template <class T, class F>
struct Update {
  using Type = T;
  TNP_HOST_DEVICE static void move(T* row, T* table) { atomic_update<F>(table, *row); }
};

// Updates elements of 16 bytes, for which not every device has an atomic instruction.
template <class T, class F>
struct LockedUpdate {
  using Type = T;
  ElementLocks locks;
  TNP_HOST_DEVICE void move(T* row, T* table) const { locked_update<F>(locks, table, *row); }
};

// The indices and their Counting.
struct Places {
  TensorList indices;
  const IndexGeometry& geometry;
  Counting counting;
};

// Runs one pass over all of `rows`, or over the indices alone if `rows` is undefined.
template <class Body>
void pass(const Tensor& table, const Places& places, const Tensor& rows, const Body& body) {
  const auto& [indices, geometry, counting] = places;
  const bool moves = rows.defined();
  const size_t before = moves ? static_cast<size_t>(geometry.position) : 0, width = geometry.shape.size();
  const DimVector sizes = moves ? DimVector(rows.sizes()) : geometry.shape;
  if (numel_of(sizes) == 0) return;
  const size_t n = sizes.size();
  std::vector<PlannedOperand> operands;
  DimVector row_steps(n, 0), table_steps(n, 0);
  if (moves) {
    for (size_t d = 0; d < n; ++d) row_steps[d] = rows.strides()[d] * rows.itemsize();
    for (size_t k = 0; k < geometry.kept.size(); ++k)
      table_steps[k < before ? k : k + width] = table.stride(geometry.kept[k]) * table.itemsize();
  }
  operands.push_back({moves ? rows.address() : table.address(), table.dtype(), row_steps});
  operands.push_back({table.address(), table.dtype(), table_steps});
  IndexKernel<Body> kernel{};
  kernel.body = body;
  kernel.only_check = !moves;
  kernel.from_start = counts_from_start(counting);
  kernel.error = error_of(counting);
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    const Tensor& index = indices[axis];
    if (!index.defined()) continue;
    TNP_CHECK(kernel.count < kMostIndices, ErrorKind::NotImplemented, "indexing by more than ", kMostIndices,
              " arrays on ", table.device(), " is not implemented");
    const auto k = static_cast<size_t>(kernel.count++);
    kernel.sizes[k] = table.sizes()[axis];
    kernel.strides[k] = table.strides()[axis] * table.itemsize();
    kernel.axes[k] = static_cast<int32_t>(axis);
    DimVector steps(n, 0);
    const size_t own = index.sizes().size();
    for (size_t d = 0; d < own; ++d) {
      if (index.sizes()[d] != 1) steps[before + width - own + d] = index.strides()[d] * index.itemsize();
    }
    operands.push_back({index.address(), index.dtype(), steps});
  }
  kernel.fault = fault_of(table.device());
  const IterationPlan plan = plan_of(table.device(), sizes, 0, operands);
  for_each_tile(plan, {}, [&](const Tile& tile) {
    kernel.a.numel = tile.numel;
    kernel.a.ndim = static_cast<int32_t>(tile.dims.size());
    fill_strides(plan, tile, kernel.a.dims, kernel.a.steps, kernel.a.mask);
    fill_operands(plan, tile, kernel.a.operands);
    launch(kernel, (tile.numel + 255) / 256, table.device());
  });
}

template <class Body>
void run(const Tensor& table, const Places& places, const Tensor& rows, const Body& body = {}) {
  // With TORCH_NP_CUDA_CHECK=1, checks all indices first, so that nothing is written if one is out
  // of bounds. Without rows to move, this check is the only pass.
  if (checks_at_once() || rows.numel() == 0) {
    pass<Body>(table, places, {}, body);
    check_fault(table.device());
  }
  if (rows.numel() > 0) pass<Body>(table, places, rows, body);
}

template <template <class> class Body>
void move_elements(const Tensor& table, TensorList indices, int64_t position, Counting counting, const Tensor& rows) {
  const IndexGeometry geometry = checked_geometry(table, indices, position, rows);
  visit_size(table.dtype(), [&]<class T>() { run<Body<T>>(table, {indices, geometry, counting}, rows); });
}

void add_rows(const Tensor& table, TensorList indices, int64_t position, Counting counting, const Tensor& rows) {
  const IndexGeometry geometry = checked_geometry(table, indices, position, rows);
  visit_dtype(table.dtype(), [&]<class T>() { run<Add<T>>(table, {indices, geometry, counting}, rows); });
}

template <class F, class List>
void update_rows(const Tensor& table, TensorList indices, int64_t position, Counting counting, const Tensor& rows) {
  const IndexGeometry geometry = checked_geometry(table, indices, position, rows);
  visit<List>(table.dtype(), [&]<class T>() { run<Update<T, F>>(table, {indices, geometry, counting}, rows); });
}

// Multiplies elements that are too large for an atomic compare-and-swap.
template <class T>
void multiply_locked(const Tensor& table, TensorList indices, int64_t position, Counting counting, const Tensor& rows) {
  const IndexGeometry geometry = checked_geometry(table, indices, position, rows);
  const Tensor locks = empty_tensor({ElementLocks::kCount}, ScalarType::UInt32, table.device());
  fill_with(locks, Scalar(0));
  run(table, {indices, geometry, counting}, rows,
      LockedUpdate<T, AtomicProduct>{{reinterpret_cast<uint32_t*>(locks.address())}});
}

}  // namespace
}  // namespace gpu

namespace native {

void reduce_indexed_cuda(const Tensor& self, TensorList indices, const Tensor& values, std::string_view reduce,
                         int64_t position, int64_t counting) {
  using namespace gpu;
  const auto counts = static_cast<Counting>(counting);
  if (self.dtype() == ScalarType::Complex128)
    multiply_locked<Complex<double>>(self, indices, position, counts, values);
  else if (reduce == "prod")
    update_rows<AtomicProduct, Join<RealTypes, TypeList<Complex<float>>>>(self, indices, position, counts, values);
  else if (reduce == "amax")
    update_rows<AtomicExtremum<true>, RealTypes>(self, indices, position, counts, values);
  else
    update_rows<AtomicExtremum<false>, RealTypes>(self, indices, position, counts, values);
}

void index_cuda(const Tensor& input, TensorList indices, int64_t position, int64_t counting, const Tensor& out) {
  gpu::move_elements<gpu::Gather>(input, indices, position, static_cast<Counting>(counting), out);
}

void embedding_cuda(const Tensor& weight, const Tensor& indices, int64_t, bool, bool, const Tensor& out) {
  gpu::move_elements<gpu::Gather>(weight, TensorList(&indices, 1), 0, Counting::FromStart, out);
}

void put_indexed_cuda(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate, int64_t position,
                      int64_t counting) {
  if (accumulate)
    gpu::add_rows(self, indices, position, static_cast<Counting>(counting), values);
  else
    gpu::move_elements<gpu::Scatter>(self, indices, position, static_cast<Counting>(counting), values);
}

void index_backward_cuda(const Tensor& source, IntList, TensorList indices, int64_t position, const Tensor& out) {
  fill_with(out, Scalar(0));
  gpu::add_rows(out, indices, position, Counting::FromBothEnds, source);
}

}  // namespace native
}  // namespace tnp
