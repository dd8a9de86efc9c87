// The gradients of a function that is recorded, as records of their own.
//
// Note [Compiled gradients] A function whose results have gradients leaves its tape behind when it has been recorded.
// The part of it that the function made is run once more, under a second recorder, from arrays that stand for the
// gradients of the results. That makes another record: its arguments are these gradients and what the tape reads of the
// function's own record, which a replay of that keeps; its results are the gradients that leave the function's part of
// the graph for the histories of its inputs. They leave one by one, in the tape's order, since what else reaches an
// input (it may be used outside of the function, too) is added in that order, and sums depend on it.
//
// Formulas of gradients ask which gradients there are (of two results one may be unused), and loops take elements in an
// order that depends on strides. So there is one such record for each way in which gradients arrive.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aten/autograd/engine.h"
#include "aten/compiler/plan.h"
#include "aten/compiler/recorder.h"

namespace tnp::compiler {

// Which of the results' gradients arrive, and how these lie in memory.
struct TNP_API Arrival {
  std::vector<std::optional<DimVector>> strides;  // nothing: no gradient
  static Arrival of(const Tensors& gradients);
  // A gradient for each result, row by row.
  static Arrival dense(TensorList results);
  friend bool operator==(const Arrival&, const Arrival&) = default;
};

// An array of a call that is kept for its gradients: one that the function made, or that was there before.
struct Saved {
  int slot;  // of the function's record
  // Made by the function: a view that begins where the slot does, and whether others may see it, and change it.
  int view = -1;
  bool is_shared = false;
  // There before: which array of the call, or one that was found outside of it; and what it must still be like.
  int argument = -1;
  Tensor outside;
  DimVector sizes, strides;
  ScalarType dtype = ScalarType::Float32;
};

// A record for one way in which gradients arrive. Its arguments are those gradients, and then what is saved.
struct Backward {
  Arrival arrival;
  Record record;
  std::vector<size_t> saved;  // in the list of all that is saved
  struct Result {
    size_t input;
    int view;
    bool is_copied;  // the record keeps it
    // A view that counts as contiguous, but has other strides along axes of one element: who copies views, and takes
    // other arrays as they are, must find it to be one.
    bool is_view;
  };
  std::vector<Result> results;  // as they leave
};

// All of them, of one record of a function.
struct TNP_API Gradients {
  std::vector<Saved> saved;
  std::vector<Backward> backwards;
  // Where results go: the input of each edge of the node that stands for the function.
  std::vector<size_t> edges;
  // Whether a replay may find that it would have gone another way.
  bool looks() const;
  bool is_released = false;  // the function has taken the gradients itself: there are none to be had
};

// `function` has just recorded a function into `record`: `inputs` are where gradients go, and `first` is the number of
// the first node that the function may have made. `look` is called with every node, and gives a reason why it cannot be
// replayed, or null. `options` are for the records of gradients. Marks what is to be kept of the function's record,
// which must not have been planned yet. Makes `function` fail where gradients cannot be replayed.
TNP_API Gradients record_gradients(Recorder& function, Record& record, TensorList results,
                                   const std::vector<Edge>& inputs, uint64_t first,
                                   const std::vector<Arrival>& arrivals, const PlanOptions& options,
                                   const std::function<const char*(const Node&)>& look);

// Puts a node between these arrays, which become its outputs, and the nodes that have made them.
TNP_API void put_behind(const intrusive_ptr<Node>& node, TensorList arrays);

}  // namespace tnp::compiler
