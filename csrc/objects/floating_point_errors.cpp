#include "csrc/objects/floating_point_errors.h"

#include <algorithm>

#include "csrc/objects/gil.h"
#include "csrc/objects/numpy_api.h"

namespace tnp::python {

bool give_floating_point_errors() {
  // A warning may run Python code, which calls us.
  FloatingPointState::Record records[std::size(FloatingPointState{}.records)];
  const int count = floating_point_state.count;
  std::copy_n(floating_point_state.records, count, records);
  drop_floating_point_errors();
  if (PyErr_Occurred()) return true;
  return call_python([&] {
    for (int i = 0; i < count; ++i) {
      const auto [operation, errors] = records[i];
      const int given = errors ? numpy_api().give_floating_point_errors(operation, errors)
                               : PyErr_WarnEx(PyExc_RuntimeWarning, operation, 1);
      if (given < 0) return false;
    }
    return true;
  });
}

}  // namespace tnp::python
