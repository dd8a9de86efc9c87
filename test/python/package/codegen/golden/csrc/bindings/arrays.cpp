// Generated from native_functions/arrays.yaml. Argument tables of both faces, and the native calls.
#include "csrc/bindings/arrays.h"

#include "aten/functions/arrays.h"
#include "csrc/args/args.h"
#include "csrc/args/call.h"
#include "csrc/args/direct_call.h"
#include "csrc/args/fallback.h"

namespace tnp::python {

// filled(int[*] size, Scalar value=1, *, ScalarType? dtype=None, Order order='C') -> Tensor
// filled(int[1] shape, np.dtype? dtype=float, Order order='C', *, np.ndarray? like=None) -> np.ndarray
template <bool compat>
PyObject* THPVariable_filled(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  enum Slot { size, value, dtype, order, out, ignored };
  static constexpr const char* slots[] = {"size", "value", "dtype", "order", "out", "ignored"};
  static const Parser parser = [] {
    if constexpr (compat) {
      static constexpr Param numpy[] = {
          {"shape", Kind::IntList, size, kRequired},
          {"dtype", Kind::Dtype, dtype, kNullable, "float"},
          {"order", Kind::Order, order, 0, "'C'"},
          {"like", Kind::Object, ignored, kKeywordOnly | kNullable | kIgnored, "None"},
      };
      return Parser({Signature("filled", numpy, slots)});
    } else {
      static constexpr Param native[] = {
          {"size", Kind::IntList, size, kRequired | kVarArgs},
          {"value", Kind::Scalar, value, 0, "1"},
          {"dtype", Kind::Dtype, dtype, kKeywordOnly | kNullable, "None"},
          {"order", Kind::Order, order, kKeywordOnly, "'C'"},
          {"out", Kind::Out, out, kKeywordOnly | kNullable, "None"},
      };
      return Parser({Signature("filled", native, slots)});
    }
  }();
  return or_numpys<compat>("filled", self, args, nargs, kwnames, [&]() __attribute__((always_inline)) -> PyObject* {
    Args<compat, 6> r;
    const int overload = parser.parse(self, args, nargs, kwnames, r.values());
    if (overload < 0) return nullptr;
    if constexpr (compat) {
      return call<compat, ZeroDim::Value>(parser[overload], r.objects(), [&] {
        return tnp::filled(r.int_list(size), Scalar(int64_t{1}), r.opt_dtype(dtype), r.order(order, Order::C));
      });
    } else {
      return call<compat>(parser[overload], r.objects(), [&] {
        return into_new_out(r, out, tnp::filled(r.int_list(size), r.scalar(value, Scalar(int64_t{1})), r.opt_dtype(dtype), r.order(order, Order::C)), OutDtype::Exact);
      }, ResultClass{.out = r.object(out)});
    }
  });
}
template PyObject* THPVariable_filled<false>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
template PyObject* THPVariable_filled<true>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// product(Tensor input, Tensor other, float scale=1.5) -> Tensor
// product(np.ndarray x1, np.ndarray x2, /, np.ndarray? out=None) -> np.ndarray
template <bool compat>
PyObject* THPVariable_product(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  enum Slot { input, other, scale, out };
  static constexpr const char* slots[] = {"input", "other", "scale", "out"};
  static const Parser parser = [] {
    if constexpr (compat) {
      static constexpr Param numpy[] = {
          {"x1", Kind::ArrayLike, input, kRequired | kPositionalOnly},
          {"x2", Kind::ArrayLike, other, kRequired | kPositionalOnly},
          {"out", Kind::Out, out, kNullable, "None"},
      };
      return Parser({Signature("product", numpy, slots)});
    } else {
      static constexpr Param native[] = {
          {"input", Kind::Tensor, input, kRequired, nullptr, {"x", "a", "x1"}},
          {"other", Kind::Tensor, other, kRequired, nullptr, {"x2"}},
          {"scale", Kind::Float, scale, 0, "1.5"},
          {"out", Kind::Out, out, kKeywordOnly | kNullable, "None"},
      };
      return Parser({Signature("product", native, slots)});
    }
  }();
  return or_numpys<compat>("product", self, args, nargs, kwnames, [&]() __attribute__((always_inline)) -> PyObject* {
    Args<compat, 4> r;
    const int overload = parser.parse(self, args, nargs, kwnames, r.values());
    if (overload < 0) return nullptr;
    if constexpr (compat) {
      return call<compat, ZeroDim::Value>(parser[overload], r.objects(), [&] {
        return tnp::product(r.tensor(input), r.tensor(other), 1.5, out_options(r, out));
      }, ResultClass{.operand = r.object(input), .out = r.object(out)});
    } else {
      return call<compat>(parser[overload], r.objects(), [&] {
        return tnp::product(r.tensor(input), r.tensor(other), r.floating(scale, 1.5), out_options(r, out, OutDtype::Exact));
      }, ResultClass{.operand = r.object(input), .out = r.object(out)});
    }
  });
}
template PyObject* THPVariable_product<false>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
template PyObject* THPVariable_product<true>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// swapped(Tensor(a) input, int dim0, int dim1) -> Tensor(a)
template <bool compat>
PyObject* THPVariable_swapped(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  enum Slot { input, dim0, dim1 };
  static constexpr const char* slots[] = {"input", "dim0", "dim1"};
  static const Parser parser = [] {
    static constexpr Param native[] = {
        {"input", Kind::Tensor, input, kRequired, nullptr, {"x", "a", "x1"}},
        {"dim0", Kind::Int, dim0, kRequired},
        {"dim1", Kind::Int, dim1, kRequired},
    };
    return Parser({Signature("swapped", native, slots)});
  }();
  Args<compat, 3> r;
  const int overload = parser.parse(self, args, nargs, kwnames, r.values());
  if (overload < 0) return nullptr;
  return call<compat>(parser[overload], r.objects(), [&] {
    return tnp::swapped(r.tensor(input), r.integer(dim0), r.integer(dim1));
  }, ResultClass{.operand = r.object(input)});
}
template PyObject* THPVariable_swapped<false>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// assign_(Tensor(a!) self, Tensor src) -> Tensor(a!)
template <bool compat>
PyObject* THPVariable_assign_(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  enum Slot { self_, src };
  static constexpr const char* slots[] = {"self", "src"};
  static const Parser parser = [] {
    static constexpr Param native[] = {
        {"self", Kind::Tensor, self_, kRequired},
        {"src", Kind::Tensor, src, kRequired},
    };
    return Parser({Signature("assign_", native, slots)});
  }();
  Args<compat, 2> r;
  const int overload = parser.parse(self, args, nargs, kwnames, r.values());
  if (overload < 0) return nullptr;
  return call<compat>(parser[overload], r.objects(), [&] {
    return tnp::assign_(r.tensor(self_), r.tensor(src));
  }, ResultClass{.operand = r.object(self_)});
}
template PyObject* THPVariable_assign_<false>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// joined(Tensor[] tensors, int dim=0) -> Tensor
// joined.lists(Tensor[] tensors, *, str mode='plain') -> Tensor[]
// joined(np.ndarray[] arrays, int axis=0) -> np.ndarray
template <bool compat>
PyObject* THPVariable_joined(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  enum Slot { tensors, dim, mode, out };
  static constexpr const char* slots[] = {"tensors", "dim", "mode", "out"};
  static const Parser parser = [] {
    if constexpr (compat) {
      static constexpr Param numpy[] = {
          {"arrays", Kind::ArrayLikeList, tensors, kRequired},
          {"axis", Kind::Int, dim, 0, "0"},
      };
      return Parser({Signature("joined", numpy, slots)});
    } else {
      static constexpr Param native0[] = {
          {"tensors", Kind::TensorList, tensors, kRequired},
          {"dim", Kind::Int, dim, 0, "0", {"axis"}},
          {"out", Kind::Out, out, kKeywordOnly | kNullable, "None"},
      };
      static constexpr Param native1[] = {
          {"tensors", Kind::TensorList, tensors, kRequired},
          {"mode", Kind::String, mode, kKeywordOnly, "'plain'"},
      };
      return Parser({Signature("joined", native0, slots), Signature("joined", native1, slots)});
    }
  }();
  return or_numpys<compat>("joined", self, args, nargs, kwnames, [&]() __attribute__((always_inline)) -> PyObject* {
    Args<compat, 4> r;
    const int overload = parser.parse(self, args, nargs, kwnames, r.values());
    if (overload < 0) return nullptr;
    if constexpr (compat) {
      return call<compat, ZeroDim::Value>(parser[overload], r.objects(), [&] {
        return tnp::joined(r.tensor_list(tensors), r.integer(dim, 0));
      });
    } else {
      if (overload == 0) return call<compat>(parser[overload], r.objects(), [&] {
        return into_out(r, out, tnp::joined(r.tensor_list(tensors), r.integer(dim, 0)), OutDtype::Exact);
      }, ResultClass{.out = r.object(out)});
      return call<compat>(parser[overload], r.objects(), [&] {
        return tnp::joined(r.tensor_list(tensors), r.string(mode, "plain"));
      });
    }
  });
}
template PyObject* THPVariable_joined<false>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
template PyObject* THPVariable_joined<true>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// chosen(Tensor input, int dim) -> (Tensor values, Tensor indices)
template <bool compat>
PyObject* THPVariable_chosen(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  enum Slot { input, dim, out };
  static constexpr const char* slots[] = {"input", "dim", "out"};
  static const Parser parser = [] {
    static constexpr Param native[] = {
        {"input", Kind::Tensor, input, kRequired, nullptr, {"x", "a", "x1"}},
        {"dim", Kind::Int, dim, kRequired, nullptr, {"axis"}},
        {"out", Kind::OutTuple, out, kKeywordOnly | kNullable, "None"},
    };
    return Parser({Signature("chosen", native, slots)});
  }();
  Args<compat, 3> r;
  const int overload = parser.parse(self, args, nargs, kwnames, r.values());
  if (overload < 0) return nullptr;
  return named_result<compat>(torch_chosen_type, call<compat>(parser[overload], r.objects(), [&] {
    return into_outs(r, out, tnp::chosen(r.tensor(input), r.integer(dim)));
  }, ResultClass{.operand = r.object(input), .out = r.object(out)}));
}
template PyObject* THPVariable_chosen<false>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// places(Tensor input, int? dim=None) -> Tensor
template <bool compat>
PyObject* THPVariable_linalg_places(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  enum Slot { input, dim, out };
  static constexpr const char* slots[] = {"input", "dim", "out"};
  static const Parser parser = [] {
    static constexpr Param native[] = {
        {"input", Kind::Tensor, input, kRequired, nullptr, {"A", "x", "a", "x1"}},
        {"dim", Kind::Int, dim, kNullable, "None", {"axis"}},
        {"out", Kind::Out, out, kKeywordOnly | kNullable, "None"},
    };
    return Parser({Signature("places", native, slots)});
  }();
  Args<compat, 3> r;
  const int overload = parser.parse(self, args, nargs, kwnames, r.values());
  if (overload < 0) return nullptr;
  return call<compat>(parser[overload], r.objects(), [&] {
    return tnp::places(r.tensor(input), r.opt_integer(dim), out_options(r, out, OutDtype::Exact));
  }, ResultClass{.operand = r.object(input), .out = r.object(out)});
}
template PyObject* THPVariable_linalg_places<false>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// normalized(Tensor input, Tensor? weight=None, float[] scales=[0.5, 2.0], *, float[]? range=None, bool[] flags=[True]) -> (Tensor values, Tensor norm)
template <bool compat>
PyObject* THPVariable_nn_functional_normalized(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  enum Slot { input, weight, scales, range, flags, out };
  static constexpr const char* slots[] = {"input", "weight", "scales", "range", "flags", "out"};
  static const Parser parser = [] {
    static constexpr Param native[] = {
        {"input", Kind::Tensor, input, kRequired, nullptr, {"x", "a", "x1"}},
        {"weight", Kind::Tensor, weight, kNullable, "None"},
        {"scales", Kind::FloatList, scales, 0, "[0.5, 2.0]"},
        {"range", Kind::FloatList, range, kKeywordOnly | kNullable, "None"},
        {"flags", Kind::BoolList, flags, kKeywordOnly, "[True]"},
        {"out", Kind::OutTuple, out, kKeywordOnly | kNullable, "None"},
    };
    return Parser({Signature("normalized", native, slots)});
  }();
  Args<compat, 6> r;
  const int overload = parser.parse(self, args, nargs, kwnames, r.values());
  if (overload < 0) return nullptr;
  return named_result<compat>(torch_nn_functional_normalized_type, call<compat>(parser[overload], r.objects(), [&] {
    return into_outs(r, out, tnp::normalized(r.tensor(input), r.tensor_or_undefined(weight), r.float_list(scales, std::span<const double>(std::initializer_list<double>{0.5, 2.0})), r.opt_float_list(range), r.bool_list(flags, std::span<const bool>(std::initializer_list<bool>{true}))));
  }, ResultClass{.operand = r.object(input), .out = r.object(out)}));
}
template PyObject* THPVariable_nn_functional_normalized<false>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// numbers(Distribution distribution, int[] size, *, Generator? generator=None) -> Tensor
template <bool compat>
PyObject* THPVariable_numbers(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  enum Slot { distribution, size, generator, out };
  static constexpr const char* slots[] = {"distribution", "size", "generator", "out"};
  static const Parser parser = [] {
    static constexpr Param native[] = {
        {"distribution", Kind::String, distribution, kRequired},
        {"size", Kind::IntList, size, kRequired},
        {"generator", Kind::Generator, generator, kKeywordOnly | kNullable, "None"},
        {"out", Kind::Out, out, kKeywordOnly | kNullable, "None"},
    };
    return Parser({Signature("numbers", native, slots)});
  }();
  Args<compat, 4> r;
  const int overload = parser.parse(self, args, nargs, kwnames, r.values());
  if (overload < 0) return nullptr;
  return call<compat>(parser[overload], r.objects(), [&] {
    return into_new_out(r, out, tnp::numbers(r.distribution(distribution), r.int_list(size), r.generator(generator)), OutDtype::Exact);
  }, ResultClass{.out = r.object(out)});
}
template PyObject* THPVariable_numbers<false>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// norm_of(np.ndarray arr, np.ndarray? weight=None, float[] scales=[0.5, 2.0], *, float[]? range=None, bool[] flags=[True]) -> (np.ndarray values, np.ndarray norm)
template <bool compat>
PyObject* THPVariable_nn_functional_norm_of(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  enum Slot { input, weight, scales, range, flags };
  static constexpr const char* slots[] = {"input", "weight", "scales", "range", "flags"};
  static const Parser parser = [] {
    static constexpr Param numpy[] = {
        {"arr", Kind::ArrayLike, input, kRequired},
        {"weight", Kind::ArrayLike, weight, kNullable, "None"},
        {"scales", Kind::FloatList, scales, 0, "[0.5, 2.0]"},
        {"range", Kind::FloatList, range, kKeywordOnly | kNullable, "None"},
        {"flags", Kind::BoolList, flags, kKeywordOnly, "[True]"},
    };
    return Parser({Signature("norm_of", numpy, slots)});
  }();
  return or_numpys<compat>("nn.functional.norm_of", self, args, nargs, kwnames, [&]() __attribute__((always_inline)) -> PyObject* {
    Args<compat, 5> r;
    const int overload = parser.parse(self, args, nargs, kwnames, r.values());
    if (overload < 0) return nullptr;
    return named_result<compat>(numpy_NormalizedResult_type, call<compat, ZeroDim::Value>(parser[overload], r.objects(), [&] {
      return tnp::normalized(r.tensor(input), r.tensor_or_undefined(weight), r.float_list(scales, std::span<const double>(std::initializer_list<double>{0.5, 2.0})), r.opt_float_list(range), r.bool_list(flags, std::span<const bool>(std::initializer_list<bool>{true})));
    }, ResultClass{.operand = r.object(input)}));
  });
}
template PyObject* THPVariable_nn_functional_norm_of<true>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

}  // namespace tnp::python
