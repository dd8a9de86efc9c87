#include "aten/compiler/verify.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "aten/compiler/compose.h"
#include "aten/compiler/frame.h"
#include "aten/compiler/interpreter.h"
#include "aten/compiler/print.h"
#include "aten/compiler/views.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/observer.h"
#include "aten/iterator/dense.h"

namespace tnp::compiler {

namespace {

std::atomic<uint64_t> num_verified{0}, num_not_verifiable{0};

// Memory from outside that the trace changes.
class ChangedMemory {
 public:
  ChangedMemory(const Trace& reference, Frame& frame) {
    for (size_t s = 0; s < reference.slots.size(); ++s) {
      const Slot& slot = reference.slots[s];
      const int number = static_cast<int>(s);
      if (slot.origin == Origin::Step || !slot.is_written || !frame.storage(number)) continue;
      Part& part = part_of(frame.storage(number));
      for (const View& v : reference.views)
        if (v.slot == number) part.dtypes.push_back(v.dtype);
    }
  }
  // Storages may share bytes, so contents are only kept and restored all together.
  using Contents = std::vector<std::vector<char>>;
  Contents contents() const {
    Contents all;
    for (const Part& p : parts_) all.emplace_back(p.storage->data(), p.storage->data() + p.storage->bytes());
    return all;
  }
  void restore(const Contents& contents) const {
    for (const Part& p : parts_) p.storage->prepare_change();
    for (size_t i = 0; i < parts_.size(); ++i)
      std::memcpy(parts_[i].storage->data(), contents[i].data(), contents[i].size());
  }
  // Whether two contents are the same elements of a dtype with which the function uses the memory.
  bool are_same(const Contents& a, const Contents& b) const {
    for (size_t i = 0; i < parts_.size(); ++i) {
      const auto is_same_as = [&](ScalarType dtype) {
        const auto numel = static_cast<int64_t>(a[i].size()) / element_size(dtype);
        return first_difference(dtype, a[i].data(), b[i].data(), numel) < 0;
      };
      const std::vector<ScalarType>& dtypes = parts_[i].dtypes;
      if (a[i] != b[i] && std::none_of(dtypes.begin(), dtypes.end(), is_same_as)) return false;
    }
    return true;
  }

 private:
  struct Part {
    intrusive_ptr<Storage> storage;
    std::vector<ScalarType> dtypes;
  };
  Part& part_of(const intrusive_ptr<Storage>& storage) {
    for (Part& p : parts_)
      if (p.storage.get() == storage.get()) return p;
    return parts_.emplace_back(Part{storage, {}});
  }
  std::vector<Part> parts_;
};

// Errors by operation, each with a bit that says that it was reported: a report without errors is a
// warning.
using Reports = std::map<std::string, int>;
constexpr int kReported = 0x100;

void add(Reports& all, const std::vector<FloatingPointReport>& reports) {
  for (const FloatingPointReport& r : reports) all[r.operation] |= kReported | static_cast<int>(r.errors);
}

bool includes(const Reports& all, const Reports& some) {
  return std::all_of(some.begin(), some.end(), [&](const auto& report) {
    const auto found = all.find(report.first);
    return found != all.end() && (report.second & ~found->second) == 0;
  });
}

// The reports of a trace's calls. Those of calls whose result a later call may overwrite, or that
// nothing reads, are optional: a plan does not run dead stores, such as the first of
// `x *= 2; x.fill(0)`, and a pending result is never computed.
struct ReportsOfCalls {
  Reports required, all;
};

// Whether two tensors of one geometry have the same bits, or a NaN in the same places.
bool is_same_data(const Tensor& a, const Tensor& b) {
  const Tensor x = native::to_dense(a, a.dtype()), y = native::to_dense(b, b.dtype());
  return first_difference(x.dtype(), x.address(), y.address(), x.numel()) < 0;
}

[[noreturn]] void differ(const Trace& trace, const std::string& what) {
  throw VerificationError("verification of a compiled function: " + what + ". The plan:\n" + text(trace) +
                          "The recorded calls:\n" + text(*trace.reference));
}

}  // namespace

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

namespace {

// The end of a run: an error, or false if a step had another outcome than at recording.
struct End {
  bool is_done = false;
  std::exception_ptr error;
  std::string message;  // of the error
  bool is_comparable = true;
};

template <class F>
End end_of(F&& run) {
  End end;
  try {
    end.is_done = run();
  } catch (const Error& e) {
    end.error = std::current_exception();
    end.message = e.message();
    // A plan and the calls need different amounts of memory.
    end.is_comparable = e.kind() != ErrorKind::Memory && !dynamic_cast<const VerificationError*>(&e);
  }
  return end;
}

// Whether a step after step `i` writes into the same memory.
bool is_written_later(const Trace& trace, size_t i) {
  const auto is_same_memory = [&](int v) { return has_slot(trace, trace.steps[i]->writes, slot_of(trace, v)); };
  return std::any_of(trace.steps.begin() + static_cast<ptrdiff_t>(i) + 1, trace.steps.end(), [&](const auto& later) {
    return std::any_of(later->writes.begin(), later->writes.end(), is_same_memory);
  });
}

// Whether the caller or a later step may read what step `i` writes.
bool is_read_later(const Trace& trace, size_t i) {
  const std::vector<int>& writes = trace.steps[i]->writes;
  return std::any_of(writes.begin(), writes.end(), [&](int v) {
    const Slot& slot = trace.slot_of(v);
    return slot.escapes || slot.origin != Origin::Step ||
           std::any_of(trace.steps.begin() + static_cast<ptrdiff_t>(i) + 1, trace.steps.end(),
                       [&](const auto& later) { return has_slot(trace, later->reads, slot_of(trace, v)); });
  });
}

bool run_reference(const Trace& reference, Frame& frame, ReportsOfCalls& reports) {
  size_t at = 0;
  return interpret(reference, frame, at, [&] {
    // Pending results report when they are computed.
    for (const int v : reference.steps[at]->writes)
      if (frame.is_available(v)) frame.tensor(v).address();
    const std::vector<FloatingPointReport> found = take_floating_point_reports();
    add(reports.all, found);
    if (!found.empty() && !is_written_later(reference, at) && is_read_later(reference, at))
      add(reports.required, found);
  });
}

std::string text_of(const Reports& reports) {
  std::string text;
  for (const auto& [operation, errors] : reports)
    text += (text.empty() ? "" : ", ") + operation + " " + std::to_string(errors & ~kReported);
  return text.empty() ? "none" : text;
}

std::string text_of(const End& end) {
  return end.error     ? "raises \"" + end.message + "\""
         : end.is_done ? "succeeds"
                       : "has another outcome than at recording";
}

}  // namespace

bool run_verified(const Trace& trace, Frame& frame, function_ref<bool()> run_plan) {
  const Trace& reference = *trace.reference;
  std::vector<std::pair<int, Tensor>> results;
  std::vector<FloatingPointReport> reports;
  std::string trouble;
  End end;
  {
    const HiddenReports hidden;
    const ChangedMemory changed(reference, frame);
    const ChangedMemory::Contents before = changed.contents();
    end = end_of(run_plan);
    if (end.is_done)
      for (size_t v = 0; v < reference.views.size(); ++v) {
        const auto view = static_cast<int>(v);
        if (!reference.slot_of(view).escapes || !frame.is_available(view)) continue;
        const Tensor& t = frame.tensor(view);
        results.emplace_back(view, native::to_dense(t, t.dtype())).second.address();  // computes it
      }
    reports = take_floating_point_reports();
    const bool is_comparable = end.is_comparable && (end.is_done || end.error);
    if (is_comparable) {
      const ChangedMemory::Contents after = changed.contents();
      changed.restore(before);
      Frame again(reference);
      again.share_arguments(frame);
      ReportsOfCalls expected_reports;
      const End other = end_of([&] { return run_reference(reference, again, expected_reports); });
      const ChangedMemory::Contents expected = changed.contents();
      changed.restore(after);
      if (other.error && !other.is_comparable) std::rethrow_exception(other.error);
      if (text_of(end) != text_of(other)) trouble = "the plan " + text_of(end) + ", the calls: " + text_of(other);
      for (size_t i = 0; end.is_done && i < results.size() && trouble.empty(); ++i) {
        const auto& [v, result] = results[i];
        if (!again.is_available(v) || !is_same_data(result, again.tensor(v)))
          trouble = "%" + std::to_string(v) + " differs";
      }
      if (end.is_done && trouble.empty() && !changed.are_same(after, expected))
        trouble = "an array from outside of the function gets other elements";
      Reports reported;
      add(reported, reports);
      if (end.is_done && trouble.empty() &&
          !(includes(expected_reports.all, reported) && includes(reported, expected_reports.required)))
        trouble = "the plan reports the floating-point errors " + text_of(reported) + ", the calls " +
                  text_of(expected_reports.all);
    }
  }
  report_floating_point_errors(reports);
  if (!trouble.empty()) differ(trace, trouble);
  if (end.error) std::rethrow_exception(end.error);
  if (end.is_done) ++num_verified;
  return end.is_done;
}

}  // namespace tnp::compiler
