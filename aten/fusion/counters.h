// What statistics() counts, under lock().
#pragma once

#include "aten/fusion/mode.h"

namespace tnp::fusion {

Statistics& counters();

}  // namespace tnp::fusion
