// Copies and concatenations of traces that are not planned.
#pragma once

#include <memory>
#include <vector>

#include "aten/compiler/trace.h"

namespace tnp::compiler {

// Null if a step cannot be copied: Step::clone().
TNP_API std::unique_ptr<Trace> copy(const Trace& trace);

// A result of the first trace (a view) that becomes an array argument of the second.
struct Connection {
  int result;
  int argument;
};

// The trace that runs `first`, then `second`: g(f(x)). Its array arguments are those of `first`,
// then those of `second` that no connection provides. View v of `second` becomes view
// v + first.views.size(), and slots are renumbered in the same way.
//
// Connected results of `first` no longer escape, unless they are results of `second`, too. Set
// Slot::escapes for those that the caller still receives.
//
// Raises Value if a connection has no such result or argument, or if they differ in shape, dtype or
// layout. Raises NotImplemented if the second trace is only valid for other arguments (arguments
// that share memory, or changed arguments that would), if it has guards behind an effect of the
// first, or if a step cannot be copied.
TNP_API std::unique_ptr<Trace> concatenate(const Trace& first, const Trace& second,
                                           const std::vector<Connection>& connections);

}  // namespace tnp::compiler
