// Index kernels: positions of elements, checks before the first write, pairs of operators that are
// each other's gradient.
#include <gtest/gtest.h>

#include "aten/functions.h"
#include "aten/ops/indexing/indexing.h"

namespace tnp {
namespace {

Tensor count(IntList sizes, ScalarType dtype = ScalarType::Float64) {
  Tensor t = empty_tensor(sizes, ScalarType::Int64);
  for (int64_t i = 0; i < t.numel(); ++i) t.data_ptr<int64_t>()[i] = i;
  return cast(t, dtype);
}

Tensor ints(std::initializer_list<int64_t> values) {
  Tensor t = empty_tensor({static_cast<int64_t>(values.size())}, ScalarType::Int64);
  std::copy(values.begin(), values.end(), t.data_ptr<int64_t>());
  return t;
}

std::vector<double> values(const Tensor& t) {
  Tensor dense = contiguous(cast(t, ScalarType::Float64));
  return {dense.data_ptr<double>(), dense.data_ptr<double>() + dense.numel()};
}

using Doubles = std::vector<double>;

TEST(Indexing, KeepsTheAxesThatNoIndexTakes) {
  std::vector<Tensor> second{Tensor(), ints({3, 0})};
  Tensor t = index(count({2, 4}), second);
  EXPECT_EQ(t.sizes(), IntList({2, 2}));
  EXPECT_EQ(values(t), (Doubles{3, 0, 7, 4}));
}

TEST(Indexing, IndicesThatAreApartComeFirst) {
  std::vector<Tensor> apart{ints({0, 1, 0}), Tensor(), ints({1, 0, -1})};
  EXPECT_EQ(index(count({2, 5, 3}), apart).sizes(), IntList({3, 5}));
  EXPECT_EQ(index(count({2, 5, 3}), apart, 1).sizes(), IntList({5, 3}));
}

TEST(Indexing, ReadsAndWritesEveryElementSizeAndAnyStrides) {
  for (ScalarType dtype :
       {ScalarType::UInt8, ScalarType::Float16, ScalarType::Float32, ScalarType::Int64, ScalarType::Complex128}) {
    Tensor t = transpose(count({3, 4}, dtype), 0, 1);
    std::vector<Tensor> rows{ints({-1, 0})};
    EXPECT_EQ(values(index(t, rows)), (Doubles{3, 7, 11, 0, 4, 8}));
    put_indexed_(t, rows, count({2, 1}, dtype), false, 0);
    EXPECT_EQ(values(t), (Doubles{1, 1, 1, 1, 5, 9, 2, 6, 10, 0, 0, 0}));
  }
}

TEST(Indexing, ChecksEveryIndexBeforeItWrites) {
  Tensor t = count({5});
  std::vector<Tensor> beyond{ints({0, 1, 5})};
  try {
    put_indexed_(t, beyond, scalar_tensor(Scalar(-1), ScalarType::Float64), false, 0);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::Index);
    EXPECT_EQ(e.message(), "index 5 is out of bounds for dimension 0 with size 5");
  }
  EXPECT_EQ(values(t), (Doubles{0, 1, 2, 3, 4}));
}

TEST(Indexing, ValuesAndIndicesMayShareTheMemoryOfSelf) {
  Tensor t = cast(ints({2, 0, 1}), ScalarType::Int64);
  std::vector<Tensor> itself{t};
  put_indexed_(t, itself, t, false, 0);
  EXPECT_EQ(values(t), (Doubles{0, 1, 2}));
}

TEST(Indexing, TheLastOfSeveralValuesStaysAndSumsCountAll) {
  std::vector<Tensor> twice{ints({1, 1, 0})};
  Tensor t = count({2});
  put_indexed_(t, twice, count({3}), false, 0);
  EXPECT_EQ(values(t), (Doubles{2, 1}));
  EXPECT_EQ(values(index_backward(count({3}), {2}, twice, 0)), (Doubles{2, 1}));
}

TEST(Indexing, MasksGivePlacesInRowMajorOrder) {
  Tensor mask = gt(transpose(count({2, 3}), 0, 1), wrapped_number(Scalar(2)));
  std::vector<Tensor> places = mask_indices(mask);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(values(places[0]), (Doubles{0, 1, 2}));
  EXPECT_EQ(values(places[1]), (Doubles{1, 1, 1}));
  EXPECT_THROW(check_mask_shape(count({3, 3}), mask, 0), Error);
}

TEST(Indexing, NothingIsChosenByEmptyIndices) {
  std::vector<Tensor> none{ints({})};
  EXPECT_EQ(index(count({3, 2}), none).sizes(), IntList({0, 2}));
  EXPECT_EQ(index(count({0, 2}), none).sizes(), IntList({0, 2}));
}

}  // namespace
}  // namespace tnp
