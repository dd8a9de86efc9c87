#include "aten/core/sparse.h"

#include <memory>
#include <utility>

namespace tnp {

namespace {

// The owner of the storage's memory, of which there is none.
struct HeldParts {
  std::unique_ptr<SparseParts> parts;
  void operator()() const {}
};

}  // namespace

Tensor make_sparse(SparseParts parts, IntList sizes) {
  const ScalarType dtype = parts.values.dtype();
  auto storage = make_intrusive<Storage>(nullptr, 0, Device{DeviceType::Sparse},
                                         HeldParts{std::make_unique<SparseParts>(std::move(parts))});
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), dtype, sizes, contiguous_strides(sizes), nullptr));
}

static SparseParts& held(const Tensor& sparse) {
  TNP_CHECK(is_sparse(sparse), ErrorKind::Runtime, "expected a sparse tensor");
  return *sparse.storage().release_function<HeldParts>()->parts;
}

const SparseParts& sparse_parts(const Tensor& sparse) { return held(sparse); }

void replace_sparse(const Tensor& sparse, SparseParts parts, IntList sizes) {
  held(sparse) = std::move(parts);
  TensorImpl& impl = *sparse.impl();
  impl.sizes = DimVector(sizes);
  impl.strides = contiguous_strides(sizes);
  impl.dtype = held(sparse).values.dtype();
  impl.refresh();
  sparse.bump_version();
}

}  // namespace tnp
