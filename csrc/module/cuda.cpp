// torch_np._C._cuda: native functions for torch_np.cuda. Streams and events are integer handles
// here, which Python wraps in objects.
#include "aten/core/devices/device_library.h"
#include "aten/core/devices/device_runtime.h"
#include "aten/core/devices/plan_caches.h"
#include "csrc/module/modules.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/errors.h"

namespace tnp::python {

namespace {

Device gpu(int device) {
  TNP_CHECK(device >= 0 && device < 128, ErrorKind::Runtime, "there is no GPU ", device);
  return {DeviceType::CUDA, static_cast<int8_t>(device)};
}
DeviceRuntime& runtime(int device) { return runtime_of(gpu(device)); }

PyObject* none() { return Py_NewRef(Py_None); }
PyObject* number(uint64_t n) { return check(PyLong_FromUnsignedLongLong(n)); }

// Parses a few integers and calls `body` with them: `format` as for PyArg_ParseTuple.
template <class... Args, class F>
PyObject* with_integers(PyObject* args, const char* format, F&& body) {
  std::tuple<Args...> values{};
  if (!std::apply([&](auto&... v) { return PyArg_ParseTuple(args, format, &v...); }, values)) return nullptr;
  return protect<false>([&] { return std::apply(body, values); });
}
using Handle = unsigned long long;

// Sets the folder of the library in package torch-np-cuda. Must be called before the first use of a
// GPU.
PyObject* set_library_folder(PyObject*, PyObject* args) {
  const char* folder;
  if (!PyArg_ParseTuple(args, "s", &folder)) return nullptr;
  return protect<false>([&] { return set_device_library_folder(folder), none(); });
}
PyObject* device_count(PyObject*, PyObject*) {
  return protect<false>(
      [&] { return number(device_runtime() ? static_cast<uint64_t>(device_runtime()->device_count()) : 0); });
}
PyObject* initialize(PyObject*, PyObject*) {
  return protect<false>([&] { return runtime(0), none(); });
}
PyObject* properties(PyObject*, PyObject* args) {
  return with_integers<int>(args, "i", [](int d) {
    DeviceProperties p = runtime(d).properties(d);
    return Py_BuildValue("(sKiii)", p.name.c_str(), static_cast<Handle>(p.total_memory), p.major, p.minor,
                         p.multiprocessors);
  });
}
PyObject* current_device(PyObject*, PyObject*) {
  return protect<false>([&] { return number(static_cast<uint64_t>(runtime(0).current_device())); });
}
PyObject* set_device(PyObject*, PyObject* args) {
  return with_integers<int>(args, "i", [](int d) { return runtime(d).set_current_device(d), none(); });
}
PyObject* synchronize(PyObject*, PyObject* args) {
  return with_integers<int>(args, "i", [](int d) { return runtime(d).synchronize(d), none(); });
}
PyObject* memory_stats(PyObject*, PyObject* args) {
  return with_integers<int>(args, "i", [](int d) {
    MemoryStatistics s = runtime(d).statistics(d);
    return Py_BuildValue("{sK sK sK sK sK}", "allocated_bytes", s.allocated_bytes, "peak_allocated_bytes",
                         s.peak_allocated_bytes, "cached_bytes", s.cached_bytes, "allocations", s.allocations,
                         "cache_hits", s.cache_hits);
  });
}
PyObject* reset_peak(PyObject*, PyObject* args) {
  return with_integers<int>(args, "i", [](int d) { return runtime(d).reset_peak_statistics(d), none(); });
}
PyObject* empty_cache(PyObject*, PyObject*) {
  return protect<false>([&] {
    if (DeviceRuntime* r = loaded_device_runtime()) r->empty_cache();
    return none();
  });
}
PyObject* memory_info(PyObject*, PyObject* args) {
  return with_integers<int>(args, "i", [](int d) {
    uint64_t free = 0, total = 0;
    runtime(d).memory_info(d, free, total);
    return Py_BuildValue("(KK)", static_cast<Handle>(free), static_cast<Handle>(total));
  });
}

PyObject* current_stream(PyObject*, PyObject* args) {
  return with_integers<int>(args, "i", [](int d) { return number(runtime(d).current_stream(d)); });
}
PyObject* set_stream(PyObject*, PyObject* args) {
  return with_integers<int, Handle>(args, "iK",
                                    [](int d, Handle s) { return runtime(d).set_current_stream(d, s), none(); });
}
PyObject* new_stream(PyObject*, PyObject* args) {
  return with_integers<int, int>(args, "ii",
                                 [](int d, int priority) { return number(runtime(d).new_stream(d, priority)); });
}
PyObject* delete_stream(PyObject*, PyObject* args) {
  return with_integers<int, Handle>(args, "iK", [](int d, Handle s) { return runtime(d).delete_stream(d, s), none(); });
}
PyObject* stream_is_done(PyObject*, PyObject* args) {
  return with_integers<int, Handle>(args, "iK",
                                    [](int d, Handle s) { return PyBool_FromLong(runtime(d).stream_is_done(d, s)); });
}
PyObject* synchronize_stream(PyObject*, PyObject* args) {
  return with_integers<int, Handle>(args, "iK",
                                    [](int d, Handle s) { return runtime(d).synchronize_stream(d, s), none(); });
}
PyObject* new_event(PyObject*, PyObject* args) {
  return with_integers<int, int>(args, "ip",
                                 [](int d, int timing) { return number(runtime(d).new_event(d, timing != 0)); });
}
PyObject* delete_event(PyObject*, PyObject* args) {
  return with_integers<Handle>(args, "K", [](Handle e) { return runtime(0).delete_event(e), none(); });
}
PyObject* record_event(PyObject*, PyObject* args) {
  return with_integers<Handle, int, Handle>(
      args, "KiK", [](Handle e, int d, Handle s) { return runtime(d).record_event(e, d, s), none(); });
}
PyObject* wait_event(PyObject*, PyObject* args) {
  return with_integers<int, Handle, Handle>(
      args, "iKK", [](int d, Handle s, Handle e) { return runtime(d).wait_event(d, s, e), none(); });
}
PyObject* event_is_done(PyObject*, PyObject* args) {
  return with_integers<Handle>(args, "K", [](Handle e) { return PyBool_FromLong(runtime(0).event_is_done(e)); });
}
PyObject* synchronize_event(PyObject*, PyObject* args) {
  return with_integers<Handle>(args, "K", [](Handle e) { return runtime(0).synchronize_event(e), none(); });
}
PyObject* elapsed(PyObject*, PyObject* args) {
  return with_integers<Handle, Handle>(
      args, "KK", [](Handle a, Handle b) { return check(PyFloat_FromDouble(runtime(0).elapsed_milliseconds(a, b))); });
}

PyObject* plan_cache_size(PyObject*, PyObject* args) {
  return with_integers<int>(args, "i",
                            [](int d) { return runtime(d), number(static_cast<uint64_t>(plan_caches().size(d))); });
}
PyObject* plan_cache_max_size(PyObject*, PyObject* args) {
  return with_integers<int>(args, "i",
                            [](int d) { return runtime(d), number(static_cast<uint64_t>(plan_caches().max_size(d))); });
}
PyObject* set_plan_cache_max_size(PyObject*, PyObject* args) {
  return with_integers<int, long long>(
      args, "iL", [](int d, long long n) { return runtime(d), plan_caches().set_max_size(d, n), none(); });
}
PyObject* clear_plan_cache(PyObject*, PyObject* args) {
  return with_integers<int>(args, "i", [](int d) { return runtime(d), plan_caches().clear(d), none(); });
}

PyMethodDef functions[] = {{"set_library_folder", set_library_folder, METH_VARARGS, nullptr},
                           {"device_count", device_count, METH_NOARGS, nullptr},
                           {"initialize", initialize, METH_NOARGS, nullptr},
                           {"properties", properties, METH_VARARGS, nullptr},
                           {"current_device", current_device, METH_NOARGS, nullptr},
                           {"set_device", set_device, METH_VARARGS, nullptr},
                           {"synchronize", synchronize, METH_VARARGS, nullptr},
                           {"memory_stats", memory_stats, METH_VARARGS, nullptr},
                           {"reset_peak_memory_stats", reset_peak, METH_VARARGS, nullptr},
                           {"empty_cache", empty_cache, METH_NOARGS, nullptr},
                           {"memory_info", memory_info, METH_VARARGS, nullptr},
                           {"current_stream", current_stream, METH_VARARGS, nullptr},
                           {"set_stream", set_stream, METH_VARARGS, nullptr},
                           {"new_stream", new_stream, METH_VARARGS, nullptr},
                           {"delete_stream", delete_stream, METH_VARARGS, nullptr},
                           {"stream_is_done", stream_is_done, METH_VARARGS, nullptr},
                           {"synchronize_stream", synchronize_stream, METH_VARARGS, nullptr},
                           {"new_event", new_event, METH_VARARGS, nullptr},
                           {"delete_event", delete_event, METH_VARARGS, nullptr},
                           {"record_event", record_event, METH_VARARGS, nullptr},
                           {"wait_event", wait_event, METH_VARARGS, nullptr},
                           {"event_is_done", event_is_done, METH_VARARGS, nullptr},
                           {"synchronize_event", synchronize_event, METH_VARARGS, nullptr},
                           {"elapsed", elapsed, METH_VARARGS, nullptr},
                           {"plan_cache_size", plan_cache_size, METH_VARARGS, nullptr},
                           {"plan_cache_max_size", plan_cache_max_size, METH_VARARGS, nullptr},
                           {"set_plan_cache_max_size", set_plan_cache_max_size, METH_VARARGS, nullptr},
                           {"clear_plan_cache", clear_plan_cache, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};
PyModuleDef module_def = {PyModuleDef_HEAD_INIT,
                          "torch_np._C._cuda",
                          "Low-level functions for GPUs, used by torch_np.cuda.",
                          -1,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

bool add_cuda_module(PyObject* module) {
  Ref cuda(PyModule_Create(&module_def));
  return cuda && PyObject_SetAttrString(module, "_cuda", cuda.get()) == 0;
}

}  // namespace tnp::python
