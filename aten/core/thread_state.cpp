#include "aten/core/thread_state.h"

namespace tnp {
thread_local constinit ThreadState thread_state;
}
