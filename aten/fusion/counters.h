// The counters that statistics() returns. Access them only under lock().
#pragma once

#include "aten/fusion/mode.h"

namespace tnp::fusion {

Statistics& counters();

}  // namespace tnp::fusion
