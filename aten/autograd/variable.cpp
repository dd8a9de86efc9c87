// A tensor's autograd state: its edge, its history, its flags.
#include "aten/autograd/variable.h"

#include <algorithm>
#include <atomic>

#include "aten/autograd/accumulate_grad.h"
#include "aten/autograd/view.h"
#include "aten/core/change_of_view.h"
#include "aten/core/memory/inference.h"
#include "aten/core/observer.h"
#include "aten/core/sparse.h"
#include "aten/ops/shape/several_views.h"

namespace tnp {

AutogradMeta::~AutogradMeta() {
  if (hooks) hooks->retained = nullptr;
}

void AutogradMeta::made_view_without_grad(TensorImpl& view) const {
  if (!view.autograd) view.autograd = std::make_unique<AutogradMeta>();
  static_cast<AutogradMeta&>(*view.autograd).view_version = history_version;
}

AutogradMeta* autograd_meta(const Tensor& t) { return static_cast<AutogradMeta*>(t.impl()->autograd.get()); }

AutogradMeta& make_autograd_meta(const Tensor& t) {
  if (!t.impl()->autograd) t.impl()->autograd = std::make_unique<AutogradMeta>();
  return *autograd_meta(t);
}

namespace {

// Raises the error of an in-place operation on a view, or on its base, if the gradients of the two cannot be
// told apart. PyTorch's rules.
TNP_COLD void raise_ambiguous(const Tensor& view, bool is_itself) {
  const ViewOrigin origin = view.impl()->origin;
  const AutogradMeta* meta = autograd_meta(view);
  const bool has_node = meta && meta->grad_fn, ambiguous = is_apart(view);
  const char* const where = origin == ViewOrigin::Inference ? "inference mode" : "no_grad mode";
  const char* const modified = is_itself ? "is being" : "its base or another view of its base has been";
  std::string text;
  if (has_node) {
    text = "Output " + std::to_string(meta->output_nr) + " of " + meta->grad_fn->name() + " is a view ";
    if (ambiguous) text += std::string("of a view which was created in ") + where + " ";
  } else {
    text = ambiguous ? std::string("A view was created in ") + where + " " : std::string("A view ");
  }
  text += std::string(has_node || ambiguous ? "and " : "") + modified + " modified inplace";
  if (ambiguous) {
    const char* const block = origin == ViewOrigin::Inference ? "inference_mode" : "no_grad";
    TNP_RAISE(ErrorKind::Runtime, text,
              origin == ViewOrigin::Inference ? " in normal mode." : " with grad mode enabled.",
              " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
              "moving both the view and the inplace either both inside the ",
              block,
              " block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be "
              "tracked).");
  }
  TNP_RAISE(
      ErrorKind::Runtime, text, ". This view ",
      origin == ViewOrigin::CustomFunction
          ? "was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
            "handle view+inplace would override the custom backward associated with the custom Function, leading to "
            "incorrect gradients."
          : "is the output of a function that returns multiple views. Such functions do not allow the output views to "
            "be modified inplace.",
      " You should replace the inplace operation by an out-of-place one.");
}

// Raises Runtime if the base of a view that was made under no_grad has been changed in place while autograd
// recorded: the view has the new values, and no gradient.
void check_base_unchanged(const Tensor& view) {
  const auto* base = static_cast<const AutogradMeta*>(view.impl()->base->autograd.get());
  if (!base || !(base->requires_grad || base->grad_fn)) return;
  const AutogradMeta* meta = autograd_meta(view);
  if (meta && meta->grad_fn) return;
  if ((meta ? meta->view_version : 0) != base->history_version) raise_ambiguous(view, false);
}

}  // namespace

Edge gradient_edge(const Tensor& t) {
  if (!t.defined() || !t.requires_grad()) return {};
  if (auto fn = grad_fn_of(t)) return {std::move(fn), autograd_meta(t)->output_nr};
  return {accumulator_of(t), 0};
}

intrusive_ptr<Node> grad_fn_of(const Tensor& t) {
  if (follows_base(t)) refresh_view_history(t);
  if (TNP_UNLIKELY(is_apart(t))) check_base_unchanged(t);
  AutogradMeta* meta = autograd_meta(t);
  return meta ? meta->grad_fn : nullptr;
}

void set_next_edges(Node& node, std::initializer_list<const Tensor*> inputs) {
  node.next_edges.reserve(node.next_edges.size() + inputs.size());
  for (const Tensor* t : inputs) node.next_edges.push_back(gradient_edge(*t));
}

void set_next_edges(Node& node, TensorList inputs) {
  node.next_edges.reserve(node.next_edges.size() + inputs.size());
  for (const Tensor& t : inputs) node.next_edges.push_back(gradient_edge(t));
}

namespace {

void set_output_meta(Node& node, const Tensor& t, uint32_t output_nr) {
  if (node.input_meta.size() <= output_nr) node.input_meta.resize(output_nr + 1);
  node.input_meta[output_nr] = InputMeta(t);
}

// The tensor's hook list, installed in the node that produces it. (For a leaf nothing is installed,
// since its AccumulateGrad may not exist yet. AccumulateGrad reads the leaf's list itself.)
TensorHooks& hooks_of(const Tensor& t) {
  intrusive_ptr<Node> fn = grad_fn_of(t);
  AutogradMeta& meta = make_autograd_meta(t);
  if (!meta.hooks) {
    meta.hooks = std::make_shared<TensorHooks>();
    if (fn) fn->tensor_hooks.push_back({meta.output_nr, meta.hooks});
  }
  return *meta.hooks;
}

}  // namespace

void set_history_of(const Tensor& t, const intrusive_ptr<Node>& node, uint32_t output_nr) {
  AutogradMeta& meta = make_autograd_meta(t);
  meta.grad_fn = node;
  meta.output_nr = output_nr;
  meta.requires_grad = false;
  // Hooks belong to the value they were registered for; retain_grad() follows the tensor.
  if (meta.hooks) {
    meta.hooks->retained = nullptr;
    meta.hooks.reset();
  }
  if (meta.retains_grad) hooks_of(t).retained = &meta;
}

void set_history(const Tensor& result, const intrusive_ptr<Node>& node, uint32_t output_nr) {
  if (TNP_UNLIKELY(!result.defined())) {  // formulas may read the gradient of this output, which is always undefined
    if (node->input_meta.size() <= output_nr) node->input_meta.resize(output_nr + 1);
    return;
  }
  set_output_meta(*node, result, output_nr);
  if (!is_differentiable(result.dtype())) return;
  AutogradMeta* meta = autograd_meta(result);
  if (meta && (meta->grad_fn || meta->requires_grad)) return;
  if (TNP_UNLIKELY(result.storage().is_inference()) && !dialect().errors_are_numpys()) return;
  if (result.is_view()) {
    AutogradMeta* base = static_cast<AutogradMeta*>(result.impl()->base->autograd.get());
    make_autograd_meta(result).view_version = base ? base->history_version : 0;
  }
  set_history_of(result, node, output_nr);
}

void set_view_history(const Tensor& view, const Tensor& base, const intrusive_ptr<Node>& node, uint32_t output_nr) {
  if (view.is_same(base)) return;
  set_history(view, node, output_nr);
}

void rebase_history(const Tensor& self, const intrusive_ptr<Node>& node, int self_edge, uint32_t output_nr) {
  set_output_meta(*node, self, output_nr);
  if (!is_differentiable(self.dtype())) return;
  if (self.is_view()) {
    TNP_CHECK(output_nr == 0, ErrorKind::NotImplemented,
              "an operator with several outputs cannot change a view in place");
    rebase_view(self, node, self_edge);
  } else {
    set_history_of(self, node, output_nr);
    ++autograd_meta(self)->history_version;
  }
}

void check_change_of_view(const Tensor& view) {
  if (!grad_enabled() || !is_apart(view)) return;
  const Tensor base(view.impl()->base);
  if (base.requires_grad() && shares_derivative(view, base)) raise_ambiguous(view, true);
}

void mark_several_views(TensorList views) {
  if (thread_state.grad_mode == GradMode::Off) return;
  for (const Tensor& view : views) {
    if (view.is_view()) view.impl()->origin = ViewOrigin::Several;
  }
}

void check_inplace(const Tensor& self, bool requires_grad) {
  check_writeable(self, "output array");
  if (!grad_enabled()) return;
  if (self.is_view()) {
    const Tensor base(self.impl()->base);
    const bool base_requires_grad = base.requires_grad(), numpys = dialect().errors_are_numpys();
    if ((base_requires_grad || (requires_grad && !numpys)) && shares_derivative(self, base)) {
      // Views of arrays have a derivative of operations in place. check_writeable() has refused those made under
      // no_grad whose base requires grad.
      if (TNP_UNLIKELY(self.impl()->origin != ViewOrigin::Recorded) && !numpys) raise_ambiguous(self, true);
      TNP_CHECK(!base_requires_grad || !base.is_leaf(), ErrorKind::Runtime,
                "a view of a leaf Variable that requires grad is being used in an in-place operation.");
    }
  }
  TNP_CHECK(!requires_grad || !may_overlap(self.sizes(), self.strides()), ErrorKind::Runtime,
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation.");
  TNP_CHECK(!requires_grad || !self.requires_grad() || !self.is_leaf(), ErrorKind::Runtime,
            "a leaf Variable that requires grad is being used in an in-place operation.");
}

void check_untracked(const Tensor& self, const char* operation) {
  AutogradMeta* meta = autograd_meta(self);
  TNP_CHECK(!self.requires_grad() && !(meta && (meta->accumulator || meta->grad.defined())), ErrorKind::Runtime,
            operation,
            " would change the shape, dtype or memory of an array that gradients are computed for. Make a new array: "
            "reshape(), view(), astype(), copy().");
}

void check_out_requires_no_grad(bool requires_grad, const Tensor& out) {
  if (!out.defined() || !grad_enabled()) return;
  TNP_CHECK(!requires_grad && !out.requires_grad(), ErrorKind::Runtime,
            "functions with {out}=... arguments don't support automatic differentiation, but one of the arguments "
            "requires grad.");
}

// --- flags

bool Tensor::autograd_requires_grad() const {
  const auto* meta = static_cast<const AutogradMeta*>(impl_->autograd.get());
  if (meta && (meta->requires_grad || meta->grad_fn)) return true;
  if (!impl_->base || !impl_->base->autograd) return false;
  const auto* base = static_cast<const AutogradMeta*>(impl_->base->autograd.get());
  if (!base->requires_grad && !base->grad_fn) return false;
  if (grad_enabled() && is_apart(*this)) check_base_unchanged(*this);
  return follows_base(*this);
}

const Tensor& Tensor::set_requires_grad(bool value) const {
  if (value) {
    TNP_CHECK(is_differentiable(dtype()), ErrorKind::Runtime,
              "only Tensors of floating point and complex dtype can require gradients");
    TNP_CHECK(!storage().is_inference() || inference_mode, ErrorKind::Runtime,
              "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
    if (is_leaf()) make_autograd_meta(*this).requires_grad = true;
  } else {
    TNP_CHECK(is_leaf(), ErrorKind::Runtime,
              "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
              "subgraph that doesn't require differentiation use var_no_grad = var.detach().");
    if (AutogradMeta* meta = autograd_meta(*this)) meta->requires_grad = false;
  }
  return *this;
}

bool Tensor::is_leaf() const { return !grad_fn_of(*this); }

Tensor Tensor::grad() const {
  AutogradMeta* meta = autograd_meta(*this);
  return meta ? meta->grad : Tensor();
}

void Tensor::set_grad(const Tensor& grad) const {
  if (!grad.defined()) {
    if (AutogradMeta* meta = autograd_meta(*this)) meta->grad = Tensor();
    return;
  }
  TNP_CHECK(!grad.is_same(*this), ErrorKind::Runtime, "can't assign Variable as its own grad");
  TNP_CHECK(grad.dtype() == dtype(), ErrorKind::Runtime, "assigned grad has data of a different type: ", grad.dtype(),
            " instead of ", dtype());
  const Device grad_device = is_sparse(grad) ? device_of_parts(grad) : grad.device();
  TNP_CHECK(grad_device == device() || grad_device.is_wrapped() || device().is_wrapped(), ErrorKind::Runtime,
            "assigned grad has data located on a different device: ", grad_device, " instead of ", device());
  TNP_CHECK(grad.sizes() == sizes(), ErrorKind::Runtime, "assigned grad has data of a different size: ", grad.sizes(),
            " instead of ", sizes());
  make_autograd_meta(*this).grad = grad;
}

// The result has no `base`, so autograd does not record in-place operations on the result in the
// history of `t`. Such an operation still changes the shared memory and version counter.
Tensor detach(const Tensor& t) {
  auto impl = make_intrusive<TensorImpl>(t.impl()->storage, t.dtype(), t.sizes(), t.strides(), t.address());
  if (TNP_UNLIKELY(t.is_unaligned())) impl->set_unaligned();
  impl->writeable = t.impl()->writeable;
  impl->is_data = t.impl()->is_data;
  impl->is_wrapped_number = t.is_wrapped_number();
  const Access access = t.impl()->access();
  if (TNP_UNLIKELY(access == Access::Watched || access == Access::None) && observer()) observer()->made_view(t, *impl);
  return Tensor(std::move(impl));
}

void detach_(const Tensor& t) {
  TNP_CHECK(!t.is_view() || !t.requires_grad(), ErrorKind::Runtime,
            "Can't detach views in-place. Use detach() instead.");
  AutogradMeta* meta = autograd_meta(t);
  if (!meta) return;
  meta->grad_fn = nullptr;
  meta->output_nr = 0;
  meta->requires_grad = false;
  meta->hooks.reset();
}

// --- hooks

void TensorHooks::run(Tensor& grad, bool accumulate_retained) {
  auto running = hooks;  // a hook may remove itself
  for (auto& [id, hook] : running) {
    if (Tensor replacement = hook(grad); replacement.defined()) {
      TNP_CHECK(replacement.sizes() == grad.sizes(), ErrorKind::Runtime,
                "hook returned a gradient of the wrong size: ", replacement.sizes(), " instead of ", grad.sizes());
      TNP_CHECK(replacement.dtype() == grad.dtype(), ErrorKind::Runtime,
                "hook returned a gradient of the wrong type: ", replacement.dtype(), " instead of ", grad.dtype());
      grad = std::move(replacement);
    }
  }
  if (accumulate_retained && retained) accumulate_into(retained->grad, grad);
}

void TensorHooks::run_after_accumulation(const Tensor& leaf) const {
  auto running = after_accumulation;  // a hook may remove itself
  for (auto& [id, hook] : running) hook(leaf);
}

namespace {
size_t next_hook() {
  static std::atomic<size_t> next_id{0};
  return next_id.fetch_add(1);
}
}  // namespace

size_t add_hook(const Tensor& t, TensorHook hook) {
  TNP_CHECK(t.requires_grad(), ErrorKind::Runtime, "cannot register a hook on a tensor that doesn't require gradient");
  const size_t id = next_hook();
  hooks_of(t).hooks.emplace_back(id, std::move(hook));
  return id;
}

size_t add_hook_after_accumulation(const Tensor& leaf, TensorHook hook) {
  TNP_CHECK(leaf.requires_grad(), ErrorKind::Runtime,
            "cannot register a hook on a tensor that doesn't require gradient");
  TNP_CHECK(leaf.is_leaf(), ErrorKind::Runtime, "post accumulate grad hooks cannot be registered on non-leaf tensors");
  const size_t id = next_hook();
  hooks_of(leaf).after_accumulation.emplace_back(id, std::move(hook));
  return id;
}

void remove_hook(const std::shared_ptr<TensorHooks>& hooks, size_t id) {
  if (!hooks) return;
  for (auto* list : {&hooks->hooks, &hooks->after_accumulation}) {
    auto found = std::find_if(list->begin(), list->end(), [id](const auto& h) { return h.first == id; });
    if (found == list->end()) continue;
    // destroyed after the erase, since destroying a hook may change the list
    TensorHook gone = std::move(found->second);
    list->erase(found);
    return;
  }
}

void remove_hook(const Tensor& t, size_t id) {
  if (AutogradMeta* meta = autograd_meta(t)) remove_hook(meta->hooks, id);
}

void retain_grad(const Tensor& t) {
  TNP_CHECK(t.requires_grad(), ErrorKind::Runtime, "can't retain_grad on Tensor that has requires_grad=False");
  if (t.is_leaf()) return;
  AutogradMeta& meta = make_autograd_meta(t);
  meta.retains_grad = true;
  hooks_of(t).retained = &meta;
}

}  // namespace tnp
