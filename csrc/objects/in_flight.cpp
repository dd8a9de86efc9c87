#include "csrc/objects/in_flight.h"

#include <utility>
#include <vector>

namespace tnp::python {

namespace {
std::vector<Tensor> retired[2];  // indexed by the epoch of their retirement
}  // namespace

void InFlight::reclaim() noexcept {
  // Freeing a tensor may run Python code and make other calls: so the lists must be consistent
  // whenever a tensor is freed.
  std::vector<Tensor> gone[2];
  const uint32_t before = 1 - state_.epoch;
  if (state_.running[before] == 0) {
    gone[0].swap(retired[before]);
    if (!retired[state_.epoch].empty()) {
      state_.epoch = before;
      if (state_.running[1 - before] == 0) gone[1].swap(retired[1 - before]);
    }
  }
  state_.any_retired = !retired[0].empty() || !retired[1].empty();
}

void retire(Tensor old) {
  retired[InFlight::state_.epoch].push_back(std::move(old));
  InFlight::state_.any_retired = true;
  InFlight::reclaim();
}

}  // namespace tnp::python
