// Autograd nodes of compiled functions. Note [Compiled gradients] in aten/compiler/backward.h.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <string>
#include <vector>

#include "csrc/autograd/autograd.h"
#include "csrc/compiler/branch.h"

namespace tnp::python {

// The arguments of a call, kept to call the function again.
class FunctionCall {
 public:
  FunctionCall(PyObject* function, const CallKey& key, size_t nargs, PyObject* kwnames, const Branch& branch);
  // Calls the function with gradients enabled. Raises Runtime if an array that it depends on has
  // been modified. `key` receives the key of this call.
  Ref repeat(CallKey& key, const Branch& branch) const;
  int visit(visitproc visit, void* arg) const;

 private:
  void check_versions(const CallKey& key, const Branch& branch) const;
  SharedObject function_, arguments_, names_, members_;
  size_t num_positional_;
  std::string bytes_;
  std::vector<uint32_t> versions_, outside_;
};

// Node of a replayed call.
class CompiledBackward final : public PythonNode {
 public:
  // `inputs`: the edges that its gradients flow to, as branch->inputs gives them.
  CompiledBackward(std::shared_ptr<Entry> entry, std::shared_ptr<Branch> branch, const std::vector<Edge>& inputs);
  // Call after the replay: saves the arrays that the backward pass reads. `arguments`: of the
  // trace, in order.
  void save(compiler::Frame& frame, const std::vector<Tensor>& arguments);
  void keep_call(std::unique_ptr<FunctionCall> call) { call_ = std::move(call); }

  const char* name() const override { return "CompiledBackward"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  int visit(visitproc visit, void* arg) override { return call_ ? call_->visit(visit, arg) : 0; }

 private:
  Tensor saved(size_t i);
  const compiler::Backward* find(const compiler::Arrival& arrival) const;
  // Returns false if a guard fails.
  bool replay(const compiler::Backward& backward, const Tensors& grads, Tensors& results);
  Tensors call_again(Tensors&& grads);

  const std::shared_ptr<Entry> entry_;
  const std::shared_ptr<Branch> branch_;
  // The arrays of branch_->gradients.saved. shared_: other code may modify them, so their versions
  // are checked. own_: no other code can.
  std::vector<SavedTensor> shared_;
  std::vector<Tensor> own_;
  SavedTensor released_;  // tells whether the two have been released
  std::unique_ptr<FunctionCall> call_;
};

// Call if the function itself ran: notes the arrival pattern of the results' gradients for the next
// trace.
void watch_arrivals(const std::shared_ptr<Entry>& entry, TensorList results);

// Why a node cannot be replayed; null if it can.
const char* reason_against(const Node& node);

}  // namespace tnp::python
