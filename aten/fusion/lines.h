// Memory that is not dense, element for element in row-major order: blocks of it are brought together, and written
// back.
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

  // What was brought to a slot last, if it was one line again and again: from its `first` element on, `count` in all.
  struct Held {
    const char* line = nullptr;
    int64_t first = 0, count = 0;
  };
  // Where elements [begin, begin + n) are, as neighbours: in memory, or else brought to `slot`, if they are not there
  // yet. `copy`: the cast of the dtype to itself.
  char* bring(char* base, int64_t begin, int64_t n, char* slot, Loop copy, Held& held) const;
  // Brings them to `to`, and back.
  void gather(char* base, int64_t begin, int64_t n, char* to, Loop copy) const {
    gather(place_of(base, begin), n, to, copy);
  }
  void scatter(char* base, int64_t begin, int64_t n, char* from, Loop copy) const;

 private:
  // An element's place.
  struct Place {
    DimVector index;
    char* line;     // its line's first element
    int64_t first;  // in the line
  };
  Place place_of(char* base, int64_t begin) const;
  void gather(Place place, int64_t n, char* to, Loop copy) const;
  // To the beginning of the line that is `lines` on, which is at most the first of the next axis.
  void advance(Place& place, int64_t lines) const;
  int64_t lines_left(const Place& place) const;
  bool repeats_lines() const { return sizes_.size() > 1 && strides_[sizes_.size() - 2] == 0; }
  void repeat_line(const char* line, int64_t first, int64_t n, char* to, Loop copy) const;
  // Each of `numbers`, which are `step` bytes apart, as often as a line is long.
  void repeat_numbers(const char* from, int64_t step, int64_t numbers, char* to, Loop copy) const;
  void copy_part(char* line, int64_t first, int64_t n, char* dense, bool is_to_dense, Loop copy) const;

  DimVector sizes_, strides_;  // neighbouring axes are one where they can be; never empty
  int64_t itemsize_ = 0;
};

// Whether blocks of an operand are quickly had: it is read from front to back, in lines of `shortest` elements at
// least, in shorter ones that come again and again, or as numbers that each stand for several elements.
bool has_quick_lines(IntList sizes, IntList strides, int64_t itemsize, int64_t shortest);

}  // namespace tnp::fusion
