#include "aten/core/all_calls.h"

namespace tnp {

bool (*takes_all_calls)(const Observer&) = nullptr;

}  // namespace tnp
