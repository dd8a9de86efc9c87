// autograd.Function: operators with forward and backward in Python.
//
// Note [Function contexts] The graph node owns the context (`ctx`), and the context only borrows
// the node, so there is no reference cycle. After forward has returned, the arguments of
// save_for_backward move into the node's SavedTensors.
#include "aten/iterator/copy.h"
#include "csrc/autograd/autograd.h"
#include "csrc/objects/numpy_scalars.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "aten/kernels/pointwise.h"

namespace tnp::python {

namespace {

class FunctionNode;

struct Context {
  PyObject_HEAD PyObject* dict;
  FunctionNode* node;  // null before forward returned and after the graph was freed
  PyObject* to_save;   // this and the next three are tuples, or null
  PyObject* for_forward;
  PyObject* dirty;
  PyObject* non_differentiable;
  PyObject* needs_input_grad;
  char materialize_grads, materialize_non_diff_grads;
};
PyTypeObject* context_type = nullptr;

class FunctionNode final : public PythonNode {
 public:
  FunctionNode(PyObject* function, bool face) : numpy_face(face), function_(share(function)) {
    Ref name(check(PyObject_GetAttrString(function, "__name__")));
    name_ = PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8(name.get()) : "Function";
    name_ += "Backward";
    materialize_grads = false;  // `ctx.set_materialize_grads` decides, and non-tensor outputs have no gradient
  }
  ~FunctionNode() override {
    if (!context || !Py_IsInitialized()) return;
    GilGuard gil;
    reinterpret_cast<Context*>(context.get())->node = nullptr;
    context.reset();
  }
  const char* name() const override { return name_.c_str(); }
  PyObject* attributes() override { return context.get(); }
  PyObject* class_of_object() const override { return PyObject_GetAttrString(function_.get(), "_backward_cls"); }
  void visit_saved(const std::function<void(const char*, SavedTensor&)>& visit) override {
    for (SavedTensor& s : saved) visit("*tensors", s);
  }
  int visit(visitproc visit, void* arg) override {
    if (context.use_count() == 1) Py_VISIT(context.get());
    if (function_.use_count() == 1) Py_VISIT(function_.get());
    return 0;
  }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override {
    for (SavedTensor& s : saved) s.reset();
  }
  PyObject* saved_tensors() {
    Ref result(check(PyTuple_New(static_cast<Py_ssize_t>(saved.size()))));
    for (size_t i = 0; i < saved.size(); ++i) {
      PyTuple_SET_ITEM(result.get(), static_cast<Py_ssize_t>(i),
                       wrap_face(saved[i].unpack(this, true), saved_faces[i]));
    }
    return result.release();
  }

  SharedObject context;
  bool numpy_face;
  std::vector<SavedTensor> saved;
  std::vector<bool> saved_faces;         // true: an ndarray was saved
  std::vector<bool> argument_is_tensor;  // one entry per argument of forward
  std::vector<bool> output_is_tensor, output_is_differentiable;

 private:
  SharedObject function_;
  std::string name_;
};

Tensor full_zeros(const InputMeta& meta) {
  Tensor t = empty_tensor(meta.sizes, meta.dtype, meta.device);
  fill_with(t, Scalar(0));
  return t;
}

Tensors FunctionNode::apply(Tensors&& grads) {
  GilGuard gil;
  bool materialize = reinterpret_cast<Context*>(context.get())->materialize_grads != 0;
  const bool materialize_others = reinterpret_cast<Context*>(context.get())->materialize_non_diff_grads != 0;
  Ref args(check(PyTuple_New(static_cast<Py_ssize_t>(output_is_tensor.size()) + 1)));
  PyTuple_SET_ITEM(args.get(), 0, Py_NewRef(context.get()));
  for (size_t i = 0; i < output_is_tensor.size(); ++i) {
    Tensor g = i < grads.size() ? grads[i] : Tensor();
    if (!g.defined() && materialize && output_is_tensor[i] && (materialize_others || output_is_differentiable[i]))
      g = full_zeros(input_meta[i]);
    PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(i) + 1, wrap_face(g, numpy_face));
  }
  Ref backward(check(PyObject_GetAttrString(function_.get(), "backward")));
  Ref result(check(call_python([&] { return PyObject_CallObject(backward.get(), args.get()); })));
  PyObject* returned = result.get();

  bool is_tuple = PyTuple_Check(returned) || PyList_Check(returned);
  Py_ssize_t given = is_tuple ? PySequence_Fast_GET_SIZE(returned) : 1;
  auto expected = static_cast<Py_ssize_t>(argument_is_tensor.size());
  auto item = [&](Py_ssize_t i) { return is_tuple ? PySequence_Fast_GET_ITEM(returned, i) : returned; };
  for (Py_ssize_t last = given; last > expected && item(last - 1) == Py_None; --last) --given;
  TNP_CHECK(given == expected, ErrorKind::Runtime, "function ", name(),
            " returned an incorrect number of gradients (expected ", static_cast<int64_t>(expected), ", got ",
            static_cast<int64_t>(given), ")");
  Tensors out;
  for (Py_ssize_t i = 0; i < expected; ++i) {
    PyObject* g = item(i);
    const Ref array(array_of_value(g));
    if (array) g = array.get();
    if (!argument_is_tensor[static_cast<size_t>(i)]) {
      TNP_CHECK(g == Py_None, ErrorKind::Runtime, "function ", name(),
                " returned a gradient different from None at position ", static_cast<int64_t>(i + 1),
                ", but the corresponding forward input was not an array");
      continue;
    }
    if (g != Py_None && !is_variable(g)) {
      PyErr_Format(PyExc_TypeError, "expected an array or None as gradient %zd of %s (got %s)", i + 1, name(),
                   Py_TYPE(g)->tp_name);
      throw PythonError{};
    }
    out.push_back(g == Py_None ? Tensor() : unwrap(g));
  }
  return out;
}

// --- ctx

Context* as_context(PyObject* o) { return reinterpret_cast<Context*>(o); }

int context_traverse(PyObject* self, visitproc visit, void* arg) {
  Context* c = as_context(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(c->dict);
  Py_VISIT(c->to_save);
  Py_VISIT(c->for_forward);
  Py_VISIT(c->dirty);
  Py_VISIT(c->non_differentiable);
  Py_VISIT(c->needs_input_grad);
  return 0;
}
int context_clear(PyObject* self) {
  Context* c = as_context(self);
  Py_CLEAR(c->dict);
  Py_CLEAR(c->to_save);
  Py_CLEAR(c->for_forward);
  Py_CLEAR(c->dirty);
  Py_CLEAR(c->non_differentiable);
  Py_CLEAR(c->needs_input_grad);
  return 0;
}
void context_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  context_clear(self);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* keep_tuple(PyObject** slot, PyObject* args, bool none_allowed, bool values_allowed, const char* method) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* o = PyTuple_GET_ITEM(args, i);
    ScalarType dtype;
    if (is_variable(o) || (none_allowed && o == Py_None) || (values_allowed && scalar_value(o, dtype))) continue;
    return PyErr_Format(PyExc_TypeError, "%s takes arrays%s, but argument %zd is of type %s", method,
                        none_allowed ? " and None" : "", i, Py_TYPE(o)->tp_name);
  }
  Py_XSETREF(*slot, Py_NewRef(args));
  Py_RETURN_NONE;
}
PyObject* save_for_backward(PyObject* self, PyObject* args) {
  return keep_tuple(&as_context(self)->to_save, args, true, true, "save_for_backward");
}
PyObject* mark_dirty(PyObject* self, PyObject* args) {
  return keep_tuple(&as_context(self)->dirty, args, false, false, "mark_dirty");
}
PyObject* mark_non_differentiable(PyObject* self, PyObject* args) {
  return keep_tuple(&as_context(self)->non_differentiable, args, false, true, "mark_non_differentiable");
}
PyObject* save_for_forward(PyObject* self, PyObject* args) {
  return keep_tuple(&as_context(self)->for_forward, args, true, true, "save_for_forward");
}
PyObject* set_materialize_grads(PyObject* self, PyObject* value) {
  int on = PyObject_IsTrue(value);
  if (on < 0) return nullptr;
  as_context(self)->materialize_grads = static_cast<char>(on);
  Py_RETURN_NONE;
}

PyObject* get_saved_tensors(PyObject* self, void*) {
  Context* c = as_context(self);
  return guarded<false>([&] {
    if (c->for_forward) return Py_NewRef(c->for_forward);  // jvp() runs
    if (c->node) {
      intrusive_ptr<Node> keep(c->node);
      return c->node->saved_tensors();
    }
    return c->to_save ? Py_NewRef(c->to_save) : check(PyTuple_New(0));
  });
}
// Of torch_np/_transforms/dual/function.py: takes the tensors away, and gives them back while jvp() runs.
PyObject* get_saved_for_forward(PyObject* self, void*) {
  PyObject* saved = as_context(self)->for_forward;
  return saved ? Py_NewRef(saved) : PyTuple_New(0);
}
int set_saved_for_forward(PyObject* self, PyObject* value, void*) {
  if (value && !PyTuple_Check(value)) return PyErr_SetString(PyExc_TypeError, "expected a tuple"), -1;
  Py_XSETREF(as_context(self)->for_forward, Py_XNewRef(value));
  return 0;
}
PyObject* get_materialize_grads(PyObject* self, void*) { return PyBool_FromLong(as_context(self)->materialize_grads); }
PyObject* get_materialize_non_diff_grads(PyObject* self, void*) {
  return PyBool_FromLong(as_context(self)->materialize_non_diff_grads);
}
int set_materialize_non_diff_grads(PyObject* self, PyObject* value, void*) {
  const int on = value ? PyObject_IsTrue(value) : 1;
  if (on < 0) return -1;
  as_context(self)->materialize_non_diff_grads = static_cast<char>(on);
  return 0;
}
PyObject* get_needs_input_grad(PyObject* self, void*) {
  PyObject* value = as_context(self)->needs_input_grad;
  return value ? Py_NewRef(value) : PyTuple_New(0);
}

PyMethodDef context_methods[] = {
    {"save_for_backward", save_for_backward, METH_VARARGS,
     "save_for_backward($self, *tensors)\n--\n\n"
     "Saves inputs or outputs for backward, which reads them from `ctx.saved_tensors`.\n\n"
     "Args:\n"
     "  tensors: Tensors, or None."},
    {"mark_dirty", mark_dirty, METH_VARARGS,
     "mark_dirty($self, *args)\n--\n\n"
     "Declares the inputs that forward changes in place.\n\n"
     "Args:\n"
     "  args: The changed inputs."},
    {"mark_non_differentiable", mark_non_differentiable, METH_VARARGS,
     "mark_non_differentiable($self, *args)\n--\n\n"
     "Declares the outputs that have no gradient.\n\n"
     "Args:\n"
     "  args: The outputs without a gradient."},
    {"save_for_forward", save_for_forward, METH_VARARGS,
     "save_for_forward($self, *tensors)\n--\n\n"
     "Saves inputs or outputs for jvp, which reads them from `ctx.saved_tensors`.\n\n"
     "Args:\n"
     "  tensors: Tensors, or None."},
    {"set_materialize_grads", set_materialize_grads, METH_O,
     "set_materialize_grads($self, value)\n--\n\n"
     "Sets whether backward gets a zero tensor instead of None for an output without a gradient.\n\n"
     "Args:\n"
     "  value: True for zero tensors, False for None."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef context_getset[] = {
    {"saved_tensors", get_saved_tensors, nullptr, "Tuple of the tensors that save_for_backward saved.", nullptr},
    {"_saved_for_forward", get_saved_for_forward, set_saved_for_forward, "Tuple of the tensors for jvp.", nullptr},
    {"_materialize_grads", get_materialize_grads, nullptr, "Whether zeros replace None.", nullptr},
    {"_materialize_non_diff_grads", get_materialize_non_diff_grads, set_materialize_non_diff_grads,
     "Whether zeros replace None for outputs that have no gradient.", nullptr},
    {"needs_input_grad", get_needs_input_grad, nullptr,
     "Tuple with a bool for each argument of forward: whether it requires a gradient.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef context_members[] = {{"__dictoffset__", T_PYSSIZET, offsetof(Context, dict), READONLY, nullptr},
                                 {nullptr, 0, 0, 0, nullptr}};
PyType_Slot context_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(context_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(context_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(context_clear)},
    {Py_tp_methods, context_methods},
    {Py_tp_getset, context_getset},
    {Py_tp_members, context_members},
    {Py_tp_doc, const_cast<char*>("Context `ctx` of an autograd.Function. It passes values from forward to backward.")},
    {0, nullptr}};
PyType_Spec context_spec = {"torch_np._C.FunctionCtx", sizeof(Context), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                            context_slots};

// --- apply

bool contains(PyObject* tuple, const Tensor& t) {
  for (Py_ssize_t i = 0; tuple && i < PyTuple_GET_SIZE(tuple); ++i) {
    if (unwrap(PyTuple_GET_ITEM(tuple, i)).is_same(t)) return true;
  }
  return false;
}

// `slot` contains a tuple or null. Replaces the item `what` of the tuple by `with`. If `what` is
// null, replaces all NumPy scalars in the tuple by arrays.
void replace_in(PyObject** slot, PyObject* what, PyObject* with) {
  if (!*slot) return;
  Ref changed(check(PyTuple_New(PyTuple_GET_SIZE(*slot))));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(*slot); ++i) {
    PyObject* o = PyTuple_GET_ITEM(*slot, i);
    PyObject* array = what ? (o == what ? Py_NewRef(with) : nullptr) : array_of_value(o);
    PyTuple_SET_ITEM(changed.get(), i, array ? array : Py_NewRef(o));
  }
  Py_SETREF(*slot, changed.release());
}

// Returns the result of forward with each NumPy scalar replaced by a 0-d array, because scalars
// cannot have a history. The context's references to these scalars are replaced too.
Ref with_arrays(Context* context, Ref returned) {
  auto array_for = [&](PyObject* o) {
    PyObject* array = array_of_value(o);
    if (!array) return Py_NewRef(o);
    replace_in(&context->to_save, o, array);
    replace_in(&context->non_differentiable, o, array);
    return array;
  };
  Ref result;
  if (!PyTuple_Check(returned.get())) {
    result = Ref(array_for(returned.get()));
  } else {
    result = Ref(check(PyTuple_New(PyTuple_GET_SIZE(returned.get()))));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(returned.get()); ++i)
      PyTuple_SET_ITEM(result.get(), i, array_for(PyTuple_GET_ITEM(returned.get(), i)));
  }
  return result;
}

// forward(ctx, *args), or forward(*args) and setup_context(ctx, args, output).
Ref run_forward(PyObject* function, PyObject* context, PyObject* args) {
  NoGradGuard no_grad;
  Ref forward(check(PyObject_GetAttrString(function, "forward")));
  Ref setup(check(PyObject_GetAttrString(function, "setup_context")));
  if (setup.get() != Py_None) {
    Ref output = with_arrays(as_context(context),
                             Ref(check(call_python([&] { return PyObject_CallObject(forward.get(), args); }))));
    Ref done(check(
        call_python([&] { return PyObject_CallFunctionObjArgs(setup.get(), context, args, output.get(), nullptr); })));
    return output;
  }
  Py_ssize_t n = PyTuple_GET_SIZE(args);
  Ref all(check(PyTuple_New(n + 1)));
  PyTuple_SET_ITEM(all.get(), 0, Py_NewRef(context));
  for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SET_ITEM(all.get(), i + 1, Py_NewRef(PyTuple_GET_ITEM(args, i)));
  return with_arrays(as_context(context),
                     Ref(check(call_python([&] { return PyObject_CallObject(forward.get(), all.get()); }))));
}

// Records output number `nr` of the call in the graph. An output of forward may be an input, a
// modified input, or a view.
Tensor enter_output(const Tensor& output, const intrusive_ptr<FunctionNode>& node, const Tensors& inputs, uint32_t nr) {
  Context* context = as_context(node->context.get());
  auto same = std::find_if(inputs.begin(), inputs.end(), [&](const Tensor& t) { return t.is_same(output); });
  bool is_input = same != inputs.end();
  if (is_input && contains(context->dirty, output)) {
    check_inplace(output, true);
    rebase_history(output, node, static_cast<int>(same - inputs.begin()), nr);
    return output;
  }
  node->input_meta[nr] = InputMeta(output);
  if (!is_differentiable(output.dtype())) return output;
  bool differentiable = !contains(context->non_differentiable, output);
  if (!differentiable) return output.requires_grad() ? detach(output) : output;
  if (AutogradMeta* meta = autograd_meta(output); meta && meta->grad_fn.get() == node.get()) {
    meta->output_nr = nr;  // forward returned one tensor several times
    return output;
  }
  Tensor result = is_input || output.requires_grad() ? detach(output) : output;
  if (result.is_view()) result.impl()->origin = ViewOrigin::CustomFunction;
  set_history(result, node, nr);
  return result;
}

}  // namespace

PyObject* function_apply(PyObject*, PyObject* call) {
  PyObject *function, *args;
  if (!PyArg_ParseTuple(call, "OO!", &function, &PyTuple_Type, &args)) return nullptr;
  return guarded<false>([&]() -> PyObject* {
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    Tensors inputs;
    std::vector<bool> is_tensor_argument;
    bool numpy_face = false;
    Ref needs(check(PyTuple_New(n)));
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* arg = PyTuple_GET_ITEM(args, i);
      is_tensor_argument.push_back(is_variable(arg));
      bool needed = false;
      if (is_tensor_argument.back()) {
        if (inputs.empty()) numpy_face = is_ndarray(arg);
        inputs.push_back(unwrap(arg));
        needed = inputs.back().requires_grad();
      }
      PyTuple_SET_ITEM(needs.get(), i, PyBool_FromLong(needed));
    }
    Ref context_owner(check(PyObject_CallNoArgs(reinterpret_cast<PyObject*>(context_type))));
    Context* context = as_context(context_owner.get());
    context->needs_input_grad = needs.release();
    context->materialize_grads = context->materialize_non_diff_grads = 1;

    intrusive_ptr<FunctionNode> node;
    if (compute_requires_grad(inputs)) {
      node = make_intrusive<FunctionNode>(function, numpy_face);
      node->context = share(context_owner.get());
      node->argument_is_tensor = is_tensor_argument;
      set_next_edges(*node, inputs);
    }
    const Ref raw_owner = run_forward(function, context_owner.get(), args);
    replace_in(&context->to_save, nullptr, nullptr);
    replace_in(&context->non_differentiable, nullptr, nullptr);
    PyObject* raw = raw_owner.get();

    bool several = PyTuple_Check(raw);
    Py_ssize_t outputs = several ? PyTuple_GET_SIZE(raw) : 1;
    Ref result_owner(check(PyTuple_New(outputs)));
    PyObject* result = result_owner.get();
    if (node) node->input_meta.resize(static_cast<size_t>(outputs));
    for (Py_ssize_t i = 0; i < outputs; ++i) {
      PyObject* o = several ? PyTuple_GET_ITEM(raw, i) : raw;
      bool is_array = is_variable(o);
      if (node) {
        node->output_is_tensor.push_back(is_array);
        node->output_is_differentiable.push_back(is_array && is_differentiable(unwrap(o).dtype()) &&
                                                 !contains(context->non_differentiable, unwrap(o)));
      }
      if (!is_array) {
        PyTuple_SET_ITEM(result, i, Py_NewRef(o));
        continue;
      }
      Tensor output = unwrap(o);
      // forward ran under no_grad, which is not how the caller sees a view of an input.
      if (!node && output.is_view() && grad_enabled() && output.impl()->origin != ViewOrigin::Recorded)
        output.impl()->origin = ViewOrigin::CustomFunction;
      Tensor entered = node ? enter_output(output, node, inputs, static_cast<uint32_t>(i)) : output;
      bool keep = entered.is_same(output) && is_ndarray(o) == numpy_face;
      PyTuple_SET_ITEM(result, i, keep || inputs.empty() ? Py_NewRef(o) : wrap_face(entered, numpy_face));
      track(PyTuple_GET_ITEM(result, i));
    }
    if (node && context->to_save) {
      PyObject* to_save = context->to_save;
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(to_save); ++i) {
        PyObject* o = PyTuple_GET_ITEM(to_save, i);
        Tensor t = o == Py_None ? Tensor() : unwrap(o);
        node->saved_faces.push_back(o != Py_None && is_ndarray(o));
        bool is_output = false;
        uint32_t nr = 0;
        for (Py_ssize_t k = 0; t.defined() && k < outputs; ++k) {
          PyObject* r = PyTuple_GET_ITEM(result, k);
          if (is_variable(r) && unwrap(r).is_same(t) && t.requires_grad())
            is_output = true, nr = static_cast<uint32_t>(k);
        }
        node->saved.emplace_back(t, is_output, nr);
      }
    }
    Py_CLEAR(context->to_save);
    Py_CLEAR(context->for_forward);
    Py_CLEAR(context->dirty);
    Py_CLEAR(context->non_differentiable);
    context->node = node.get();
    if (several) return result_owner.release();
    return Py_NewRef(PyTuple_GET_ITEM(result, 0));
  });
}

int add_function_context_type(PyObject* module) {
  context_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&context_spec));
  if (!context_type) return -1;
  return PyModule_AddObjectRef(module, "FunctionCtx", reinterpret_cast<PyObject*>(context_type));
}

}  // namespace tnp::python
