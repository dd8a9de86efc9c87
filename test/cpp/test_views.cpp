// Views: shapes and strides, shared memory, and bounds of memory.
#include <gtest/gtest.h>

#include "aten/functions.h"
#include "aten/iterator/layout.h"

using namespace tnp;

namespace {

Tensor count(IntList sizes) { return reshape(arange(Scalar(numel_of(sizes))), sizes); }

std::vector<int64_t> values(const Tensor& t) {
  Tensor row = clone(reshape(t, {-1}), Order::C);
  return {row.data_ptr<int64_t>(), row.data_ptr<int64_t>() + row.numel()};
}

template <class F>
ErrorKind error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.kind();
  }
  ADD_FAILURE() << "nothing was raised";
  return ErrorKind::Internal;
}

}  // namespace

TEST(Reshape, IsAViewWhereStridesAllowOne) {
  Tensor t = count({2, 3, 4});
  EXPECT_EQ(reshape(t, {6, 4}).data(), t.data());
  EXPECT_EQ(reshape(select(t, 1, 1), {2, 2, 2}).data(), select(t, 1, 1).data());
  EXPECT_NE(reshape(transpose(t, 0, 2), {-1}).data(), t.data());
}

TEST(Reshape, MergesReversedAxes) {
  Tensor t = flip_view(count({2, 3}), std::nullopt);
  Tensor row = reshape(t, {6});
  EXPECT_EQ(row.data(), t.data());
  EXPECT_EQ(row.stride(0), -1);
  EXPECT_EQ(values(row), (std::vector<int64_t>{5, 4, 3, 2, 1, 0}));
}

TEST(Reshape, InFortranOrderReadsColumnsFirst) {
  EXPECT_EQ(values(reshape(count({2, 3}), {3, 2}, Order::F)), (std::vector<int64_t>{0, 4, 3, 2, 1, 5}));
}

TEST(Reshape, RefusesShapesThatDoNotFit) {
  Tensor t = count({6});
  for (DimVector shape :
       {DimVector{4}, DimVector{-1, 4}, DimVector{-1, -1}, DimVector{0, -1}, DimVector{INT64_MAX, 3}}) {
    EXPECT_EQ(error_of([&] { reshape(t, shape); }), ErrorKind::Shape);
  }
  EXPECT_EQ(error_of([&] { reshape(transpose(count({2, 3}), 0, 1), {6}, Order::C, false); }), ErrorKind::Value);
}

TEST(Slice, StaysInside) {
  Tensor t = count({5});
  EXPECT_EQ(values(slice(t, 0, 4, 3, -2)), (std::vector<int64_t>{4, 2, 0}));
  EXPECT_EQ(slice(t, 0, 5, 0, 1).numel(), 0);
  for (auto [start, length, step] :
       {std::array<int64_t, 3>{3, 3, 1}, {0, 2, -1}, {0, 2, INT64_MAX}, {-1, 1, 1}, {0, -1, 1}, {0, 2, 0}}) {
    EXPECT_EQ(error_of([&, start = start, length = length, step = step] { slice(t, 0, start, length, step); }),
              ErrorKind::Index);
  }
}

TEST(AsStrided, StaysInside) {
  Tensor t = count({10});
  EXPECT_EQ(values(as_strided(t, {2, 2}, {3, 1}, 4)), (std::vector<int64_t>{4, 5, 7, 8}));
  EXPECT_EQ(error_of([&] { as_strided(t, {4}, {4}); }), ErrorKind::Shape);
  EXPECT_EQ(error_of([&] { as_strided(t, {2}, {-1}); }), ErrorKind::Shape);
  EXPECT_EQ(error_of([&] { as_strided(t, {2}, {INT64_MAX}); }), ErrorKind::Shape);
  EXPECT_EQ(error_of([&] { as_strided(t, {1}, {1}, INT64_MAX); }), ErrorKind::Shape);
}

TEST(Diagonal, OfEveryOffset) {
  Tensor t = count({2, 3});
  EXPECT_EQ(values(diagonal(t)), (std::vector<int64_t>{0, 4}));
  EXPECT_EQ(values(diagonal(t, 2)), (std::vector<int64_t>{2}));
  EXPECT_EQ(values(diagonal(t, -1)), (std::vector<int64_t>{3}));
  EXPECT_EQ(diagonal(t, INT64_MAX).numel(), 0);
  EXPECT_EQ(diagonal(t, INT64_MIN).numel(), 0);
}

TEST(Layout, KeepsTheOrderOfStrides) {
  Tensor t = permute(count({2, 3, 4}), {2, 0, 1});
  EXPECT_EQ(empty_like(t).strides(), t.strides());
  EXPECT_TRUE(clone(t, Order::C).is_contiguous());
  EXPECT_TRUE(clone(t, Order::F).is_fortran_contiguous());
}

TEST(ViewAsDtype, NeedsAWholeNumberOfElements) {
  Tensor t = zeros({3, 4}, ScalarType::Int16);
  EXPECT_EQ(view(t, ScalarType::Int64).sizes(), (IntList{3, 1}));
  EXPECT_EQ(view(t, ScalarType::Int8).sizes(), (IntList{3, 8}));
  EXPECT_EQ(error_of([&] { view(zeros({3}, ScalarType::Int16), ScalarType::Int64); }), ErrorKind::Shape);
  EXPECT_EQ(error_of([&] { view(transpose(t, 0, 1), ScalarType::Int8); }), ErrorKind::Shape);
}

TEST(Zeros, RefusesWhatIsTooLarge) {
  EXPECT_EQ(error_of([] { zeros({-1}); }), ErrorKind::Shape);
  EXPECT_EQ(error_of([] { zeros({int64_t{1} << 40, int64_t{1} << 40}); }), ErrorKind::Shape);
  EXPECT_EQ(error_of([] { zeros({int64_t{1} << 62}); }), ErrorKind::Shape);
  EXPECT_EQ(error_of([] { zeros({int64_t{1} << 55}); }), ErrorKind::Memory);
  EXPECT_EQ(error_of([] { full({2}, Scalar(300), ScalarType::Int8); }), ErrorKind::Runtime);
}

TEST(ByteRange, CoversTheElementsOfAnyStridesOrIsNone) {
  auto range = [](IntList sizes, IntList strides) { return byte_range(sizes, strides, 8, 8); };
  EXPECT_EQ(range({3, 4}, {4, 1})->high, 96);
  EXPECT_EQ(range({3, 4}, {-4, 1})->low, -64);
  EXPECT_EQ(range({3, 4}, {-4, 1})->high, 32);
  EXPECT_EQ(range({}, {})->high, 8);
  EXPECT_EQ(range({3, 0}, {int64_t{1} << 62, 1})->high, 0);
  EXPECT_FALSE(range({3, 2}, {int64_t{1} << 62, 1}));
  // each end is a valid index, but their distance overflows
  EXPECT_FALSE(range({2, 2}, {int64_t{1} << 59, -(int64_t{1} << 59)}));
}
