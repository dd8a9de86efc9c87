#include "aten/kernels/cpu/reduction/row_loops.h"

#include <algorithm>
#include <cmath>

#include "aten/kernels/cpu/pointwise/vector_math/exponential.h"
#include "aten/kernels/cpu/pointwise/vector_math/logarithm.h"

namespace tnp::row_loops::TNP_CPU_CAPABILITY {

namespace {

using namespace tnp::TNP_CPU_CAPABILITY::vector_math;

template <class T>
using Vector = typename VectorOf<T, kVectorBytes>::Type;

// Loads the last n numbers (fewer than a register holds) and puts `fill` into the remaining lanes.
template <class V>
TNP_INLINE V load_end(const Element<V>* p, int64_t n, Element<V> fill = 0) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
  if constexpr (sizeof(Element<V>) == 4)
    return _mm512_mask_loadu_ps(splat<V>(fill), static_cast<__mmask16>((1u << n) - 1), p);
  else
    return _mm512_mask_loadu_pd(splat<V>(fill), static_cast<__mmask8>((1u << n) - 1), p);
#else
  Element<V> buffer[kLanes<V>];
  for (int i = 0; i < kLanes<V>; ++i) buffer[i] = i < n ? p[i] : fill;
  return load<V>(buffer);
#endif
}
template <class V>
TNP_INLINE void store_end(Element<V>* p, V v, int64_t n) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
  if constexpr (sizeof(Element<V>) == 4)
    _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << n) - 1), v);
  else
    _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << n) - 1), v);
#else
  for (int64_t i = 0; i < n; ++i) p[i] = v[i];
#endif
}

template <class V>
TNP_INLINE V larger(V a, V b) {
  return a > b ? a : b;
}
template <class V>
TNP_INLINE Element<V> largest(V v) {
  Element<V> most = v[0];
  for (int i = 1; i < kLanes<V>; ++i) most = v[i] > most ? v[i] : most;
  return most;
}
template <class V>
TNP_INLINE Element<V> total(V v) {
  if constexpr (kLanes<V> > 2) {
    using Half = typename VectorOf<Element<V>, sizeof(V) / 2>::Type;
    Half parts[2];
    std::memcpy(parts, &v, sizeof v);
    return total<Half>(parts[0] + parts[1]);
  } else {
    return v[0] + v[1];
  }
}

// Calls each(i) for whole registers of numbers i to i + lanes, and end(i, n) for the remaining n.
template <class T, class Each, class End>
TNP_INLINE void walk(int64_t n, Each&& each, End&& end) {
  constexpr int64_t lanes = kLanes<Vector<T>>;
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) each(i);
  if (i < n) end(i, n - i);
}

// to[i] = f(in[i]...), for numbers of one type.
template <class T, class F, class... In>
TNP_INLINE void map(T* to, int64_t n, F&& f, const In*... in) {
  using V = Vector<T>;
  walk<T>(
      n, [&](int64_t i) { store(to + i, f(load<V>(in + i)...)); },
      [&](int64_t i, int64_t rest) { store_end<V>(to + i, f(load_end<V>(in + i, rest)...), rest); });
}

// Computes `count` sums of f(in[i]...). Each piece is summed in registers of T. The sums of the
// pieces are added in double.
template <int count, class T, class F, class... In>
TNP_INLINE void sums(int64_t n, double* totals, F&& f, const In*... in) {
  using V = Vector<T>;
  constexpr int64_t lanes = kLanes<V>, unroll = 4, piece = lanes * unroll * 16;
  for (int k = 0; k < count; ++k) totals[k] = 0;
  for (int64_t start = 0; start < n; start += piece) {
    const int64_t stop = std::min(n, start + piece);
    V lane[unroll][count] = {};
    int64_t i = start;
    for (; i + lanes * unroll <= stop; i += lanes * unroll) {
#pragma GCC unroll 4
      for (int64_t u = 0; u < unroll; ++u) f(lane[u], load<V>(in + i + u * lanes)...);
    }
    for (; i + lanes <= stop; i += lanes) f(lane[0], load<V>(in + i)...);
    if (i < stop) {
      V end[count] = {};
      f(end, load_end<V>(in + i, stop - i)...);
      const int64_t rest = stop - i;  // lanes beyond the end do not count
      V mask;
      for (int64_t j = 0; j < lanes; ++j) mask[j] = j < rest ? T(1) : T(0);
#pragma GCC unroll 4
      for (int k = 0; k < count; ++k) lane[1][k] += mask != T(0) ? end[k] : V{};
    }
#pragma GCC unroll 4
    for (int k = 0; k < count; ++k)
      totals[k] += static_cast<double>(total<V>((lane[0][k] + lane[1][k]) + (lane[2][k] + lane[3][k])));
  }
}

// ------------------------------------------------------------------------------------------------------ softmax

template <class T>
T maximum(const T* x, int64_t n) {
  using V = Vector<T>;
  V most[2] = {splat<V>(-kInfinity<T>), splat<V>(-kInfinity<T>)};
  constexpr int64_t lanes = kLanes<V>;
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    most[0] = larger(load<V>(x + i), most[0]);
    most[1] = larger(load<V>(x + i + lanes), most[1]);
  }
  for (; i + lanes <= n; i += lanes) most[0] = larger(load<V>(x + i), most[0]);
  if (i < n) most[1] = larger(load_end<V>(x + i, n - i, -kInfinity<T>), most[1]);
  return largest<V>(larger(most[0], most[1]));
}

// The sum of exp(x - most); the terms are stored in `out` if it is not null.
template <class T>
T exponentials(const T* x, T most, T* out, int64_t n) {
  using V = Vector<T>;
  V sum[2] = {};
  int which = 0;
  walk<T>(
      n,
      [&](int64_t i) {
        const V e = exp_below(load<V>(x + i) - most);
        if (out) store(out + i, e);
        sum[which] += e;
        which ^= 1;
      },
      [&](int64_t i, int64_t rest) {
        const V e = exp_below(load_end<V>(x + i, rest, -kInfinity<T>) - most);
        if (out) store_end<V>(out + i, e, rest);
        sum[which] += e;
      });
  return total<V>(sum[0] + sum[1]);
}

template <class T>
void softmax(const T* x, T* out, int64_t rows, int64_t n, bool logarithm) {
  using V = Vector<T>;
  for (; rows-- > 0; x += n, out += n) {
    const T most = maximum(x, n), sum = exponentials<T>(x, most, logarithm ? nullptr : out, n);
    if (logarithm) {
      const T rest = std::log(sum);
      map(out, n, [=](V v) { return (v - most) - rest; }, x);
    } else {
      const T factor = T(1) / sum;
      map(out, n, [=](V v) { return v * factor; }, out);
    }
  }
}

template <class T>
void softmax_backward(const T* grad, const T* out, T* to, int64_t rows, int64_t n, bool logarithm) {
  using V = Vector<T>;
  for (; rows-- > 0; grad += n, out += n, to += n) {
    double sum;
    if (logarithm) {
      sums<1, T>(n, &sum, [](V* s, V g) { s[0] += g; }, grad);
      const T all = static_cast<T>(sum);
      map(to, n, [=](V g, V y) { return g - exp(y) * all; }, grad, out);
    } else {
      sums<1, T>(n, &sum, [](V* s, V g, V y) { s[0] = mad(g, y, s[0]); }, grad, out);
      const T all = static_cast<T>(sum);
      map(to, n, [=](V g, V y) { return y * (g - all); }, grad, out);
    }
  }
}

// Adjacent columns, one per lane of a register. `rest` is the number of columns that remain,
// possibly fewer than lanes.
template <class T>
struct Columns {
  using V = Vector<T>;
  int64_t n, step, rest;
  TNP_INLINE V at(const T* x, int64_t k) const {
    return rest >= kLanes<V> ? load<V>(x + k * step) : load_end<V>(x + k * step, rest);
  }
  TNP_INLINE void put(T* to, int64_t k, V v) const {
    if (rest >= kLanes<V>)
      store(to + k * step, v);
    else
      store_end<V>(to + k * step, v, rest);
  }
  TNP_INLINE V maximum(const T* x) const {
    V most = at(x, 0);
    for (int64_t k = 1; k < n; ++k) {
      const V v = at(x, k);
      most = v > most ? v : most;
    }
    return most;
  }
};

// The sum of term(k) for k < n. Adds partial sums of 128 terms, so that rounding errors stay small.
template <class V, class F>
TNP_INLINE V sum_of_terms(int64_t n, F&& term) {
  constexpr int64_t piece = 128;
  V all{};
  for (int64_t start = 0; start < n; start += piece) {
    const int64_t stop = std::min(n, start + piece);
    V sum{};
    for (int64_t k = start; k < stop; ++k) sum += term(k);
    all += sum;
  }
  return all;
}

template <class T>
TNP_INLINE Vector<T> logarithm_of(Vector<T> v) {
  return log(v);
}

template <class T>
void softmax_columns(const T* x, T* out, int64_t n, int64_t step, int64_t count, bool logarithm) {
  using V = Vector<T>;
  for (int64_t first = 0; first < count; first += kLanes<V>) {
    const Columns<T> lines{n, step, count - first};
    const T* in = x + first;
    T* to = out + first;
    const V most = lines.maximum(in);
    const V sum = sum_of_terms<V>(n, [&](int64_t k) {
      const V e = exp_below(lines.at(in, k) - most);
      if (!logarithm) lines.put(to, k, e);
      return e;
    });
    if (logarithm) {
      const V rest = logarithm_of<T>(sum);
      for (int64_t k = 0; k < n; ++k) lines.put(to, k, (lines.at(in, k) - most) - rest);
    } else {
      const V factor = T(1) / sum;
      for (int64_t k = 0; k < n; ++k) lines.put(to, k, lines.at(to, k) * factor);
    }
  }
}

template <class T>
void softmax_columns_backward(const T* grad, const T* out, T* to, int64_t n, int64_t step, int64_t count,
                              bool logarithm) {
  using V = Vector<T>;
  for (int64_t first = 0; first < count; first += kLanes<V>) {
    const Columns<T> lines{n, step, count - first};
    const V sum = sum_of_terms<V>(n, [&](int64_t k) {
      const V g = lines.at(grad + first, k);
      return logarithm ? g : g * lines.at(out + first, k);
    });
    for (int64_t k = 0; k < n; ++k) {
      const V g = lines.at(grad + first, k), y = lines.at(out + first, k);
      lines.put(to + first, k, logarithm ? g - exp(y) * sum : y * (g - sum));
    }
  }
}

template <class T>
void log_sum_exp(const T* x, T* out, int64_t rows, int64_t n) {
  for (int64_t row = 0; row < rows; ++row, x += n) {
    const T most = maximum(x, n);
    out[row] = most + std::log(exponentials<T>(x, most, nullptr, n));
  }
}

template <class T>
void log_sum_exp_columns(const T* x, T* out, int64_t n, int64_t step, int64_t count) {
  using V = Vector<T>;
  for (int64_t first = 0; first < count; first += kLanes<V>) {
    const Columns<T> lines{n, step, count - first};
    const V most = lines.maximum(x + first);
    const V sum = sum_of_terms<V>(n, [&](int64_t k) { return exp_below(lines.at(x + first, k) - most); });
    lines.put(out + first, 0, most + logarithm_of<T>(sum));
  }
}

template <class T>
void softmax_scaled(const T* x, T lse, T factor, T shift, const T* weight, T* to, int64_t n) {
  using V = Vector<T>;
  if (weight)
    map(to, n, [=](V v, V w) { return exp(v - lse) * factor - w * shift; }, x, weight);
  else
    map(to, n, [=](V v) { return exp(v - lse) * factor - shift; }, x);
}

// ---------------------------------------------------------------------------------------------------- normalisation

// Computes the moments of pieces that stay in L1, each about the piece's own mean, and combines
// them after T. F. Chan, G. H. Golub and R. J. LeVeque, The American Statistician 37 (1983) 242.
template <class T>
void moments(const T* x, int64_t n, double* mean, double* squares) {
  using V = Vector<T>;
  constexpr int64_t piece = 4096;
  double m = 0, s = 0;
  for (int64_t start = 0; start < n; start += piece) {
    const int64_t count = std::min(piece, n - start);
    double sum, about;
    sums<1, T>(count, &sum, [](V* t, V v) { t[0] += v; }, x + start);
    const double own = sum / static_cast<double>(count);
    const T near = static_cast<T>(own);
    sums<1, T>(
        count, &about,
        [=](V* t, V v) {
          const V d = v - near;
          t[0] = mad(d, d, t[0]);
        },
        x + start);
    const double off = own - static_cast<double>(near), whole = static_cast<double>(start + count);
    about -= off * off * static_cast<double>(count);
    const double between = own - m;
    m += between * static_cast<double>(count) / whole;
    s += about + between * between * static_cast<double>(start) * static_cast<double>(count) / whole;
  }
  *mean = m;
  *squares = s < 0 ? 0 : s;
}

template <class T>
void sum_of_squares(const T* x, int64_t n, double* sum) {
  using V = Vector<T>;
  sums<1, T>(n, sum, [](V* t, V v) { t[0] = mad(v, v, t[0]); }, x);
}

template <class T>
void gradient_sums(const T* dy, const T* x, T mean, int64_t n, double* plain, double* by_x) {
  using V = Vector<T>;
  double both[2];
  sums<2, T>(
      n, both,
      [=](V* t, V g, V v) {
        t[0] += g;
        t[1] = mad(g, v - mean, t[1]);
      },
      dy, x);
  *plain = both[0];
  *by_x = both[1];
}

template <class T>
void affine(const T* x, T scale, T shift, T* out, int64_t n) {
  using V = Vector<T>;
  map(out, n, [=](V v) { return mad(v, scale, shift); }, x);
}
template <class T>
void affine_backward(const T* dy, const T* x, T mean, T a, T b, T c, T* to, int64_t n) {
  using V = Vector<T>;
  map(to, n, [=](V g, V v) { return mad(g, a, mad(v - mean, b, c)); }, dy, x);
}

template <class T>
void normalize(const T* x, T mean, T rstd, const T* weight, const T* bias, T* out, int64_t n) {
  using V = Vector<T>;
  auto h = [=](V v) { return (v - mean) * rstd; };
  if (weight && bias)
    map(out, n, [=](V v, V w, V b) { return mad(h(v), w, b); }, x, weight, bias);
  else if (weight)
    map(out, n, [=](V v, V w) { return h(v) * w; }, x, weight);
  else if (bias)
    map(out, n, [=](V v, V b) { return h(v) + b; }, x, bias);
  else
    map(out, n, h, x);
}

template <class T>
void normalized_sums(const T* dy, const T* x, T mean, T rstd, const T* weight, int64_t n, double* plain, double* by_x) {
  using V = Vector<T>;
  double both[2];
  auto add = [=](V* t, V g, V v) {
    t[0] += g;
    t[1] = mad(g, (v - mean) * rstd, t[1]);
  };
  if (weight)
    sums<2, T>(n, both, [=](V* t, V g, V v, V w) { add(t, g * w, v); }, dy, x, weight);
  else
    sums<2, T>(n, both, add, dy, x);
  *plain = both[0];
  *by_x = both[1];
}

template <class T>
void normalize_backward(const T* dy, const T* x, T mean, T rstd, const T* weight, T a, T b, T* to, int64_t n) {
  using V = Vector<T>;
  auto one = [=](V g, V v) { return rstd * ((g - a) - (v - mean) * rstd * b); };
  if (weight)
    map(to, n, [=](V g, V v, V w) { return one(g * w, v); }, dy, x, weight);
  else
    map(to, n, one, dy, x);
}

template <class T>
void add_parameters(const T* dy, const T* x, T mean, T rstd, T* weights, T* biases, int64_t n) {
  using V = Vector<T>;
  if (weights) map(weights, n, [=](V g, V v, V w) { return mad(g, (v - mean) * rstd, w); }, dy, x, weights);
  if (biases) map(biases, n, [](V g, V b) { return b + g; }, dy, biases);
}

// Sums columns over the rows, a register of columns at a time.
template <class T, int count, class F, class... In>
TNP_INLINE void down(int64_t rows, int64_t step, int64_t columns, T* const* to, F&& f, const In*... in) {
  using V = Vector<T>;
  constexpr int64_t lanes = kLanes<V>;
  for (int64_t first = 0; first < columns; first += lanes) {
    const int64_t rest = columns - first;
    V sum[count] = {};
    if (rest >= lanes) {
      for (int64_t row = 0; row < rows; ++row) f(sum, first, rest, load<V>(in + row * step + first)...);
      for (int k = 0; k < count; ++k) store(to[k] + first, sum[k]);
    } else {
      for (int64_t row = 0; row < rows; ++row) f(sum, first, rest, load_end<V>(in + row * step + first, rest)...);
      for (int k = 0; k < count; ++k) store_end<V>(to[k] + first, sum[k], rest);
    }
  }
}
template <class V>
TNP_INLINE V load_some(const Element<V>* p, int64_t rest) {
  return rest >= kLanes<V> ? load<V>(p) : load_end<V>(p, rest);
}

template <class T>
void column_sums(const T* x, int64_t rows, int64_t step, int64_t count, T* to) {
  using V = Vector<T>;
  down<T, 1>(rows, step, count, &to, [](V* s, int64_t, int64_t, V v) { s[0] += v; }, x);
}
template <class T>
void column_squares(const T* x, const T* mean, int64_t rows, int64_t step, int64_t count, T* to) {
  using V = Vector<T>;
  down<T, 1>(
      rows, step, count, &to,
      [=](V* s, int64_t first, int64_t rest, V v) {
        const V d = v - load_some<V>(mean + first, rest);
        s[0] = mad(d, d, s[0]);
      },
      x);
}
template <class T>
void column_gradient_sums(const T* dy, const T* x, const T* mean, int64_t rows, int64_t step, int64_t count, T* plain,
                          T* by_x) {
  using V = Vector<T>;
  T* to[] = {plain, by_x};
  down<T, 2>(
      rows, step, count, to,
      [=](V* s, int64_t first, int64_t rest, V g, V v) {
        s[0] += g;
        s[1] = mad(g, v - load_some<V>(mean + first, rest), s[1]);
      },
      dy, x);
}
template <class T>
void affine_each(const T* x, const T* scale, const T* shift, T* out, int64_t n) {
  using V = Vector<T>;
  map(out, n, [](V v, V a, V b) { return mad(v, a, b); }, x, scale, shift);
}
template <class T>
void affine_each_backward(const T* dy, const T* x, const T* mean, const T* a, const T* b, const T* c, T* to,
                          int64_t n) {
  using V = Vector<T>;
  map(to, n, [](V g, V v, V m, V p, V q, V r) { return mad(g, p, mad(v - m, q, r)); }, dy, x, mean, a, b, c);
}

template <class T>
constexpr RowLoops<T> table() {
  return {softmax<T>,
          softmax_backward<T>,
          softmax_columns<T>,
          softmax_columns_backward<T>,
          log_sum_exp<T>,
          log_sum_exp_columns<T>,
          softmax_scaled<T>,
          moments<T>,
          sum_of_squares<T>,
          gradient_sums<T>,
          affine<T>,
          affine_backward<T>,
          normalize<T>,
          normalized_sums<T>,
          normalize_backward<T>,
          add_parameters<T>,
          column_sums<T>,
          column_squares<T>,
          column_gradient_sums<T>,
          affine_each<T>,
          affine_each_backward<T>};
}
constexpr RowLoopsOfFloats kLoops = {table<float>(), table<double>()};

}  // namespace

std::span<const RowLoopsOfFloats> loops() { return {&kLoops, 1}; }

}  // namespace tnp::row_loops::TNP_CPU_CAPABILITY
