#include "csrc/compiler/outside.h"

namespace tnp::python {

Outside::Known::Known(const Tensor& t)
    : array(t),
      geometry(t),
      storage(&t.storage()),
      data(t.address()),
      requires_grad(t.requires_grad()),
      writeable(t.impl()->writeable),
      is_leaf(requires_grad && t.is_leaf()) {
  if (!is_leaf) return;
  if (const Tensor gradient_now = t.grad(); gradient_now.defined()) gradient.emplace_back(gradient_now);
}

Outside::Outside(const std::vector<Tensor>& arrays) {
  for (const Tensor& t : arrays) known_.emplace_back(t);
}

std::vector<Tensor> Outside::gradients() const {
  std::vector<Tensor> all;
  for (const Known& k : known_)
    if (!k.gradient.empty()) all.push_back(k.array.grad());
  return all;
}

bool Outside::is_as_recorded() const {
  for (const Known& k : known_) {
    const Tensor& t = k.array;
    if (&t.storage() != k.storage || t.address() != k.data || !k.geometry.fits(t) ||
        t.requires_grad() != k.requires_grad || t.impl()->writeable != k.writeable)
      return false;
    if (!k.is_leaf) continue;
    const Tensor gradient = t.grad();
    if (gradient.defined() == k.gradient.empty()) return false;
    if (gradient.defined() && (!k.gradient[0].fits(gradient) || gradient.is_unaligned())) return false;
  }
  return true;
}

}  // namespace tnp::python
