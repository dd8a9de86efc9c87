// A recorder of what follows on a function, which another recorder has recorded: Note [Compiled gradients] in
// backward.h.
#pragma once

#include <utility>
#include <vector>

#include "aten/compiler/recorder.h"

namespace tnp::compiler {

// While it lives, arrays that `function` knows become arguments of what `recorder` records, as soon as they are met.
// Random numbers must not be drawn: nobody knows yet whether what is recorded is wanted.
class Following {
 public:
  Following(Recorder& recorder, Recorder& function, const Record& record)
      : recorder(recorder), function(function), record(record), outer_(std::exchange(innermost, this)) {}
  ~Following() { innermost = outer_; }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;
  // Of this recorder; null if it follows on nothing.
  static Following* of(const Recorder& r) { return innermost && &innermost->recorder == &r ? innermost : nullptr; }
  // Slots from number `first` on are no more.
  void forget(size_t first) {
    std::erase_if(adopted, [&](const Adopted& a) { return static_cast<size_t>(a.slot) >= first; });
  }

  Recorder& recorder;
  Recorder& function;
  const Record& record;  // the function's
  struct Adopted {
    int slot, of_function;
  };
  std::vector<Adopted> adopted;

 private:
  TNP_API static thread_local Following* innermost;
  Following* const outer_;
};

}  // namespace tnp::compiler
