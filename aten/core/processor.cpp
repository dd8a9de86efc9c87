#include "aten/core/processor.h"

namespace tnp {

ProcessorMaker processor_maker() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel")) return ProcessorMaker::Intel;
  if (__builtin_cpu_is("amd")) return ProcessorMaker::Amd;
#endif
  return ProcessorMaker::Other;
}

}  // namespace tnp
