#include "aten/core/autocast.h"

namespace tnp {
thread_local constinit AutocastState autocast_state;
}
