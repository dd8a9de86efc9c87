// Following: links the tracer of a function's gradients to the tracer of the function. Note
// [Compiled gradients] in backward.h.
#pragma once

#include <utility>
#include <vector>

#include "aten/compiler/tracer.h"

namespace tnp::compiler {

// While it lives, arrays that `function` has traced become arguments of `tracer`, on first use.
// Random numbers must not be drawn, since the traced steps may turn out not to be needed.
class Following {
 public:
  Following(Tracer& tracer, Tracer& function, const Trace& trace)
      : tracer(tracer), function(function), trace(trace), outer_(std::exchange(innermost, this)) {}
  ~Following() { innermost = outer_; }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;
  // The link of this tracer; null if there is none.
  static Following* of(const Tracer& r) { return innermost && &innermost->tracer == &r ? innermost : nullptr; }
  // Drops slots from number `first` on.
  void forget(size_t first) {
    std::erase_if(adopted, [&](const Adopted& a) { return static_cast<size_t>(a.slot) >= first; });
  }

  Tracer& tracer;
  Tracer& function;
  const Trace& trace;  // of the function
  struct Adopted {
    int slot, of_function;
  };
  std::vector<Adopted> adopted;

 private:
  TNP_API static thread_local Following* innermost;
  Following* const outer_;
};

}  // namespace tnp::compiler
