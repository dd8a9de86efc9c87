// The functors named in native_functions.yaml in this folder.
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
