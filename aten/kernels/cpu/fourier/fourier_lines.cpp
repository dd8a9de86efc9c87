// Splits the Fourier transforms of many lines into pieces for threads and caches.
//
// Note [Lines over threads]: DFTI uses several threads for the lines of some transforms only, and
// other libraries use none. So the lines are cut into pieces here, and one thread transforms a
// piece. DFTI's own threads get too few lines to start.
#include "aten/kernels/fourier_lines.h"

#include <optional>

#include "aten/core/containers/recently_used.h"
#include "aten/core/threads/parallel.h"
#include "aten/kernels/cpu/fourier/line_transform.h"
#include "aten/kernels/line_groups.h"

namespace tnp {

namespace {

// Returns the transform for `plan` from an LRU cache, because creating one takes longer than a
// short transform.
std::shared_ptr<const LineTransform> transform_of(const LinePlan& plan) {
  static auto& made = *new RecentlyUsed<LinePlan, std::shared_ptr<const LineTransform>, 16>;
  return made.get(plan, make_line_transform);
}

void transform(Fourier kind, bool forward, double scale, int64_t n, const Tensor& in, const Tensor& out, int64_t dim,
               function_ref<void(char*, int64_t)> after, bool has_after) {
  constexpr int64_t kLinesTogether = 8;       // adjacent columns share cache lines
  constexpr int64_t kElementsInCache = 8192;  // so that `after` finds the lines in L2
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

  // If an axis has one element, its stride may be any number.
  LinePlan plan{kind,
                element_size(to_real(in.dtype())) == 4,
                in.data() == out.data(),
                groups * layout.lines == 1,
                !shared && work > kParallelWork,
                n,
                length,
                in.size(dim) == 1 ? 1 : in.stride(dim),
                out.size(dim) == 1 ? 1 : out.stride(dim),
                layout.distance_in,
                layout.distance_out,
                forward ? scale : 1.0,
                forward ? 1.0 : scale};
  const std::shared_ptr<const LineTransform> piece = transform_of(plan);
  plan.lines = rest;
  const std::shared_ptr<const LineTransform> last_piece = rest == length ? piece : transform_of(plan);
  auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t from = 0, to = 0;
      layout.locate(i / pieces, from, to);
      const bool last = i % pieces == pieces - 1;
      from += i % pieces * length * layout.distance_in, to += i % pieces * length * layout.distance_out;
      char *x = in.data() + from * in.itemsize(), *y = out.data() + to * out.itemsize();
      (last ? last_piece : piece)->run(forward, x, y);
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
