// Geometry of a trace's views.
#pragma once

#include <utility>
#include <vector>

#include "aten/compiler/trace.h"

namespace tnp::compiler {

inline const View& view_of(const Trace& r, int view) { return r.views[static_cast<size_t>(view)]; }
inline int slot_of(const Trace& r, int view) { return view_of(r, view).slot; }

// Whether any of `views` is in the slot.
bool has_slot(const Trace& r, const std::vector<int>& views, int slot);
// The number of uses of each slot, by reads and by writes of steps.
std::vector<int> uses_of_slots(const Trace& r);
// Whether the step changes memory that existed before the call.
bool changes_outside(const Trace& r, const Step& step);
// Whether the step has an effect outside of the trace: a change, or a draw of random numbers.
inline bool has_effect(const Trace& r, const Step& step) { return step.draws || changes_outside(r, step); }
template <class F>
void for_each_view(const Step& step, F&& f) {
  for (const std::vector<int>* views : {&step.reads, &step.writes})
    for (const int v : *views) f(v);
}

int64_t bytes_of(const View& v);
// The byte range of the view's elements, relative to its first element: empty if there are none.
std::pair<int64_t, int64_t> extent(const View& v);
// Strides in bytes along the axes of `sizes`, to which the view is broadcast.
DimVector strides_along(const View& v, IntList sizes);

// A meta tensor with the view's geometry.
Tensor without_elements(const View& v);
// An operand for planning: a constant with its elements, or a meta tensor.
Tensor operand(const Trace& r, int view);

// For each view, the first view that is equal to it.
TNP_API std::vector<int> first_of_equal_views(const Trace& r);

}  // namespace tnp::compiler
