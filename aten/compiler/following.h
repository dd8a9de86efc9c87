// Following: links the recorder of a function's gradients to the recorder of the function. Note
// [Compiled gradients] in backward.h.
#pragma once

#include <utility>
#include <vector>

#include "aten/compiler/recorder.h"

namespace tnp::compiler {

// While it lives, arrays that `function` has recorded become arguments of `recorder`, on first use.
// Random numbers must not be drawn, since the recorded steps may turn out not to be needed.
class Following {
 public:
  Following(Recorder& recorder, Recorder& function, const Record& record)
      : recorder(recorder), function(function), record(record), outer_(std::exchange(innermost, this)) {}
  ~Following() { innermost = outer_; }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;
  // The link of this recorder; null if there is none.
  static Following* of(const Recorder& r) { return innermost && &innermost->recorder == &r ? innermost : nullptr; }
  // Drops slots from number `first` on.
  void forget(size_t first) {
    std::erase_if(adopted, [&](const Adopted& a) { return static_cast<size_t>(a.slot) >= first; });
  }

  Recorder& recorder;
  Recorder& function;
  const Record& record;  // of the function
  struct Adopted {
    int slot, of_function;
  };
  std::vector<Adopted> adopted;

 private:
  TNP_API static thread_local Following* innermost;
  Following* const outer_;
};

}  // namespace tnp::compiler
