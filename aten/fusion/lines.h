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

  // The last content of a slot, if it was a single repeated line: `count` elements from the line's
  // element `first` on.
  struct Held {
    const char* line = nullptr;
    int64_t first = 0, count = 0;
  };
  // Returns the address of elements [begin, begin + n) as a dense run. If they are not dense in
  // memory, gathers them into `slot`, unless the slot already has them according to `held`. `copy`:
  // the cast of the dtype to itself.
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
    int64_t first;  // index in the line
  };
  Place place_of(char* base, int64_t begin) const;
  void gather(Place place, int64_t n, char* to, Loop copy) const;
  // Moves forward by `lines` lines, at most lines_left(), to the beginning of a line.
  void advance(Place& place, int64_t lines) const;
  int64_t lines_left(const Place& place) const;
  bool repeats_lines() const { return sizes_.size() > 1 && strides_[sizes_.size() - 2] == 0; }
  void repeat_line(const char* line, int64_t first, int64_t n, char* to, Loop copy) const;
  // Writes each of `numbers` numbers, `step` bytes apart, as often as a line has elements.
  void repeat_numbers(const char* from, int64_t step, int64_t numbers, char* to, Loop copy) const;
  void copy_part(char* line, int64_t first, int64_t n, char* dense, bool is_to_dense, Loop copy) const;

  DimVector sizes_, strides_;  // neighbouring axes are merged where possible; never empty
  int64_t itemsize_ = 0;
};

// Whether blocks of an operand are cheap to gather. It must be read from front to back: in lines of
// at least `shortest` elements, in shorter lines that repeat, or as numbers that each stand for
// several elements.
bool has_quick_lines(IntList sizes, IntList strides, int64_t itemsize, int64_t shortest);

}  // namespace tnp::fusion
