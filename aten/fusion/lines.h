// View of memory that is not dense, in row-major order of its elements. It gathers blocks of
// elements into dense memory and scatters them back. A line is a run of elements along the last
// axis.
#pragma once

#include <cstdint>

#include "aten/core/containers/small_vector.h"
#include "aten/iterator/iterator.h"

namespace tnp::fusion {

class Lines {
 public:
  Lines() = default;
  // `strides`: bytes along the axes of `sizes`.
  Lines(IntList sizes, IntList strides, int64_t itemsize);

  // The current content of a slot, if all its elements come from one line that repeats: `count`
  // elements, starting with the line's element `first`.
  struct Held {
    const char* line = nullptr;
    int64_t first = 0, count = 0;
  };
  // Returns the address of elements [begin, begin + n) as a dense run. If they are not dense in
  // memory, gathers them into `slot`, unless `held` says that the slot already contains them.
  // `copy`: the loop that casts the dtype to itself.
  char* bring(char* base, int64_t begin, int64_t n, char* slot, Loop copy, Held& held) const;
  // Copies elements to dense memory, and back.
  void gather(char* base, int64_t begin, int64_t n, char* to, Loop copy) const {
    gather(place_of(base, begin), n, to, copy);
  }
  void scatter(char* base, int64_t begin, int64_t n, char* from, Loop copy) const;

 private:
  // An element's position.
  struct Place {
    DimVector index;
    char* line;     // first element of its line
    int64_t first;  // the element's index in the line
  };
  Place place_of(char* base, int64_t begin) const;
  void gather(Place place, int64_t n, char* to, Loop copy) const;
  // Moves `place` forward by `lines` lines, to the first element of a line. `lines` must not exceed
  // lines_left().
  void advance(Place& place, int64_t lines) const;
  int64_t lines_left(const Place& place) const;
  bool repeats_lines() const { return sizes_.size() > 1 && strides_[sizes_.size() - 2] == 0; }
  void repeat_line(const char* line, int64_t first, int64_t n, char* to, Loop copy) const;
  // Reads `numbers` numbers, `step` bytes apart. Writes each of them k times, where k is the length
  // of a line.
  void repeat_numbers(const char* from, int64_t step, int64_t numbers, char* to, Loop copy) const;
  void copy_part(char* line, int64_t first, int64_t n, char* dense, bool is_to_dense, Loop copy) const;

  DimVector sizes_, strides_;  // neighbouring axes are merged where possible; never empty
  int64_t itemsize_ = 0;
};

// Whether blocks of an operand with this layout are cheap to gather. True if memory is read from
// front to back in one of three ways: in lines of at least `shortest` elements, in shorter lines
// that repeat, or as numbers that are each broadcast to several elements.
bool has_quick_lines(IntList sizes, IntList strides, int64_t itemsize, int64_t shortest);

}  // namespace tnp::fusion
