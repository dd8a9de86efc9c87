#include "aten/core/devices/device_graph.h"

#include <atomic>

namespace tnp {

namespace {

std::atomic<DeviceGraphs*> registered{nullptr};

}  // namespace

DeviceGraphs* device_graphs() { return registered.load(std::memory_order_acquire); }
void register_device_graphs(DeviceGraphs* graphs) { registered.store(graphs, std::memory_order_release); }

}  // namespace tnp
