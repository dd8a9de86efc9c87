// What an Iterator goes through: the dimensions in order of stride, coalesced, and the ways of handing them to a loop:
// a line at a time; where lines are short, blocks of them; where operands are transposed, tiles.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "aten/iterator/iterator.h"

namespace tnp {

using LoopRef = function_ref<void(char* const*, const int64_t*, int64_t)>;

struct Iterator::LoopNest {
  struct Chunks;
  struct Blocks;
  struct Tiles;

  explicit LoopNest(const Iterator& iterator) : of(iterator) {}

  const Iterator& of;
  DimVector dims;                             // fastest first; never empty
  std::array<DimVector, kMaxOperands> steps;  // bytes, by dims
  std::array<char*, kMaxOperands> origin;
  bool chunked = false;  // some operand is cast or unaligned, or there is a mask

  int64_t own_size(int k) const { return of.operands_[static_cast<size_t>(k)].tensor.itemsize(); }
  void take_longest_first();
};

// One line, a chunk at a time: copies and casts in, the loop on what the mask lets through, casts and copies out.
struct Iterator::LoopNest::Chunks {
  // `steps`: along the line, of the operands themselves. `longest` line that will come.
  Chunks(const LoopNest& nest, const int64_t* steps, int64_t longest);
  void run(char* const* line, int64_t n, LoopRef loop) const;

 private:
  const Iterator& of_;
  const int64_t* steps_;
  int64_t itemsizes_[kMaxOperands];  // in the buffers
  char* buffers_[kMaxOperands];      // as the loop reads them
  char* aligned_[kMaxOperands];      // as they lie in memory, but aligned
  std::unique_ptr<char[]> memory_;
};

// Note [Short lines]: a call of the loop costs about as much as a hundred elements, so lines of a few are put together.
// A block is some of the innermost dimensions whole, and so many steps of the next that it has kChunk elements. An
// operand that goes through a block in equal steps takes part where it lies; any other is copied to, or from, a buffer
// as wide as the block, where the loop finds it dense. What blocks merely repeat (`b[None]` beside `a[:, None]`) is
// copied once for all of them. A loop must write every element of an output that it is given.
struct Iterator::LoopNest::Blocks {
  explicit Blocks(const LoopNest& w) : nest(w) {}
  static std::optional<Blocks> plan(const LoopNest& nest);  // null: lines are as good
  // Units, of `unit` elements: all that lies below dims[level].
  int64_t units() const { return nest.of.numel_ / unit; }
  void run(int64_t begin, int64_t end, LoopRef loop) const;

  const LoopNest& nest;
  size_t level = 1;
  int64_t unit = 1;
  int64_t repeats = 1;  // units of a block
  bool copied[kMaxOperands] = {};
  int64_t steps[kMaxOperands] = {};  // within a block
};

// Note [Transposed operands]: in `a + b.T`, each line of the result takes one element from each line of b, which lies
// in a cache line and often a page of its own, and is gone before its neighbour is wanted. So the result is gone
// through in tiles, for which such operands are turned in registers, into buffers that stay in L1.
struct Iterator::LoopNest::Tiles {
  explicit Tiles(const LoopNest& w) : nest(w) {}
  static std::optional<Tiles> plan(const LoopNest& nest);  // null: no operand is transposed
  int64_t count() const;
  int64_t elements() const { return rows * columns; }  // of a tile
  void run(int64_t begin, int64_t end, LoopRef loop) const;

  const LoopNest& nest;
  size_t down = 0;                // the dimension along which transposed operands are dense; those of lines is 0
  int64_t rows = 0, columns = 0;  // of a tile, along `down` and along lines
  bool transposed[kMaxOperands] = {};
};

}  // namespace tnp
