#include "aten/core/threads/thread_state.h"

namespace tnp {
thread_local constinit ThreadState thread_state;
}
