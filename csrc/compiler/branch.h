// State of a compiled function: for each call key an entry, with one branch (trace) per
// control-flow path.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aten/compiler/backward.h"
#include "aten/compiler/frame.h"
#include "aten/compiler/graph_replay.h"
#include "aten/compiler/trace.h"
#include "csrc/compiler/call_key.h"
#include "csrc/compiler/guards.h"
#include "csrc/compiler/inputs.h"
#include "csrc/compiler/outputs.h"
#include "csrc/compiler/outside.h"
#include "csrc/compiler/python_step.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// Free list of frames of a trace.
class Frames {
 public:
  // Leases a frame for one replay. Under the GIL.
  class Lease {
   public:
    Lease(Frames& frames, const compiler::Trace& trace) : frames_(frames) {
      if (frames.free_.empty()) {
        frame_ = std::make_unique<compiler::Frame>(trace);
      } else {
        frame_ = std::move(frames.free_.back());
        frames.free_.pop_back();
      }
    }
    ~Lease() {
      frame_->clear();
      frames_.free_.push_back(std::move(frame_));
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    compiler::Frame& operator*() const { return *frame_; }
    compiler::Frame* operator->() const { return frame_.get(); }

   private:
    Frames& frames_;
    std::unique_ptr<compiler::Frame> frame_;
  };

 private:
  std::vector<std::unique_ptr<compiler::Frame>> free_;
};

// A leaf array that existed before the call.
struct KnownLeaf {
  Tensor outside;  // the leaf, unless it is argument number `argument`
  int argument = -1;
  const Tensor& in(const CallKey& call) const {
    return argument < 0 ? outside : call.arrays()[static_cast<size_t>(argument)];
  }
};

// A gradient that a call leaves at one of its leaves.
struct LeafGradient : KnownLeaf {
  int view = -1;  // -1: None
};

struct Branch {
  compiler::Trace trace;
  std::unique_ptr<Output> output;
  std::vector<LeafGradient> leaf_gradients;
  std::vector<KnownLeaf> reached;  // by gradients that the function takes: none of them may have hooks
  Guards guards;
  Outside outside;
  std::vector<Ref> kept;  // keeps objects alive that the key compares by identity
  Frames frames;
  std::unique_ptr<compiler::GraphReplay> graph;
  // For results that have gradients:
  size_t num_differentiable = 0;
  Inputs inputs;
  compiler::Gradients gradients;
  std::vector<Frames> backward_frames;  // per gradients.backwards, as is backward_graphs
  std::vector<std::unique_ptr<compiler::GraphReplay>> backward_graphs;
  size_t num_arrivals = 0;  // arrival patterns of the entry that it covers
  // It has no effect beside its results, so the function may be called again in place of a replay.
  bool changes_nothing = false;
  // For tp_traverse.
  int visit(visitproc visit, void* arg) const {
    if (const int found = guards.visit(visit, arg)) return found;
    if (const int found = outside.visit(visit, arg)) return found;
    for (const Ref& o : kept) Py_VISIT(o.get());
    if (const int found = output ? output->visit(visit, arg) : 0) return found;
    if (const int found = visit_python_steps(trace, visit, arg)) return found;
    for (const compiler::Backward& backward : gradients.backwards)
      if (const int found = visit_python_steps(backward.trace, visit, arg)) return found;
    return 0;
  }
};

struct Entry {
  std::vector<std::shared_ptr<Branch>> branches;
  std::string reason;    // reason for running uncompiled
  bool is_said = false;  // the reason was reported, or need not be
  // Replays, and calls that took a path without a trace after the limit of traces was reached.
  uint64_t num_replayed = 0, num_beyond = 0;
  // Observed arrival patterns of gradients of its results.
  std::vector<compiler::Arrival> arrivals;
  uint64_t num_backwards = 0;  // replayed backward traces
  int num_other_ways = 0;      // backward replays whose guards failed

  // Stops compiling this entry. `says_so`: the next call warns, or raises if the user requires a
  // full graph. Not set for reasons in the backward pass, since the calls themselves were traced
  // and correct.
  void give_up(std::string why, bool says_so = false) {
    if (reason.empty()) reason = std::move(why);
    if (!says_so) is_said = true;
    // The garbage collector may look at the entry while they are deleted.
    std::vector<std::shared_ptr<Branch>> old;
    old.swap(branches);
  }
  void note(const compiler::Arrival& arrival);
};

bool has_hooks(const Tensor& leaf);

// Makes an object that autograd nodes also own. Any thread may drop the last reference; the deleter
// takes the GIL.
template <class T>
std::shared_ptr<T> make_shared_by_threads() {
  return std::shared_ptr<T>(new T, [](T* o) {
    if (!Py_IsInitialized()) return;  // the interpreter has been finalised, and its objects with it
    GilGuard gil;
    delete o;
  });
}

}  // namespace tnp::python
