// Systems of linear equations with a CSR matrix on the CPU, by sparse LU factors.
//
// The algorithm is that of Gilbert and Peierls (1988), "Sparse partial pivoting in time proportional to
// arithmetic operations": a column of the factors is the solution of a triangular system with the columns
// before it, of which only those that the column reaches in the graph of L take part. An order of minimum
// degree keeps the factors sparse.
#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>
#include <vector>

#include "aten/kernel_functions/sparse.h"
#include "aten/kernels/cpu/sparse/row_ranges.h"
#include "aten/kernels/linalg_common.h"
#include "aten/kernels/sparse.h"

namespace tnp::native {

namespace {

using Indices = std::vector<int64_t>;

template <class T>
struct Column {
  int64_t row;
  T value;
};

// The graph of the matrix and its transpose as lists of neighbours: those of i are
// neighbours[starts[i]] to neighbours[starts[i + 1]].
struct Graph {
  Indices starts, neighbours;
  int64_t degree(int64_t i) const { return starts[static_cast<size_t>(i) + 1] - starts[static_cast<size_t>(i)]; }
};

template <class I>
Graph symmetric_graph(const I* pointers, const I* columns, int64_t n) {
  Graph graph{Indices(static_cast<size_t>(n) + 1), {}};
  const auto for_edges = [&](auto&& body) {
    for (int64_t row = 0; row < n; ++row)
      for (int64_t e = pointers[row]; e < pointers[row + 1]; ++e)
        if (columns[e] != row) body(row, static_cast<int64_t>(columns[e])), body(static_cast<int64_t>(columns[e]), row);
  };
  for_edges([&](int64_t from, int64_t) { ++graph.starts[static_cast<size_t>(from) + 1]; });
  for (size_t i = 1; i < graph.starts.size(); ++i) graph.starts[i] += graph.starts[i - 1];
  graph.neighbours.resize(static_cast<size_t>(graph.starts.back()));
  Indices next = graph.starts;
  for_edges(
      [&](int64_t from, int64_t to) { graph.neighbours[static_cast<size_t>(next[static_cast<size_t>(from)]++)] = to; });
  return graph;
}

// An order of approximate minimum degree (Amestoy, Davis and Duff, 1996), without supervariables.
class MinimumDegree {
 public:
  MinimumDegree(const Graph& graph, int64_t n)
      : neighbours_(static_cast<size_t>(n)),
        elements_(static_cast<size_t>(n)),
        members_(static_cast<size_t>(n)),
        degree_(static_cast<size_t>(n)),
        state_(static_cast<size_t>(n), State::Variable),
        seen_(static_cast<size_t>(n), -1),
        outside_(static_cast<size_t>(n)),
        counted_(static_cast<size_t>(n), -1) {
    for (int64_t i = 0; i < n; ++i) {
      const auto first = graph.neighbours.begin() + graph.starts[at(i)];
      neighbours_[at(i)].assign(first, first + graph.degree(i));
      std::ranges::sort(neighbours_[at(i)]);
      neighbours_[at(i)].erase(std::unique(neighbours_[at(i)].begin(), neighbours_[at(i)].end()),
                               neighbours_[at(i)].end());
      set_degree(i, static_cast<int64_t>(neighbours_[at(i)].size()));
    }
    order_.reserve(static_cast<size_t>(n));
    while (static_cast<int64_t>(order_.size()) < n) {
      const auto [degree, i] = queue_.top();
      queue_.pop();
      if (state_[at(i)] == State::Variable && degree_[at(i)] == degree) eliminate(i);
    }
  }
  const Indices& order() const { return order_; }

 private:
  // An eliminated variable is an element: a clique of its `members_`, until another element absorbs it.
  enum class State : uint8_t { Variable, Element, Absorbed };

  static size_t at(int64_t i) { return static_cast<size_t>(i); }
  void set_degree(int64_t i, int64_t degree) {
    degree_[at(i)] = degree;
    queue_.push({degree, i});
  }

  void eliminate(int64_t pivot) {
    const auto step = static_cast<int64_t>(order_.size());
    order_.push_back(pivot);
    state_[at(pivot)] = State::Element;
    Indices& clique = members_[at(pivot)];
    const auto add = [&](int64_t i) {
      if (state_[at(i)] != State::Variable || seen_[at(i)] == step) return;
      seen_[at(i)] = step;
      clique.push_back(i);
    };
    for (const int64_t i : neighbours_[at(pivot)]) add(i);
    for (const int64_t e : elements_[at(pivot)]) {
      for (const int64_t i : members_[at(e)]) add(i);
      absorb(e);
    }
    neighbours_[at(pivot)] = elements_[at(pivot)] = {};
    // outside_[e]: the members of an element that are not in the clique
    for (const int64_t i : clique) {
      for (const int64_t e : elements_[at(i)]) {
        if (state_[at(e)] != State::Element) continue;
        if (std::exchange(counted_[at(e)], step) != step)
          outside_[at(e)] = static_cast<int64_t>(members_[at(e)].size());
        --outside_[at(e)];
      }
    }
    for (const int64_t i : clique) {
      int64_t degree = static_cast<int64_t>(clique.size()) - 1;
      std::erase_if(elements_[at(i)], [&](int64_t e) {
        if (state_[at(e)] == State::Element && outside_[at(e)] == 0) absorb(e);
        if (state_[at(e)] == State::Absorbed) return true;
        degree += outside_[at(e)];
        return false;
      });
      std::erase_if(neighbours_[at(i)],
                    [&](int64_t j) { return state_[at(j)] != State::Variable || seen_[at(j)] == step; });
      elements_[at(i)].push_back(pivot);
      set_degree(i, degree + static_cast<int64_t>(neighbours_[at(i)].size()));
    }
  }
  void absorb(int64_t element) {
    state_[at(element)] = State::Absorbed;
    members_[at(element)] = {};
  }

  using Entry = std::pair<int64_t, int64_t>;  // degree and variable
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::vector<Indices> neighbours_, elements_, members_;
  Indices degree_;
  std::vector<State> state_;
  Indices seen_, outside_, counted_, order_;
};

template <class T>
auto magnitude(const T& v) {
  if constexpr (is_complex_v<T>)
    return std::hypot(v.re, v.im);
  else
    return std::abs(v);
}

// Factors of the transposed matrix B, whose columns are the rows of the CSR matrix: P B Q = L U.
template <class I, class T>
class Factors {
 public:
  Factors(const I* pointers, const I* columns, const T* values, int64_t n)
      : n_(n),
        order_(MinimumDegree(symmetric_graph(pointers, columns, n), n).order()),
        step_(static_cast<size_t>(n), -1),
        row_(static_cast<size_t>(n)),
        diagonal_(static_cast<size_t>(n)),
        lower_starts_{0},
        upper_starts_{0},
        x_(static_cast<size_t>(n)),
        mark_(static_cast<size_t>(n), -1) {
    for (int64_t j = 0; j < n; ++j) {
      const int64_t source = order_[static_cast<size_t>(j)], begin = pointers[source], end = pointers[source + 1];
      reach(j, columns + begin, end - begin);
      for (int64_t e = begin; e < end; ++e) x_[static_cast<size_t>(columns[e])] += values[e];
      eliminate();
      take_pivot(j, source);
    }
  }

  // Solves for one right side after another. `b` and `out` (n, width).
  void solve(const T* b, int64_t width, T* out) const {
    std::vector<T> work(static_cast<size_t>(n_ * width));
    const auto at = [&](int64_t step) { return work.data() + step * width; };
    const auto subtract = [&](T* to, const T& factor, const T* from) {
      for (int64_t c = 0; c < width; ++c) to[c] -= factor * from[c];
    };
    for (int64_t j = 0; j < n_; ++j) {
      std::copy_n(b + order_[static_cast<size_t>(j)] * width, width, at(j));
      for (int64_t e = upper_starts_[static_cast<size_t>(j)]; e < upper_starts_[static_cast<size_t>(j) + 1]; ++e)
        subtract(at(j), upper_[static_cast<size_t>(e)].value, at(upper_[static_cast<size_t>(e)].row));
      for (int64_t c = 0; c < width; ++c) at(j)[c] = at(j)[c] / diagonal_[static_cast<size_t>(j)];
    }
    for (int64_t j = n_ - 1; j >= 0; --j) {
      for (int64_t e = lower_starts_[static_cast<size_t>(j)]; e < lower_starts_[static_cast<size_t>(j) + 1]; ++e) {
        const Column<T>& element = lower_[static_cast<size_t>(e)];
        subtract(at(j), element.value, at(step_[static_cast<size_t>(element.row)]));
      }
      std::copy_n(at(j), width, out + row_[static_cast<size_t>(j)] * width);
    }
  }

 private:
  // The rows that a column reaches in the graph of L: those that are pivots already in `pivots_`, in
  // topological order from its end, the others in `rest_`.
  void reach(int64_t j, const I* rows, int64_t count) {
    pivots_.clear();
    rest_.clear();
    for (int64_t e = 0; e < count; ++e) {
      if (mark_[static_cast<size_t>(rows[e])] == j) continue;
      stack_.push_back(enter(rows[e], j));
      while (!stack_.empty()) {
        Visit& top = stack_.back();
        if (top.next < top.end) {
          const int64_t child = lower_[static_cast<size_t>(top.next++)].row;
          if (mark_[static_cast<size_t>(child)] != j) stack_.push_back(enter(child, j));
        } else {
          (step_[static_cast<size_t>(top.row)] >= 0 ? pivots_ : rest_).push_back(top.row);
          stack_.pop_back();
        }
      }
    }
  }

  struct Visit {
    int64_t row, next, end;
  };
  Visit enter(int64_t row, int64_t j) {
    mark_[static_cast<size_t>(row)] = j;
    const int64_t step = step_[static_cast<size_t>(row)];
    if (step < 0) return {row, 0, 0};
    return {row, lower_starts_[static_cast<size_t>(step)], lower_starts_[static_cast<size_t>(step) + 1]};
  }

  void eliminate() {
    for (auto row = pivots_.rbegin(); row != pivots_.rend(); ++row) {
      const auto step = static_cast<size_t>(step_[static_cast<size_t>(*row)]);
      const T value = std::exchange(x_[static_cast<size_t>(*row)], T{});
      upper_.push_back({static_cast<int64_t>(step), value});
      for (int64_t e = lower_starts_[step]; e < lower_starts_[step + 1]; ++e) {
        const Column<T>& element = lower_[static_cast<size_t>(e)];
        x_[static_cast<size_t>(element.row)] -= element.value * value;
      }
    }
    upper_starts_.push_back(static_cast<int64_t>(upper_.size()));
  }

  // The largest element is the pivot, or that of the diagonal if it is not much smaller, which keeps the
  // order.
  void take_pivot(int64_t j, int64_t diagonal) {
    constexpr double kThreshold = 0.1;
    double largest = 0;
    int64_t pivot = -1;
    for (const int64_t row : rest_) {
      const double size = magnitude(x_[static_cast<size_t>(row)]);
      if (size > largest) largest = size, pivot = row;
    }
    TNP_CHECK(pivot >= 0, ErrorKind::LinAlg, linalg_errors::singular);
    if (step_[static_cast<size_t>(diagonal)] < 0 && mark_[static_cast<size_t>(diagonal)] == j &&
        magnitude(x_[static_cast<size_t>(diagonal)]) >= kThreshold * largest)
      pivot = diagonal;
    const T value = x_[static_cast<size_t>(pivot)];
    step_[static_cast<size_t>(pivot)] = j;
    row_[static_cast<size_t>(j)] = pivot;
    diagonal_[static_cast<size_t>(j)] = value;
    for (const int64_t row : rest_) {
      const T element = std::exchange(x_[static_cast<size_t>(row)], T{});
      if (row != pivot) lower_.push_back({row, element / value});
    }
    lower_starts_.push_back(static_cast<int64_t>(lower_.size()));
  }

  int64_t n_;
  Indices order_;            // Q
  Indices step_, row_;       // P: the step at which a row is the pivot, or -1, and the row of each step
  std::vector<T> diagonal_;  // of U
  Indices lower_starts_, upper_starts_;
  std::vector<Column<T>> lower_, upper_;  // by columns; rows of `lower_` are those of B, rows of `upper_` steps
  std::vector<T> x_;
  Indices mark_, pivots_, rest_;
  std::vector<Visit> stack_;
};

}  // namespace

void csr_solve_cpu(const Tensor& crow, const Tensor& col, const Tensor& values, const Tensor& dense,
                   const Tensor& out) {
  visit<TypeList<int32_t, int64_t>>(crow.dtype(), [&]<class I>() {
    const RowRanges<I> ranges(crow, col.numel());  // checks the pointers
    const I* const columns = col.data_ptr<I>();
    const int64_t n = crow.numel() - 1;
    const bool is_below =
        std::all_of(columns, columns + col.numel(), [&](I c) { return c >= 0 && static_cast<int64_t>(c) < n; });
    TNP_CHECK(is_below, ErrorKind::Index, "{col} has an index outside of [0, ", n, ")");
    const LongWork long_work;
    visit<InexactTypes>(out.dtype(), [&]<class T>() {
      const Factors<I, T> factors(crow.data_ptr<I>(), columns, values.data_ptr<T>(), n);
      factors.solve(dense.data_ptr<T>(), dense.size(1), out.data_ptr<T>());
    });
  });
}

}  // namespace tnp::native
