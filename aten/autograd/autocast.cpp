#include "aten/autograd/autocast.h"

#include <unordered_map>

#include "aten/core/memory/inference.h"
#include "aten/core/observer.h"
#include "aten/core/threads/thread_object.h"
#include "aten/core/threads/thread_state.h"
#include "aten/functions/copies.h"

namespace tnp {

namespace {

struct CachedCast {
  Tensor leaf;  // keeps its address from being used again
  Tensor cast;
  uint32_t version;
};
struct Cache : std::unordered_map<const TensorImpl*, CachedCast> {};

// The device whose rule holds: that of a GPU if an operand is there. 0-d operands of the CPU may
// stand beside those of a GPU.
DeviceType device_type_of(std::initializer_list<TensorList> operands) {
  for (const TensorList list : operands)
    for (const Tensor& t : list)
      if (t.defined() && !t.device().is_cpu()) return t.device().type;
  return DeviceType::CPU;
}

AutocastRule rule_on(DeviceType device, AutocastRule cpu, AutocastRule cuda) {
  if (!(autocast_state.devices >> static_cast<int>(device) & 1)) return AutocastRule::None;
  return device == DeviceType::CPU ? cpu : cuda;
}

// Whether a cast that was made earlier may be used now.
bool is_usable(const CachedCast& c, ScalarType to) {
  return c.cast.dtype() == to && c.version == c.leaf.storage().version() &&
         (c.cast.requires_grad() || !grad_enabled()) && (!c.cast.storage().is_inference() || inference_mode);
}

}  // namespace

bool has_autocast_rule(AutocastRule cpu, AutocastRule cuda, std::initializer_list<TensorList> operands) {
  return rule_on(device_type_of(operands), cpu, cuda) != AutocastRule::Inner;
}

AutocastCall::AutocastCall(AutocastRule cpu, AutocastRule cuda, std::initializer_list<TensorList> operands)
    : device_(device_type_of(operands)) {
  if (guard_.had(static_cast<int>(device_))) rule_ = device_ == DeviceType::CPU ? cpu : cuda;
  if (rule_ == AutocastRule::Inner) rule_ = AutocastRule::None;
  if (rule_ == AutocastRule::None) return;
  lower_ = autocast_state.dtypes[static_cast<int>(device_)];
  if (rule_ == AutocastRule::LowerPrecision) to_ = lower_;
  if (rule_ != AutocastRule::Widest) return;
  to_ = lower_;
  for (const TensorList list : operands) {
    for (const Tensor& t : list) {
      if (!is_eligible(t) || t.dtype() == lower_) continue;
      TNP_CHECK(t.dtype() == ScalarType::Float32, ErrorKind::Runtime,
                "Unexpected floating ScalarType in autocast: ", t.dtype(), " beside ", lower_);
      to_ = ScalarType::Float32;
    }
  }
}

bool AutocastCall::is_eligible(const Tensor& t) const {
  return t.defined() && t.is_floating_point() && t.dtype() != ScalarType::Float64 && t.device().type == device_ &&
         !t.is_wrapped_number();
}

Tensor AutocastCall::cast(const Tensor& t) const {
  const bool casts = rule_ != AutocastRule::None && rule_ != AutocastRule::Float32Result;
  if (!casts || !is_eligible(t) || t.dtype() == to_) return t;
  // While a function is traced, each cast is a step of the trace: a cached one would be an array
  // from outside, which does not follow the weight.
  const bool caches = autocast_state.is_cache_enabled && autocast_state.nesting > 0 && to_ == lower_ &&
                      t.dtype() == ScalarType::Float32 && t.requires_grad() && t.is_leaf() && !t.is_view() &&
                      observer() == nullptr;
  return caches ? cached(t) : tnp::cast(t, to_);
}

Tensor AutocastCall::cached(const Tensor& t) const {
  CachedCast& c = ThreadObject<Cache>::get()[t.impl()];
  if (!c.leaf.defined() || !is_usable(c, to_)) c = {t, tnp::cast(t, to_), t.storage().version()};
  return c.cast;
}

std::vector<Tensor> AutocastCall::cast(TensorList list) const {
  std::vector<Tensor> casts;
  casts.reserve(list.size());
  for (const Tensor& t : list) casts.push_back(cast(t));
  return casts;
}

std::optional<ScalarType> AutocastCall::result_dtype(std::optional<ScalarType> given, const Tensor& input) const {
  if (given || rule_ != AutocastRule::Float32Result || !is_eligible(input)) return given;
  return ScalarType::Float32;
}

void clear_autocast_cache() {
  if (Cache* const cache = ThreadObject<Cache>::get_if_made()) cache->clear();
}

}  // namespace tnp
