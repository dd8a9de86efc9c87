// Basics for functors: functors with two results, and traits that loops derive from a functor's
// signature.
//
// A functor is a struct template over its compute type, with one `operator()` that takes an element
// per operand:
//   template <class T> struct Add { TNP_HOST_DEVICE T operator()(T a, T b) const { return a + b; } };
// It compiles for host and device. It must not allocate, raise, or branch on global state.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "aten/core/macros.h"
#include "aten/core/numbers/dtype.h"

namespace tnp {

// The result of a functor with two results: divmod, modf, frexp. The two may differ in dtype.
template <class A, class B>
struct Pair {
  A first;
  B second;
};

namespace detail {

template <class R>
struct FunctorOutputs {
  using Types = TypeList<R>;
  static constexpr int count = 1;
};
template <class A, class B>
struct FunctorOutputs<Pair<A, B>> {
  using Types = TypeList<A, B>;
  static constexpr int count = 2;
};

template <class Signature>
struct FunctorSignature;
template <class F, class R, class... Args>
struct FunctorSignature<R (F::*)(Args...) const> {
  using Result = R;
  using Inputs = TypeList<std::remove_cvref_t<Args>...>;
  using Outputs = typename FunctorOutputs<R>::Types;
  static constexpr int nin = sizeof...(Args);
  static constexpr int nout = FunctorOutputs<R>::count;
};

}  // namespace detail

// FunctorTraits<Add<float>>: Result, Inputs and Outputs (TypeLists), nin, nout.
template <class F>
using FunctorTraits = detail::FunctorSignature<decltype(&F::operator())>;

}  // namespace tnp
