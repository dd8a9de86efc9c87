// Fused elementwise steps: a block program (aten/fusion/block_program.h) that is planned with the
// trace and runs with the addresses of a replay. A value that no other step reads is never written
// to memory.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "aten/compiler/elementwise.h"
#include "aten/core/containers/function_ref.h"
#include "aten/fusion/block_plan.h"
#include "aten/kernels/reduce_plan.h"

namespace tnp::compiler {

// A block under construction; steps are added one by one.
class Block {
 public:
  // Limits of one program.
  static constexpr int kMostSteps = 512;
  static constexpr int kMostMemories = 64;

  Block(const Trace& trace, const ElementwiseCall& first);
  // Whether a step can be part of any block.
  static bool takes(const Trace& trace, const ElementwiseCall& e);
  // Whether it can be added to this block. Unless `is_related`, a large step must share an array
  // with the block.
  bool accepts(const ElementwiseCall& e, bool is_related = false) const;
  void add(std::unique_ptr<Step> step, const ElementwiseCall& e);
  // Adds it as the first step.
  void add_before(std::unique_ptr<Step> step, const ElementwiseCall& e);

  bool reads(int slot) const;
  bool writes(int slot) const;
  const std::vector<std::unique_ptr<Step>>& steps() const { return steps_; }
  const std::vector<ElementwiseCall>& elementwise() const { return elementwise_; }
  // Whether a program with the steps of both stays within the limits.
  bool has_room_for(const Block& other) const {
    return num_program_steps_ + other.num_program_steps_ <= kMostSteps &&
           accesses_.size() + other.accesses_.size() <= kMostMemories;
  }
  // Adds all steps of another block.
  void add(Block&& other);
  // Its only step, if that runs as fast without a block; else null.
  std::unique_ptr<Step> take_only();

 private:
  friend class BlockStep;
  struct Access {
    int view;
    bool is_write;
  };
  const View& view(int v) const { return trace_->views[static_cast<size_t>(v)]; }
  void note(int v, bool is_write);

  const Trace* trace_;
  DimVector sizes_;
  int64_t numel_;
  Dialect dialect_;
  int num_program_steps_ = 0;
  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<ElementwiseCall> elementwise_;
  std::vector<Access> accesses_;
};

// The step that replaces a block's steps and runs its program. Its parts are the block's steps
// without dead stores.
class BlockStep final : public Step {
 public:
  // `is_needed`: per slot, whether steps outside of the block read the value that it makes.
  BlockStep(Block&& block, const std::vector<bool>& is_needed);
  bool run(Frame& frame) const override;
  std::string name() const override;
  std::string heading() const override { return "block("; }
  // Wraps a single step that makes its result in a block. Returns null, and leaves the step in
  // place, if that is not possible.
  static std::unique_ptr<BlockStep> of(const Trace& trace, std::unique_ptr<Step>& step);
  // Releases the first step, unchanged.
  std::unique_ptr<Step> take_step() { return std::move(parts[0]); }

  // Whether it makes all elements of the view's slot.
  bool makes(int view) const;
  // From now on that result is not written: run_into() passes it to a reduction.
  void pass_on(int view);
  // Runs the block; `reduce` reads the elements of the passed-on result while they are computed.
  // Returns false, with no effect, if memories alias.
  bool run_into(Frame& frame, function_ref<void(ElementSource&)> reduce) const;

  // For callers that run the block in parts:
  struct Memory {
    int view;
    enum class Use : uint8_t { Read, Made, Changed, PassedOn } use;
    std::pair<int64_t, int64_t> extent;  // of the view
  };
  const std::vector<Memory>& memories() const { return memories_; }
  bool changes() const;  // whether it changes memory that it has not made
  const fusion::BlockPlan& plan() const { return *plan_; }
  IntList sizes() const { return sizes_; }
  Dialect dialect() const { return dialect_; }
  bool wants_errors() const;
  // `errors`: one per step of the program.
  void report_errors(std::span<std::atomic<uint8_t>> errors) const;
  // Calls `reduce` with the passed-on elements, which are computed on demand.
  void pass_to(const Trace& trace, char* const* memories, std::atomic<uint8_t>* errors,
               function_ref<void(ElementSource&)> reduce) const;
  void count() const;  // updates statistics()

 private:
  bool are_apart(char* const* memories) const;
  using Memories = std::array<char*, Block::kMostMemories>;
  bool find_memories(Frame& frame, Memories& memories) const;
  // Calls `run` with a slot for the errors of each step, or null if errors are ignored, and reports
  // the errors.
  void watch(function_ref<void(std::atomic<uint8_t>*)> run) const;

  DimVector sizes_;
  std::optional<fusion::BlockPlan> plan_;
  Dialect dialect_;
  bool is_large_;
  size_t num_steps_ = 0, num_made_ = 0;
  std::vector<Memory> memories_;
  // Pairs of memories, one of them changed, that may alias without the trace's knowledge.
  std::vector<std::pair<int, int>> unlike_;
  std::vector<int> taken_;  // views of EmptySteps before its parts
};

}  // namespace tnp::compiler
