// torch_np.cpu: statistics and cache control of the CPU allocator.
#include "aten/core/memory/allocator.h"
#include "aten/core/threads/capability.h"
#include "aten/fusion/mode.h"
#include "csrc/args/readers.h"
#include "csrc/module/modules.h"
#include "csrc/objects/errors.h"

namespace tnp::python {

namespace {

PyObject* memory_stats(PyObject*, PyObject*) {
  MemoryStatistics s = cpu_memory_statistics();
  return Py_BuildValue("{sK sK sK sK sK sK}", "allocated_bytes", s.allocated_bytes, "peak_allocated_bytes",
                       s.peak_allocated_bytes, "cached_bytes", s.cached_bytes, "cache_limit", s.cache_limit,
                       "allocations", s.allocations, "cache_hits", s.cache_hits);
}

PyObject* reset_peak(PyObject*, PyObject*) {
  reset_peak_memory_statistics();
  fusion::reset_peak();
  Py_RETURN_NONE;
}

PyObject* empty_cache(PyObject*, PyObject*) {
  empty_cpu_cache();
  Py_RETURN_NONE;
}

PyObject* set_cache_limit(PyObject*, PyObject* limit) {
  return protect<false>([&] {
    int64_t bytes = read_integer(limit, false);
    TNP_CHECK(bytes >= 0, ErrorKind::Value, "set_cache_limit(): expected a number of bytes that is not negative, got ",
              bytes);
    set_cpu_cache_limit(static_cast<uint64_t>(bytes));
    return Py_NewRef(Py_None);
  });
}

PyObject* get_cpu_capability(PyObject*, PyObject*) {
  static constexpr const char* names[] = {"baseline", "avx2", "avx512"};
  return PyUnicode_FromString(names[static_cast<int>(cpu_capability())]);
}

PyMethodDef functions[] = {
    {"get_cpu_capability", get_cpu_capability, METH_NOARGS,
     "get_cpu_capability()\n--\n\nThe instruction set that loops over elements may use: 'baseline' (x86-64-v2; on Arm "
     "ARMv8-A with NEON), 'avx2' or 'avx512'. What the machine has,\n"
     "or less where the environment variable TORCH_NP_CPU_CAPABILITY says so."},
    {"memory_stats", memory_stats, METH_NOARGS,
     "memory_stats()\n--\n\nA dict, in bytes: `allocated_bytes` in blocks that arrays hold (arrays of at most 256 "
     "bytes are not counted),\n"
     "`peak_allocated_bytes`, `cached_bytes` in freed blocks that are kept, and their `cache_limit`; and the numbers "
     "of\n"
     "`allocations` and of those that the cache could serve, `cache_hits`."},
    {"reset_peak_memory_stats", reset_peak, METH_NOARGS,
     "reset_peak_memory_stats()\n--\n\nLets `peak_allocated_bytes` begin again at what is allocated now."},
    {"empty_cache", empty_cache, METH_NOARGS, "empty_cache()\n--\n\nGives all freed blocks back to the system."},
    {"set_cache_limit", set_cache_limit, METH_O,
     "set_cache_limit(bytes, /)\n--\n\nHow many bytes of freed blocks are kept at most; 0: none. Initially an eighth "
     "of the memory that the process may use (the machine's, or a container's), or what the\n"
     "environment variable TORCH_NP_CPU_CACHE_LIMIT says. Errors: ValueError if negative."},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef module_def = {PyModuleDef_HEAD_INIT,
                          "torch_np._C._cpu",
                          "The CPU: its memory, its instruction set.",
                          -1,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

bool add_cpu_module(PyObject* module) {
  Ref cpu(PyModule_Create(&module_def));
  return cpu && PyObject_SetAttrString(module, "_cpu", cpu.get()) == 0;
}

}  // namespace tnp::python
