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
     "get_cpu_capability()\n--\n\n"
     "Instruction set of the loops over elements: 'baseline', 'avx2' or 'avx512'.\n\n"
     "It is the best one of the processor. The environment variable TORCH_NP_CPU_CAPABILITY sets a\n"
     "lower one. The baseline is x86-64-v2, or on Arm ARMv8-A with NEON."},
    {"memory_stats", memory_stats, METH_NOARGS,
     "memory_stats()\n--\n\n"
     "Statistics of the CPU's memory allocator, as a dict.\n\n"
     "In bytes: `allocated_bytes` in blocks that arrays hold, without arrays of at most 256 bytes;\n"
     "`peak_allocated_bytes`; `cached_bytes` in freed blocks that are kept; `cache_limit`. Counts:\n"
     "`allocations`, and `cache_hits`, the allocations that the cache served."},
    {"reset_peak_memory_stats", reset_peak, METH_NOARGS,
     "reset_peak_memory_stats()\n--\n\nSets `peak_allocated_bytes` to the bytes that are allocated now."},
    {"empty_cache", empty_cache, METH_NOARGS, "empty_cache()\n--\n\nReturns all freed blocks to the operating system."},
    {"set_cache_limit", set_cache_limit, METH_O,
     "set_cache_limit(bytes, /)\n--\n\n"
     "Sets the largest number of bytes in freed blocks that are kept for reuse.\n\n"
     "The initial limit is that of the environment variable TORCH_NP_CPU_CACHE_LIMIT. Without it, it\n"
     "is an eighth of the memory that the process may use: the machine's or the container's.\n\n"
     "Args:\n"
     "  bytes: Number of bytes; 0 keeps no blocks.\n\n"
     "Errors: ValueError if `bytes` is negative."},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef module_def = {PyModuleDef_HEAD_INIT,
                          "torch_np._C._cpu",
                          "The CPU: its memory allocator and its instruction set.",
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
