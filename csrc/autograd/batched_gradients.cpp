// Gradients for each member of a batch of gradients of the outputs, and the question whether outputs
// depend on other leaves than given ones: the parts of torch_np.func and `is_grads_batched`.
#include <unordered_set>

#include "aten/autograd/accumulate_grad.h"
#include "aten/autograd/engine.h"
#include "aten/functions/creation.h"
#include "aten/functions/joining.h"
#include "aten/functions/shape.h"
#include "csrc/autograd/autograd.h"
#include "csrc/objects/methods.h"

namespace tnp::python {

namespace {

// The results of all members, stacked; a row of undefined tensors gives an undefined one.
Tensor stacked(const std::vector<Tensors>& rows, size_t column, const Tensor& like, int64_t size) {
  if (rows.empty()) {
    DimVector sizes(like.sizes());
    sizes.insert(0, 0);
    return tnp::zeros(sizes, like.dtype(), like.device());
  }
  if (!rows[0][column].defined()) return {};
  Tensors parts;
  parts.reserve(static_cast<size_t>(size));
  for (const Tensors& row : rows) parts.push_back(row[column]);
  return tnp::stack(parts, 0);
}

PyObject* batched_grad(PyObject*, PyObject* args) {
  PyObject *roots, *inputs, *batches;
  long long size;
  int retain, create, allow_unused;
  if (!PyArg_ParseTuple(args, "OO!O!Lppp", &roots, &PyTuple_Type, &inputs, &PyTuple_Type, &batches, &size, &retain,
                        &create, &allow_unused)) {
    return nullptr;
  }
  return guarded<false>([&] {
    const Tensors outputs = tensors_from(roots, "outputs"), of = tensors_from(inputs, "inputs");
    Tensors given;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(batches); ++i)
      given.push_back(gradient_from(PyTuple_GET_ITEM(batches, i), true));
    std::vector<Tensors> rows;
    for (int64_t i = 0; i < size; ++i) {
      Tensors member;
      for (const Tensor& batch : given) member.push_back(batch.defined() ? tnp::select(batch, 0, i) : batch);
      rows.push_back(grad(outputs, of, member, retain || i + 1 < size, create, allow_unused));
    }
    PyObject* result = check(PyTuple_New(static_cast<Py_ssize_t>(of.size())));
    for (size_t i = 0; i < of.size(); ++i) {
      const auto at = static_cast<Py_ssize_t>(i);
      PyTuple_SET_ITEM(result, at, wrap_face(stacked(rows, i, of[i], size), is_ndarray(PyTuple_GET_ITEM(inputs, at))));
    }
    return result;
  });
}

PyObject* depend_on_others(PyObject*, PyObject* args) {
  PyObject *outputs, *inputs;
  if (!PyArg_ParseTuple(args, "OO", &outputs, &inputs)) return nullptr;
  return guarded<false>([&] {
    std::unordered_set<const Node*> seen;
    for (const Tensor& x : tensors_from(inputs, "inputs")) seen.insert(gradient_edge(x).node.get());
    std::vector<intrusive_ptr<Node>> nodes;
    auto visit = [&](const intrusive_ptr<Node>& node) {
      if (node && seen.insert(node.get()).second) nodes.push_back(node);
    };
    for (const Tensor& y : tensors_from(outputs, "outputs")) visit(gradient_edge(y).node);
    while (!nodes.empty()) {
      const intrusive_ptr<Node> node = std::move(nodes.back());
      nodes.pop_back();
      if (leaf_of(*node).defined()) Py_RETURN_TRUE;
      for (const Edge& edge : node->next_edges) visit(edge.node);
    }
    Py_RETURN_FALSE;
  });
}

PyMethodDef functions[] = {
    {"_autograd_batched_grad", batched_grad, METH_VARARGS,
     "_autograd_batched_grad(outputs, inputs, batches, size, retain_graph, create_graph, allow_unused):\n"
     "gradients for each member of batches of gradients of the outputs."},
    {"_depend_on_others", depend_on_others, METH_VARARGS,
     "_depend_on_others(outputs, inputs): whether outputs depend on leaves otherwise than by `inputs`."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

int add_batched_gradients(PyObject* module) { return PyModule_AddFunctions(module, functions); }

}  // namespace tnp::python
