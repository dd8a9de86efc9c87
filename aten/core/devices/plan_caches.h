// Python-visible interface to a device library's plan caches:
// torch_np.backends.cuda.cufft_plan_cache.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

// One cache for each device.
class TNP_API PlanCaches {
 public:
  virtual ~PlanCaches() = default;
  virtual int64_t size(int device) = 0;
  virtual int64_t max_size(int device) = 0;
  virtual void set_max_size(int device, int64_t max_size) = 0;  // raises Runtime if `max_size` is negative
  virtual void clear(int device) = 0;
};

// Raises Runtime if no device library has registered its caches.
TNP_API PlanCaches& plan_caches();
TNP_API void register_plan_caches(PlanCaches* caches);

}  // namespace tnp
