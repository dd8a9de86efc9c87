#include "csrc/objects/in_flight.h"

#include <utility>
#include <vector>

namespace tnp::python {

namespace {
std::vector<Tensor> retired[2];  // by the epoch in which they were
}  // namespace

void InFlight::reclaim() noexcept {
  // What goes may run Python, and with it other calls: the lists are whole at any time.
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
