// Einstein summation: parses the equation into labels and contracts the operands two at a time,
// each pair as one (batched) matrix product. It is composed of differentiable operators.
//
// Note [Labels]: letters are 0..51 in the order A..Z a..z. An output that the equation does not
// specify lists its labels in this order. The axes of an ellipsis are 52, 53, ..., counted from the
// last one, so that ellipses of different length broadcast.
#include <algorithm>
#include <array>
#include <vector>

#include "aten/core/containers/small_vector.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/numbers/promotion.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/joining.h"
#include "aten/functions/products.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/native_functions/joining.h"
#include "aten/native_functions/products.h"

namespace tnp::native {

namespace {

constexpr int kLetters = 52, kLabels = kLetters + kMaxDims;

using Labels = SmallVector<int, 8>;

struct Operand {
  Tensor tensor;
  Labels labels;  // one per axis, all different after take_diagonals()
  int axis_of(int label) const {
    auto it = std::find(labels.begin(), labels.end(), label);
    return it == labels.end() ? -1 : static_cast<int>(it - labels.begin());
  }
};

int letter(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  return -1;
}

char letter_of(int label) { return static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26); }

// Parses one term of the equation. `operand` is the index of the operand, or -1 for the output.
// kEllipsis marks the position of "...".
constexpr int kEllipsis = -1;
Labels parse_term(std::string_view term, int64_t operand) {
  Labels labels;
  bool has_ellipsis = false;
  for (size_t i = 0; i < term.size(); ++i) {
    char c = term[i];
    if (c == ' ') continue;
    if (c == '.') {
      TNP_CHECK(!has_ellipsis && term.substr(i, 3) == "...", ErrorKind::Value,
                "einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...') in ",
                operand < 0 ? "the output" : "operand " + std::to_string(operand));
      has_ellipsis = true;
      labels.push_back(kEllipsis);
      i += 2;
      continue;
    }
    int label = letter(c);
    TNP_CHECK(label >= 0, ErrorKind::Value, "invalid subscript '", c,
              "' in einstein sum subscripts string, subscripts must be letters");
    labels.push_back(label);
  }
  return labels;
}

// Replaces kEllipsis by the labels of the `count` axes that the ellipsis stands for.
Labels expand_ellipsis(const Labels& term, int count) {
  Labels labels;
  for (int label : term) {
    if (label != kEllipsis)
      labels.push_back(label);
    else
      for (int i = count; i-- > 0;) labels.push_back(kLetters + i);
  }
  return labels;
}

bool has(const Labels& labels, int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

// The common dtype of all operands, by NumPy's rule. For example, int8, uint8 and float16 give
// float16. (If int8 and uint8 were promoted first, to int16, the result would be float32.)
ScalarType common_dtype(TensorList tensors) {
  auto same = [&](const Tensor& t) { return t.dtype() == tensors[0].dtype() && !t.is_wrapped_number(); };
  if (std::all_of(tensors.begin(), tensors.end(), same)) return tensors[0].dtype();
  std::vector<Tensor> inexact;
  for (const Tensor& t : tensors)
    if (!is_integral(t.dtype())) inexact.push_back(t);
  if (inexact.empty()) return result_type(tensors);
  ScalarType common = result_type(inexact);
  for (const Tensor& t : tensors)
    if (is_integral(t.dtype())) common = promote_types(common, t.dtype());
  return common;
}

// Sums keep the operand's dtype, as in NumPy's einsum. (sum() would widen small integers.)
ScalarType sum_dtype(const Tensor& t) { return t.dtype(); }

Operand sum_over(const Operand& x, const Labels& labels) {
  DimVector dims;
  Operand out;
  for (size_t d = 0; d < x.labels.size(); ++d) {
    if (has(labels, x.labels[d]))
      dims.push_back(static_cast<int64_t>(d));
    else
      out.labels.push_back(x.labels[d]);
  }
  out.tensor = dims.empty() ? x.tensor : tnp::sum(x.tensor, IntList(dims), false, sum_dtype(x.tensor));
  return out;
}

// Replaces axes with the same label by their diagonal ("ii->i").
Operand take_diagonals(Tensor t, Labels labels, size_t operand) {
  for (size_t i = 0; i < labels.size(); ++i) {
    for (size_t j = i + 1; j < labels.size();) {
      if (labels[i] != labels[j]) {
        ++j;
        continue;
      }
      auto a = static_cast<int64_t>(i), b = static_cast<int64_t>(j);
      TNP_CHECK(t.size(a) == t.size(b), ErrorKind::Shape, "dimensions in operand ", static_cast<int64_t>(operand),
                " for collapsing index '", letter_of(labels[i]), "' don't match (", t.size(a), " != ", t.size(b), ")");
      t = tnp::movedim(tnp::diagonal(t, 0, a, b), {-1}, {a});
      labels.erase(j);
    }
  }
  return {std::move(t), std::move(labels)};
}

Tensor arrange(const Operand& x, const Labels& order) {
  DimVector dims;
  for (int label : order) dims.push_back(x.axis_of(label));
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != static_cast<int64_t>(i)) return tnp::permute(x.tensor, dims);
  }
  return x.tensor;
}

// Removes each axis of size 1 of `x` whose label has a larger size in `other`. The product
// broadcasts over this axis.
void drop_broadcast_axes(Operand& x, const Operand& other) {
  for (size_t d = x.labels.size(); d-- > 0;) {
    int axis = other.axis_of(x.labels[d]);
    if (axis < 0 || x.tensor.size(static_cast<int64_t>(d)) != 1 || other.tensor.size(axis) == 1) continue;
    x.tensor = tnp::squeeze(x.tensor, IntList{static_cast<int64_t>(d)});
    x.labels.erase(d);
  }
}

Operand contract(Operand a, Operand b, const std::array<bool, kLabels>& keep) {
  drop_broadcast_axes(a, b);
  drop_broadcast_axes(b, a);
  auto alone = [&](const Operand& x, const Operand& y) {
    Labels labels;
    for (int l : x.labels)
      if (!keep[static_cast<size_t>(l)] && !has(y.labels, l)) labels.push_back(l);
    return labels;
  };
  a = sum_over(a, alone(a, b));
  b = sum_over(b, alone(b, a));

  Labels batch, over, only_a, only_b;
  for (int l : a.labels) (!has(b.labels, l) ? only_a : keep[static_cast<size_t>(l)] ? batch : over).push_back(l);
  for (int l : b.labels)
    if (!has(a.labels, l)) only_b.push_back(l);
  for (const auto* group : {&batch, &over}) {
    for (int l : *group) {
      TNP_CHECK(a.tensor.size(a.axis_of(l)) == b.tensor.size(b.axis_of(l)), ErrorKind::Shape,
                "operands could not be broadcast together with shapes ", a.tensor.sizes(), " ", b.tensor.sizes(),
                " in einsum");
    }
  }
  auto join = [](Labels x, const Labels& y, const Labels& z = {}) {
    for (int l : y) x.push_back(l);
    for (int l : z) x.push_back(l);
    return x;
  };
  DimVector result_sizes;
  int64_t batches = 1, rows = 1, depth = 1, cols = 1;
  for (int l : batch) result_sizes.push_back(a.tensor.size(a.axis_of(l))), batches *= result_sizes.back();
  for (int l : only_a) result_sizes.push_back(a.tensor.size(a.axis_of(l))), rows *= result_sizes.back();
  for (int l : only_b) result_sizes.push_back(b.tensor.size(b.axis_of(l))), cols *= result_sizes.back();
  for (int l : over) depth *= a.tensor.size(a.axis_of(l));

  Labels labels = join(batch, only_a, only_b);
  Tensor x = arrange(a, join(batch, only_a, over)), y = arrange(b, join(batch, over, only_b));
  if (over.empty()) {
    DimVector sizes_x(x.sizes()), sizes_y;
    for (size_t i = 0; i < only_b.size(); ++i) sizes_x.push_back(1);
    for (size_t i = 0; i < batch.size(); ++i) sizes_y.push_back(y.size(static_cast<int64_t>(i)));
    for (size_t i = 0; i < only_a.size(); ++i) sizes_y.push_back(1);
    for (size_t i = batch.size(); i < batch.size() + only_b.size(); ++i)
      sizes_y.push_back(y.size(static_cast<int64_t>(i)));
    if (!only_b.empty()) x = tnp::reshape(x, sizes_x);
    if (!only_a.empty()) y = tnp::reshape(y, sizes_y);
    return {tnp::mul(x, y), labels};
  }
  auto shaped = [](const Tensor& t, IntList sizes) { return t.sizes() == sizes ? t : tnp::reshape(t, sizes); };
  if (batch.empty()) {
    x = shaped(x, {rows, depth});
    y = shaped(y, {depth, cols});
  } else {
    x = shaped(x, {batches, rows, depth});
    y = shaped(y, {batches, depth, cols});
  }
  return {shaped(tnp::matmul(x, y), result_sizes), labels};
}

// Returns the pair of operands for which the size of the contracted result, minus the sizes of both
// operands, is smallest.
std::pair<size_t, size_t> cheapest_pair(const std::vector<Operand>& operands, const Labels& output) {
  std::pair<size_t, size_t> best{0, 1};
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < operands.size(); ++i) {
    for (size_t j = i + 1; j < operands.size(); ++j) {
      double size = 1;
      auto count = [&](const Operand& x, const Operand* before) {
        for (size_t d = 0; d < x.labels.size(); ++d) {
          int l = x.labels[d];
          if (before && has(before->labels, l)) continue;
          bool kept = has(output, l);
          for (size_t k = 0; k < operands.size() && !kept; ++k) kept = k != i && k != j && has(operands[k].labels, l);
          if (kept) size *= static_cast<double>(x.tensor.size(static_cast<int64_t>(d)));
        }
      };
      count(operands[i], nullptr);
      count(operands[j], &operands[i]);
      double cost =
          size - static_cast<double>(operands[i].tensor.numel()) - static_cast<double>(operands[j].tensor.numel());
      if (cost < least) {
        least = cost;
        best = {i, j};
      }
    }
  }
  return best;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (size_t end; (end = text.find(at)) != std::string_view::npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

}  // namespace

// `path`: positions of the operands to contract, as a flat list of pairs. Each result is appended
// to the operands.
Tensor einsum(std::string_view equation, TensorList tensors, OptIntList path) {
  const NoErrorWatchGuard unwatched;  // as in NumPy
  TNP_CHECK(!tensors.empty(), ErrorKind::Value,
            "must specify the einstein sum subscripts string and at least one operand");
  size_t arrow = equation.find("->");
  bool is_explicit = arrow != std::string_view::npos;
  std::string_view left = equation.substr(0, arrow),
                   right = is_explicit ? equation.substr(arrow + 2) : std::string_view();
  TNP_CHECK(is_explicit || equation.find('-') == std::string_view::npos, ErrorKind::Value,
            "einstein sum subscript string does not contain proper '->' output specified");
  std::vector<std::string_view> terms = split(left, ',');
  TNP_CHECK(terms.size() <= tensors.size(), ErrorKind::Value,
            "fewer operands provided to einstein sum function than specified in the subscripts string");
  TNP_CHECK(terms.size() >= tensors.size(), ErrorKind::Value,
            "more operands provided to einstein sum function than specified in the subscripts string");

  // Operands are cast to the common dtype first: an intermediate product or sum of some of them
  // must not wrap or round in a narrower dtype. Products of more than two 16-bit operands are
  // computed in float32 for the same reason.
  const ScalarType common = common_dtype(tensors), compute = tensors.size() > 2 ? compute_type(common) : common;
  std::vector<Operand> operands;
  operands.reserve(tensors.size());
  std::array<int, kLabels> count{};
  int widest_ellipsis = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    Labels term = parse_term(terms[i], static_cast<int64_t>(i));
    bool ellipsis = has(term, kEllipsis);
    int64_t named = static_cast<int64_t>(term.size()) - ellipsis, ndim = tensors[i].dim();
    TNP_CHECK(named <= ndim, ErrorKind::Value,
              "einstein sum subscripts string contains too many subscripts for operand ", static_cast<int64_t>(i));
    TNP_CHECK(ellipsis || named == ndim, ErrorKind::Value,
              "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to "
              "broadcast the extra dimensions.");
    widest_ellipsis = std::max(widest_ellipsis, static_cast<int>(ndim - named));
    for (int l : term)
      if (l != kEllipsis) ++count[static_cast<size_t>(l)];
    const Tensor factor = tensors[i].dtype() == compute ? tensors[i] : tnp::cast(tensors[i], compute);
    operands.push_back(take_diagonals(factor, expand_ellipsis(term, static_cast<int>(ndim - named)), i));
  }

  Labels output;
  if (is_explicit) {
    Labels term = parse_term(right, -1);
    for (size_t i = 0; i < term.size(); ++i) {
      if (term[i] == kEllipsis) continue;
      TNP_CHECK(count[static_cast<size_t>(term[i])] > 0, ErrorKind::Value,
                "einstein sum subscripts string included output subscript '", letter_of(term[i]),
                "' which never appeared in an input");
      TNP_CHECK(std::find(term.begin(), term.begin() + static_cast<std::ptrdiff_t>(i), term[i]) ==
                    term.begin() + static_cast<std::ptrdiff_t>(i),
                ErrorKind::Value, "einstein sum subscripts string includes output subscript '", letter_of(term[i]),
                "' multiple times");
    }
    TNP_CHECK(widest_ellipsis == 0 || has(term, kEllipsis), ErrorKind::Value,
              "output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to "
              "broadcast the extra dimensions.");
    output = expand_ellipsis(term, widest_ellipsis);
  } else {
    output = expand_ellipsis(parse_term("...", -1), widest_ellipsis);
    for (int l = 0; l < kLetters; ++l)
      if (count[static_cast<size_t>(l)] == 1) output.push_back(l);
  }

  // All axes with the same label must have the same size, or size 1.
  std::array<int64_t, kLabels> size_of;
  size_of.fill(1);
  for (const Operand& x : operands) {
    for (size_t d = 0; d < x.labels.size(); ++d) {
      int64_t n = x.tensor.size(static_cast<int64_t>(d));
      int64_t& known = size_of[static_cast<size_t>(x.labels[d])];
      TNP_CHECK(n == 1 || known == 1 || n == known, ErrorKind::Shape,
                "operands could not be broadcast together: an index has size ", known, " and size ", n, " in einsum");
      if (n != 1) known = n;
    }
  }

  size_t step = 0;
  while (operands.size() > 1) {
    std::pair<size_t, size_t> pair =
        operands.size() == 2 ? std::pair<size_t, size_t>{0, 1} : std::pair<size_t, size_t>{0, 0};
    if (path && 2 * step + 1 < path->size()) {
      int64_t i = (*path)[2 * step], j = (*path)[2 * step + 1], n = static_cast<int64_t>(operands.size());
      TNP_CHECK(i >= 0 && j >= 0 && i < n && j < n && i != j, ErrorKind::Value, "einsum: ", i, " and ", j,
                " are not a pair of ", n, " operands");
      pair = {static_cast<size_t>(std::min(i, j)), static_cast<size_t>(std::max(i, j))};
      ++step;
    } else if (operands.size() > 2) {
      pair = cheapest_pair(operands, output);
    }
    Operand a = std::move(operands[pair.first]), b = std::move(operands[pair.second]);
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(pair.second));
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(pair.first));
    std::array<bool, kLabels> keep{};
    for (int l : output) keep[static_cast<size_t>(l)] = true;
    for (const Operand& x : operands)
      for (int l : x.labels) keep[static_cast<size_t>(l)] = true;
    operands.push_back(contract(std::move(a), std::move(b), keep));
  }

  Labels summed;
  for (int l : operands[0].labels)
    if (!has(output, l)) summed.push_back(l);
  const Tensor result = arrange(sum_over(operands[0], summed), output);
  return result.dtype() == common ? result : tnp::cast(result, common);
}

}  // namespace tnp::native
