// By oneMKL's DFTI, which is told the stride between the elements of a line and the distance between lines: nothing is
// transposed.
//
// Note [Lines over threads]: DFTI shares out the lines of some transforms over threads and not those of others. So the
// lines are cut into pieces here, and each is transformed by one thread; DFTI's own threads have lines too few for
// that.
#include "aten/kernels/fourier_lines.h"

#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include "aten/core/fork.h"
#include "aten/core/parallel.h"
#include "aten/kernels/line_groups.h"

#include <mkl_dfti.h>

namespace tnp {

namespace {

void check_dfti(MKL_LONG status) {
  TNP_CHECK(status == DFTI_NO_ERROR, status == DFTI_MEMORY_ERROR ? ErrorKind::Memory : ErrorKind::Internal,
            "Fourier transform: ", static_cast<const char*>(DftiErrorMessage(status)));
}

struct Plan {
  Fourier kind;
  bool single_precision, in_place, threads;
  int64_t n, lines, stride_in, stride_out, distance_in, distance_out;
  double forward_scale, backward_scale;
  friend bool operator==(const Plan&, const Plan&) = default;
};

struct FreeDescriptor {
  void operator()(DFTI_DESCRIPTOR* d) const { DftiFreeDescriptor(&d); }
};
using Descriptor = std::shared_ptr<DFTI_DESCRIPTOR>;

Descriptor make_descriptor(const Plan& p) {
  DFTI_DESCRIPTOR* raw = nullptr;
  check_dfti(DftiCreateDescriptor(&raw, p.single_precision ? DFTI_SINGLE : DFTI_DOUBLE,
                                  p.kind == Fourier::Complex ? DFTI_COMPLEX : DFTI_REAL, 1,
                                  static_cast<MKL_LONG>(p.n)));
  Descriptor d(raw, FreeDescriptor());
  MKL_LONG strides_in[2] = {0, static_cast<MKL_LONG>(p.stride_in)},
           strides_out[2] = {0, static_cast<MKL_LONG>(p.stride_out)};
  check_dfti(DftiSetValue(raw, DFTI_PLACEMENT, p.in_place ? DFTI_INPLACE : DFTI_NOT_INPLACE));
  check_dfti(DftiSetValue(raw, DFTI_NUMBER_OF_TRANSFORMS, static_cast<MKL_LONG>(p.lines)));
  check_dfti(DftiSetValue(raw, DFTI_INPUT_STRIDES, strides_in));
  check_dfti(DftiSetValue(raw, DFTI_OUTPUT_STRIDES, strides_out));
  check_dfti(DftiSetValue(raw, DFTI_INPUT_DISTANCE, static_cast<MKL_LONG>(p.distance_in)));
  check_dfti(DftiSetValue(raw, DFTI_OUTPUT_DISTANCE, static_cast<MKL_LONG>(p.distance_out)));
  check_dfti(DftiSetValue(raw, DFTI_FORWARD_SCALE, p.forward_scale));
  check_dfti(DftiSetValue(raw, DFTI_BACKWARD_SCALE, p.backward_scale));
  if (!p.threads) check_dfti(DftiSetValue(raw, DFTI_THREAD_LIMIT, static_cast<MKL_LONG>(1)));
  if (p.kind != Fourier::Complex) check_dfti(DftiSetValue(raw, DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX));
  check_dfti(DftiCommitDescriptor(raw));
  return d;
}

// Making a plan costs more than a short transform: the last few are kept.
Descriptor descriptor_of(const Plan& plan) {
  constexpr size_t kKept = 16;
  static std::mutex& mutex = *[] {
    auto* made = new std::mutex;
    hold_at_fork(*made);
    return made;
  }();
  static auto* plans = new std::list<std::pair<Plan, Descriptor> >;
  std::lock_guard lock(mutex);
  for (auto it = plans->begin(); it != plans->end(); ++it) {
    if (it->first == plan) {
      plans->splice(plans->begin(), *plans, it);
      return it->second;
    }
  }
  plans->emplace_front(plan, make_descriptor(plan));
  if (plans->size() > kKept) plans->pop_back();
  return plans->front().second;
}

void transform(Fourier kind, bool forward, double scale, int64_t n, const Tensor& in, const Tensor& out, int64_t dim,
               function_ref<void(char*, int64_t)> after, bool has_after) {
  constexpr int64_t kLinesTogether = 8;       // neighbouring columns share lines of cache
  constexpr int64_t kElementsInCache = 8192;  // what `after` finds in the second level
  const LineGroups layout(in, out, dim);
  const int64_t groups = layout.num_groups(), threads = get_num_threads(), work = groups * layout.lines * n;
  const bool shared = threads > 1 && work > 2 * kParallelWork && groups * layout.lines >= 2 * threads;
  int64_t length = layout.lines;
  if (shared && groups < 4 * threads) {
    const int64_t pieces = (4 * threads + groups - 1) / groups;
    length = (layout.lines + pieces - 1) / pieces;
    if (layout.distance_out == 1) length = (length + kLinesTogether - 1) / kLinesTogether * kLinesTogether;
  }
  if (has_after) length = std::min(length, std::max<int64_t>(kElementsInCache / n, 1));
  length = std::min(length, layout.lines);
  const int64_t pieces = (layout.lines + length - 1) / length, rest = layout.lines - (pieces - 1) * length;

  // Of an axis with one element, the stride may be anything.
  Plan plan{kind,
            element_size(to_real(in.dtype())) == 4,
            in.data() == out.data(),
            !shared && work > kParallelWork,
            n,
            length,
            in.size(dim) == 1 ? 1 : in.stride(dim),
            out.size(dim) == 1 ? 1 : out.stride(dim),
            layout.distance_in,
            layout.distance_out,
            forward ? scale : 1.0,
            forward ? 1.0 : scale};
  const Descriptor descriptor = descriptor_of(plan);
  plan.lines = rest;
  const Descriptor last_descriptor = rest == length ? descriptor : descriptor_of(plan);
  auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t from = 0, to = 0;
      layout.locate(i / pieces, from, to);
      const bool last = i % pieces == pieces - 1;
      from += i % pieces * length * layout.distance_in, to += i % pieces * length * layout.distance_out;
      char *x = in.data() + from * in.itemsize(), *y = out.data() + to * out.itemsize();
      DFTI_DESCRIPTOR* d = (last ? last_descriptor : descriptor).get();
      if (plan.in_place)
        check_dfti(forward ? DftiComputeForward(d, x) : DftiComputeBackward(d, x));
      else
        check_dfti(forward ? DftiComputeForward(d, x, y) : DftiComputeBackward(d, x, y));
      after(y, last ? rest : length);
    }
  };
  if (shared) return parallel_for(0, groups * pieces, std::max<int64_t>(kParallelWork / (length * n), 1), run);
  std::optional<LongWork> long_work;
  if (work > 5 * kParallelWork) long_work.emplace();
  run(0, groups * pieces);
}

}  // namespace

void transform_lines(Fourier kind, bool forward, double scale, int64_t n, const Tensor& in, const Tensor& out,
                     int64_t dim) {
  transform(kind, forward, scale, n, in, out, dim, [](char*, int64_t) {}, false);
}

void transform_lines(Fourier kind, bool forward, double scale, int64_t n, const Tensor& in, const Tensor& out,
                     int64_t dim, function_ref<void(char*, int64_t)> after) {
  transform(kind, forward, scale, n, in, out, dim, after, true);
}

}  // namespace tnp
