// LoopNest: an Iterator's dimensions, ordered by stride and coalesced. A loop receives them line by
// line, in blocks of short lines, or in tiles if operands are transposed.
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
  std::array<DimVector, kMaxOperands> steps;  // bytes, indexed as dims
  std::array<char*, kMaxOperands> origin;
  bool chunked = false;  // an operand is cast or unaligned, or there is a mask

  int64_t own_size(int k) const { return of.operands_[static_cast<size_t>(k)].tensor.itemsize(); }
  void take_longest_first();
};

// Processes a line in chunks: copies and casts inputs, runs the loop on the unmasked elements,
// casts and copies outputs.
struct Iterator::LoopNest::Chunks {
  // `steps`: byte steps of the operands along the line. `longest`: the maximum line length.
  Chunks(const LoopNest& nest, const int64_t* steps, int64_t longest);
  void run(char* const* line, int64_t n, LoopRef loop) const;

 private:
  const Iterator& of_;
  const int64_t* steps_;
  int64_t itemsizes_[kMaxOperands];  // element sizes in buffers_
  char* buffers_[kMaxOperands];      // operands in the loop's dtype
  char* aligned_[kMaxOperands];      // operands in their own dtype, aligned
  std::unique_ptr<char[]> memory_;
};

// Note [Short lines] A call of the loop costs about as much as a hundred elements, so short lines
// are joined into blocks. A block consists of whole inner dimensions and as many steps of the next
// dimension as make kChunk elements. An operand with one constant step throughout the block is used
// in place. Any other operand is copied to or from a dense buffer of the block's size. Data
// repeated by consecutive blocks (`b[None]` with `a[:, None]`) is copied only once. A loop must
// write every element of its outputs.
struct Iterator::LoopNest::Blocks {
  explicit Blocks(const LoopNest& w) : nest(w) {}
  // nullopt if processing by lines is at least as fast
  static std::optional<Blocks> plan(const LoopNest& nest);
  // The number of units. A unit has `unit` elements: all dimensions below dims[level].
  int64_t units() const { return nest.of.numel_ / unit; }
  void run(int64_t begin, int64_t end, LoopRef loop) const;

  const LoopNest& nest;
  size_t level = 1;
  int64_t unit = 1;
  int64_t repeats = 1;  // units per block
  bool copied[kMaxOperands] = {};
  int64_t steps[kMaxOperands] = {};  // within a block
};

// Note [Transposed operands] In `a + b.T`, each line of the result reads one element from each line
// of b. That element is in a cache line and often a page of its own, which is evicted before its
// neighbour is needed. So the result is computed in tiles. Transposed operands are transposed in
// registers into buffers that stay in L1.
struct Iterator::LoopNest::Tiles {
  explicit Tiles(const LoopNest& w) : nest(w) {}
  static std::optional<Tiles> plan(const LoopNest& nest);  // nullopt if no operand is transposed
  int64_t count() const;
  int64_t elements() const { return rows * columns; }  // per tile
  void run(int64_t begin, int64_t end, LoopRef loop) const;

  const LoopNest& nest;
  size_t down = 0;  // the dimension along which transposed operands are dense; lines run along dimension 0
  int64_t rows = 0, columns = 0;  // tile size along `down` and along lines
  bool transposed[kMaxOperands] = {};
};

}  // namespace tnp
