#include "aten/compiler/verify.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aten/compiler/compose.h"
#include "aten/compiler/frame.h"
#include "aten/compiler/interpreter.h"
#include "aten/compiler/print.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/observer.h"
#include "aten/iterator/dense.h"

namespace tnp::compiler {

namespace {

std::atomic<bool> verifying{[] {
  const char* text = std::getenv("TORCH_NP_VERIFY");
  return text && std::string(text) == "1";
}()};
std::atomic<uint64_t> num_verified{0}, num_not_verifiable{0};

// Memory from outside that the trace changes.
class ChangedMemory {
 public:
  void add(const intrusive_ptr<Storage>& storage) {
    const auto is_it = [&](const auto& other) { return other.get() == storage.get(); };
    if (std::none_of(storages_.begin(), storages_.end(), is_it)) storages_.push_back(storage);
  }
  // Storages may share bytes, so contents are only kept and restored all together.
  using Contents = std::vector<std::vector<char>>;
  Contents contents() const {
    Contents all;
    for (const auto& s : storages_) all.emplace_back(s->data(), s->data() + s->bytes());
    return all;
  }
  void restore(const Contents& contents) const {
    for (const auto& s : storages_) s->prepare_change();
    for (size_t i = 0; i < storages_.size(); ++i)
      std::memcpy(storages_[i]->data(), contents[i].data(), contents[i].size());
  }

 private:
  std::vector<intrusive_ptr<Storage>> storages_;
};

using Reports = std::vector<std::pair<std::string, int>>;

// The reports of this thread's call, each once, in an order that does not depend on the steps.
Reports sorted(const std::vector<FloatingPointReport>& reports) {
  Reports all;
  for (const FloatingPointReport& r : reports) all.emplace_back(r.operation, static_cast<int>(r.errors));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void report_again(const std::vector<FloatingPointReport>& reports) {
  for (const FloatingPointReport& r : reports) report_floating_point_errors(r.operation, r.errors);
}

template <class T>
bool is_nan(const T& v) {
  if constexpr (is_complex_v<T>)
    return v.re != v.re || v.im != v.im;
  else if constexpr (is_floating_v<T>)
    return static_cast<accumulate_t<T>>(v) != static_cast<accumulate_t<T>>(v);
  else
    return false;
}

// Whether two tensors of one geometry have the same bits, or a NaN in the same places.
bool is_same_data(const Tensor& a, const Tensor& b) {
  const Tensor x = native::to_dense(a, a.dtype()), y = native::to_dense(b, b.dtype());
  bool same = true;
  visit_dtype(x.dtype(), [&]<class D>() {
    using T = stored_t<D>;
    const T *p = x.data_ptr<T>(), *q = y.data_ptr<T>();
    for (int64_t i = 0; i < x.numel(); ++i)
      same = same && (std::memcmp(p + i, q + i, sizeof(T)) == 0 || (is_nan(p[i]) && is_nan(q[i])));
  });
  return same;
}

[[noreturn]] void differ(const Trace& trace, const std::string& what) {
  TNP_RAISE(ErrorKind::Runtime, "verification of a compiled function: ", what, ". The plan:\n", text(trace),
            "The recorded calls:\n", text(*trace.reference));
}

}  // namespace

bool is_verifying() { return verifying; }
void set_verifying(bool on) { verifying = on; }
VerificationStatistics verification_statistics() { return {num_verified, num_not_verifiable}; }

std::unique_ptr<Trace> reference_of(const Trace& trace) {
  const bool draws = std::any_of(trace.steps.begin(), trace.steps.end(), [](const auto& s) { return s->draws; });
  const bool is_on_cpu =
      std::all_of(trace.slots.begin(), trace.slots.end(), [](const Slot& s) { return s.device.is_cpu(); });
  if (!draws && is_on_cpu)
    if (std::unique_ptr<Trace> reference = copy(trace)) return reference;
  ++num_not_verifiable;
  return nullptr;
}

bool run_verified(const Trace& trace, Frame& frame, function_ref<bool()> run_plan) {
  const Trace& reference = *trace.reference;
  const std::vector<FloatingPointReport> earlier = take_floating_point_reports();
  ChangedMemory changed;
  for (size_t s = 0; s < reference.slots.size(); ++s) {
    const Slot& slot = reference.slots[s];
    if (slot.origin == Origin::Step || !slot.is_written || !frame.storage(static_cast<int>(s))) continue;
    changed.add(frame.storage(static_cast<int>(s)));
  }
  const ChangedMemory::Contents before = changed.contents();
  try {
    if (!run_plan()) return report_again(earlier), false;
  } catch (...) {
    report_again(earlier);
    throw;
  }

  std::vector<std::pair<size_t, Tensor>> results;
  for (size_t v = 0; v < reference.views.size(); ++v)
    if (reference.slot_of(static_cast<int>(v)).escapes && frame.is_available(static_cast<int>(v))) {
      const Tensor& t = frame.tensor(static_cast<int>(v));
      results.emplace_back(v, native::to_dense(t, t.dtype())).second.address();  // computes it
    }
  const std::vector<FloatingPointReport> reports = take_floating_point_reports();

  const ChangedMemory::Contents after = changed.contents();

  changed.restore(before);
  Frame again(reference);
  again.share_arguments(frame);
  std::string trouble;
  size_t at = 0;
  try {
    if (!interpret(reference, again, at))
      trouble = text(*reference.steps[at]) + " gave another outcome than at recording";
  } catch (const Error& error) {
    trouble = text(*reference.steps[at]) + " raises " + error.message();
  }
  for (size_t i = 0; i < results.size() && trouble.empty(); ++i) {
    const auto v = static_cast<int>(results[i].first);
    if (!again.is_available(v) || !is_same_data(results[i].second, again.tensor(v)))
      trouble = "%" + std::to_string(v) + " differs";
  }
  if (trouble.empty() && changed.contents() != after)
    trouble = "an array from outside of the function gets other elements";
  changed.restore(after);
  if (trouble.empty() && sorted(reports) != sorted(take_floating_point_reports()))
    trouble = "other floating-point errors are reported";
  take_floating_point_reports();
  report_again(earlier), report_again(reports);
  if (!trouble.empty()) differ(trace, trouble);
  ++num_verified;
  return true;
}

}  // namespace tnp::compiler
