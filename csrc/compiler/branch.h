// What a compiled function knows: for each signature its records, one for each way that the function went.
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
#include "aten/compiler/record.h"
#include "csrc/compiler/guards.h"
#include "csrc/compiler/inputs.h"
#include "csrc/compiler/outputs.h"
#include "csrc/compiler/outside.h"
#include "csrc/compiler/signature.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// Frames of a record that no replay uses at the moment.
class Frames {
 public:
  // One for a replay, which gives it back. Under the GIL.
  class Lease {
   public:
    Lease(Frames& frames, const compiler::Record& record) : frames_(frames) {
      if (frames.free_.empty()) {
        frame_ = std::make_unique<compiler::Frame>(record);
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

// A leaf that was there before the call.
struct KnownLeaf {
  Tensor outside;  // the leaf, if it is not argument number `argument`
  int argument = -1;
  const Tensor& in(const CallSignature& call) const {
    return argument < 0 ? outside : call.arrays()[static_cast<size_t>(argument)];
  }
};

// A gradient that a call leaves at one of its leaves.
struct LeafGradient : KnownLeaf {
  int view = -1;  // -1: None
};

struct Branch {
  compiler::Record record;
  std::unique_ptr<Output> output;
  std::vector<LeafGradient> leaf_gradients;
  std::vector<KnownLeaf> reached;  // by gradients that the function takes: none of them may have hooks
  Guards guards;
  Outside outside;
  std::vector<Ref> kept;  // what is told by its identity
  Frames frames;
  std::unique_ptr<compiler::GraphReplay> graph;
  // Of results that have gradients.
  size_t num_differentiable = 0;
  Inputs inputs;
  compiler::Gradients gradients;
  std::vector<Frames> backward_frames;  // of gradients.backwards, as the next
  std::vector<std::unique_ptr<compiler::GraphReplay>> backward_graphs;
  size_t num_arrivals = 0;       // of those that were known of when it was recorded
  bool changes_nothing = false;  // but its own results: the function may be called once more instead
};

struct Entry {
  std::vector<std::shared_ptr<Branch>> branches;
  std::string reason;    // why the function runs as it is
  bool is_said = false;  // or need not be
  // Replays, and calls that went yet another way when no more records were made.
  uint64_t num_replayed = 0, num_beyond = 0;
  // How gradients were seen to arrive at its results.
  std::vector<compiler::Arrival> arrivals;
  uint64_t num_backwards = 0;  // replayed
  int num_other_ways = 0;      // gradients that went another way than when they were recorded

  // `says_so`: the next call warns, or raises where the function was to be recorded as a whole. Not so of how gradients
  // are asked for: calls are right as they are, and were recorded.
  void give_up(std::string why, bool says_so = false) {
    if (reason.empty()) reason = std::move(why);
    if (!says_so) is_said = true;
    branches.clear();
  }
  void note(const compiler::Arrival& arrival);
};

bool has_hooks(const Tensor& leaf);

// Objects that nodes of the tape own, too, which any thread may drop.
template <class T>
std::shared_ptr<T> make_shared_by_threads() {
  return std::shared_ptr<T>(new T, [](T* o) {
    if (!Py_IsInitialized()) return;  // the interpreter is gone, and its objects with it
    GilGuard gil;
    delete o;
  });
}

}  // namespace tnp::python
