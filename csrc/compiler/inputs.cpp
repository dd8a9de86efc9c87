#include "csrc/compiler/inputs.h"

#include <algorithm>

#include "aten/autograd/variable.h"

namespace tnp::python {

Inputs::Inputs(const CallKey& key, const std::vector<Tensor>& outside) {
  std::vector<Edge> edges;
  const auto add = [&](const Tensor& t, int argument) {
    if (!t.requires_grad()) return;
    const Edge edge = gradient_edge(t);
    const auto same = std::find_if(edges.begin(), edges.end(), [&](const Edge& e) { return is_same(e, edge); });
    inputs_.push_back({argument, argument < 0 ? t : Tensor(), static_cast<size_t>(same - edges.begin())});
    edges.push_back(edge);
  };
  for (const Tensor& t : outside) add(t, -1);
  for (size_t i = 0; i < key.arrays().size(); ++i)
    if (key.array_objects()[i]) add(key.arrays()[i], static_cast<int>(i));
}

std::vector<Edge> Inputs::edges(const CallKey& key) const {
  std::vector<Edge> edges;
  edges.reserve(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    const Tensor& t = input.argument < 0 ? input.outside : key.arrays()[static_cast<size_t>(input.argument)];
    const Edge& edge = edges.emplace_back(gradient_edge(t));
    if (!edge) return {};
    // Distinct leaf arrays from outside stay distinct.
    if (input.argument < 0 && t.is_leaf()) continue;
    const auto same = std::find_if(edges.begin(), edges.end(), [&](const Edge& e) { return is_same(e, edge); });
    if (static_cast<size_t>(same - edges.begin()) != input.first) return {};
  }
  return edges;
}

}  // namespace tnp::python
