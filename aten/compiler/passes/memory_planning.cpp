#include "aten/compiler/passes/passes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tnp::compiler {

void find_last_uses(Trace& r) {
  r.done.assign(r.steps.size(), {});
  std::vector<bool> seen(r.slots.size());
  for (size_t i = r.steps.size(); i-- > 0;) {
    const auto use = [&](int v) {
      const auto slot = static_cast<size_t>(slot_of(r, v));
      if (seen[slot] || r.slots[slot].origin != Origin::Step || r.slots[slot].escapes) return;
      seen[slot] = true;
      r.done[i].push_back(static_cast<int>(slot));
    };
    for (int v : r.steps[i]->reads) use(v);
    for (int v : r.steps[i]->writes) use(v);
  }
  r.views_of_slots.assign(r.slots.size(), {});
  for (size_t v = 0; v < r.views.size(); ++v)
    r.views_of_slots[static_cast<size_t>(r.views[v].slot)].push_back(static_cast<int>(v));
}

void find_places(Trace& r) {
  constexpr int64_t kAligned = 64, kLargestOfArena = 256 * 1024;
  std::map<int64_t, int64_t> free;  // begin to end
  std::vector<int64_t> sizes(r.slots.size());
  int64_t top = 0;
  const auto take = [&](int64_t bytes) {
    const auto fits =
        std::find_if(free.begin(), free.end(), [&](const auto& f) { return f.second - f.first >= bytes; });
    if (fits == free.end()) return std::exchange(top, top + bytes);
    const auto [begin, end] = *fits;
    free.erase(fits);
    if (begin + bytes < end) free.emplace(begin + bytes, end);
    return begin;
  };
  const auto give = [&](int64_t begin, int64_t bytes) {
    auto at = free.emplace(begin, begin + bytes).first;
    if (const auto next = std::next(at); next != free.end() && next->first == at->second) {
      at->second = next->second;
      free.erase(next);
    }
    if (at == free.begin()) return;
    if (const auto before = std::prev(at); before->second == at->first) {
      before->second = at->second;
      free.erase(at);
    }
  };
  std::vector<bool> may_be_kept(r.slots.size());
  for (const auto& step : r.steps)
    if (step->is_foreign)
      for (int v : step->reads) may_be_kept[static_cast<size_t>(slot_of(r, v))] = true;
  for (size_t i = 0; i < r.steps.size(); ++i) {
    for (const int view : r.steps[i]->allocates) {
      const View& v = r.views[static_cast<size_t>(view)];
      const auto s = static_cast<size_t>(v.slot);
      const int64_t bytes = v.numel * element_size(v.dtype);
      if (r.slots[s].escapes || may_be_kept[s] || bytes > kLargestOfArena) continue;
      sizes[s] = (bytes + kAligned - 1) / kAligned * kAligned;
      r.slots[s].place = take(sizes[s]);
    }
    for (int slot : r.done[i]) {
      const auto s = static_cast<size_t>(slot);
      if (r.slots[s].place >= 0) give(r.slots[s].place, sizes[s]);
    }
    std::erase_if(r.done[i], [&](int slot) { return r.slots[static_cast<size_t>(slot)].place >= 0; });
  }
  r.arena_bytes = static_cast<size_t>(top);
}

}  // namespace tnp::compiler
