// The nodes of the tape that stand for compiled functions. Note [Compiled gradients] in aten/compiler/backward.h.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <string>
#include <vector>

#include "csrc/autograd/autograd.h"
#include "csrc/compiler/branch.h"

namespace tnp::python {

// What the function was called with, so that it can be called once more.
class FunctionCall {
 public:
  FunctionCall(PyObject* function, const CallSignature& signature, size_t nargs, PyObject* kwnames,
               const Branch& branch);
  // With gradients. Raises Runtime where something that it depends on is no longer what it was. `signature` is that of
  // this call.
  Ref repeat(CallSignature& signature, const Branch& branch) const;
  int visit(visitproc visit, void* arg) const;

 private:
  void check_versions(const CallSignature& signature, const Branch& branch) const;
  SharedObject function_, arguments_, names_;
  size_t num_positional_;
  std::string bytes_;
  std::vector<uint32_t> versions_, outside_;
};

// Of a call that was replayed.
class CompiledBackward final : public PythonNode {
 public:
  // `inputs`: where its gradients go, of branch->inputs.
  CompiledBackward(std::shared_ptr<Entry> entry, std::shared_ptr<Branch> branch, const std::vector<Edge>& inputs);
  // After the replay: what gradients will read. `arguments`: the record's, in their order.
  void save(compiler::Frame& frame, const std::vector<Tensor>& arguments);
  void keep_call(std::unique_ptr<FunctionCall> call) { call_ = std::move(call); }

  const char* name() const override { return "CompiledBackward"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  int visit(visitproc visit, void* arg) override { return call_ ? call_->visit(visit, arg) : 0; }

 private:
  Tensor saved(size_t i);
  const compiler::Backward* find(const compiler::Arrival& arrival) const;
  // False: something went otherwise than when it was recorded.
  bool replay(const compiler::Backward& backward, const Tensors& grads, Tensors& results);
  Tensors call_again(Tensors&& grads);

  const std::shared_ptr<Entry> entry_;
  const std::shared_ptr<Branch> branch_;
  std::vector<SavedTensor> shared_;  // of branch_->gradients.saved: what others may change
  std::vector<Tensor> own_;          // and what they cannot
  SavedTensor released_;             // knows whether the two are
  std::unique_ptr<FunctionCall> call_;
};

// `results` come from the function itself: looks how their gradients arrive, for the next record.
void watch_arrivals(const std::shared_ptr<Entry>& entry, TensorList results);

// What a node cannot be replayed for; null for all others.
const char* reason_against(const Node& node);

}  // namespace tnp::python
