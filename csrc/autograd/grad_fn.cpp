// grad_fn objects: Python wrappers of graph nodes. Each name of nodes has a class of its own, a
// subclass of Node: type(x.grad_fn).__name__ is 'AddBackward0'.
#include <array>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aten/autograd/accumulate_grad.h"
#include "aten/autograd/engine.h"
#include "csrc/autograd/autograd.h"
#include "csrc/objects/device.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/size.h"

namespace tnp::python {

namespace {

struct GradFn {
  PyObject_HEAD intrusive_ptr<Node> node;
  bool numpy_face;
};
PyTypeObject* grad_fn_type = nullptr;

const intrusive_ptr<Node>& node_of(PyObject* self) { return reinterpret_cast<GradFn*>(self)->node; }

// The living object of each node, for the torch face and for NumPy's. Guarded by the GIL.
std::unordered_map<const Node*, PyObject*>& living(bool numpy_face) {
  static auto& all = *new std::array<std::unordered_map<const Node*, PyObject*>, 2>;
  return all[numpy_face ? 1 : 0];
}

// A hook may refer to the object that it is registered with. The cycle is garbage if the object is the
// node's only owner.
int grad_fn_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const intrusive_ptr<Node>& node = node_of(self);
  if (!node || node->use_count() != 1) return 0;
  if (int stop = visit_node_hooks(*node, visit, arg)) return stop;
  auto* python = dynamic_cast<PythonNode*>(node.get());
  return python ? python->visit(visit, arg) : 0;
}
int grad_fn_clear(PyObject* self) {
  const intrusive_ptr<Node>& node = node_of(self);
  if (node && node->use_count() == 1) auto gone = std::exchange(node->tensor_hooks, {});
  if (node && node->use_count() == 1) auto gone = std::exchange(node->pre_hooks, {});
  if (node && node->use_count() == 1) auto gone = std::exchange(node->post_hooks, {});
  return 0;
}

void grad_fn_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  living(reinterpret_cast<GradFn*>(self)->numpy_face).erase(node_of(self).get());
  reinterpret_cast<GradFn*>(self)->node.~intrusive_ptr();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// Whether the node is that of an autograd.Function.
bool is_python_node(const Node& node) { return dynamic_cast<const PythonNode*>(&node) != nullptr; }

PyObject* grad_fn_repr(PyObject* self) {
  const Node& node = *node_of(self);
  Ref module(is_python_node(node) ? PyObject_GetAttrString(self, "__module__") : PyUnicode_FromString(""));
  if (!module) return nullptr;
  const char* dot = PyUnicode_GET_LENGTH(module.get()) > 0 ? "." : "";
  return PyUnicode_FromFormat("<%U%s%s object at %p>", module.get(), dot, node.name(), &node);
}
Py_hash_t grad_fn_hash(PyObject* self) {
  return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(node_of(self).get()) >> 4);
}
PyObject* grad_fn_compare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || !PyObject_TypeCheck(b, grad_fn_type)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((node_of(a) == node_of(b)) == (op == Py_EQ));
}

// PyTorch prefixes the names of the nodes that are no operator's.
PyObject* grad_fn_name(PyObject* self, PyObject*) {
  const std::string name = node_of(self)->name();
  const bool prefixed = name == "AccumulateGrad" || name == "CopySlices";
  return PyUnicode_FromString((prefixed ? "torch::autograd::" + name : name).c_str());
}

PyObject* grad_fn_next_functions(PyObject* self, void*) {
  const auto& edges = node_of(self)->next_edges;
  PyObject* result = PyTuple_New(static_cast<Py_ssize_t>(edges.size()));
  if (!result) return nullptr;
  for (size_t i = 0; i < edges.size(); ++i) {
    PyObject* next = wrap_node(edges[i].node, reinterpret_cast<GradFn*>(self)->numpy_face);
    PyObject* pair = next ? Py_BuildValue("(NI)", next, edges[i].input_nr) : nullptr;
    if (!pair) {
      Py_DECREF(result);
      return nullptr;
    }
    PyTuple_SET_ITEM(result, static_cast<Py_ssize_t>(i), pair);
  }
  return result;
}

PyObject* grad_fn_variable(PyObject* self, void*) {
  return protect<false>([&] {
    Tensor leaf = leaf_of(*node_of(self));
    if (!leaf.defined()) raise_python(PyExc_AttributeError, "variable: only an AccumulateGrad node has this attribute");
    return reinterpret_cast<GradFn*>(self)->numpy_face ? wrap<true>(std::move(leaf)) : wrap<false>(std::move(leaf));
  });
}

PyTypeObject* input_metadata_type = nullptr;

PyTypeObject* make_input_metadata_type() {
  static PyStructSequence_Field fields[] = {
      {"shape", "Size of the gradient."},
      {"dtype", "Its dtype."},
      {"device", "Its device."},
      {"is_nested_tensor", "False: there are no nested tensors."},
      {"is_cpp_nested_tensor", "False: there are no nested tensors."},
      {nullptr, nullptr},
  };
  // The last two are attributes only, no items.
  static PyStructSequence_Desc description = {
      "torch_np._C._InputMetadata", "Shape, dtype and device of a gradient that arrives at a node.", fields, 3};
  return PyStructSequence_NewType(&description);
}

PyObject* grad_fn_input_metadata(PyObject* self, void*) {
  return protect<false>([&] {
    const std::vector<InputMeta>& all = node_of(self)->input_meta;
    Ref result(check(PyTuple_New(static_cast<Py_ssize_t>(all.size()))));
    for (size_t i = 0; i < all.size(); ++i) {
      const InputMeta& meta = all[i];
      PyObject* item = check(PyStructSequence_New(input_metadata_type));
      PyTuple_SET_ITEM(result.get(), static_cast<Py_ssize_t>(i), item);
      PyStructSequence_SET_ITEM(item, 0, check(make_size(meta.sizes)));
      PyStructSequence_SET_ITEM(item, 1, check(wrap<false>(meta.dtype)));
      PyStructSequence_SET_ITEM(item, 2, check(make_device(meta.device)));
      PyStructSequence_SET_ITEM(item, 3, Py_NewRef(Py_False));
      PyStructSequence_SET_ITEM(item, 4, Py_NewRef(Py_False));
    }
    return result.release();
  });
}

// The dict of a node. It is the only state of a pre-hook that does nothing, so that it lives as long as the
// node, and nodes without one have no member for it.
struct Metadata {
  SharedObject dict;
  void operator()(Tensors&) const {}
};

PyObject* grad_fn_metadata(PyObject* self, void*) {
  auto& hooks = node_of(self)->pre_hooks;
  for (const auto& hook : hooks) {
    if (const auto* metadata = hook.target<Metadata>()) return Py_NewRef(metadata->dict.get());
  }
  const Ref dict(PyDict_New());
  if (!dict) return nullptr;
  hooks.push_back(Metadata{share(dict.get())});
  return Py_NewRef(dict.get());
}

PyObject* wrap_all(const Tensors& list, bool numpy_face) {
  return check(numpy_face ? wrap_list<true>(list, false, false) : wrap_list<false>(list, false, false));
}

// Applies the result of a node hook: None, or as many gradients as the hook received.
void replace_by(Tensors& list, PyObject* result, bool numpy_face) {
  if (!result) throw PythonError{};
  if (result == Py_None) {
    Py_DECREF(result);
    return;
  }
  bool is_tuple = PyTuple_Check(result);
  if (is_tuple ? PyTuple_GET_SIZE(result) != static_cast<Py_ssize_t>(list.size()) : list.size() != 1) {
    Py_DECREF(result);
    PyErr_Format(PyExc_RuntimeError, "a hook has changed the number of gradients, which must be %zu", list.size());
    throw PythonError{};
  }
  Tensors replaced;
  try {
    for (size_t i = 0; i < list.size(); ++i) {
      replaced.push_back(
          gradient_from(is_tuple ? PyTuple_GET_ITEM(result, static_cast<Py_ssize_t>(i)) : result, numpy_face));
    }
  } catch (...) {
    Py_DECREF(result);
    throw;
  }
  Py_DECREF(result);
  list = std::move(replaced);
}

// The function of a hook of a node. The handle's remove() clears it; the node's list keeps the empty
// entry, since the node may be running its hooks.
using HookFunction = std::shared_ptr<SharedObject>;

struct PostHook {
  HookFunction hook;
  bool numpy_face;

  void operator()(Tensors& inputs, const Tensors& outputs) const {
    GilGuard gil;
    const SharedObject function = *hook;
    if (!function) return;
    Ref in(wrap_all(inputs, numpy_face)), out(wrap_all(outputs, numpy_face));
    PyObject* result =
        call_python([&] { return PyObject_CallFunctionObjArgs(function.get(), in.get(), out.get(), nullptr); });
    replace_by(inputs, result, numpy_face);
  }
};

struct PreHook {
  HookFunction hook;
  bool numpy_face;

  void operator()(Tensors& outputs) const {
    GilGuard gil;
    const SharedObject function = *hook;
    if (!function) return;
    Ref out(wrap_all(outputs, numpy_face));
    PyObject* result = call_python([&] { return PyObject_CallOneArg(function.get(), out.get()); });
    replace_by(outputs, result, numpy_face);
  }
};

template <class Hook, class List>
PyObject* add_node_hook(PyObject* self, PyObject* function, List& hooks) {
  check_hook(function);
  auto hook = std::make_shared<SharedObject>(share(function));
  hooks.push_back(Hook{hook, reinterpret_cast<GradFn*>(self)->numpy_face});
  return hook_handle([reference = std::weak_ptr<SharedObject>(hook)] {
    if (const HookFunction registered = reference.lock()) SharedObject gone = std::exchange(*registered, nullptr);
  });
}

PyObject* grad_fn_register_hook(PyObject* self, PyObject* hook) {
  return protect<false>([&] { return add_node_hook<PostHook>(self, hook, node_of(self)->post_hooks); });
}

PyObject* grad_fn_register_prehook(PyObject* self, PyObject* hook) {
  return protect<false>([&] { return add_node_hook<PreHook>(self, hook, node_of(self)->pre_hooks); });
}

PyObject* grad_fn_sequence_nr(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(node_of(self)->sequence_nr);
}

PyObject* grad_fn_set_sequence_nr(PyObject* self, PyObject* number) {
  const unsigned long long value = PyLong_AsUnsignedLongLong(number);
  if (PyErr_Occurred()) return nullptr;
  node_of(self)->sequence_nr = value;
  Py_RETURN_NONE;
}

// A tensor of unspecified values whose gradient flows to output `output_nr` of the node: it stands
// for a GradientEdge among the arguments of backward() and grad(). For the node of a leaf it is the
// leaf.
PyObject* grad_fn_stand_in(PyObject* self, PyObject* number) {
  const unsigned long output_nr = PyLong_AsUnsignedLong(number);
  if (output_nr == static_cast<unsigned long>(-1) && PyErr_Occurred()) return nullptr;
  return protect<false>([&]() -> PyObject* {
    const intrusive_ptr<Node>& node = node_of(self);
    Tensor leaf = leaf_of(*node);
    if (leaf.defined()) return wrap<false>(std::move(leaf));
    if (output_nr >= node->input_meta.size())
      raise_python(PyExc_IndexError, "a GradientEdge names an output that its node does not have");
    const InputMeta& of = node->input_meta[output_nr];
    Tensor result = empty_tensor(of.sizes, of.dtype, of.device);
    AutogradMeta& meta = make_autograd_meta(result);
    meta.grad_fn = node;
    meta.output_nr = static_cast<uint32_t>(output_nr);
    return wrap<false>(std::move(result));
  });
}

// --- saved tensors

// A tensor that a node has saved: x.grad_fn._raw_saved_self.
struct RawSaved {
  PyObject_HEAD intrusive_ptr<Node> node;
  SavedTensor* saved;
};
PyTypeObject* raw_saved_type = nullptr;

void raw_saved_dealloc(PyObject* self) {
  reinterpret_cast<RawSaved*>(self)->node.~intrusive_ptr();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* raw_saved_register_hooks(PyObject* self, PyObject* args) {
  PyObject *pack, *unpack;
  if (!PyArg_ParseTuple(args, "OO:register_hooks", &pack, &unpack) || !PyCallable_Check(pack) ||
      !PyCallable_Check(unpack)) {
    return PyErr_SetString(PyExc_TypeError,
                           "register_hooks(): incompatible function arguments. It takes two functions: pack_hook and "
                           "unpack_hook."),
           nullptr;
  }
  return protect<false>([&] {
    auto* raw = reinterpret_cast<RawSaved*>(self);
    raw->saved->pack(*saved_tensor_hooks_of(pack, unpack), raw->node.get());
    return Py_NewRef(Py_None);
  });
}

PyObject* raw_saved_new(PyTypeObject*, PyObject*, PyObject*) {
  return PyErr_SetString(PyExc_RuntimeError, "Trying to create a SavedTensor object from Python is forbidden."),
         nullptr;
}

PyMethodDef raw_saved_methods[] = {
    {"register_hooks", raw_saved_register_hooks, METH_VARARGS,
     "register_hooks($self, pack_hook, unpack_hook, /)\n--\n\n"
     "Replaces the saved tensor by `pack_hook(tensor)`; backward reads `unpack_hook` of it.\n\n"
     "Args:\n"
     "  pack_hook: Function of the tensor; it must not change it.\n"
     "  unpack_hook: Function of what `pack_hook` returned, which returns the tensor.\n\n"
     "Errors: RuntimeError for a tensor that was freed, or that has hooks already."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot raw_saved_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(raw_saved_dealloc)},
                                 {Py_tp_methods, raw_saved_methods},
                                 {Py_tp_new, reinterpret_cast<void*>(raw_saved_new)},
                                 {Py_tp_doc, const_cast<char*>("Tensor that a node has saved.")},
                                 {0, nullptr}};
PyType_Spec raw_saved_spec = {"torch_np._C.SavedTensor", sizeof(RawSaved), 0, Py_TPFLAGS_DEFAULT, raw_saved_slots};

PyObject* wrap_saved(PyObject* self, SavedTensor* saved, bool raw) {
  const bool numpy_face = reinterpret_cast<GradFn*>(self)->numpy_face;
  const intrusive_ptr<Node>& node = node_of(self);
  if (!raw) return wrap_face(saved->unpack(node.get(), true), numpy_face);
  auto* object = reinterpret_cast<RawSaved*>(check(PyType_GenericAlloc(raw_saved_type, 0)));
  new (&object->node) intrusive_ptr<Node>(node);
  object->saved = saved;
  return reinterpret_cast<PyObject*>(object);
}

// The attributes _saved_<name> and _raw_saved_<name>; null without an exception if there is none.
PyObject* saved_attribute(PyObject* self, std::string_view name, bool raw) {
  std::vector<SavedTensor*> found;
  bool list = false;
  node_of(self)->visit_saved([&](std::string_view of, SavedTensor& saved) {
    const bool member = of[0] == '*';
    if (of.substr(member ? 1 : 0) != name) return;
    list |= member;
    found.push_back(&saved);
  });
  if (found.empty()) return nullptr;
  if (!list) return wrap_saved(self, found[0], raw);
  Ref result(check(PyTuple_New(static_cast<Py_ssize_t>(found.size()))));
  for (size_t i = 0; i < found.size(); ++i)
    PyTuple_SET_ITEM(result.get(), static_cast<Py_ssize_t>(i), wrap_saved(self, found[i], raw));
  return result.release();
}

// Saved tensors; for an autograd.Function, also the attributes of its context.
PyObject* grad_fn_getattro(PyObject* self, PyObject* name) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(name, &size);
  if (!text) return nullptr;
  const std::string_view all(text, static_cast<size_t>(size));
  constexpr std::string_view kSaved = "_saved_", kRaw = "_raw_saved_";
  if (const bool raw = all.starts_with(kRaw); raw || all.starts_with(kSaved)) {
    PyObject* value =
        protect<false>([&] { return saved_attribute(self, all.substr((raw ? kRaw : kSaved).size()), raw); });
    if (value || PyErr_Occurred()) return value;
  }
  PyObject* value = PyObject_GenericGetAttr(self, name);
  if (value || !PyErr_ExceptionMatches(PyExc_AttributeError) || all.starts_with("__")) return value;
  auto* python = dynamic_cast<PythonNode*>(node_of(self).get());
  PyObject* context = python ? python->attributes() : nullptr;
  if (!context) return nullptr;
  PyErr_Clear();
  return PyObject_GetAttr(context, name);
}

PyMethodDef grad_fn_methods[] = {
    {"name", grad_fn_name, METH_NOARGS, "name()\n--\n\nName of the node, such as 'AddBackward0'."},
    {"register_hook", grad_fn_register_hook, METH_O,
     "register_hook(hook)\n--\n\n"
     "Registers a function that backward calls after the node has run.\n\n"
     "Args:\n"
     "  hook: Function hook(grad_inputs, grad_outputs). Its result replaces `grad_inputs`,\n"
     "    unless it is None.\n\n"
     "Returns a handle; its method remove() unregisters the hook."},
    {"register_prehook", grad_fn_register_prehook, METH_O,
     "register_prehook(hook)\n--\n\n"
     "Registers a function that backward calls before the node runs.\n\n"
     "Args:\n"
     "  hook: Function hook(grad_outputs). Its result replaces `grad_outputs`, unless it\n"
     "    is None.\n\n"
     "Returns a handle; its method remove() unregisters the hook."},
    {"_sequence_nr", grad_fn_sequence_nr, METH_NOARGS,
     "_sequence_nr()\n--\n\nNumber of the node: backward runs nodes with larger numbers first."},
    {"_set_sequence_nr", grad_fn_set_sequence_nr, METH_O,
     "_set_sequence_nr(number)\n--\n\nSets the number of the node."},
    {"_stand_in", grad_fn_stand_in, METH_O,
     "_stand_in(output_nr)\n--\n\n"
     "Tensor of unspecified values whose gradient flows to an output of the node."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef grad_fn_getset[] = {
    {"next_functions", grad_fn_next_functions, nullptr,
     "Tuple with a pair (grad_fn, index of its output) for each input.", nullptr},
    {"variable", grad_fn_variable, nullptr, "Leaf that an AccumulateGrad node adds the gradient to.", nullptr},
    {"_input_metadata", grad_fn_input_metadata, nullptr,
     "Shape, dtype and device of each result of the operator. The gradients that arrive have the\n"
     "same.",
     nullptr},
    {"metadata", grad_fn_metadata, nullptr, "A dict for the program's use. It lives as long as the node.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
// grad_fn(*gradients): the node's formula.
PyObject* grad_fn_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  return protect<false>([&] {
    const intrusive_ptr<Node> node = node_of(self);
    const bool numpy_face = reinterpret_cast<GradFn*>(self)->numpy_face;
    const auto given = static_cast<size_t>(PyTuple_GET_SIZE(args)), expected = node->input_meta.size();
    if (kwargs && PyDict_GET_SIZE(kwargs) != 0)
      raise_python(PyExc_TypeError, std::string(node->name()) + " takes no keyword arguments");
    if (given != expected)
      raise_python(PyExc_TypeError, std::string(node->name()) + "() expected " + std::to_string(expected) +
                                        " arguments, got " + std::to_string(given) + " instead");
    Tensors grads;
    for (size_t i = 0; i < given; ++i)
      grads.push_back(gradient_from(PyTuple_GET_ITEM(args, static_cast<Py_ssize_t>(i)), numpy_face));
    Tensors results = call_node(*node, std::move(grads));
    results.resize(node->next_edges.size());
    return results.size() == 1 ? wrap_face(results[0], numpy_face) : wrap_all(results, numpy_face);
  });
}

PyType_Slot grad_fn_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(grad_fn_dealloc)},
                               {Py_tp_traverse, reinterpret_cast<void*>(grad_fn_traverse)},
                               {Py_tp_clear, reinterpret_cast<void*>(grad_fn_clear)},
                               {Py_tp_repr, reinterpret_cast<void*>(grad_fn_repr)},
                               {Py_tp_hash, reinterpret_cast<void*>(grad_fn_hash)},
                               {Py_tp_call, reinterpret_cast<void*>(grad_fn_call)},
                               {Py_tp_richcompare, reinterpret_cast<void*>(grad_fn_compare)},
                               {Py_tp_getattro, reinterpret_cast<void*>(grad_fn_getattro)},
                               {Py_tp_methods, grad_fn_methods},
                               {Py_tp_getset, grad_fn_getset},
                               {Py_tp_doc, const_cast<char*>("Node of the autograd graph.")},
                               {0, nullptr}};
PyType_Spec grad_fn_spec = {
    "torch_np._C.Node", sizeof(GradFn), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, grad_fn_slots};

// The class of a node's Python object. PyTorch's classes of operators' nodes have no module either.
Ref class_of(const Node& node) {
  const auto* python = dynamic_cast<const PythonNode*>(&node);
  if (PyObject* own = python ? python->class_of_object() : nullptr) return Ref(own);
  if (PyErr_Occurred()) return Ref();
  static std::unordered_map<std::string, PyObject*> classes;  // guarded by the GIL; one for each name in the sources
  const std::string name = node.name();
  if (auto found = classes.find(name); found != classes.end()) return Ref(Py_NewRef(found->second));
  const std::string module = python ? torch_face() + ".autograd.function" : "builtins";
  Ref made(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){s(),ss}", name.c_str(), grad_fn_type,
                                 "__slots__", "__module__", module.c_str()));
  if (made) classes.emplace(name, Py_NewRef(made.get()));
  return made;
}

}  // namespace

namespace {

// Visits the function of a hook that only the node owns.
template <class Hook, class Function>
int visit_hook(const Function& of_node, visitproc visit, void* arg) {
  const auto* python = of_node.template target<Hook>();
  if (python && *python->hook && python->hook.use_count() == 1 && python->hook->use_count() == 1)
    Py_VISIT(python->hook->get());
  return 0;
}

PyObject* will_engine_execute_node(PyObject*, PyObject* node) {
  return guarded<false>([&] {
    if (!PyObject_TypeCheck(node, grad_fn_type))
      raise_python(PyExc_RuntimeError,
                   std::string("_will_engine_execute_node expects an grad_fn, but got ") + Py_TYPE(node)->tp_name);
    return PyBool_FromLong(will_execute(*node_of(node)));
  });
}

PyMethodDef functions[] = {{"_will_engine_execute_node", will_engine_execute_node, METH_O,
                            "_will_engine_execute_node(node)\n--\n\n"
                            "Whether the backward pass that this thread executes calls the node."},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

int visit_node_hooks(const Node& node, visitproc visit, void* arg) {
  for (const Node::HooksOfOutput& of : node.tensor_hooks) {
    if (of.hooks.use_count() != 1) continue;  // the tensor, or a handle, shares them
    if (int stop = visit_tensor_hooks(*of.hooks, visit, arg)) return stop;
  }
  for (const auto& hook : node.pre_hooks) {
    if (int stop = visit_hook<PreHook>(hook, visit, arg)) return stop;
    const auto* metadata = hook.target<Metadata>();
    if (metadata && metadata->dict.use_count() == 1) Py_VISIT(metadata->dict.get());
  }
  for (const auto& hook : node.post_hooks) {
    if (int stop = visit_hook<PostHook>(hook, visit, arg)) return stop;
  }
  return 0;
}

int add_grad_fn_type(PyObject* module) {
  grad_fn_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&grad_fn_spec));
  input_metadata_type = make_input_metadata_type();
  if (!grad_fn_type || !input_metadata_type) return -1;
  raw_saved_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&raw_saved_spec));
  if (!raw_saved_type || PyModule_AddObjectRef(module, "SavedTensor", reinterpret_cast<PyObject*>(raw_saved_type)) < 0)
    return -1;
  if (PyModule_AddFunctions(module, functions) < 0) return -1;
  return PyModule_AddObjectRef(module, "Node", reinterpret_cast<PyObject*>(grad_fn_type));
}

PyObject* wrap_node(const intrusive_ptr<Node>& node, bool numpy_face) {
  if (!node) Py_RETURN_NONE;
  auto& objects = living(numpy_face);
  if (auto found = objects.find(node.get()); found != objects.end()) return Py_NewRef(found->second);
  const Ref type = class_of(*node);
  if (!type) return nullptr;
  auto* object = reinterpret_cast<GradFn*>(PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(type.get()), 0));
  if (!object) return nullptr;
  new (&object->node) intrusive_ptr<Node>(node);
  object->numpy_face = numpy_face;
  objects.emplace(node.get(), reinterpret_cast<PyObject*>(object));
  return reinterpret_cast<PyObject*>(object);
}

}  // namespace tnp::python
