// The counters behind statistics(). Under lock().
#pragma once

#include "aten/fusion/mode.h"

namespace tnp::fusion {

Statistics& counters();

}  // namespace tnp::fusion
