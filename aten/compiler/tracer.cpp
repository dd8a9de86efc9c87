#include "aten/compiler/tracer.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "aten/compiler/following.h"
#include "aten/compiler/steps.h"
#include "aten/core/devices/device_runtime.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/dispatch/pointwise.h"
#include "aten/dispatch/reduce.h"
#include "aten/fusion/last_use.h"
#include "aten/iterator/copy.h"

namespace tnp::compiler {

thread_local Following* Following::innermost = nullptr;

namespace {

constexpr size_t kLarge = 64 * 1024;  // bytes
constexpr size_t kMostSteps = 8192;   // of a trace, since plan() passes over it several times
constexpr size_t kLatest = 32;        // how many of a slot's latest views are searched for an equal one

void end_watch(TensorImpl& impl) {
  if (impl.access() == Access::Watched) impl.set_access(Access::Direct);
}

}  // namespace

Tracer::~Tracer() {
  for (const auto& of_slot : watched_)
    for (const Watched& w : of_slot) end_watch(*w.impl);
}

void Tracer::fail(std::string reason) {
  if (failure_.empty()) failure_ = std::move(reason);
}

// --- slots and views

void Tracer::watch(TensorImpl* impl, int slot, bool is_made) {
  // Device memory is accessed through operators only, so tracing its views is enough.
  // TensorImpl::finish() starts the watch of a pending tensor when its memory is allocated.
  const Access access = impl->access();
  if (access == Access::None ? !is_made : access != Access::Direct && access != Access::Pending) return;
  if (access == Access::Direct) impl->set_access(Access::Watched);
  std::vector<Watched>& all = watched_[static_cast<size_t>(slot)];
  if (access == Access::Direct ||
      std::none_of(all.begin(), all.end(), [&](const Watched& w) { return w.impl.get() == impl; }))
    all.push_back({intrusive_ptr<TensorImpl>(impl), is_made});
}

void Tracer::drop_unreachable() {
  std::erase_if(large_, [&](int slot) {
    const auto s = static_cast<size_t>(slot);
    uint32_t ours = 1;
    for (const Watched& w : watched_[s]) {
      if (w.impl->use_count() != 1) return false;
      ++ours;
    }
    if (storages_[s]->use_count() != ours) return false;
    slots_.erase(storages_[s].get());
    watched_[s].clear();
    storages_[s] = nullptr;
    return true;
  });
}

int Tracer::slot_of(const Tensor& t) {
  const auto found = slots_.find(&t.storage());
  if (found != slots_.end()) return found->second;
  Following* following = Following::of(*this);
  if (!following) return -1;
  const int theirs = following->function.slot_of(t);
  if (theirs < 0) return -1;
  const Slot& s = following->trace.slots[static_cast<size_t>(theirs)];
  const int slot = new_slot(t, s.is_constant ? Origin::Outside : Origin::Argument);
  origins_[static_cast<size_t>(slot)] = following->function.origins_[static_cast<size_t>(theirs)];
  if (s.is_constant) {
    trace_.slots[static_cast<size_t>(slot)].outside = s.outside;
    trace_.slots[static_cast<size_t>(slot)].is_constant = true;
  } else {
    ++trace_.num_arguments;
    following->adopted.push_back({slot, theirs});
  }
  return slot;
}

int Tracer::new_slot(const Tensor& t, Origin origin) {
  const auto slot = static_cast<int>(trace_.slots.size());
  Slot& s = trace_.slots.emplace_back();
  s.origin = origin;
  s.device = t.device();
  if (origin == Origin::Argument) s.argument = trace_.num_arguments;
  if (origin == Origin::Outside) s.outside = t;
  slots_.emplace(&t.storage(), slot);
  storages_.push_back(t.impl()->storage);
  origins_.push_back(t.storage().is_pending() ? nullptr : t.address());
  versions_.push_back(t.storage().version());
  views_.emplace_back();
  watched_.emplace_back();
  if (origin == Origin::Step && t.storage().bytes() >= kLarge) large_.push_back(slot);
  return slot;
}

int Tracer::new_constant(const Tensor& t) {
  const int slot = new_slot(t, Origin::Outside);
  trace_.slots[static_cast<size_t>(slot)].is_constant = true;
  return slot;
}

namespace {

// Whether only the running operator references it.
bool is_fresh(const Tensor& t) {
  const TensorImpl& impl = *t.impl();
  return !impl.python_objects[0] && !impl.python_objects[1] && !impl.base && impl.storage->use_count() == 1;
}

}  // namespace

void Tracer::define(const Tensor& t) {
  if (slot_of(t) >= 0 || !is_fresh(t) || t.device().is_meta()) return;
  auto step = std::make_unique<EmptyStep>();
  const int view = made(t, *step);
  if (t.device().is_cpu() && t.is_contiguous() && t.numel() > 0) step->allocates = {view};
  add(std::move(step));
}

// A pending result is dense and starts at offset 0. Asking for its address would compute it.
int64_t Tracer::offset_of(const Tensor& t, int slot) {
  if (t.storage().is_pending()) return 0;
  char*& origin = origins_[static_cast<size_t>(slot)];
  if (!origin) origin = t.storage().data();
  return t.address() - origin;
}

int Tracer::view(const Tensor& t, int slot) {
  watch(t.impl(), slot);
  if (t.is_unaligned()) fail("an array whose elements are not aligned");
  View v{slot,
         offset_of(t, slot),
         t.sizes(),
         t.strides(),
         t.numel(),
         t.dtype(),
         t.is_contiguous(),
         t.is_wrapped_number(),
         t.impl()->is_value};
  const std::vector<int>& known = views_[static_cast<size_t>(slot)];
  for (size_t i = known.size(); i-- > known.size() - std::min(known.size(), kLatest);)
    if (trace_.views[static_cast<size_t>(known[i])] == v) return known[i];
  const auto place = static_cast<int>(trace_.views.size());
  trace_.views.push_back(std::move(v));
  views_[static_cast<size_t>(slot)].push_back(place);
  return place;
}

void Tracer::add_given(const Tensor& array, Origin origin, bool is_gradient) {
  if (array.device().is_meta()) return fail("an array on the device 'meta'");
  array.address();  // computes a pending array
  int slot = slot_of(array);
  if (slot < 0) slot = new_slot(array, origin);
  const int place = view(array, slot);
  given_.push_back(
      {array, trace_.views[static_cast<size_t>(place)], array.requires_grad(), array.is_leaf(), is_gradient});
}

void Tracer::add_argument(const Tensor& array) {
  add_given(array, Origin::Argument);
  ++trace_.num_arguments;
}

void Tracer::add_gradient(const Tensor& array) {
  add_given(array, Origin::Argument, true);
  ++trace_.num_arguments;
}

void Tracer::add_outside(const Tensor& array) { add_given(array, Origin::Outside); }

void Tracer::check_version(int slot) {
  const auto s = static_cast<size_t>(slot);
  if (storages_[s] && storages_[s]->version() != versions_[s])
    fail("an array is changed by code other than a recorded operator");
}

int Tracer::read(const Tensor& t, Step& step) {
  if (!t.defined()) return -1;
  int slot = slot_of(t);
  if (slot < 0) {
    // Numbers are constants of the function, or guarded at each call. An array that nothing else
    // references was made from such numbers.
    if (t.device().is_meta()) fail("an array on the device 'meta'");
    if (!t.is_wrapped_number() && !is_fresh(t))
      fail("an array of " + std::string(dtype_name(t.dtype())) + " that no recorded operator has made");
    slot = new_constant(t);
  }
  check_version(slot);
  const int place = view(t, slot);
  step.reads.push_back(place);
  return place;
}

int Tracer::made(const Tensor& t, Step& step) {
  if (!t.defined()) return -1;
  int slot = slot_of(t);
  const bool is_new = slot < 0;
  if (is_new) {
    if (t.device().is_meta()) fail("a result on the device 'meta'");
    slot = new_slot(t, Origin::Step);
  }
  const int place = view(t, slot);
  if (is_new) step.writes.push_back(place);
  return place;
}

std::vector<uint32_t> Tracer::versions(const Step& step) const {
  std::vector<uint32_t> all;
  for (int v : step.reads)
    all.push_back(storages_[static_cast<size_t>(trace_.views[static_cast<size_t>(v)].slot)]->version());
  return all;
}

void Tracer::note_changes(Step& step, const std::vector<uint32_t>& before) {
  const bool has_drawn = std::exchange(has_drawn_, false);
  step.draws = step.draws || has_drawn;
  for (size_t i = 0; i < before.size(); ++i) {
    const auto slot = static_cast<size_t>(trace_.views[static_cast<size_t>(step.reads[i])].slot);
    if (storages_[slot]->version() == before[i]) continue;
    step.writes.push_back(step.reads[i]);
    versions_[slot] = storages_[slot]->version();
    trace_.slots[slot].is_written = true;
    if (trace_.slots[slot].is_constant) fail("an array that is created from Python numbers, then changed");
    if (trace_.slots[slot].origin != Origin::Step) has_effects_ = true;
  }
}

bool Tracer::is_needed(const Step& step) const { return !step.writes.empty() || step.draws || step.looks; }

bool Tracer::is_same_without_data(const Step& step) const {
  const StateGuard<Observer*, &ThreadState::observer> nobody(nullptr);
  const NoGradGuard no_grad;
  Frame frame(trace_, Frame::Data::None);
  try {
    return step.run(frame);
  } catch (const Error&) {
    return false;
  }
}

Tracer::Errors Tracer::errors_now() const {
  return errors_ && wants_floating_point_errors() ? errors_() : Errors::AsBefore;
}

namespace {

Dialect dialect_where(Tracer::Errors errors) {
  return errors == Tracer::Errors::AsBefore ? dialect() : dialect().with(ErrorWatch::Never);
}

}  // namespace

Dialect Tracer::dialect_of_step() {
  const Errors errors = errors_now();
  if (errors == Errors::Other) fail("np.errstate or the warning filters differ in a part of the function");
  return dialect_where(errors);
}

void Tracer::add(std::unique_ptr<Step> step) {
  if (trace_.steps.size() >= kMostSteps) {
    drop_unreachable();
    return fail("it calls more than " + std::to_string(kMostSteps) + " operators");
  }
  if (step->looks) fail_after_changes();
  if (step->draws) has_effects_ = true;
  trace_.steps.push_back(std::move(step));
  drop_unreachable();
}

Tracer::Mark Tracer::mark() const {
  return {trace_.slots.size(), trace_.views.size(), trace_.steps.size(), has_effects_};
}

bool Tracer::is_complete(const Mark& since) const {
  for (size_t i = since.steps; i < trace_.steps.size(); ++i)
    if (trace_.steps[i]->looks) return false;
  return failure_.empty();
}

void Tracer::go_back(const Mark& to) {
  failure_.clear();
  has_effects_ = to.has_effects;
  trace_.steps.resize(to.steps);
  trace_.views.resize(to.views);
  for (size_t s = to.slots; s < trace_.slots.size(); ++s) {
    if (storages_[s]) slots_.erase(storages_[s].get());
    for (const Watched& w : watched_[s]) end_watch(*w.impl);
  }
  std::erase_if(large_, [&](int slot) { return static_cast<size_t>(slot) >= to.slots; });
  if (Following* following = Following::of(*this)) following->forget(to.slots);
  watched_.resize(to.slots);
  trace_.slots.resize(to.slots);
  storages_.resize(to.slots);
  origins_.resize(to.slots);
  versions_.resize(to.slots);
  views_.resize(to.slots);
  for (std::vector<int>& of_slot : views_)
    std::erase_if(of_slot, [&](int v) { return v >= static_cast<int>(to.views); });
}

int Tracer::result(const Tensor& t) {
  const int slot = slot_of(t);
  if (slot < 0) {
    fail("a result that no recorded operator has made");
    return -1;
  }
  trace_.slots[static_cast<size_t>(slot)].escapes = true;
  drop_unreachable();
  t.address();  // computes a pending result now, so that its warnings belong to this call
  return view(t, slot);
}

void Tracer::check_arrays() {
  for (size_t s = 0; s < storages_.size(); ++s) check_version(static_cast<int>(s));
  for (const Given& g : given_) {
    const Tensor& t = g.array;
    const int slot = slot_of(t);
    if (slot != g.view.slot || offset_of(t, slot) != g.view.offset || t.dtype() != g.view.dtype ||
        !(t.sizes() == IntList(g.view.sizes)) || !(t.strides() == IntList(g.view.strides)))
      fail("the shape, dtype or memory of an array is changed");
    if (t.requires_grad() != g.requires_grad || t.is_leaf() != g.is_leaf)
      fail("the autograd history of an array is changed");
  }
}

// --- observer callbacks

bool Tracer::pointwise(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options, Tensor* results) {
  if (depth_ > 0) return false;
  drop_unreachable();
  for (const Tensor& out : options.out)
    if (out.defined()) define(out);
  TracedCall call(*this, std::make_unique<CallStep>(Call(op, dialect_of_step()), pointwise_function()));
  call.set_arguments_of_pointwise(inputs, options);
  {
    const Within within(*this);
    tnp::pointwise(op, inputs, options, results);
  }
  call.note_changes();
  call.note(TensorList(results, op.nout));
  call.add();
  return true;
}

bool Tracer::reduce(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                    std::optional<ScalarType> dtype, const ReduceOptions& options, Tensor& result) {
  if (depth_ > 0) return false;
  drop_unreachable();  // fusion need not write results that were released
  // Nor need it write a temporary that only the tracer references once this call ends.
  std::optional<fusion::LastUse> last_use;
  if (const int slot = slot_of(input); slot >= 0 && std::find(large_.begin(), large_.end(), slot) != large_.end()) {
    constexpr uint32_t kOursAndCallers = 2;
    const std::vector<Watched>& watched = watched_[static_cast<size_t>(slot)];
    bool (*const is_temporary)(const TensorImpl&) = fusion::is_temporary.load(std::memory_order_acquire);
    if (watched.size() == 1 && watched[0].impl.get() == input.impl() && input.impl()->use_count() == kOursAndCallers &&
        input.storage().use_count() == kOursAndCallers && is_temporary && is_temporary(*input.impl()))
      last_use.emplace();
  }
  TracedCall call(*this, std::make_unique<CallStep>(Call(op, dialect_of_step()), reduction_function()));
  call.set_arguments(input, dim, keepdim, dtype, options);
  {
    const Within within(*this);
    result = tnp::reduce(op, input, dim, keepdim, dtype, options);
  }
  call.note_changes();
  call.note(TensorList(&result, 1));
  call.add();
  return true;
}

bool Tracer::copy(const Tensor& to, const Tensor& from, Casting casting) {
  if (depth_ > 0) return false;
  define(to);
  trace_call(*this, copy_op, &copy_into, to, from, casting);
  return true;
}

bool Tracer::fill(const Tensor& t, const Scalar& value) {
  if (depth_ > 0) return false;
  define(t);
  trace_call(*this, fill_op, &fill_with, t, value);
  return true;
}

void Tracer::touched(const Tensor& t) {
  if (depth_ == 0 && slot_of(t) >= 0) fail("an array's memory is accessed by code other than a recorded operator");
}

void Tracer::read_item(const Tensor& t, const Scalar& value) {
  if (depth_ > 0 || slot_of(t) < 0 || t.is_wrapped_number()) return;
  TracedCall call(*this, look_op, look_function());
  call.set_arguments(t, value);
  call.step().looks = true;
  call.add();
}

Device Tracer::device_of_parts() { raise_no_kernel(Device{DeviceType::Wrapped}); }

Scalar Tracer::item_of_wrapped(const Tensor& t) { raise_no_kernel(t.device(), "item"); }

void Tracer::drew() {
  // Steps traced after a function (its gradients) may turn out not to be needed, so they must not
  // change anything outside.
  TNP_CHECK(!Following::of(*this), ErrorKind::NotImplemented,
            "the backward pass of a compiled function cannot draw random numbers");
  if (depth_ == 0) fail("random numbers are drawn by code other than a recorded operator");
  has_drawn_ = true;
}

void Tracer::made_view(const Tensor& of, TensorImpl& view) {
  const bool is_of_value = of.impl()->is_value;
  if (is_of_value && !view.sizes.empty() && depth_ == 0 && of.impl()->in_host_memory() && !of.requires_grad())
    become_view_of_copy(of, view);  // NumPy makes a writable array of its own from a scalar
  else if (const int slot = slot_of(of); slot >= 0)
    watch(&view, slot, true);
  if (is_of_value && view.sizes.empty()) view.is_value = true;  // views of NumPy scalars are scalars
}

// Copies the scalar's one element; strides stay as they are.
void Tracer::become_view_of_copy(const Tensor& of, TensorImpl& view) {
  const Tensor copy = empty_tensor(of.sizes(), of.dtype(), of.device());
  copy_into(copy, of);
  view.storage = copy.impl()->storage;
  view.data = copy.address();
  view.base = copy.impl_ptr();
  view.writeable = true;
  if (const int slot = slot_of(copy); slot >= 0) watch(&view, slot, true);
}

bool Tracer::is_made_view(const Tensor& t) {
  const int slot = slot_of(t);
  if (slot < 0) return false;
  const std::vector<Watched>& all = watched_[static_cast<size_t>(slot)];
  return std::any_of(all.begin(), all.end(), [&](const Watched& w) { return w.is_made && w.impl.get() == t.impl(); });
}

void Tracer::lent(Storage& storage) {
  const Following* following = Following::of(*this);
  const bool is_known = slots_.contains(&storage) || (following && following->function.slots_.contains(&storage));
  if (depth_ == 0 && is_known) fail("an array's memory is exported");
}

void Tracer::made_constant(const Tensor& t) {
  if (depth_ > 0 || slot_of(t) >= 0) return;
  if (t.device().is_meta()) return;
  watch(t.impl(), new_constant(t));
}

void Tracer::read_hidden(const Tensor& t, const char* what) {
  if (depth_ > 0) return;
  const int slot = slot_of(t);
  if (slot >= 0 && trace_.slots[static_cast<size_t>(slot)].origin == Origin::Step) return;
  fail(std::string("it reads ") + what + " of an array that an operator of the function has not made");
}

// Guards compare the gradients of arguments and of arrays from outside, not the gradients of these gradients.
void Tracer::accessed_gradient(const Tensor& t) {
  const bool is_guarded =
      std::any_of(given_.begin(), given_.end(), [&](const Given& g) { return g.array.is_same(t) && !g.is_gradient; });
  if (!is_guarded && !is_made_view(t)) read_hidden(t, "the gradient");
}

}  // namespace tnp::compiler
