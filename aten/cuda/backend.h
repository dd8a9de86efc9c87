// The few things that this library asks of a driver, so that all above them is the same with a GPU (backend_cuda.cu)
// and without one (backend_emulated.cpp). Functions raise Runtime, with the driver's own words, where they don't say
// otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "aten/core/devices/device_runtime.h"

namespace tnp::gpu::backend {

int device_count();  // 0 without a usable GPU; never raises
DeviceProperties properties(int device);
int current_device();
void set_current_device(int device);
void synchronize_device();  // the current one

void* allocate(size_t bytes);  // on the current device; null if there is no room
void free(void* data) noexcept;
void memory_info(size_t& free, size_t& total);
void* allocate_host(size_t bytes);  // pinned; null if there is no room
void free_host(void* data) noexcept;

enum class Copy { HostToDevice, DeviceToHost, WithinDevice };
void copy(void* to, const void* from, size_t bytes, Copy kind, StreamHandle stream);
void copy_between(void* to, int to_device, const void* from, int from_device, size_t bytes, StreamHandle stream);
void check_launch();  // raises what the last launch of this thread met

// Of the current device.
StreamHandle new_stream(int priority);
void delete_stream(StreamHandle stream) noexcept;
bool is_done(StreamHandle stream);
void synchronize(StreamHandle stream);

EventHandle new_event(bool timing);
void delete_event(EventHandle event) noexcept;
void record(EventHandle event, StreamHandle stream);
void wait(StreamHandle stream, EventHandle event);
bool event_is_done(EventHandle event);
void synchronize_event(EventHandle event);
double elapsed_milliseconds(EventHandle begin, EventHandle end);

// What this thread gives to the stream from here on is not done, but becomes a graph.
using GraphHandle = uintptr_t;
void begin_capture(StreamHandle stream);
GraphHandle end_capture(StreamHandle stream) noexcept;  // 0 if it met what no graph holds
void launch_graph(GraphHandle graph, StreamHandle stream);
void delete_graph(GraphHandle graph) noexcept;  // launches that are under way go on

}  // namespace tnp::gpu::backend
