// Driver interface: the few functions that the rest of this library needs. They are implemented for
// GPUs (backend_cuda.cu) and for the emulated device (backend_emulated.cpp). Unless noted
// otherwise, functions raise Runtime with the driver's message.
#pragma once

#include <cstddef>
#include <cstdint>

#include "aten/core/devices/device_runtime.h"

namespace tnp::gpu::backend {

int device_count();  // Returns 0 if there is no usable GPU; never raises.
DeviceProperties properties(int device);
int current_device();
void set_current_device(int device);
void synchronize_device();  // waits for all work of the current device

void* allocate(size_t bytes);  // on the current device; null if out of memory
void free(void* data) noexcept;
void memory_info(size_t& free, size_t& total);
void* allocate_host(size_t bytes);  // pinned; null if out of memory
void free_host(void* data) noexcept;

enum class Copy { HostToDevice, DeviceToHost, WithinDevice };
void copy(void* to, const void* from, size_t bytes, Copy kind, StreamHandle stream);
void copy_between(void* to, int to_device, const void* from, int from_device, size_t bytes, StreamHandle stream);
void check_launch();  // raises the error of this thread's last launch

// The following functions use the current device.
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

// From begin_capture() to end_capture(), work that this thread puts into the stream becomes a graph
// instead of being executed.
using GraphHandle = uintptr_t;
void begin_capture(StreamHandle stream);
// Returns 0 if a captured operation cannot be part of a graph.
GraphHandle end_capture(StreamHandle stream) noexcept;
void launch_graph(GraphHandle graph, StreamHandle stream);
void delete_graph(GraphHandle graph) noexcept;  // launches of the graph that are running complete first

}  // namespace tnp::gpu::backend
