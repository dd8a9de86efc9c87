#include <map>
#include <string>
#include <tuple>

#include "aten/core/profiler/marks.h"

namespace tnp::profiler {

Totals sum_up(const Profile& profile) {
  Totals sums{profile.duration, profile.lost, profile.names, {}};
  std::vector<bool> is_call(profile.names.size());  // by name: a label stands for a call of NumPy
  for (size_t n = 0; n < profile.names.size(); ++n) is_call[n] = profile.names[n].find(kByNumpy) != std::string::npos;
  std::map<std::tuple<uint32_t, Kind, bool, int64_t>, size_t> places;
  for (const Thread& thread : profile.threads) {
    int64_t line = 0;
    std::vector<size_t> total_of(thread.entries.size());
    std::vector<bool> within_call(thread.entries.size());  // by entry: it, or one around it, is a call
    // Functions that NumPy computed as a whole (Note [Fallback] of csrc/args/fallback.h): the label inside
    // of them is the call.
    std::vector<bool> left_to_numpy(thread.entries.size());
    for (const Entry& e : thread.entries)
      if (e.parent >= 0 && e.kind == Kind::Label && is_call[e.name])
        left_to_numpy[static_cast<size_t>(e.parent)] = true;
    for (size_t i = 0; i < thread.entries.size(); ++i) {
      const Entry& e = thread.entries[i];
      if (e.kind == kLine) {
        line = e.bytes;
        continue;
      }
      const bool is_nested = e.parent >= 0 && within_call[static_cast<size_t>(e.parent)];
      const bool is_call_here = !left_to_numpy[i] && (e.kind != Kind::Label || is_call[e.name]);
      within_call[i] = is_nested || is_call_here;
      const bool outermost = !is_nested && (is_call_here || e.kind == Kind::Label);
      const auto [at, is_new] = places.emplace(std::tuple(e.name, e.kind, outermost, line), sums.totals.size());
      if (is_new) sums.totals.push_back({e.name, e.kind, outermost, line});
      total_of[i] = at->second;
      Total& total = sums.totals[at->second];
      ++total.count;
      total.bytes += e.bytes;
      total.nanoseconds += e.end - e.begin;
      total.own_nanoseconds += e.end - e.begin;
      if (e.parent >= 0) sums.totals[total_of[static_cast<size_t>(e.parent)]].own_nanoseconds -= e.end - e.begin;
    }
  }
  return sums;
}

}  // namespace tnp::profiler
