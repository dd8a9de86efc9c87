// Steps that go through the rows of arrays alike, a tile of rows after the other.
//
// Note [Tiles of rows] Where a softmax, or forces among bodies, are blocks and reductions along rows, each step reads
// what the one before it wrote, of the same rows. One after the other they would send all of it through memory, and
// often to another core; a tile is done by all of them while its rows are in the cache of one. What nobody else reads
// has no other memory than a tile's. Each row of a reduction has the bits that it has among all (PlannedReduction::
// takes_rows()).
#pragma once

#include <memory>
#include <vector>

#include "aten/compiler/block_step.h"
#include "aten/compiler/kernel_steps.h"

namespace tnp::compiler {

class RowTilesStep final : public AllocatingStep {
 public:
  // A block, a reduction, or a block whose elements pass to a reduction.
  struct Part {
    const BlockStep* block = nullptr;
    const ReductionStep* reduction = nullptr;
    Dialect dialect() const { return block ? block->dialect() : reduction->dialect(); }
  };
  // What a step is, if it may be one of some that are tiled.
  static Part part_of(const Step& step);

  // `is_local`: by slot, whether the steps alone have to do with it.
  RowTilesStep(const Record& record, std::vector<std::unique_ptr<Step>> steps, int64_t rows,
               const std::vector<bool>& is_local);
  bool run(Frame& frame) const override;
  std::string name() const override;
  std::string text() const override;
  const std::vector<std::unique_ptr<Step>>& steps() const { return steps_; }

 private:
  // Of what lies in a tile's memory: bytes of a row, and of a row of all before. Places are used again.
  struct Local {
    int slot;
    int64_t bytes, offset, place;
  };
  // Where a view is: in memory, or in a tile's.
  struct Place {
    int view;
    const Local* local;
    bool is_made;
  };
  struct TiledPart : Part {
    explicit TiledPart(const Part& part) : Part(part) {}
    std::vector<Place> memories;    // of the block
    Place input = {}, result = {};  // of the reduction; it has no input of its own where a block passes it on
    int64_t elements = 0;           // of the block, in a row
    size_t first_error = 0;         // of the block's, among those of all
  };
  using Addresses = std::vector<char*>;
  void run_tile(const Record& record, int64_t begin, int64_t end, const Addresses& addresses, char* memory,
                std::atomic<uint8_t>* errors, std::vector<std::atomic<uint8_t>>& errors_of_reductions) const;

  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<TiledPart> parts_;
  std::vector<Local> locals_;
  int64_t rows_, tile_, grain_;
  int64_t local_bytes_ = 0, num_places_ = 0;  // of a row
  size_t num_errors_ = 0;
};

// In the place of steps that follow each other.
void tile_rows(Record& record);

}  // namespace tnp::compiler
