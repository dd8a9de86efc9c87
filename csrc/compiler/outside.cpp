#include "csrc/compiler/outside.h"

#include <algorithm>

#include "csrc/compiler/call_key.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

Outside::Known::Known(PyObject* o)
    : object(Py_NewRef(o)),
      array(unwrap(o)),
      geometry(array),
      storage(&array.storage()),
      data(array.address()),
      requires_grad(array.requires_grad()),
      writeable(array.impl()->writeable),
      is_leaf(requires_grad && array.is_leaf()),
      retains_gradient(has_retain_grad(array)) {
  if (const Tensor gradient_now = array.grad(); gradient_now.defined()) gradient.emplace_back(gradient_now);
}

Outside::Outside(PyObject* objects, const std::vector<Tensor>& arguments) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(objects); ++i) {
    known_.emplace_back(PyList_GET_ITEM(objects, i));
    storages_.push_back(known_.back().storage);
  }
  std::sort(storages_.begin(), storages_.end());
  shared_ = shared(arguments);
}

std::vector<Outside::Shared> Outside::shared(const std::vector<Tensor>& arguments) const {
  std::vector<Shared> all;
  for (const Tensor& t : arguments) {
    const Storage* storage = &t.storage();
    bool is_shared = std::binary_search(storages_.begin(), storages_.end(), storage);
    for (const Known& k : known_) {
      if (k.gradient.empty() || is_shared) continue;
      const Tensor gradient = k.array.grad();
      is_shared = gradient.defined() && &gradient.storage() == storage;
    }
    if (!is_shared) {
      all.emplace_back();
      continue;
    }
    const bool is_same = std::any_of(known_.begin(), known_.end(), [&](const Known& k) { return k.array.is_same(t); });
    all.push_back({t.address(), is_same ? t.impl() : nullptr});
  }
  return all;
}

std::vector<Tensor> Outside::gradients() const {
  std::vector<Tensor> all;
  for (const Known& k : known_)
    if (!k.gradient.empty()) all.push_back(k.array.grad());
  return all;
}

std::vector<Tensor> Outside::arrays() const {
  std::vector<Tensor> all;
  for (const Known& k : known_) all.push_back(k.array);
  return all;
}

std::vector<uint32_t> Outside::versions() const {
  std::vector<uint32_t> all;
  for (const Known& k : known_) all.push_back(k.array.storage().version());
  return all;
}

bool Outside::are_same_tensors() const {
  return std::all_of(known_.begin(), known_.end(),
                     [](const Known& k) { return unwrap(k.object.get()).is_same(k.array); });
}

bool Outside::is_as_traced(const std::vector<Tensor>& arguments) const {
  if (!are_same_tensors()) return false;
  for (const Known& k : known_) {
    const Tensor& t = k.array;
    if (&t.storage() != k.storage || t.address() != k.data || !k.geometry.fits(t) ||
        t.requires_grad() != k.requires_grad || t.impl()->writeable != k.writeable ||
        (k.requires_grad && t.is_leaf() != k.is_leaf) || has_retain_grad(t) != k.retains_gradient)
      return false;
    const Tensor gradient = t.grad();
    if (gradient.defined() == k.gradient.empty()) return false;
    if (gradient.defined() && (!k.gradient[0].fits(gradient) || gradient.is_unaligned())) return false;
  }
  return known_.empty() || shared(arguments) == shared_;
}

}  // namespace tnp::python
