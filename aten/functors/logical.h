// Logical operations: every nonzero value is true, NaN too.
#pragma once

#include "aten/functors/functor.h"

namespace tnp {

template <class T>
struct LogicalAnd {
  TNP_HOST_DEVICE bool operator()(T a, T b) const { return convert<bool>(a) & convert<bool>(b); }
};

template <class T>
struct LogicalOr {
  TNP_HOST_DEVICE bool operator()(T a, T b) const { return convert<bool>(a) | convert<bool>(b); }
};

template <class T>
struct LogicalXor {
  TNP_HOST_DEVICE bool operator()(T a, T b) const { return convert<bool>(a) != convert<bool>(b); }
};

template <class T>
struct LogicalNot {
  TNP_HOST_DEVICE bool operator()(T a) const { return !convert<bool>(a); }
};

}  // namespace tnp
