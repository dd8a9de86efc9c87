#include "aten/core/wrapped.h"

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "aten/core/new_wrapped.h"

namespace tnp {

namespace {

// The owner of a wrapped storage's memory, of which there is none: the parts of all tensors of the
// storage, by the address that their TensorImpl::data has.
struct AllParts {
  // The parts belong to this geometry: an operator that makes a view by itself has none for it.
  struct Entry {
    WrappedParts parts;
    ScalarType dtype;
    DimVector sizes, strides;
    bool fits(const Tensor& t) const {
      return t.dtype() == dtype && t.sizes() == IntList(sizes) && t.strides() == IntList(strides);
    }
  };
  struct Table {
    std::mutex mutex;
    std::unordered_map<const void*, std::unique_ptr<Entry>> entries;
  };
  std::unique_ptr<Table> table = std::make_unique<Table>();
  void operator()() const {}
};

WrappedParts& find(const Tensor& t) {
  TNP_CHECK(is_wrapped(t), ErrorKind::Runtime, "expected a tensor of a transformation");
  AllParts::Table& table = *t.storage().release_function<AllParts>()->table;
  const std::lock_guard guard(table.mutex);
  const auto found = table.entries.find(t.impl()->data);
  TNP_CHECK(found != table.entries.end() && found->second->fits(t), ErrorKind::NotImplemented,
            "a view that an operator made of a transformed tensor by itself");
  return found->second->parts;
}

}  // namespace

Tensor make_wrapped(WrappedParts parts, ScalarType dtype, IntList sizes, IntList strides, const Tensor& base) {
  numel_of(sizes);  // raises if it overflows
  auto storage = base.defined() ? base.impl()->storage
                                : make_intrusive<Storage>(nullptr, 0, Device{DeviceType::Wrapped}, AllParts{});
  auto owned =
      std::make_unique<AllParts::Entry>(AllParts::Entry{std::move(parts), dtype, DimVector(sizes), DimVector(strides)});
  char* const key = reinterpret_cast<char*>(owned.get());
  {
    AllParts::Table& table = *storage->release_function<AllParts>()->table;
    const std::lock_guard guard(table.mutex);
    table.entries.emplace(key, std::move(owned));
  }
  auto impl = make_intrusive<TensorImpl>(std::move(storage), dtype, sizes, strides, key);
  if (base.defined()) become_view(*impl, base);
  return Tensor(std::move(impl));
}

const WrappedParts& wrapped_parts(const Tensor& wrapped) { return find(wrapped); }

void replace_wrapped(const Tensor& wrapped, WrappedParts parts) { find(wrapped) = std::move(parts); }

void become_wrapped(const Tensor& t, const Tensor& wrapped) {
  TensorImpl& impl = *t.impl();
  const TensorImpl& from = *wrapped.impl();
  impl.storage = from.storage;
  impl.data = from.data;
  impl.dtype = from.dtype;
  impl.sizes = from.sizes;
  impl.strides = from.strides;
  impl.set_access(Access::None);
  impl.refresh();
}

Device visible_device(const Tensor& t) {
  if (!is_wrapped(t)) return t.device();
  try {
    return device_of_wrapped(t);
  } catch (const Error&) {
    return t.device();  // a view without parts
  }
}

Tensor innermost_part(const Tensor& t) { return is_wrapped(t) ? innermost_part(wrapped_parts(t).parts.at(0)) : t; }

Device device_of_wrapped(const Tensor& wrapped) {
  const WrappedParts& w = wrapped_parts(wrapped);
  if (w.parts.empty()) return {};
  return is_wrapped(w.parts[0]) ? device_of_wrapped(w.parts[0]) : w.parts[0].device();
}

}  // namespace tnp
