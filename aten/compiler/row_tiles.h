// Row tiling: runs several steps over one tile of rows after another.
//
// Note [Tiles of rows] A softmax, or a computation of forces between bodies, consists of blocks and
// reductions along rows. Each step reads the rows that the step before it wrote. Run one by one,
// the steps would move all data through memory, and often to another core. Tiled, all steps process
// a tile while its rows are in one core's cache. A value that no other step reads only has memory
// for one tile. Each row of a reduction has the same bits as without tiling
// (PlannedReduction::takes_rows()).
#pragma once

#include <memory>
#include <vector>

#include "aten/compiler/block_step.h"
#include "aten/compiler/kernel_steps.h"

namespace tnp::compiler {

class RowTilesStep final : public Step {
 public:
  // A block, a reduction, or a block whose elements are passed to a reduction.
  struct Part {
    const BlockStep* block = nullptr;
    const ReductionStep* reduction = nullptr;
    Dialect dialect() const { return block ? block->dialect() : reduction->dialect(); }
  };
  // The form of a step that can be tiled; both pointers are null if it cannot.
  static Part part_of(const Step& step);

  // `is_local`: per slot, whether only these steps use it.
  RowTilesStep(const Trace& trace, std::vector<std::unique_ptr<Step>> steps, int64_t rows,
               const std::vector<bool>& is_local);
  bool run(Frame& frame) const override;
  std::string name() const override;
  std::string heading() const override;

 private:
  // A slot in a tile's memory: its bytes per row, and the sum of the bytes before it. Memory of
  // dead slots is reused.
  struct Local {
    int slot;
    int64_t bytes, offset, place;
  };
  // Location of a view: in memory, or in a tile's.
  struct Place {
    int view;
    const Local* local;
    bool is_made;
  };
  struct TiledPart : Part {
    explicit TiledPart(const Part& part) : Part(part) {}
    std::vector<Place> memories;    // of the block
    Place input = {}, result = {};  // of the reduction; no input if a block passes it on
    int64_t elements = 0;           // of the block, per row
    size_t first_error = 0;         // index of the block's first error slot
  };
  using Addresses = std::vector<char*>;
  void run_tile(const Trace& trace, int64_t begin, int64_t end, const Addresses& addresses, char* memory,
                std::atomic<uint8_t>* errors, std::vector<std::atomic<uint8_t>>& errors_of_reductions) const;

  std::vector<TiledPart> tiled_;  // of the parts
  std::vector<Local> locals_;
  int64_t rows_, tile_, grain_;
  int64_t local_bytes_ = 0, num_places_ = 0;  // per row
  size_t num_errors_ = 0;
};

// Replaces runs of consecutive steps.
void tile_rows(Trace& trace);

}  // namespace tnp::compiler
