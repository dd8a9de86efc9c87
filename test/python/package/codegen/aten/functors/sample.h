// Functors that native_functions.yaml beside this names.
#pragma once

template <class T>
struct Twice {
  T operator()(T x) const { return x + x; }
};

template <class T>
struct Split {
  Pair<T, T> operator()(T x) const { return {x, x}; }
};

template <class T>
struct Total {
  using Acc = T;
};
