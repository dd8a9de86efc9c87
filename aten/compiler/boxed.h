// Boxed calls: a call of any operator as one type, and operators that can be called with one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "aten/compiler/arguments.h"
#include "aten/core/threads/thread_state.h"

namespace tnp::compiler {

// An operator's call, with tensors as values: a ViewNumber counts `tensors`.
struct BoxedCall {
  enum class Kind : uint8_t { Kernel, Composite, Pointwise, Reduction };
  const void* op = nullptr;  // descriptor: as Call::op
  const char* name = "";     // of the operator, without overload
  Kind kind = Kind::Kernel;
  std::vector<Argument> arguments = {};
  std::vector<Tensor> tensors = {};
  Dialect dialect = tnp::dialect();
};

class TNP_API BoxWriter final : public ArgumentWriter {
 public:
  // A wrapped device becomes `device`.
  explicit BoxWriter(BoxedCall& call, Device device = {})
      : ArgumentWriter(call.arguments), call_(call), device_(device) {}

 private:
  int number_of(const Tensor& t) override;
  Device real(Device v) override { return v.is_wrapped() ? device_ : v; }
  BoxedCall& call_;
  const Device device_;
};

// Results in the order of the schema.
struct TNP_API BoxedResults {
  std::vector<Tensor> tensors;
  Scalar number;  // of an operator that returns a number or a bool

  // The results as the operator's return type. Raises Runtime if their number is another.
  template <class R>
  R as() {
    size_t at = 0;
    if constexpr (!std::is_void_v<R>) {
      R result = take(std::type_identity<R>(), at, true);
      check_all_taken(at);
      return result;
    }
  }

 private:
  Tensor take(std::type_identity<Tensor>, size_t& at, bool) { return take_tensor(at); }
  std::vector<Tensor> take(std::type_identity<std::vector<Tensor>>, size_t& at, bool is_last) {
    return take_list(at, is_last);
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  T take(std::type_identity<T>, size_t&, bool) {
    return number.to<T>();
  }
  template <class... T>
  std::tuple<T...> take(std::type_identity<std::tuple<T...>>, size_t& at, bool) {
    // Braces: results are taken from the first to the last.
    return [&]<size_t... i>(std::index_sequence<i...>) {
      return std::tuple<T...>{take(std::type_identity<T>(), at, i + 1 == sizeof...(T))...};
    }(std::index_sequence_for<T...>());
  }
  Tensor take_tensor(size_t& at);
  std::vector<Tensor> take_list(size_t& at, bool is_last);
  void check_all_taken(size_t at) const;
};

// An operator, with autograd, that can be called with boxed arguments.
struct BoxedFunction {
  const void* op;
  const char* name;    // with overload: "add.alpha"
  const char* schema;  // "add.alpha(Tensor input, Tensor other, *, Scalar alpha) -> Tensor"
  std::string kinds;   // of the boxed arguments, one letter each: Note [Kinds of arguments]
  void (*function)();
  void (*run)(void (*function)(), const BoxedCall& call, BoxedResults& results);

  BoxedResults operator()(const BoxedCall& call) const {
    const DialectGuard guard(call.dialect);
    BoxedResults results;
    run(function, call, results);
    return results;
  }
};

template <class R, class... P>
void run_boxed(void (*function)(), const BoxedCall& call, BoxedResults& results) {
  const auto f = reinterpret_cast<R (*)(P...)>(function);
  ArgumentReader reader(call.arguments, call.tensors);
  // Braces: arguments are read from the first to the last.
  std::tuple<decltype(reader.read(std::type_identity<std::remove_cvref_t<P>>()))...> arguments{
      reader.read(std::type_identity<std::remove_cvref_t<P>>())...};
  if constexpr (std::is_void_v<R>)
    std::apply(f, arguments);
  else if constexpr (std::is_arithmetic_v<R>)
    results.number = Scalar(std::apply(f, arguments));
  else
    with_results<std::remove_cvref_t<R>>(std::apply(f, arguments),
                                         [&](TensorList made) { results.tensors.assign(made.begin(), made.end()); });
}

// Note [Kinds of arguments] Letters: T tensor, L list of tensors, b bool, i integer, d float, s number,
// y dtype, v device, I integers, D floats, F flags, S text, g generator, e enumerator. Any argument may
// be None where the operator has a default for it. Options are several arguments.
template <class P>
constexpr const char* kinds_of() {
  if constexpr (std::is_same_v<P, Tensor>)
    return "T";
  else if constexpr (std::is_same_v<P, TensorList>)
    return "L";
  else if constexpr (std::is_same_v<P, bool>)
    return "b";
  else if constexpr (std::is_same_v<P, int64_t>)
    return "i";
  else if constexpr (std::is_same_v<P, double>)
    return "d";
  else if constexpr (std::is_same_v<P, Scalar>)
    return "s";
  else if constexpr (std::is_same_v<P, ScalarType>)
    return "y";
  else if constexpr (std::is_same_v<P, Device>)
    return "v";
  else if constexpr (std::is_same_v<P, IntList>)
    return "I";
  else if constexpr (std::is_same_v<P, std::span<const double>>)
    return "D";
  else if constexpr (std::is_same_v<P, std::span<const bool>>)
    return "F";
  else if constexpr (std::is_same_v<P, std::string_view>)
    return "S";
  else if constexpr (std::is_same_v<P, Generator*>)
    return "g";
  else if constexpr (std::is_enum_v<P>)
    return "e";
  else if constexpr (std::is_same_v<P, OutOptions>)
    return "T";
  else if constexpr (std::is_same_v<P, PointwiseOptions>)
    return "TTTyee";
  else if constexpr (std::is_same_v<P, ReduceOptions>)
    return "TsTdT";
  else
    return kinds_of<typename P::value_type>();  // std::optional
}

template <class R, class... P>
BoxedFunction boxed(const void* op, const char* name, const char* schema, R (*f)(P...)) {
  std::string kinds;
  (kinds.append(kinds_of<std::remove_cvref_t<P>>()), ...);
  return {op, name, schema, std::move(kinds), reinterpret_cast<void (*)()>(f), &run_boxed<R, P...>};
}

using BoxedFunctions = std::vector<BoxedFunction>;
// Finds an operator by its descriptor, or by its name with overload; null if there is none.
TNP_API const BoxedFunction* find_boxed(const void* op);
TNP_API const BoxedFunction* find_boxed_by_name(std::string_view name);
TNP_API const BoxedFunctions& all_boxed();

}  // namespace tnp::compiler
