// matmul, vecdot, matvec, vecmat: the generalized ufuncs.
#pragma once

#include <array>

#include "csrc/functions/tables.h"

namespace tnp::python {

struct Generalized {
  const char* signature;
  UfuncRow row;
};

std::array<Generalized, 4>& generalized_ufuncs();
const UfuncRow* find_generalized(const char* name);  // null: none of that name

}  // namespace tnp::python
