// CTC loss on the CPU. One thread computes one sequence; the states of a step are vectorised. See
// Note [States of CTC] in aten/kernels/ctc.h.
#include <algorithm>
#include <vector>

#include "aten/core/memory/scratch.h"
#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/losses.h"
#include "aten/kernels/cpu/losses/ctc_loops.h"
#include "aten/kernels/cpu/pointwise/loops_of_type.h"
#include "aten/kernels/cpu/reduction/row_loops.h"
#include "aten/kernels/ctc.h"

namespace tnp {

namespace {

using ctc::kNever, ctc::Sequence;

template <class T>
const CtcLoop<T>& ctc_loop_of() {
  using namespace ctc_loops;
  static constexpr LoopVariants<CtcLoops> variants = TNP_LOOP_VARIANTS(loops);
  static const CtcLoops& chosen = variants.choose()[0];
  return loops_of_type<T>(chosen);
}

// Runs the recursion of log(alpha) through the steps of one sequence after the other, over the
// states of the target in order or reversed. Buffers are reused.
template <class T>
class Walk {
 public:
  explicit Walk(int64_t longest)
      : width_((2 * longest + 1 + kCtcLanes - 1) / kCtcLanes * kCtcLanes),
        classes_(static_cast<size_t>(width_)),
        memory_(4 * width_ + 2 * kCtcLanes) {
    // A step reads two numbers before the row, so rows begin after two extra numbers.
    leap_ = memory_.data();
    emission_ = leap_ + width_;
    now_ = emission_ + width_ + kCtcLanes;
    next_ = now_ + width_ + kCtcLanes;
    std::fill_n(emission_, width_, kNever<T>);
    std::fill_n(now_ - kCtcLanes, 2 * (width_ + kCtcLanes), kNever<T>);
  }

  void start(const Sequence& sequence, const int64_t* targets, int64_t blank, bool backwards) {
    n_ = sequence.states();
    steps_ = 0;
    const int64_t* own = targets + sequence.begin;
    for (int64_t s = 0; s < n_; ++s) {
      int64_t& of_state = classes_[static_cast<size_t>(s)];
      of_state = s % 2 == 0 ? blank : own[backwards ? sequence.length - 1 - s / 2 : s / 2];
      leap_[s] = s > 1 && of_state != classes_[static_cast<size_t>(s - 2)] ? T(1) : T(0);
    }
    std::fill(leap_ + n_, leap_ + width_, T(0));
  }

  // Advances by one time step, in which the classes have these log_probs.
  void step(const T* log_probs) {
    for (int64_t s = 0; s < n_; ++s) emission_[s] = log_probs[classes_[static_cast<size_t>(s)]];
    if (steps_++ == 0) {
      std::fill_n(next_, width_, kNever<T>);
      std::copy_n(emission_, std::min<int64_t>(n_, 2), next_);
    } else {
      loop_.step(now_, leap_, emission_, next_, n_);
    }
    std::swap(now_, next_);
  }

  const T* log_alpha() const { return now_; }
  const T* emission() const { return emission_; }
  const int64_t* classes() const { return classes_.data(); }
  int64_t states() const { return n_; }
  int64_t width() const { return width_; }

 private:
  const CtcLoop<T>& loop_ = ctc_loop_of<T>();
  int64_t width_, n_ = 0, steps_ = 0;
  std::vector<int64_t> classes_;
  Scratch<T> memory_;
  T *leap_, *emission_, *now_, *next_;
};

// Arguments that the forward and backward passes share.
template <class T>
struct Batch {
  int64_t steps, count, classes, states, longest, blank;
  const T* log_probs;
  const int64_t* targets;
  const Sequence* sequences;

  Batch(const Tensor& probs, const Tensor& all, const Tensor& rows, int64_t most, int64_t none)
      : steps(probs.size(0)),
        count(probs.size(1)),
        classes(probs.size(2)),
        states(2 * most + 1),
        longest(most),
        blank(none),
        log_probs(probs.data_ptr<T>()),
        targets(all.data_ptr<int64_t>()),
        sequences(reinterpret_cast<const Sequence*>(rows.data_ptr<int64_t>())) {}

  const T* at(int64_t t, int64_t k) const { return log_probs + (t * count + k) * classes; }

  // Calls body(k, walk) for each sequence. Each thread has its own walk.
  template <class F>
  void for_each(F&& body) const {
    const int64_t work = std::max<int64_t>(steps * (2 * states + classes), 1);
    parallel_for(0, count, std::max<int64_t>(kParallelWork / work, 1), [&](int64_t begin, int64_t end) {
      Walk<T> walk(longest);
      for (int64_t k = begin; k < end; ++k) body(k, walk);
    });
  }
};

// The gradient of one sequence. `grad`: the gradient of its loss.
template <class T>
void gradient(const Batch<T>& batch, int64_t k, Walk<T>& walk, T grad, const T* log_alpha, bool zero_infinity, T* to) {
  const Sequence& sequence = batch.sequences[k];
  auto row = [&](int64_t t) { return to + (t * batch.count + k) * batch.classes; };
  const T total = ctc::log_likelihood(log_alpha + std::max<int64_t>(sequence.steps - 1, 0) * batch.states, sequence);
  const int64_t steps = zero_infinity && total == kNever<T> ? 0 : sequence.steps;
  for (int64_t t = steps; t < batch.steps; ++t) std::fill_n(row(t), batch.classes, T(0));
  walk.start(sequence, batch.targets, batch.blank, true);
  const int64_t n = walk.states();
  Scratch<T> memory(2 * walk.width());
  T *alpha = memory.data(), *posterior = alpha + walk.width();
  std::fill_n(alpha, walk.width(), T(0));
  for (int64_t t = steps; t-- > 0;) {
    const T* log_probs = batch.at(t, k);
    T* own = row(t);
    walk.step(log_probs);
    std::reverse_copy(log_alpha + t * batch.states, log_alpha + t * batch.states + n, alpha);
    ctc_loop_of<T>().posterior(alpha, walk.log_alpha(), walk.emission(), total, posterior, n);
    // Paths can end only in the last two states. All other states have posterior 0, even if the
    // computed value is NaN.
    if (t == steps - 1) std::fill(posterior + std::min<int64_t>(n, 2), posterior + n, T(0));
    row_loops::of<T>().softmax_scaled(log_probs, T(0), T(1), T(0), nullptr, own, batch.classes);
    T blanks = posterior[0];
    for (int64_t s = 1; s < n; s += 2) {
      own[walk.classes()[s]] -= posterior[s];
      blanks += posterior[s + 1];
    }
    own[batch.blank] -= blanks;
    for (int64_t c = 0; c < batch.classes; ++c) own[c] = grad * (own[c] - ctc::zero_or_nan(log_probs[c], total));
  }
}

// Checks that the classes of the targets exist.
template <class T>
void check_targets(const Batch<T>& batch) {
  for (int64_t k = 0; k < batch.count; ++k) {
    const Sequence& sequence = batch.sequences[k];
    for (int64_t i = 0; i < sequence.length; ++i) {
      const int64_t own = batch.targets[sequence.begin + i];
      TNP_CHECK(own >= 0 && own < batch.classes, ErrorKind::Runtime, "Target ", own, " is out of bounds: there are ",
                batch.classes, " classes");
    }
  }
}

}  // namespace

void native::ctc_losses_cpu(const Tensor& log_probs, const Tensor& targets, const Tensor& sequences, int64_t longest,
                            int64_t blank, bool zero_infinity, const Tensor& loss, const Tensor& log_alpha) {
  visit<FloatTypes>(log_probs.dtype(), [&]<class T>() {
    const Batch<T> batch(log_probs, targets, sequences, longest, blank);
    T *losses = loss.data_ptr<T>(), *alphas = log_alpha.data_ptr<T>();
    check_targets(batch);
    batch.for_each([&](int64_t k, Walk<T>& walk) {
      const Sequence& sequence = batch.sequences[k];
      walk.start(sequence, batch.targets, blank, false);
      T* alpha = alphas + k * batch.steps * batch.states;
      for (int64_t t = 0; t < sequence.steps; ++t) {
        walk.step(batch.at(t, k));
        std::copy_n(walk.log_alpha(), walk.states(), alpha + t * batch.states);
      }
      const T total = ctc::log_likelihood(walk.log_alpha(), sequence);
      losses[k] = zero_infinity && total == kNever<T> ? T(0) : -total;
    });
  });
}

void native::ctc_gradient_cpu(const Tensor& grad, const Tensor& log_probs, const Tensor& targets,
                              const Tensor& sequences, const Tensor& log_alpha, int64_t longest, int64_t blank,
                              bool zero_infinity, const Tensor& out) {
  visit<FloatTypes>(log_probs.dtype(), [&]<class T>() {
    const Batch<T> batch(log_probs, targets, sequences, longest, blank);
    const T *grads = grad.data_ptr<T>(), *alphas = log_alpha.data_ptr<T>();
    batch.for_each([&](int64_t k, Walk<T>& walk) {
      gradient(batch, k, walk, grads[k], alphas + k * batch.steps * batch.states, zero_infinity, out.data_ptr<T>());
    });
  });
}

}  // namespace tnp
