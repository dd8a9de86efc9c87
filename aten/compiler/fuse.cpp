#include "aten/compiler/fuse.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "aten/compiler/block_step.h"
#include "aten/compiler/steps.h"
#include "aten/compiler/views.h"

namespace tnp::compiler {

namespace {

// The most steps by which a step is moved forward to join a block.
constexpr size_t kFarthest = 64;

// Limits for recomputation: a large result that is cheap to make from little input is recomputed in
// each block that reads it (Fuser::compute_again()).
constexpr int64_t kLeastMadeAgain = 1 << 20;  // bytes
constexpr int64_t kLeastOfOperands = 16;      // bytes of the result for each byte of the operands
constexpr double kMostTimeOfOne = 1;          // nanoseconds per element

// Bytes that the view reads from memory.
int64_t bytes_read(const View& v) {
  int64_t bytes = element_size(v.dtype);
  for (size_t d = 0; d < v.sizes.size(); ++d)
    if (v.strides[d] != 0) bytes *= v.sizes[d];
  return bytes;
}

class Fuser {
 public:
  explicit Fuser(Trace& trace) : trace_(trace), uses_(uses_of_slots(trace)), made_again_(trace.slots.size()) {}

  void run() {
    for (std::unique_ptr<Step>& step : trace_.steps) {
      if (dynamic_cast<EmptyStep*>(step.get()))
        items_.push_back({std::move(step), {}});
      else
        add(std::move(step));
    }
    trace_.steps.clear();
    for (size_t i = 0; i < items_.size(); ++i) compute_again(i);
    for (Item& item : items_) {
      if (!item.block) {
        trace_.steps.push_back(std::move(item.step));
      } else {
        finish(std::move(*item.block));
      }
    }
  }

 private:
  struct Item {  // exactly one is set
    std::unique_ptr<Step> step;
    std::optional<Block> block;
  };

  int slot_of(int view) const { return compiler::slot_of(trace_, view); }
  void count(const Step& step, int by) {
    for_each_view(step, [&](int v) { uses_[static_cast<size_t>(slot_of(v))] += by; });
  }

  bool reads(const Item& item, int slot) const {
    return item.block ? item.block->reads(slot) : has_slot(trace_, item.step->reads, slot);
  }
  bool writes(const Item& item, int slot) const {
    return item.block ? item.block->writes(slot) : has_slot(trace_, item.step->writes, slot);
  }

  bool is_any_from_outside(const std::vector<int>& views) const {
    return std::any_of(views.begin(), views.end(), [&](int v) { return trace_.slot_of(v).is_from_outside(); });
  }
  // Whether the item writes (`by_writing`) or reads memory from outside.
  bool touches_outside(const Item& item, bool by_writing) const {
    const auto any = [&](const Step& step) { return is_any_from_outside(by_writing ? step.writes : step.reads); };
    if (!item.block) return any(*item.step);
    const auto& steps = item.block->steps();
    return std::any_of(steps.begin(), steps.end(), [&](const auto& step) { return any(*step); });
  }

  // Whether the step may run before the item: neither accesses memory that the other writes.
  bool may_precede(const Item& item, const Step& step, const ElementwiseCall& e) const {
    // A guard or an error may end the replay. It must do so before the caller's arrays have
    // changed.
    const bool changes = trace_.slots[static_cast<size_t>(slot_of(e.result))].origin != Origin::Step;
    if (changes && !item.block) return false;
    // Arrays from outside may alias each other without the trace's knowledge.
    if ((changes || is_any_from_outside(step.reads)) && touches_outside(item, true)) return false;
    if (changes && touches_outside(item, false)) return false;
    const auto is_apart = [&](int v, bool is_write) {
      const int slot = slot_of(v);
      return !writes(item, slot) && !(is_write && reads(item, slot));
    };
    return std::all_of(step.reads.begin(), step.reads.end(), [&](int v) { return is_apart(v, false); }) &&
           std::all_of(step.writes.begin(), step.writes.end(), [&](int v) { return is_apart(v, true); });
  }

  // Lets the step allocate its result, in place of an earlier EmptyStep, if it writes all of the
  // memory and no step between accesses it.
  void take_memory(ElementwiseCall& e) {
    const View& to = trace_.views[static_cast<size_t>(e.result)];
    for (size_t i = 0; i < e.num_inputs; ++i)
      if (!e.is_number[i] && slot_of(e.inputs[i]) == to.slot) return;
    if (e.is_made) return;
    for (auto item = items_.rbegin(); item != items_.rend(); ++item) {
      if (!reads(*item, to.slot) && !writes(*item, to.slot)) continue;
      const auto* empty = dynamic_cast<const EmptyStep*>(item->step.get());
      if (!empty) return;
      const View& all = view_of(trace_, empty->writes[0]);
      if (!all.is_contiguous || !to.is_contiguous || all.numel != to.numel || to.offset != 0 || all.dtype != to.dtype)
        return;
      e.taken = empty->writes[0];
      count(*item->step, -1);
      items_.erase(std::next(item).base());
      e.is_made = true;
      return;
    }
  }
  void add(std::unique_ptr<Step> step) {
    std::optional<ElementwiseCall> e = elementwise(trace_, *step);
    if (!e || !Block::takes(trace_, *e)) {
      items_.push_back({std::move(step), {}});
      return;
    }
    take_memory(*e);
    size_t seen = 0;
    for (auto item = items_.rbegin(); item != items_.rend() && seen < kFarthest; ++item, ++seen) {
      if (item->block && item->block->accepts(*e)) {
        const Step& added = *step;
        item->block->add(std::move(step), *e);
        join(static_cast<size_t>(items_.rend() - item) - 1, added);
        return;
      }
      if (!may_precede(*item, *step, *e)) break;
    }
    Block block(trace_, *e);
    block.add(std::move(step), *e);
    items_.push_back({nullptr, std::move(block)});
  }

  // Merges the block of the added step with earlier blocks that make its operands.
  void join(size_t last, const Step& added) {
    const size_t farthest = last - std::min(last, kFarthest);
    for (size_t first = last; first-- > farthest;) {
      const std::optional<Block>& block = items_[first].block;
      const auto makes = [&](int v) { return block->writes(slot_of(v)); };
      if (!block || !std::any_of(added.reads.begin(), added.reads.end(), makes) || !may_join(first, last)) continue;
      items_[first].block->add(std::move(*items_[last].block));
      items_.erase(items_.begin() + static_cast<ptrdiff_t>(last));
      last = first;
    }
  }
  bool may_join(size_t first, size_t last) const {
    const Block &into = *items_[first].block, &block = *items_[last].block;
    if (!into.has_room_for(block)) return false;
    for (size_t s = 0; s < block.steps().size(); ++s) {
      const ElementwiseCall& e = block.elementwise()[s];
      if (!into.accepts(e, true)) return false;
      for (size_t between = first + 1; between < last; ++between)
        if (!may_precede(items_[between], *block.steps()[s], e)) return false;
    }
    return true;
  }

  // Recomputation: a value that a block makes from little input, as `x[:, None] - x`, is computed
  // again in each block that reads it. That costs less than writing it to memory and reading it
  // back.
  void compute_again(size_t producer) {
    if (!items_[producer].block) return;
    for (size_t s = 0; s < items_[producer].block->steps().size(); ++s) {
      const ElementwiseCall e = items_[producer].block->elementwise()[s];
      const Step* const step = items_[producer].block->steps()[s].get();
      if (!step->call.pointwise || !is_quickly_made(e)) continue;
      const std::optional<std::vector<Block*>> readers = blocks_that_read(e, producer);
      if (!readers || readers->empty()) continue;
      for (Block* reader : *readers) {
        std::unique_ptr<Step> again = step->clone();
        count(*again, 1);
        reader->add_before(std::move(again), e);
      }
      made_again_[static_cast<size_t>(slot_of(e.result))] = true;
    }
  }
  bool is_quickly_made(const ElementwiseCall& e) const {
    const View& to = trace_.views[static_cast<size_t>(e.result)];
    const int64_t bytes = bytes_of(to);
    const Slot& slot = trace_.slots[static_cast<size_t>(to.slot)];
    if (!e.is_made || slot.escapes || slot.is_written || bytes < kLeastMadeAgain || e.operation.cost > kMostTimeOfOne)
      return false;
    int64_t operands = 0;
    for (size_t i = 0; i < e.num_inputs; ++i)
      if (!e.is_number[i]) operands += bytes_read(view_of(trace_, e.inputs[i]));
    return operands <= bytes / kLeastOfOperands;
  }
  // nullopt if other steps read it too, or if its operands change before a reader.
  std::optional<std::vector<Block*>> blocks_that_read(const ElementwiseCall& e, size_t producer) {
    const int made = slot_of(e.result);
    std::vector<Block*> readers;
    for (size_t i = producer; i < items_.size(); ++i) {
      if (i > producer && writes(items_[i], made)) return std::nullopt;
      if (i > producer && reads(items_[i], made)) {
        if (!items_[i].block || !items_[i].block->accepts(e, true)) return std::nullopt;
        readers.push_back(&*items_[i].block);
      }
      for (size_t k = 0; k < e.num_inputs; ++k)
        if (!e.is_number[k] && writes(items_[i], slot_of(e.inputs[k]))) return std::nullopt;
    }
    return readers;
  }

  void finish(Block block) {
    if (std::unique_ptr<Step> alone = block.take_only()) {
      trace_.steps.push_back(std::move(alone));
      return;
    }
    for (const auto& step : block.steps()) count(*step, -1);
    std::vector<bool> is_needed(trace_.slots.size());
    for (size_t s = 0; s < is_needed.size(); ++s)
      is_needed[s] = trace_.slots[s].escapes || (uses_[s] > 0 && !made_again_[s]);
    auto made = std::make_unique<BlockStep>(std::move(block), is_needed);
    if (made->parts.empty()) return;  // nothing reads the results, and the operators' checks pass
    count(*made, 1);
    trace_.steps.push_back(std::move(made));
  }

  Trace& trace_;
  std::vector<int> uses_;         // per slot: number of uses by steps
  std::vector<bool> made_again_;  // slots that each block that reads them recomputes
  std::vector<Item> items_;
};

}  // namespace

void fuse(Trace& trace) { Fuser(trace).run(); }

}  // namespace tnp::compiler
