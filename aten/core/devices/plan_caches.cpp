#include "aten/core/devices/plan_caches.h"

#include <atomic>

#include "aten/core/errors/error.h"

namespace tnp {

namespace {

std::atomic<PlanCaches*> registered{nullptr};

}  // namespace

PlanCaches& plan_caches() {
  PlanCaches* caches = registered.load();
  TNP_CHECK(caches != nullptr, ErrorKind::Runtime, "no library with cuFFT plan caches is loaded");
  return *caches;
}

void register_plan_caches(PlanCaches* caches) { registered.store(caches); }

}  // namespace tnp
