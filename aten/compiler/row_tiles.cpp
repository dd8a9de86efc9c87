#include "aten/compiler/row_tiles.h"

#include <algorithm>
#include <map>
#include <utility>

#include "aten/compiler/frame.h"
#include "aten/compiler/reduced_block.h"
#include "aten/compiler/views.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/threads/parallel.h"
#include "aten/core/threads/processor.h"
#include "aten/core/threads/thread_object.h"
#include "aten/fusion/mode.h"
#include "aten/fusion/thread_memory.h"

namespace tnp::compiler {

namespace {

// Memory limit of a tile, over all arrays: it must stay in the second-level cache beside other
// data.
int64_t tile_bytes() { return std::clamp<int64_t>(second_level_cache() / 4, 128 * 1024, 512 * 1024); }
// Smaller arrays fit the cache without tiling.
constexpr int64_t kLeastBytes = 256 * 1024;
// With fewer rows per thread, the load is badly balanced.
constexpr int64_t kRowsOfThread = 8;
// Elements that a reduction processes per nanosecond.
constexpr int64_t kReducedInNanosecond = 4;

// Returns 0 if the view has another number of rows.
int64_t bytes_of_row(const View& v, int64_t rows) { return v.numel % rows == 0 ? bytes_of(v) / rows : 0; }

// Addresses are of row 0, which may lie outside of a tile's memory.
char* moved(char* address, int64_t bytes) {
  return reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(address) + static_cast<uintptr_t>(bytes));
}

// Whether row i of the view lies in row i of its slot; `made` is the view of the whole slot.
bool is_row_by_row(const View& v, const View& made, size_t ndim, int64_t rows) {
  const int64_t size = element_size(v.dtype), bytes = bytes_of(made) / rows;
  if (v.sizes.size() != ndim || v.sizes[0] != rows || v.strides[0] * size != bytes) return false;
  const int64_t offset = v.offset - made.offset, of_rows = (rows - 1) * bytes;
  const auto [first, last] = extent(v);
  return offset + first >= 0 && offset + last - of_rows <= bytes;
}

}  // namespace

// --- execution

RowTilesStep::Part RowTilesStep::part_of(const Step& step) {
  if (const auto* reduced = dynamic_cast<const ReducedBlockStep*>(&step))
    return {&reduced->block(), &reduced->reduction()};
  return {dynamic_cast<const BlockStep*>(&step), dynamic_cast<const ReductionStep*>(&step)};
}

RowTilesStep::RowTilesStep(const Trace& trace, std::vector<std::unique_ptr<Step>> steps, int64_t rows,
                           const std::vector<bool>& is_local)
    : rows_(rows) {
  parts = std::move(steps);
  const auto slot_of = [&](int view) { return compiler::slot_of(trace, view); };
  const auto is_local_view = [&](int view) { return is_local[static_cast<size_t>(slot_of(view))]; };
  locals_.reserve(trace.slots.size());
  std::vector<int> left(trace.slots.size());  // remaining uses of each slot
  for (const auto& step : parts) for_each_view(*step, [&](int v) { ++left[static_cast<size_t>(slot_of(v))]; });
  std::multimap<int64_t, Local> free;  // by bytes
  double cost = 0;                     // nanoseconds per row
  int64_t bytes = 0;
  const auto place_of = [&](int view, bool is_made) {
    const int64_t of_row = bytes_of_row(view_of(trace, view), rows);
    if (!is_local_view(view)) return bytes += of_row, Place{view, nullptr, is_made};
    const auto known =
        std::find_if(locals_.begin(), locals_.end(), [&](const Local& l) { return l.slot == slot_of(view); });
    if (known != locals_.end()) return Place{view, &*known, is_made};
    if (const auto fits = free.find(of_row); fits != free.end()) {
      locals_.push_back({slot_of(view), of_row, fits->second.offset, fits->second.place});
      free.erase(fits);
    } else {
      locals_.push_back({slot_of(view), of_row, std::exchange(local_bytes_, local_bytes_ + of_row), num_places_++});
    }
    return Place{view, &locals_.back(), is_made};
  };
  for (const std::unique_ptr<Step>& step : parts) {
    TiledPart& part = tiled_.emplace_back(part_of(*step));
    if (part.block) {
      part.elements = part.block->plan().numel() / rows;
      part.first_error = num_errors_;
      num_errors_ += static_cast<size_t>(part.block->plan().num_calls());
      cost += part.block->plan().cost() * static_cast<double>(part.elements);
      for (const BlockStep::Memory& m : part.block->memories()) {
        if (m.use == BlockStep::Memory::Use::PassedOn)
          part.memories.push_back({-1, nullptr, false});
        else
          part.memories.push_back(place_of(m.view, m.use == BlockStep::Memory::Use::Made));
      }
    }
    if (part.reduction) {
      const View& input = view_of(trace, part.reduction->input());
      cost += static_cast<double>(input.numel / rows) / kReducedInNanosecond;
      if (!part.block) part.input = place_of(part.reduction->input(), false);
      part.result = place_of(part.reduction->result(), true);
    }
    const auto add = [&](std::vector<int>& all, const std::vector<int>& views) {
      for (const int v : views)
        if (!is_local_view(v)) all.push_back(v);
    };
    for (const int v : step->reads)
      if (!is_local_view(v) && !has_slot(trace, writes, slot_of(v))) reads.push_back(v);
    add(writes, step->writes);
    add(allocates, step->allocates);
    for_each_view(*step, [&](int v) {
      const int slot = slot_of(v);
      const auto local = std::find_if(locals_.begin(), locals_.end(), [&](const Local& l) { return l.slot == slot; });
      if (--left[static_cast<size_t>(slot)] == 0 && local != locals_.end()) free.emplace(local->bytes, *local);
    });
  }
  tile_ = std::clamp<int64_t>(tile_bytes() / std::max<int64_t>(bytes + local_bytes_, 1), 1, rows);
  grain_ = std::max<int64_t>(static_cast<int64_t>(static_cast<double>(kParallelWork) / std::max(cost, 1.0)), 1);
}

bool RowTilesStep::run(Frame& frame) const {
  const Trace& trace = frame.trace();
  const DialectGuard guard(tiled_[0].dialect());
  // Addresses of all parts' memories, in order, at row 0; null for tile memory.
  Addresses addresses;
  const auto find = [&](const Place& place) {
    const bool is_there = place.view >= 0 && !place.local;
    addresses.push_back(!is_there ? nullptr : place.is_made ? frame.allocate(place.view) : frame.data(place.view));
  };
  bool wants_errors = false;
  for (const TiledPart& part : tiled_) {
    for (const Place& place : part.memories) find(place);
    if (part.reduction) {
      if (!part.block) find(part.input);
      find(part.result);
    }
    if (!part.block) continue;
    part.block->count();
    wants_errors = wants_errors || part.block->wants_errors();
  }
  std::vector<std::atomic<uint8_t>> errors(wants_errors ? num_errors_ : 0), of_reductions(tiled_.size());
  const auto run_rows = [&](int64_t begin, int64_t end) {
    struct Tile : fusion::ThreadMemory {};
    // Align arrays to cache lines, so that no two share one.
    char* const memory = ThreadObject<Tile>::get().at_least(local_bytes_ * tile_ + 64 * (num_places_ + 1));
    for (int64_t row = begin; row < end; row += tile_)
      run_tile(trace, row, std::min(row + tile_, end), addresses, memory, wants_errors ? errors.data() : nullptr,
               of_reductions);
  };
  if (rows_ <= grain_)
    run_rows(0, rows_);
  else
    parallel_for(0, rows_, grain_, run_rows);
  for (size_t p = 0; p < tiled_.size(); ++p) {
    const TiledPart& part = tiled_[p];
    if (part.block && wants_errors)
      part.block->report_errors(
          {errors.data() + part.first_error, static_cast<size_t>(part.block->plan().num_calls())});
    const auto found = static_cast<FloatingPointErrors>(of_reductions[p].load(std::memory_order_relaxed));
    if (TNP_UNLIKELY(found)) report_floating_point_errors(PlannedReduction::kWatchedAs, found);
  }
  return true;
}

void RowTilesStep::run_tile(const Trace& trace, int64_t begin, int64_t end, const Addresses& addresses, char* memory,
                            std::atomic<uint8_t>* errors,
                            std::vector<std::atomic<uint8_t>>& errors_of_reductions) const {
  auto address = addresses.begin();
  const auto find = [&](const Place& place) {
    char* const at = *address++;
    if (!place.local) return at;
    const int64_t before = (place.local->offset * tile_ + 63) / 64 * 64 + 64 * place.local->place;
    return moved(memory, before - begin * place.local->bytes + (view_of(trace, place.view).offset));
  };
  std::array<char*, Block::kMostMemories> memories;
  for (size_t p = 0; p < tiled_.size(); ++p) {
    const TiledPart& part = tiled_[p];
    for (size_t m = 0; m < part.memories.size(); ++m) memories[m] = find(part.memories[m]);
    const int64_t first = begin * part.elements, last = end * part.elements;
    std::atomic<uint8_t>* const of_block =
        errors && part.block && part.block->wants_errors() ? errors + part.first_error : nullptr;
    FloatingPointErrors found = kNoErrors;
    if (!part.reduction) {
      part.block->plan().run_range(first, last, memories.data(), of_block);
    } else if (part.block) {
      char* const result = find(part.result);
      part.block->pass_to(trace, memories.data(), of_block, [&](ElementSource& source) {
        found = part.reduction->reduction().run_rows(rows_, begin, end, source, result);
      });
    } else {
      const char* const input = find(part.input);
      found = part.reduction->reduction().run_rows(rows_, begin, end, input, find(part.result));
    }
    if (TNP_UNLIKELY(found)) errors_of_reductions[p].fetch_or(found, std::memory_order_relaxed);
  }
}

std::string RowTilesStep::name() const {
  std::string s = "tiles(";
  const char* between = "";
  for (const auto& step : parts) s += std::exchange(between, ", ") + step->name();
  return s += ')';
}

std::string RowTilesStep::heading() const {
  return "tiles(" + std::to_string(tile_) + " of " + std::to_string(rows_) + " rows: ";
}

// --- choosing steps

namespace {

class Tiler {
 public:
  explicit Tiler(Trace& trace) : trace_(trace), uses_(uses_of_slots(trace)), met_(trace.slots.size()) {}

  void run() {
    std::vector<std::unique_ptr<Step>> steps = std::move(trace_.steps);
    trace_.steps.clear();
    for (std::unique_ptr<Step>& step : steps) {
      Member member = member_of(std::move(step));
      if (!joins(*member.step)) {
        finish();
        rows_ = rows_of(*member.step);
      }
      if (rows_ == 0) {
        trace_.steps.push_back(as_it_was(std::move(member)));
        continue;
      }
      for (const int v : member.step->writes) written_.push_back({view(v).slot, v});
      bytes_ += bytes_besides(*member.step);
      for_each_view(*member.step, [&](int v) { met_[static_cast<size_t>(view(v).slot)] = true; });
      run_.push_back(std::move(member));
    }
    finish();
  }

 private:
  struct Member {
    std::unique_ptr<Step> step;
    bool is_wrapped = false;  // a single operator that was wrapped in a block
  };
  struct Written {
    int slot, view;
  };
  // Wraps a single operator in a block if possible.
  Member member_of(std::unique_ptr<Step> step) {
    const bool has_rows = step->writes.size() == 1 && step->writes[0] >= 0 && !view(step->writes[0]).sizes.empty() &&
                          view(step->writes[0]).sizes[0] >= least_rows();
    if (!has_rows || dynamic_cast<const BlockStep*>(step.get())) return {std::move(step)};
    count(*step, -1);
    std::unique_ptr<BlockStep> block = BlockStep::of(trace_, step);
    count(block ? *block : *step, 1);
    if (block) return {std::move(block), true};
    return {std::move(step)};
  }
  std::unique_ptr<Step> as_it_was(Member member) {
    if (!member.is_wrapped) return std::move(member.step);
    count(*member.step, -1);
    std::unique_ptr<Step> step = static_cast<BlockStep&>(*member.step).take_step();
    count(*step, 1);
    return step;
  }
  static int64_t least_rows() { return fusion::mode() == fusion::Mode::Always ? 2 : kRowsOfThread * get_num_threads(); }
  const View& view(int v) const { return view_of(trace_, v); }
  void count(const Step& step, int by) {
    for_each_view(step, [&](int v) {
      if (v >= 0) uses_[static_cast<size_t>(view(v).slot)] += by;
    });
  }

  // Bytes per row of the step's slots that the current run does not use yet.
  int64_t bytes_besides(const Step& step) const {
    int64_t bytes = 0;
    std::vector<int> slots;
    for_each_view(step, [&](int v) {
      const int slot = view(v).slot;
      if (met_[static_cast<size_t>(slot)] || std::find(slots.begin(), slots.end(), slot) != slots.end()) return;
      slots.push_back(slot);
      bytes += bytes_of_row(view(v), rows_);
    });
    return bytes;
  }

  // The number of rows that a step traverses; 0 if it does not work row by row.
  int64_t rows_of(const Step& step) const {
    const auto [block, reduction] = RowTilesStep::part_of(step);
    if (!block && !reduction) return 0;
    const IntList sizes = block ? block->sizes() : IntList(view(reduction->input()).sizes);
    const int64_t rows = sizes.empty() ? 0 : sizes[0];
    if (rows < least_rows() || (block && block->changes())) return 0;
    if (reduction && (!reduction->reduction().takes_rows(rows) || reduction->dialect() != dialect_of(step))) return 0;
    int64_t bytes = 0;
    for_each_view(step, [&](int v) { bytes += bytes_of_row(view(v), rows); });
    const bool makes_all = std::all_of(step.writes.begin(), step.writes.end(), [&](int v) {
      return view(v).is_contiguous && view(v).numel % rows == 0 && trace_.slot_of(v).origin == Origin::Step;
    });
    return makes_all && bytes <= tile_bytes() ? rows : 0;
  }
  static Dialect dialect_of(const Step& step) { return RowTilesStep::part_of(step).dialect(); }

  bool reads_row_by_row(int v, size_t ndim) const {
    const auto made =
        std::find_if(written_.begin(), written_.end(), [&](const Written& w) { return w.slot == view(v).slot; });
    return made == written_.end() || is_row_by_row(view(v), view(made->view), ndim, rows_);
  }
  // Whether the step can be added to the current run.
  bool joins(const Step& step) const {
    if (rows_ == 0 || rows_of(step) != rows_ || dialect_of(step) != dialect_of(*run_[0].step)) return false;
    if (bytes_ + bytes_besides(step) > tile_bytes()) return false;
    const auto [block, reduction] = RowTilesStep::part_of(step);
    const size_t ndim = block ? block->sizes().size() : view(reduction->input()).sizes.size();
    return std::all_of(step.reads.begin(), step.reads.end(), [&](int v) { return reads_row_by_row(v, ndim); });
  }

  // Whether several steps use the same large array.
  bool pays() const {
    const int64_t least = fusion::mode() == fusion::Mode::Always ? 1 : kLeastBytes;
    std::vector<int> times(trace_.slots.size());
    bool is_met_again = false;
    for (const Member& member : run_)
      for_each_view(*member.step, [&](int v) {
        is_met_again = is_met_again || (bytes_of(view(v)) >= least && ++times[static_cast<size_t>(view(v).slot)] > 1);
      });
    return is_met_again;
  }

  void finish() {
    if (run_.size() > 1 && pays()) {
      std::vector<std::unique_ptr<Step>> steps;
      for (Member& member : run_) {
        count(*member.step, -1);
        steps.push_back(std::move(member.step));
      }
      std::vector<bool> is_local(trace_.slots.size());
      for (const Written& w : written_) {
        const auto slot = static_cast<size_t>(w.slot);
        is_local[slot] = uses_[slot] == 0 && !trace_.slots[slot].escapes;
      }
      trace_.steps.push_back(std::make_unique<RowTilesStep>(trace_, std::move(steps), rows_, is_local));
      count(*trace_.steps.back(), 1);
    } else {
      for (Member& member : run_) trace_.steps.push_back(as_it_was(std::move(member)));
    }
    run_.clear();
    written_.clear();
    met_.assign(met_.size(), false);
    rows_ = bytes_ = 0;
  }

  Trace& trace_;
  std::vector<int> uses_;  // of slots
  std::vector<Member> run_;
  std::vector<Written> written_;  // by the steps of the run
  std::vector<bool> met_;         // slots that the run uses
  int64_t rows_ = 0, bytes_ = 0;  // of the run, and bytes per row of its slots; 0 rows: no run
};

}  // namespace

void tile_rows(Trace& trace) { Tiler(trace).run(); }

}  // namespace tnp::compiler
