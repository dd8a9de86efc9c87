// Matches Python arguments against parameter tables. If no overload matches, builds the error
// message.
#include "csrc/args/signature.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "csrc/args/kinds.h"
#include "csrc/convert/held.h"
#include "csrc/objects/calling_function.h"
#include "csrc/objects/mixed_operands.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/numpy_api.h"

namespace tnp::python {

Signature::Signature(const char* function, std::span<const Param> params, std::span<const char* const> slot_names)
    // Functions with one leading underscore are called only by a Python function of torch_np that
    // has the same name without the underscore. Messages show that name.
    : function_(function[0] == '_' && function[1] != '_' ? function + 1 : function),
      params_(params),
      slot_names_(slot_names),
      num_positional_(0),
      num_required_(0),
      num_operands_(0) {
  if (params.size() > static_cast<size_t>(kMaxSlots))
    Py_FatalError("torch_np: a signature has more than kMaxSlots parameters");
  for (size_t i = 0; i < params.size(); ++i) {
    interned_[i] = PyUnicode_InternFromString(params[i].name);
    if (!interned_[i]) Py_FatalError("torch_np: out of memory while interning argument names");
    if (!(params[i].flags & kKeywordOnly)) num_positional_ = static_cast<uint8_t>(i + 1);
    if (params[i].flags & kRequired) ++num_required_;
    if (params[i].kind == Kind::TensorOrNumber) ++num_operands_;
  }
}

std::string_view Signature::name_of(std::string_view native) const {
  const bool by_number = native.starts_with('#');
  const auto number = by_number ? static_cast<size_t>(std::atoi(native.data() + 1)) : slot_names_.size();
  for (size_t slot = 0; slot < slot_names_.size(); ++slot) {
    if (by_number ? slot != number : native != slot_names_[slot]) continue;
    for (const Param& p : params_) {
      if (p.slot == slot) return p.name;
    }
  }
  return native;
}

std::string Signature::text() const {
  std::string out = function_;
  out += '(';
  bool first = true, star = false;
  auto add = [&](std::string_view part) {
    if (!first) out += ", ";
    first = false;
    out += part;
  };
  for (size_t i = 0; i < params_.size(); ++i) {
    const Param& p = params_[i];
    if ((p.flags & kKeywordOnly) && !star) {
      add("*");
      star = true;
    }
    std::string part = p.name;
    if (p.default_text) part.append("=").append(p.default_text);
    add(part);
    bool last_positional_only =
        (p.flags & kPositionalOnly) && (i + 1 == params_.size() || !(params_[i + 1].flags & kPositionalOnly));
    if (last_positional_only) add("/");
  }
  return out + ")";
}

// Returns the index in params_, or -1. Python interns keyword names in compiled code, so the first
// loop, which compares addresses, finds nearly all names.
int Signature::find_keyword(PyObject* name) const {
  int n = static_cast<int>(params_.size());
  for (int i = 0; i < n; ++i) {
    if (interned_[i] == name) return i;
  }
  for (int i = 0; i < n; ++i) {
    if (PyUnicode_CompareWithASCIIString(name, params_[static_cast<size_t>(i)].name) == 0) return i;
  }
  for (int i = 0; i < n; ++i) {
    for (const char* alias : params_[static_cast<size_t>(i)].aliases) {
      if (alias && PyUnicode_CompareWithASCIIString(name, alias) == 0) return i;
    }
  }
  return -1;
}

// PyTorch's arguments of functions that make tensors. Tensors are strided, and pinned by pin_memory(),
// so only the defaults are accepted.
static const Param kLayout{"layout", Kind::String, 0, 0, "torch_np.strided"},
    kPin{"pin_memory", Kind::Bool, 0, 0, "False"};

// The parameter above with this name, or null. Functions that make tensors have `requires_grad`.
static const Param* only_with_default(std::span<const Param> params, PyObject* name) {
  const bool makes_tensor = std::any_of(params.begin(), params.end(),
                                        [](const Param& p) { return std::strcmp(p.name, "requires_grad") == 0; });
  for (const Param* p : {&kLayout, &kPin}) {
    if (makes_tensor && PyUnicode_CompareWithASCIIString(name, p->name) == 0) return p;
  }
  return nullptr;
}
static bool is_default(const Param& param, PyObject* value) {
  if (value == Py_None || (&param == &kPin && value == Py_False)) return true;
  if (&param != &kLayout) return false;
  Ref text(PyObject_Str(value));
  const char* layout = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (!layout) PyErr_Clear();
  return layout && std::string_view(layout).ends_with(".strided");
}

Signature::Failure Signature::match(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                                    PyObject** values) const {
  for (const Param& p : params_) values[p.slot] = nullptr;
  values[-1] = nullptr;
  size_t next = 0;                                  // the next positional parameter
  PyObject* const no_value = numpy_api().no_value;  // NumPy's sentinel for "this argument was not given"
  auto take = [&](const Param& p, PyObject* value) -> Mismatch {
    if (TNP_UNLIKELY(value == no_value || (value == Py_Ellipsis && p.kind == Kind::Out))) return Mismatch::None;
    if (!accepts(p, value)) return p.flags & kIgnored ? Mismatch::Unsupported : Mismatch::WrongKind;
    values[p.slot] = p.flags & kIgnored ? nullptr : value;
    return Mismatch::None;
  };
  if (self) {
    if (num_positional_ == 0) return {Mismatch::TooManyPositional};
    if (Mismatch m = take(params_[next], self); m != Mismatch::None) return {m, &params_[next], nullptr, self};
    ++next;
  }
  for (Py_ssize_t i = 0; i < nargs; ++i, ++next) {
    if (next >= num_positional_) return {Mismatch::TooManyPositional};
    const Param& p = params_[next];
    if ((p.flags & kVarArgs) && is_int_like(args[i])) {  // the remaining arguments are its integers
      for (Py_ssize_t j = i + 1; j < nargs; ++j) {
        if (!is_int_like(args[j])) return {Mismatch::WrongKind, &p, nullptr, args[j]};
      }
      values[p.slot] = reinterpret_cast<PyObject*>(reinterpret_cast<uintptr_t>(args + i) | 1);
      values[-1] = reinterpret_cast<PyObject*>(nargs - i);
      ++next;
      break;
    }
    if (Mismatch m = take(p, args[i]); m != Mismatch::None) return {m, &p, nullptr, args[i]};
  }
  if (kwnames) {
    Py_ssize_t nkw = PyTuple_GET_SIZE(kwnames);
    for (Py_ssize_t j = 0; j < nkw; ++j) {
      PyObject *name = PyTuple_GET_ITEM(kwnames, j), *value = args[nargs + j];
      int at = find_keyword(name);
      if (TNP_UNLIKELY(at < 0)) {
        const Param* param = only_with_default(params_, name);
        if (!param) return {Mismatch::UnknownKeyword, nullptr, name, value};
        if (!is_default(*param, value)) return {Mismatch::Unsupported, param, name, value};
        continue;
      }
      const Param& p = params_[static_cast<size_t>(at)];
      if (p.flags & kPositionalOnly) return {Mismatch::PositionalOnly, &p, name, value};
      if (static_cast<size_t>(at) < next || values[p.slot]) return {Mismatch::Twice, &p, name, value};
      if (Mismatch m = take(p, value); m != Mismatch::None) return {m, &p, name, value};
    }
  }
  // Required parameters nearly always come first, so this loop ends early.
  bool given = true;
  for (size_t i = 0; given && i < num_required_; ++i) given = (params_[i].flags & kRequired) && values[params_[i].slot];
  if (TNP_UNLIKELY(!given)) {
    for (const Param& p : params_) {
      if ((p.flags & kRequired) && !values[p.slot]) return {Mismatch::Missing, &p};
    }
  }
  if (num_operands_ > 0) {
    const Param* first = nullptr;
    for (const Param& p : params_) {
      if (p.kind != Kind::TensorOrNumber) continue;
      if (values[p.slot] && is_variable_and_no_scalar(values[p.slot])) return {};
      if (!first) first = &p;
    }
    return {Mismatch::OnlyNumbers, first, nullptr, values[first->slot]};
  }
  return {};
}

std::string Signature::describe(const Failure& f, Py_ssize_t num_given) const {
  std::string name(function_);
  name += "()";
  auto quoted = [](const char* s) { return "'" + std::string(s) + "'"; };
  switch (f.reason) {
    case Mismatch::TooManyPositional: {
      int required = 0;
      for (const Param& p : params_) required += (p.flags & kRequired) && !(p.flags & kKeywordOnly);
      std::string count = required == num_positional_
                              ? std::to_string(required)
                              : "from " + std::to_string(required) + " to " + std::to_string(num_positional_);
      return name + " takes " + count + " positional argument" + (num_positional_ == 1 ? "" : "s") + " but " +
             std::to_string(num_given) + (num_given == 1 ? " was" : " were") + " given";
    }
    case Mismatch::UnknownKeyword: {
      const char* keyword = PyUnicode_AsUTF8(f.keyword);
      if (!keyword) PyErr_Clear();
      return name + " got an unexpected keyword argument " + quoted(keyword ? keyword : "?");
    }
    case Mismatch::Twice:
      return name + " got multiple values for argument " + quoted(f.param->name);
    case Mismatch::PositionalOnly:
      return name + " got some positional-only arguments passed as keyword arguments: " + quoted(f.param->name);
    case Mismatch::Missing: {
      return name + " missing 1 required " + (f.param->flags & kKeywordOnly ? "keyword-only" : "positional") +
             " argument: " + quoted(f.param->name);
    }
    case Mismatch::WrongKind:
      return name + ": argument " + quoted(f.param->name) + " must be " + kind_text(f.param->kind) + ", not " +
             (f.value == Py_None ? "None" : class_name_of(f.value));
    case Mismatch::Unsupported:
      return name + ": argument " + quoted(f.param->name) + " is supported with its default only (" +
             (f.param->default_text ? f.param->default_text : "") + ")";
    case Mismatch::OnlyNumbers:
      return name + ": argument " + quoted(f.param->name) + " must be Tensor, not " +
             (f.value ? class_name_of(f.value) : "None") + ": one operand at least is a Tensor";
    case Mismatch::None:
      break;
  }
  return name;
}

Parser::Parser(std::initializer_list<Signature> overloads) : overloads_(overloads) {}

int Parser::parse(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** values) const {
  if (self && !is_variable(self)) self = nullptr;
  int n = static_cast<int>(overloads_.size());
  for (int i = 0; i < n; ++i) {
    if (TNP_LIKELY(overloads_[static_cast<size_t>(i)].match(self, args, nargs, kwnames, values).reason ==
                   Signature::Mismatch::None)) {
      return i;
    }
  }
  explain(self, args, nargs, kwnames, values);
  return -1;
}

// Whether NumPy might accept an argument of this kind that the engine rejects: Note [Fallback].
static bool holds_values(Kind kind) {
  switch (kind) {
    case Kind::ArrayLike:
    case Kind::ArrayLikeList:
    case Kind::Float:
    case Kind::Scalar:
    case Kind::FloatList:
      return true;
    default:
      return false;
  }
}

// Sets a NotHeldError if the engine has no dtype for the value of an argument of this kind, as its look
// tells. The text is made when somebody reads it, so calls that fall back do not pay for it.
static bool set_not_held(Kind kind, PyObject* value) {
  const bool array = kind == Kind::ArrayLike || kind == Kind::ArrayLikeList;
  if (!value || !(array ? is_certainly_not_held(value) : kind == Kind::Dtype && names_foreign_dtype(value)))
    return false;
  set_not_held_object(value);
  return true;
}

// Builds the error message. If all overloads fail for the same reason, states this reason.
// Otherwise lists the given arguments and the arguments that each overload accepts.
void Parser::explain(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                     PyObject** values) const {
  try {
    Py_ssize_t num_given = nargs + (self ? 1 : 0);
    std::string first;
    bool agree = true, unsupported = false, of_values = false;
    for (const Signature& s : overloads_) {
      Signature::Failure failure = s.match(self, args, nargs, kwnames, values);
      if (failure.reason == Signature::Mismatch::WrongKind && may_fall_back() &&
          set_not_held(failure.param->kind, failure.value))
        return;
      unsupported = failure.reason == Signature::Mismatch::Unsupported;
      of_values |= failure.reason == Signature::Mismatch::WrongKind && holds_values(failure.param->kind);
      std::string reason = s.describe(failure, num_given);
      if (first.empty())
        first = reason;
      else
        agree = agree && reason == first;
    }
    PyObject* type = of_values ? not_held_error() : PyExc_TypeError;
    const std::string caller = calling_function(overloads_[0].function());
    if (agree) {
      first.insert(0, caller);
      PyErr_SetString(unsupported ? PyExc_NotImplementedError : type, first.c_str());
      return;
    }
    std::string text = caller + overloads_[0].function();
    text += "() received an invalid combination of arguments - got (";
    Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t i = 0; i < nargs + nkw; ++i) {
      if (i > 0) text += ", ";
      if (i >= nargs) {
        const char* keyword = PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames, i - nargs));
        if (!keyword) PyErr_Clear();
        text += std::string(keyword ? keyword : "?") + "=";
      }
      text += args[i] == Py_None ? "None" : class_name_of(args[i]);
    }
    text += "), but expected one of:";
    for (const Signature& s : overloads_)
      text += "\n * " + s.text() + "\n      " + s.describe(s.match(self, args, nargs, kwnames, values), num_given);
    PyErr_SetString(type, text.c_str());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
}

}  // namespace tnp::python
