// Neighbouring steps that compute element for element, as one: a block program (aten/fusion/block_program.h) that is
// planned with the record, and run with the addresses of a replay. What no other step reads is never written.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "aten/compiler/allocating_step.h"
#include "aten/compiler/elementwise.h"
#include "aten/core/containers/function_ref.h"
#include "aten/fusion/block_program.h"
#include "aten/kernels/reduce_plan.h"

namespace tnp::compiler {

// Which steps are one, found step by step.
class Block {
 public:
  // As many as one program takes.
  static constexpr int kMostSteps = 512;
  static constexpr int kMostMemories = 64;

  Block(const Record& record, const Elementwise& first);
  // Whether a step may be one of any block.
  static bool takes(const Record& record, const Elementwise& e);
  // Whether it may be one of this one, after those that are there. `is_related`: large ones only if they have arrays in
  // common.
  bool accepts(const Elementwise& e, bool is_related = false) const;
  void add(std::unique_ptr<Step> step, const Elementwise& e);
  // As the first of its steps.
  void add_before(std::unique_ptr<Step> step, const Elementwise& e);

  bool reads(int slot) const;
  bool writes(int slot) const;
  const std::vector<std::unique_ptr<Step>>& steps() const { return steps_; }
  const std::vector<Elementwise>& elementwise() const { return elementwise_; }
  // Whether no program of all steps of both is too long.
  bool has_room_for(const Block& other) const {
    return num_program_steps_ + other.num_program_steps_ <= kMostSteps &&
           accesses_.size() + other.accesses_.size() <= kMostMemories;
  }
  // Adds all steps of another one.
  void add(Block&& other);
  // Its only step, if that is done as well without a block; null if it is not.
  std::unique_ptr<Step> take_only();

 private:
  friend class BlockStep;
  struct Access {
    int view;
    bool is_write;
  };
  const View& view(int v) const { return record_->views[static_cast<size_t>(v)]; }
  void note(int v, bool is_write);

  const Record* record_;
  DimVector sizes_;
  int64_t numel_;
  Dialect dialect_;
  int num_program_steps_ = 0;
  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<Elementwise> elementwise_;
  std::vector<Access> accesses_;
};

class BlockStep final : public AllocatingStep {
 public:
  // `is_needed`: whether somebody else reads what the block makes in that slot.
  BlockStep(Block&& block, const std::vector<bool>& is_needed);
  bool run(Frame& frame) const override;
  std::string name() const override;
  std::string text() const override;
  // Those that it stands for, without what is overwritten before it is read.
  const std::vector<std::unique_ptr<Step>>& steps() const { return steps_; }
  bool run_steps(Frame& frame) const;
  // A step by itself as a block of it, if it makes its result and there can be one; else null, and it stays where it
  // is.
  static std::unique_ptr<BlockStep> of(const Record& record, std::unique_ptr<Step>& step);
  // The first of its steps, as it was.
  std::unique_ptr<Step> take_step() { return std::move(steps_[0]); }

  // Whether it gives the view's slot all of its elements.
  bool makes(int view) const;
  // From then on what it makes there is not written: it is for run_into() alone.
  void pass_on(int view);
  // Calls `reduce` with the elements of what is passed on, and has done everything else afterwards. False, and nothing
  // happened: memories overlap.
  bool run_into(Frame& frame, function_ref<void(ElementSource&)> reduce) const;

  // For those who run it in parts:
  struct Memory {
    int view;
    enum class Use : uint8_t { Read, Made, Changed, PassedOn } use;
    int64_t first, last;  // bytes from the view's first element to the first one that it has, and behind the last one
  };
  const std::vector<Memory>& memories() const { return memories_; }
  bool changes() const;  // what it has not made
  const fusion::BlockProgram& program() const { return program_; }
  IntList sizes() const { return sizes_; }
  Dialect dialect() const { return dialect_; }
  bool wants_errors() const;
  // Of each step of the program.
  void record_errors(std::span<std::atomic<uint8_t>> errors) const;
  // Calls `reduce` with the elements of what is passed on, which it computes as they are wanted.
  void pass_to(const Record& record, char* const* memories, std::atomic<uint8_t>* errors,
               function_ref<void(ElementSource&)> reduce) const;
  void count() const;  // of what statistics() tells

 private:
  int memory_of(const Record& record, int view, Memory::Use use);
  bool are_apart(char* const* memories) const;
  using Memories = std::array<char*, Block::kMostMemories>;
  bool find_memories(Frame& frame, Memories& memories) const;
  // Calls `run` with a place for the errors of each step, null if nobody wants to know of them, and records those.
  void watch(function_ref<void(std::atomic<uint8_t>*)> run) const;

  DimVector sizes_;
  fusion::BlockProgram program_;
  Dialect dialect_;
  bool is_large_;
  size_t num_made_ = 0;
  std::vector<Memory> memories_;
  std::vector<std::pair<int, int>> unlike_;  // memories of which one is changed, and which others may own together
  std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace tnp::compiler
