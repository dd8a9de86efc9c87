// Generated from native_functions/elements.yaml. Argument tables of both faces, and the native calls.
#include "csrc/bindings/elements.h"

#include "aten/functions/elements.h"
#include "aten/operator_tables/elements.h"
#include "csrc/args/args.h"
#include "csrc/args/call.h"
#include "csrc/args/direct_call.h"
#include "csrc/args/fallback.h"

namespace tnp::python {

// twice(Tensor input) -> Tensor
// twice(np.ndarray x) -> np.ndarray
template <bool compat>
PyObject* THPVariable_twice(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (PyObject* done = direct_call<compat>(pointwise_ops::twice, self, args, nargs, kwnames)) return done;
  enum Slot { input, out, where, casting, order, dtype, ignored };
  static constexpr const char* slots[] = {"input", "out", "where", "casting", "order", "dtype", "ignored"};
  static const Parser parser = [] {
    if constexpr (compat) {
      static constexpr Param numpy[] = {
          {"x", Kind::ArrayLike, input, kRequired | kPositionalOnly},
          {"out", Kind::Out, out, kNullable, "None"},
          {"where", Kind::Mask, where, kKeywordOnly, "True"},
          {"casting", Kind::Casting, casting, kKeywordOnly, "'same_kind'"},
          {"order", Kind::Order, order, kKeywordOnly, "'K'"},
          {"dtype", Kind::Dtype, dtype, kKeywordOnly | kNullable, "None"},
          {"subok", Kind::Object, ignored, kKeywordOnly | kIgnored, "True"},
          {"signature", Kind::Object, ignored, kKeywordOnly | kIgnored, "None"},
      };
      return Parser({Signature("twice", numpy, slots)});
    } else {
      static constexpr Param native[] = {
          {"input", Kind::Tensor, input, kRequired, nullptr, {"x", "a", "x1"}},
          {"out", Kind::Out, out, kKeywordOnly | kNullable, "None"},
      };
      return Parser({Signature("twice", native, slots)});
    }
  }();
  return or_numpys<compat>("twice", self, args, nargs, kwnames, [&]() __attribute__((always_inline)) -> PyObject* {
    Args<compat, 7> r;
    const int overload = parser.parse(self, args, nargs, kwnames, r.values());
    if (overload < 0) return nullptr;
    if constexpr (compat) {
      return call<compat, ZeroDim::Value>(parser[overload], r.objects(), [&] {
        return tnp::twice(r.tensor(input), pointwise_options(r, {.out = out, .where = where, .dtype = dtype, .casting = casting, .order = order}));
      }, ResultClass{.operand = r.object(input), .out = r.object(out)});
    } else {
      return call<compat>(parser[overload], r.objects(), [&] {
        return tnp::twice(r.tensor(input), pointwise_options(r, {.out = out}));
      }, ResultClass{.operand = r.object(input), .out = r.object(out)});
    }
  });
}
template PyObject* THPVariable_twice<false>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
template PyObject* THPVariable_twice<true>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// total(Tensor input, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
// total(np.ndarray a, int[]? axis=None, np.dtype? dtype=None, np.ndarray? out=None, bool keepdims=<no value>, Scalar? initial=<no value>, np.ndarray? where=<no value>) -> np.ndarray
template <bool compat>
PyObject* THPVariable_total(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  enum Slot { input, dim, keepdim, dtype, out, initial, where };
  static constexpr const char* slots[] = {"input", "dim", "keepdim", "dtype", "out", "initial", "where"};
  static const Parser parser = [] {
    if constexpr (compat) {
      static constexpr Param numpy[] = {
          {"a", Kind::ArrayLike, input, kRequired},
          {"axis", Kind::IntList, dim, kNullable, "None"},
          {"dtype", Kind::Dtype, dtype, kNullable, "None"},
          {"out", Kind::Out, out, kNullable, "None"},
          {"keepdims", Kind::Bool, keepdim, kNullable, "<no value>"},
          {"initial", Kind::Scalar, initial, kNullable, "<no value>"},
          {"where", Kind::Mask, where, kNullable, "<no value>"},
      };
      return Parser({Signature("total", numpy, slots)});
    } else {
      static constexpr Param native[] = {
          {"input", Kind::Tensor, input, kRequired, nullptr, {"x", "a", "x1"}},
          {"dim", Kind::IntList, dim, kNullable, "None", {"axis"}},
          {"keepdim", Kind::StrictBool, keepdim, 0, "False", {"keepdims"}},
          {"dtype", Kind::Dtype, dtype, kKeywordOnly | kNullable, "None"},
          {"out", Kind::Out, out, kKeywordOnly | kNullable, "None"},
      };
      return Parser({Signature("total", native, slots)});
    }
  }();
  return or_numpys<compat>("total", self, args, nargs, kwnames, [&]() __attribute__((always_inline)) -> PyObject* {
    Args<compat, 7> r;
    const int overload = parser.parse(self, args, nargs, kwnames, r.values());
    if (overload < 0) return nullptr;
    if constexpr (compat) {
      return call<compat, ZeroDim::Value>(parser[overload], r.objects(), [&] {
        return tnp::total(r.tensor(input), r.opt_int_list(dim), r.boolean(keepdim, false), r.opt_dtype(dtype), reduce_options(r, {.out = out, .initial = initial, .where = where}));
      }, ResultClass{.operand = r.object(input), .out = r.object(out)});
    } else {
      return call<compat>(parser[overload], r.objects(), [&] {
        return tnp::total(r.tensor(input), r.opt_int_list(dim), r.boolean(keepdim, false), r.opt_dtype(dtype), reduce_options(r, {.out = out, .out_dtype = OutDtype::Exact}));
      }, ResultClass{.operand = r.object(input), .out = r.object(out)});
    }
  });
}
template PyObject* THPVariable_total<false>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
template PyObject* THPVariable_total<true>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// halves(np.ndarray y) -> (np.ndarray, np.ndarray)
template <bool compat>
PyObject* THPVariable_halves(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  enum Slot { input, out, where, casting, order, dtype, ignored };
  static constexpr const char* slots[] = {"input", "out", "where", "casting", "order", "dtype", "ignored"};
  static const Parser parser = [] {
    static constexpr Param numpy[] = {
        {"y", Kind::ArrayLike, input, kRequired | kPositionalOnly},
        {"out", Kind::Out, out, kNullable, "(None, None)"},
        {"where", Kind::Mask, where, kKeywordOnly, "True"},
        {"casting", Kind::Casting, casting, kKeywordOnly, "'same_kind'"},
        {"order", Kind::Order, order, kKeywordOnly, "'K'"},
        {"dtype", Kind::Dtype, dtype, kKeywordOnly | kNullable, "None"},
        {"subok", Kind::Object, ignored, kKeywordOnly | kIgnored, "True"},
        {"signature", Kind::Object, ignored, kKeywordOnly | kIgnored, "None"},
    };
    return Parser({Signature("halves", numpy, slots)});
  }();
  return or_numpys<compat>("halves", self, args, nargs, kwnames, [&]() __attribute__((always_inline)) -> PyObject* {
    Args<compat, 7> r;
    const int overload = parser.parse(self, args, nargs, kwnames, r.values());
    if (overload < 0) return nullptr;
    return call<compat, ZeroDim::ValueOfAnyClass>(parser[overload], r.objects(), [&] {
      return tnp::halves(r.tensor(input), pointwise_options(r, {.out = out, .where = where, .dtype = dtype, .casting = casting, .order = order}));
    }, ResultClass{.out = r.object(out)});
  });
}
template PyObject* THPVariable_halves<true>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// twice(Tensor input) -> Tensor
template <bool compat>
PyObject* THPVariable_twice_(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (PyObject* done = direct_call_inplace(pointwise_ops::twice, self, args, nargs, kwnames)) return done;
  enum Slot { input };
  static constexpr const char* slots[] = {"input"};
  static const Parser parser = [] {
    static constexpr Param native[] = {
        {"input", Kind::Tensor, input, kRequired, nullptr, {"x", "a", "x1"}},
    };
    return Parser({Signature("twice", native, slots)});
  }();
  Args<compat, 1> r;
  const int overload = parser.parse(self, args, nargs, kwnames, r.values());
  if (overload < 0) return nullptr;
  return call<compat>(parser[overload], r.objects(), [&] {
    return tnp::twice_(r.tensor(input));
  }, ResultClass{.operand = r.object(input)});
}
template PyObject* THPVariable_twice_<false>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

}  // namespace tnp::python
