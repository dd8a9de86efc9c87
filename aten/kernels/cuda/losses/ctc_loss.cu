// Connectionist temporal classification on a GPU. The forward and backward recursions use one block
// per sequence, whose threads share the states of a step. The gradient uses one thread per class
// and step. Note [States of CTC] in aten/kernels/ctc.h has the equations. The forward pass reports
// classes out of bounds (aten/cuda/fault.h) and treats them as blanks.
#include "aten/cuda/fault.h"
#include "aten/kernel_functions/losses.h"
#include "aten/kernels/ctc.h"
#include "aten/kernels/cuda/divider.h"
#include "aten/kernels/cuda/for_each.h"
#include "aten/kernels/cuda/operands.h"

namespace tnp {

namespace gpu {
namespace {

using ctc::kNever, ctc::Sequence;

// Data that the forward and backward kernels share.
template <class T>
struct CtcBatch {
  int64_t steps, count, classes, states, blank;
  const T* log_probs;
  const int64_t* targets;
  const Sequence* sequences;

  TNP_HOST_DEVICE bool is_class(int64_t c) const { return c >= 0 && c < classes; }
  TNP_HOST_DEVICE int64_t class_of(const Sequence& q, int64_t state) const {
    const int64_t c = state % 2 == 0 ? blank : targets[q.begin + state / 2];
    return is_class(c) ? c : blank;
  }
  TNP_HOST_DEVICE bool leaps(const Sequence& q, int64_t from, int64_t to) const {
    return class_of(q, from) != class_of(q, to);
  }
  TNP_HOST_DEVICE T log_prob(int64_t t, int64_t k, int64_t c) const { return log_probs[(t * count + k) * classes + c]; }
  // Offset of a row of log(alpha) or log(beta).
  TNP_HOST_DEVICE int64_t row(int64_t k, int64_t t) const { return (k * steps + t) * states; }
};

template <class T>
TNP_HOST_DEVICE T log_sum(T a, T b, T c) {
  T most = a > b ? a : b;
  most = ctc::finite_or_zero(most > c ? most : c);
  return std::log(std::exp(a - most) + std::exp(b - most) + std::exp(c - most)) + most;
}

// Phase t computes the states of step t. The last phase computes the loss.
template <class T>
struct CtcForward {
  static constexpr uint32_t kThreads = 128;
  struct Shared {};
  struct Private {};
  CtcBatch<T> batch;
  bool zero_infinity;
  T *loss, *log_alpha;
  IndexFault* fault;

  TNP_HOST_DEVICE int phases() const { return static_cast<int>(batch.steps) + 1; }
  TNP_HOST_DEVICE void run(int t, Place place, Shared&, Private&) const {
    const int64_t k = place.block;
    const Sequence q = batch.sequences[k];
    if (t == 0) report(q, place.thread);
    if (t == batch.steps) {
      if (place.thread == 0) finish(k, q);
      return;
    }
    if (t >= q.steps) return;
    T* to = log_alpha + batch.row(k, t);
    const T* from = to - batch.states;
    for (int64_t s = place.thread; s < q.states(); s += kThreads) {
      const T own = batch.log_prob(t, k, batch.class_of(q, s));
      if (t == 0)
        to[s] = s < 2 ? own : kNever<T>;
      else
        to[s] = log_sum(from[s], s > 0 ? from[s - 1] : kNever<T>,
                        s > 1 && batch.leaps(q, s - 2, s) ? from[s - 2] : kNever<T>) +
                own;
    }
  }

 private:
  TNP_HOST_DEVICE void report(const Sequence& q, uint32_t thread) const {
    for (int64_t i = thread; i < q.length; i += kThreads)
      if (const int64_t c = batch.targets[q.begin + i]; !batch.is_class(c))
        fault->report_class(ErrorKind::Runtime, c, batch.classes);
  }
  TNP_HOST_DEVICE void finish(int64_t k, const Sequence& q) const {
    const T total = ctc::log_likelihood(log_alpha + batch.row(k, q.steps > 0 ? q.steps - 1 : 0), q);
    loss[k] = zero_infinity && total == kNever<T> ? T(0) : -total;
  }
};

// Phase t computes the states of the t-th step from the end.
template <class T>
struct CtcBackward {
  static constexpr uint32_t kThreads = 128;
  struct Shared {};
  struct Private {};
  CtcBatch<T> batch;
  T* log_beta;

  TNP_HOST_DEVICE int phases() const { return static_cast<int>(batch.steps); }
  TNP_HOST_DEVICE void run(int phase, Place place, Shared&, Private&) const {
    const int64_t k = place.block;
    const Sequence q = batch.sequences[k];
    const int64_t t = q.steps - 1 - phase, n = q.states();
    if (t < 0) return;
    T* to = log_beta + batch.row(k, t);
    const T* from = to + batch.states;
    for (int64_t s = place.thread; s < n; s += kThreads) {
      const T own = batch.log_prob(t, k, batch.class_of(q, s));
      if (phase == 0)
        to[s] = s >= n - 2 ? own : kNever<T>;
      else
        to[s] = log_sum(from[s], s + 1 < n ? from[s + 1] : kNever<T>,
                        s + 2 < n && batch.leaps(q, s, s + 2) ? from[s + 2] : kNever<T>) +
                own;
    }
  }
};

// Linked lists of the states of each class, in ascending order, so that their posteriors are always
// added in the same order. kEnd ends a list.
struct CtcStatesOfClasses {
  static constexpr int64_t kEnd = -1;
  int64_t *first, *next;  // first: (count, classes), initially kEnd; next: (count, states)
};

template <class T>
struct LinkStates {
  CtcBatch<T> batch;
  Division states;
  CtcStatesOfClasses links;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t k = states.quotient(i), s = i - k * batch.states;
    const Sequence q = batch.sequences[k];
    if (s >= q.states()) return;
    const int64_t own = batch.class_of(q, s);
    int64_t before = s - 1, after = s + 1;
    while (before >= 0 && batch.class_of(q, before) != own) --before;
    while (after < q.states() && batch.class_of(q, after) != own) ++after;
    if (before < 0) links.first[k * batch.classes + own] = s;
    links.next[i] = after < q.states() ? after : CtcStatesOfClasses::kEnd;
  }
};

struct NoStates {
  int64_t* first;
  TNP_HOST_DEVICE void operator()(int64_t i) const { first[i] = CtcStatesOfClasses::kEnd; }
};

// One thread per class of a step.
template <class T>
struct CtcGradient {
  CtcBatch<T> batch;
  Division classes, count;
  CtcStatesOfClasses links;
  bool zero_infinity;
  const T *grad, *log_alpha, *log_beta;
  T* to;

  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t row = classes.quotient(i), c = i - row * batch.classes, t = count.quotient(row),
                  k = row - t * batch.count;
    const Sequence q = batch.sequences[k];
    to[i] = T(0);
    if (t >= q.steps) return;
    const T total = ctc::log_likelihood(log_alpha + batch.row(k, q.steps - 1), q);
    if (zero_infinity && total == kNever<T>) return;
    const T own = batch.log_probs[i], *alpha = log_alpha + batch.row(k, t), *beta = log_beta + batch.row(k, t);
    T posterior = ctc::zero_or_nan(own, total);
    for (int64_t s = links.first[k * batch.classes + c]; s >= 0; s = links.next[k * batch.states + s])
      // At the last step, only the last two states are final. All other states are skipped, even if
      // their values are NaN.
      if (t < q.steps - 1 || s >= q.states() - 2) posterior += std::exp(((alpha[s] + beta[s]) - total) - own);
    to[i] = (std::exp(own) - posterior) * grad[k];
  }
};

template <class T>
CtcBatch<T> batch_of(const Tensor& log_probs, const Tensor& targets, const Tensor& sequences, int64_t longest,
                     int64_t blank) {
  const int64_t steps = log_probs.size(0), count = log_probs.size(1);
  TNP_CHECK(count <= kMaxBlocks && steps < kMaxBlocks, ErrorKind::NotImplemented, "ctc_loss of ", count,
            " sequences of ", steps, " steps on ", log_probs.device(), " is not implemented");
  return {steps,
          count,
          log_probs.size(2),
          2 * longest + 1,
          blank,
          pointer<T>(log_probs),
          pointer<int64_t>(targets),
          reinterpret_cast<const Sequence*>(pointer<int64_t>(sequences))};
}

}  // namespace
}  // namespace gpu

void native::ctc_losses_cuda(const Tensor& log_probs, const Tensor& targets, const Tensor& sequences, int64_t longest,
                             int64_t blank, bool zero_infinity, const Tensor& loss, const Tensor& log_alpha) {
  using namespace gpu;
  const Device device = log_probs.device();
  visit<FloatTypes>(log_probs.dtype(), [&]<class T>() {
    const auto batch = batch_of<T>(log_probs, targets, sequences, longest, blank);
    launch(CtcForward<T>{batch, zero_infinity, pointer<T>(loss), pointer<T>(log_alpha), fault_of(device)},
           static_cast<uint32_t>(batch.count), device);
  });
  check_fault(device);
}

void native::ctc_gradient_cuda(const Tensor& grad, const Tensor& log_probs, const Tensor& targets,
                               const Tensor& sequences, const Tensor& log_alpha, int64_t longest, int64_t blank,
                               bool zero_infinity, const Tensor& out) {
  using namespace gpu;
  const Device device = log_probs.device();
  visit<FloatTypes>(log_probs.dtype(), [&]<class T>() {
    const auto batch = batch_of<T>(log_probs, targets, sequences, longest, blank);
    const Tensor log_beta = empty_tensor(log_alpha.sizes(), log_alpha.dtype(), device),
                 first = empty_tensor({batch.count, batch.classes}, ScalarType::Int64, device),
                 next = empty_tensor({batch.count, batch.states}, ScalarType::Int64, device);
    const CtcStatesOfClasses links{pointer<int64_t>(first), pointer<int64_t>(next)};
    launch(CtcBackward<T>{batch, pointer<T>(log_beta)}, static_cast<uint32_t>(batch.count), device);
    for_each(first.numel(), NoStates{links.first}, device);
    for_each(next.numel(), LinkStates<T>{batch, Division(batch.states), links}, device);
    for_each(out.numel(),
             CtcGradient<T>{batch, Division(batch.classes), Division(batch.count), links, zero_infinity,
                            pointer<T>(grad), pointer<T>(log_alpha), pointer<T>(log_beta), pointer<T>(out)},
             device);
  });
}

}  // namespace tnp
