// The iterator: broadcasting, memory order, overlap, masks, casts, and the order of its loops.
#include <gtest/gtest.h>

#include "aten/iterator/copy.h"
#include "aten/iterator/iterator.h"
#include "aten/iterator/overlap.h"
#include "aten/kernels/pointwise.h"

namespace tnp {
namespace {

Tensor counting(IntList sizes, ScalarType dtype = ScalarType::Float64) {
  Tensor t = empty_tensor(sizes, dtype);
  visit_dtype(dtype, [&]<class T>() {
    for (int64_t i = 0; i < t.numel(); ++i) t.data_ptr<T>()[i] = convert<T>(static_cast<double>(i));
  });
  return t;
}

std::vector<double> values(const Tensor& t) {
  Tensor dense = empty_tensor(t.sizes(), ScalarType::Float64);
  copy_into(dense, t);
  return {dense.data_ptr<double>(), dense.data_ptr<double>() + dense.numel()};
}
using V = std::vector<double>;

Tensor strided(const Tensor& of, IntList sizes, IntList strides, int64_t offset = 0) {
  return view_of(of, sizes, strides, of.data() + offset * of.itemsize());
}

void add_doubles(char* const* data, const int64_t* strides, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    *reinterpret_cast<double*>(data[0] + i * strides[0]) =
        *reinterpret_cast<double*>(data[1] + i * strides[1]) + *reinterpret_cast<double*>(data[2] + i * strides[2]);
  }
}

Tensor add(const Tensor& a, const Tensor& b, Tensor out = {}, const Tensor& where = {}, Order order = Order::K,
           ScalarType result = ScalarType::Float64) {
  Iterator it;
  it.output(out, ScalarType::Float64, result).input(a, ScalarType::Float64).input(b, ScalarType::Float64);
  if (where.defined()) it.mask(where);
  it.order(order).build();
  it.for_each(add_doubles);
  return out;
}

TEST(Iterator, BroadcastsOverEveryAxis) {
  EXPECT_EQ(values(add(counting({2, 1}), counting({3}))), (V{0, 1, 2, 1, 2, 3}));
  EXPECT_EQ(values(add(counting({2, 1, 2}), counting({2, 1}))), (V{0, 1, 1, 2, 2, 3, 3, 4}));
}

TEST(Iterator, ZeroSizesAndZeroDims) {
  EXPECT_EQ(add(counting({0, 3}), counting({1})).sizes(), IntList({0, 3}));
  EXPECT_EQ(values(add(counting({}), counting({}))), V{0});
  EXPECT_THROW(add(counting({0}), counting({2})), Error);
}

TEST(Iterator, InputsStretchToALargerOutput) {
  EXPECT_EQ(values(add(counting({}), counting({1}), counting({3}))), (V{0, 0, 0}));
}

TEST(Iterator, AnOutputDoesNotStretch) { EXPECT_THROW(add(counting({2, 3}), counting({3}), counting({3})), Error); }

TEST(Iterator, NewOutputsKeepTheLayoutOfTheirInputs) {
  Tensor transposed = strided(counting({6}), {2, 3}, {1, 2});
  EXPECT_EQ(add(transposed, transposed).strides(), IntList({1, 2}));
  EXPECT_EQ(add(transposed, transposed, {}, {}, Order::C).strides(), IntList({3, 1}));
  EXPECT_EQ(add(counting({2, 3}), counting({2, 3}), {}, {}, Order::F).strides(), IntList({1, 2}));
  Tensor backwards = strided(counting({3}), {3}, {-1}, 2);
  EXPECT_EQ(add(backwards, backwards).strides(), IntList({1}));
}

TEST(Iterator, AnInputThatOverlapsTheOutputIsReadFirst) {
  Tensor x = counting({6});
  add(strided(x, {5}, {1}), strided(x, {5}, {1}), strided(x, {5}, {1}, 1));
  EXPECT_EQ(values(x), (V{0, 0, 2, 4, 6, 8}));
  Tensor y = counting({4});
  add(y, strided(y, {4}, {-1}, 3), y);
  EXPECT_EQ(values(y), (V{3, 3, 3, 3}));
}

TEST(Iterator, WhatTheMaskExcludesIsNotWritten) {
  Tensor mask = empty_tensor({4}, ScalarType::Bool), out = counting({4});
  for (int i = 0; i < 4; ++i) mask.data_ptr<bool>()[i] = i % 2 == 1;
  add(counting({4}), counting({4}), out, mask);
  EXPECT_EQ(values(out), (V{0, 2, 2, 6}));
}

TEST(Iterator, CastsAChunkAtATime) {
  int64_t n = 3 * kChunk + 7;
  Tensor half = counting({n}, ScalarType::Int32), out = counting({n}, ScalarType::Float32);
  add(half, counting({n}), out);
  for (int64_t i : {int64_t{0}, kChunk - 1, kChunk, n - 1})
    EXPECT_EQ(out.data_ptr<float>()[i], 2 * static_cast<float>(i));
}

TEST(Iterator, ACastThatTheRuleForbidsIsNamed) {
  try {
    DialectGuard numpy{Dialect(Face::NumPy)};
    add(counting({2}), counting({2}), counting({2}, ScalarType::Int32));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::Casting);
    EXPECT_EQ(e.message(),
              "Cannot cast ufunc '{op}' output from dtype('float64') to dtype('int32') with casting rule 'same_kind'");
  }
}

TEST(Iterator, ReadOnlyOutputsAreNotWritten) {
  Tensor out = counting({2});
  out.impl()->writeable = false;
  EXPECT_THROW(add(counting({2}), counting({2}), out), Error);
  EXPECT_EQ(values(out), (V{0, 1}));
}

// The result of add(), computed one element at a time.
V added(const Tensor& a, const Tensor& b) {
  const V x = values(a), y = values(b);
  V sum(x.size());
  for (size_t i = 0; i < x.size(); ++i) sum[i] = x[i] + y[i];
  return sum;
}

// Note [Short lines]: each operand is read in place, or through a buffer.
TEST(Iterator, ShortLinesOfEveryLength) {
  for (int64_t n = 1; n <= 70; ++n) {
    const Tensor x = counting({40, n}), wide = counting({41, 2 * n + 3}), line = counting({n}),
                 column = counting({n, 40});
    const Tensor operands[] = {x,
                               strided(wide, {40, n}, {2 * n + 3, 1}, 3),
                               strided(wide, {40, n}, {2 * n + 3, 2}, 1),
                               strided(x, {40, n}, {n, -1}, n - 1),
                               strided(x, {40, n}, {-n, 1}, 39 * n),
                               strided(line, {40, n}, {0, 1}),
                               strided(wide, {40, n}, {1, 0}),
                               strided(line, {40, n}, {0, 0}),
                               strided(column, {40, n}, {1, 40})};
    for (const Tensor& a : operands) {
      for (const Tensor& b : operands) {
        ASSERT_EQ(values(add(a, b)), added(a, b)) << n;
        Tensor out = strided(counting({41, 2 * n + 3}), {40, n}, {2 * n + 3, 2}, 2);
        ASSERT_EQ(values(add(a, b, out)), added(a, b)) << n;
      }
    }
  }
}

TEST(Iterator, BesideShortLinesNothingIsWritten) {
  for (int64_t n : {1, 2, 3, 5, 8, 17, 33}) {
    Tensor whole = counting({41, n + 3});
    const V before = values(whole);
    add(counting({40, n}), counting({n}), strided(whole, {40, n}, {n + 3, 1}, 1));
    const V after = values(whole);
    for (int64_t i = 0; i < whole.numel(); ++i) {
      const int64_t row = i / (n + 3), column = i % (n + 3);
      const bool inside = row < 40 && column >= 1 && column <= n;
      const double want = inside ? static_cast<double>(row * n + 2 * (column - 1)) : before[static_cast<size_t>(i)];
      ASSERT_EQ(after[static_cast<size_t>(i)], want) << n;
    }
  }
}

TEST(Iterator, ShortLinesWithAMaskAndCasts) {
  for (int64_t n : {1, 2, 3, 7, 16, 40}) {
    const Tensor mask = counting({90, n}, ScalarType::Bool);  // all but the first
    Tensor whole = counting({90, n + 2}, ScalarType::Float32);
    Tensor out = strided(whole, {90, n}, {n + 2, 1}, 1);
    add(strided(counting({90, 2 * n}, ScalarType::Int16), {90, n}, {2 * n, 2}), counting({n}, ScalarType::Int32), out,
        mask);
    for (int64_t i = 0; i < 90; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const double want = i + j == 0 ? 1 : static_cast<double>(i * 2 * n + 2 * j + j);
        ASSERT_EQ(out.data_ptr<float>()[i * (n + 2) + j], want) << n;
      }
    }
  }
}

TEST(Iterator, SerialLoopIsRowMajor) {
  Tensor out = empty_tensor({2, 3}, ScalarType::Float64), in = strided(counting({6}), {2, 3}, {1, 2});
  Iterator it;
  it.output(out, ScalarType::Float64, ScalarType::Float64).input(in, ScalarType::Float64).build();
  double previous = 0;
  it.for_each_serial([&](char* const* data, const int64_t* strides, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      previous += *reinterpret_cast<double*>(data[1] + i * strides[1]);
      *reinterpret_cast<double*>(data[0] + i * strides[0]) = previous;
    }
  });
  EXPECT_EQ(values(out), (V{0, 2, 6, 7, 10, 15}));
}

TEST(Overlap, InterleavedElementsNeverMeet) {
  char memory[64];
  int64_t n[] = {4}, even[] = {16};
  EXPECT_EQ(memory_overlap({memory, n, even, 8}, {memory + 8, n, even, 8}), Overlap::None);
  EXPECT_EQ(memory_overlap({memory, n, even, 8}, {memory, n, even, 8}), Overlap::Same);
  EXPECT_EQ(memory_overlap({memory, n, even, 8}, {memory + 4, n, even, 8}), Overlap::Some);
}

TEST(CopyInto, BroadcastsCastsAndDropsLeadingOnes) {
  Tensor out = counting({2, 3}, ScalarType::Int16);
  copy_into(out, counting({1, 1, 3}));
  EXPECT_EQ(values(out), (V{0, 1, 2, 0, 1, 2}));
  EXPECT_THROW(copy_into(out, counting({2})), Error);
  EXPECT_THROW(copy_into(out, counting({3}), Casting::SameKind), Error);
}

TEST(FillWith, AnIntegerThatDoesNotFitIsAnError) {
  EXPECT_THROW(fill_with(counting({2}, ScalarType::UInt8), Scalar(300)), Error);
  EXPECT_THROW(fill_with(counting({2}, ScalarType::Int8), Scalar(-200)), Error);
  const DialectGuard numpys(Dialect(Face::NumPy));  // PyTorch's unsigned integers take negative ones
  EXPECT_THROW(fill_with(counting({2}, ScalarType::UInt8), Scalar(-1)), Error);
}

}  // namespace
}  // namespace tnp
