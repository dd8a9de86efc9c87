// Block programs: one plan for many addresses and threads, any strides of inputs and outputs, reuse
// of scratch memory, errors by call.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/fusion/block_plan.h"
#include "aten/fusion/expression.h"

namespace tnp::fusion {
namespace {

template <double (*f)(double, double)>
void loop_of(char* const* data, const int64_t* strides, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<double*>(data[0] + i * strides[0]) =
        f(*reinterpret_cast<double*>(data[1] + i * strides[1]), *reinterpret_cast<double*>(data[2] + i * strides[2]));
}
constexpr Loop kAdd = loop_of<[](double a, double b) { return a + b; }>;
constexpr Loop kMultiply = loop_of<[](double a, double b) { return a * b; }>;
constexpr Loop kDivide = loop_of<[](double a, double b) { return a / b; }>;
// The sum and the difference.
void both(char* const* data, const int64_t* strides, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const double a = *reinterpret_cast<double*>(data[2] + i * strides[2]);
    const double b = *reinterpret_cast<double*>(data[3] + i * strides[3]);
    *reinterpret_cast<double*>(data[0] + i * strides[0]) = a + b;
    *reinterpret_cast<double*>(data[1] + i * strides[1]) = a - b;
  }
}

constexpr ScalarType kDouble = ScalarType::Float64;
using V = std::vector<double>;

char* bytes(V& v, int64_t offset = 0) { return reinterpret_cast<char*>(v.data() + offset); }
V counting(int64_t n, double first = 0) {
  V v(static_cast<size_t>(n));
  std::iota(v.begin(), v.end(), first);
  return v;
}
int call(BlockProgram& p, Loop loop, int out, int a, int b, const char* watched = nullptr, double cost = 0.3) {
  const int in[] = {a, b};
  p.add_call({loop, "step", watched, cost}, out, in);
  return out;
}

// (x + y) * 2
struct Sample {
  static BlockProgram of(int64_t n) {
    BlockProgram program({n});
    const double two = 2;
    const int x = program.add_memory(kDouble), y = program.add_memory(kDouble), z = program.add_memory(kDouble);
    const int sum = call(program, kAdd, program.add_register(kDouble), x, y);
    call(program, kMultiply, z, sum, program.add_number(kDouble, &two));
    return program;
  }
  explicit Sample(int64_t n) : plan(of(n)) {}
  BlockPlan plan;
};

TEST(BlockProgram, RunsWithOtherAddressesEachTime) {
  for (const int64_t n : {0, 1, 63, 500, 4097, 300'000}) {
    const Sample sample(n);
    for (int again = 0; again < 3; ++again) {
      V x = counting(n, again), y = counting(n), z(static_cast<size_t>(n));
      char* const memories[] = {bytes(x), bytes(y), bytes(z)};
      sample.plan.run(memories);
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(z[static_cast<size_t>(i)], (2.0 * static_cast<double>(i) + again) * 2);
    }
  }
}

TEST(BlockProgram, RunsInManyThreadsAtOnce) {
  const Sample sample(20'000);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int again = 0; again < 20; ++again) {
        V x = counting(20'000, t), y = counting(20'000, again), z(20'000);
        char* const memories[] = {bytes(x), bytes(y), bytes(z)};
        sample.plan.run(memories);
        for (size_t i = 0; i < z.size(); ++i) wrong += z[i] != (2.0 * static_cast<double>(i) + t + again) * 2;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(BlockProgram, WritesWhereItReads) {
  const Sample sample(10'000);
  V x = counting(10'000), y = counting(10'000, 1);
  char* const memories[] = {bytes(x), bytes(y), bytes(x)};
  sample.plan.run(memories);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], (2.0 * static_cast<double>(i) + 1) * 2);
}

TEST(BlockProgram, MemoryThatIsReadAndWrittenIsOneValue) {
  BlockProgram program({1000});
  const int x = program.add_memory(kDouble), y = program.add_memory(kDouble);
  call(program, kAdd, x, x, x);
  call(program, kAdd, y, x, x);  // reads the values that the call before wrote
  const BlockPlan plan(program);
  V a = counting(1000), b(1000);
  char* const memories[] = {bytes(a), bytes(b)};
  plan.run(memories);
  for (size_t i = 0; i < a.size(); ++i) ASSERT_TRUE(a[i] == 2.0 * static_cast<double>(i) && b[i] == 2 * a[i]);
}

// z[:, :width] = x[:, :width] + y[None, :], with lines that are read in place, and lines that are
// gathered.
TEST(BlockProgram, StridesOnBothSides) {
  for (const int64_t width : {1, 5, 32, 300, 512, 5000}) {
    for (const int64_t rows : {1, 3, 100}) {
      const int64_t pitch = width + 7;
      BlockProgram program({rows, width});
      const int x = program.add_memory(kDouble, {pitch * 8, 8}), y = program.add_memory(kDouble, {0, 8});
      const int z = program.add_memory(kDouble, {pitch * 8, 8});
      call(program, kAdd, z, x, y);
      const BlockPlan plan(program);
      V a = counting(rows * pitch), b = counting(width, 0.5), c(static_cast<size_t>(rows * pitch), -1);
      char* const memories[] = {bytes(a), bytes(b), bytes(c)};
      plan.run(memories);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t i = 0; i < pitch; ++i) {
          const auto at = static_cast<size_t>(r * pitch + i);
          ASSERT_EQ(c[at], i < width ? a[at] + b[static_cast<size_t>(i)] : -1) << rows << " " << width;
        }
    }
  }
}

// z[:, :, :width] = (x * s[:, :, None] + g) * s[:, :, None]: a number for each line, a line that
// repeats, and both in the other order of axes, so that no axes can merge.
TEST(BlockProgram, NumbersOfLinesAndLinesThatRepeat) {
  for (const int64_t width : {1, 3, 64, 256, 1000, 5000}) {
    for (const int64_t rows : {1, 7, 60}) {
      const int64_t planes = 5, pitch = width + 3, lines = planes * rows;
      BlockProgram program({planes, rows, width});
      const int x = program.add_memory(kDouble), s = program.add_memory(kDouble, {8, planes * 8, 0});
      const int g = program.add_memory(kDouble, {0, 0, 8}),
                z = program.add_memory(kDouble, {rows * pitch * 8, pitch * 8, 8});
      const int scaled = call(program, kMultiply, program.add_register(kDouble), x, s);
      const int moved = call(program, kAdd, program.add_register(kDouble), scaled, g);
      call(program, kMultiply, z, moved, s, nullptr, 2);
      const BlockPlan plan(program);
      V a = counting(lines * width), numbers = counting(lines, 0.5), line = counting(width, 0.25);
      V c(static_cast<size_t>(lines * pitch), -1);
      char* const memories[] = {bytes(a), bytes(numbers), bytes(line), bytes(c)};
      plan.run(memories);
      for (int64_t p = 0; p < planes; ++p)
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t i = 0; i < pitch; ++i) {
            const double number = numbers[static_cast<size_t>(p + r * planes)];
            const double wanted =
                i < width
                    ? (a[static_cast<size_t>((p * rows + r) * width + i)] * number + line[static_cast<size_t>(i)]) *
                          number
                    : -1;
            ASSERT_EQ(c[static_cast<size_t>((p * rows + r) * pitch + i)], wanted) << width << " " << rows << " " << i;
          }
    }
  }
}

// z = (x[None, :, :] + x[:, None, :]) * s[:, :, None], computed in ranges with arbitrary ends:
// short lines that repeat along the first axis, and numbers for short lines, dense or not.
TEST(BlockProgram, ShortLinesThatRepeatAndNumbersOfThem) {
  for (const int64_t width : {1, 2, 3, 7, 33}) {
    for (const int64_t rows : {2, 9, 200}) {
      for (const int64_t number_step : {1, 2}) {
        const int64_t numel = rows * rows * width;
        BlockProgram program({rows, rows, width});
        const int x = program.add_memory(kDouble, {0, width * 8, 8}),
                  y = program.add_memory(kDouble, {width * 8, 0, 8});
        const int s = program.add_memory(kDouble, {number_step * rows * 8, number_step * 8, 0});
        const int z = program.add_memory(kDouble);
        const int sum = call(program, kAdd, program.add_register(kDouble), x, y);
        call(program, kMultiply, z, sum, s);
        const BlockPlan plan(program);
        V a = counting(rows * width), numbers = counting(rows * rows * number_step, 0.5);
        V c(static_cast<size_t>(numel), -1);
        char* const memories[] = {bytes(a), bytes(a), bytes(numbers), bytes(c)};
        for (int64_t begin = 0, n = 1; begin < numel; begin += n, n = n * 5 % 4099)
          plan.run_range(begin, std::min(begin + n, numel), memories, 3, bytes(c, begin));
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j < rows; ++j)
            for (int64_t k = 0; k < width; ++k)
              ASSERT_EQ(c[static_cast<size_t>((i * rows + j) * width + k)],
                        (a[static_cast<size_t>(j * width + k)] + a[static_cast<size_t>(i * width + k)]) *
                            numbers[static_cast<size_t>((i * rows + j) * number_step)])
                  << width << " " << rows << " " << number_step << ": " << i << " " << j << " " << k;
      }
    }
  }
}

TEST(BlockProgram, PartsOfMemoryAreChangedInPlace) {
  for (const int64_t width : {5, 300, 5000}) {
    BlockProgram program({20, width});
    const int x = program.add_memory(kDouble, {width * 16, 16});
    call(program, kAdd, x, x, x);
    call(program, kMultiply, x, x, x);
    const BlockPlan plan(program);
    V a = counting(40 * width);
    char* const memories[] = {bytes(a)};
    plan.run(memories);
    for (int64_t i = 0; i < 40 * width; ++i) {
      const auto before = static_cast<double>(i);
      ASSERT_EQ(a[static_cast<size_t>(i)], i % 2 == 0 ? 4 * before * before : before);
    }
  }
}

TEST(BlockProgram, CallsMayHaveSeveralResults) {
  BlockProgram program({5000});
  const int x = program.add_memory(kDouble), y = program.add_memory(kDouble), z = program.add_memory(kDouble);
  const int sum = call(program, kAdd, program.add_register(kDouble), x, y);
  const int out[] = {program.add_register(kDouble), program.add_register(kDouble)}, in[] = {sum, x};
  program.add_call({both, "both", nullptr, 0.5}, out, in);
  call(program, kMultiply, z, out[0], out[1]);  // (x + y + x) * y
  const BlockPlan plan(program);
  EXPECT_EQ(plan.text(),
            "r0:float64 = step(m0:float64, m1:float64)\nr1:float64, r2:float64 = both(r0:float64, m0:float64)\n"
            "m2:float64 = step(r1:float64, r2:float64)\n");
  V a = counting(5000), b = counting(5000, 3), c(5000);
  char* const memories[] = {bytes(a), bytes(b), bytes(c)};
  plan.run(memories);
  for (size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], (a[i] + b[i] + a[i]) * (a[i] + b[i] - a[i]));
}

TEST(BlockProgram, ZeroDimensions) {
  BlockProgram program(IntList{});
  const int x = program.add_memory(kDouble), y = program.add_memory(kDouble);
  call(program, kAdd, y, x, x);
  const BlockPlan plan(program);
  V a = {3}, b = {0};
  char* const memories[] = {bytes(a), bytes(b)};
  plan.run(memories);
  EXPECT_EQ(b[0], 6);
}

TEST(BlockProgram, ErrorsBelongToCalls) {
  BlockProgram program({100'000});
  const double zero = 0, huge = 1e308;
  const int x = program.add_memory(kDouble), y = program.add_memory(kDouble);
  const int big = call(program, kMultiply, program.add_register(kDouble), x, program.add_number(kDouble, &huge));
  const int quotient =
      call(program, kDivide, program.add_register(kDouble), x, program.add_number(kDouble, &zero), "divide");
  call(program, kMultiply, y, big, quotient, "multiply");
  const BlockPlan plan(program);
  V a(100'000, 7.0), b(100'000);
  char* const memories[] = {bytes(a), bytes(b)};
  std::vector<std::atomic<uint8_t>> errors(3);
  take_floating_point_flags();
  raise_floating_point_flags(kInvalid);
  plan.run(memories, errors.data());
  EXPECT_EQ(errors[0], kNoErrors);  // its errors are not reported
  EXPECT_EQ(errors[1], kDivideByZero);
  EXPECT_EQ(errors[2], kNoErrors);                   // infinity times infinity raises none
  EXPECT_EQ(take_floating_point_flags(), kInvalid);  // flags that were set before remain set
  plan.run(memories);
  EXPECT_EQ(take_floating_point_flags(), kNoErrors);
}

template <bool (*f)(double, double)>
void comparison(char* const* data, const int64_t* strides, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    data[0][i * strides[0]] =
        f(*reinterpret_cast<double*>(data[1] + i * strides[1]), *reinterpret_cast<double*>(data[2] + i * strides[2]));
}
constexpr Loop kLess = comparison<[](double a, double b) { return a < b; }>;

// 100 / x < y, whose truth values are counted or written; by machine code where the processor has
// it.
struct Comparison {
  static BlockProgram of(int64_t n) {
    BlockProgram program({n});
    const double hundred = 100;
    const int x = program.add_memory(kDouble), y = program.add_memory(kDouble);
    const int out = program.add_memory(ScalarType::Bool), quotient = program.add_register(kDouble);
    const int of_quotient[] = {program.add_number(kDouble, &hundred), x}, of_less[] = {quotient, y};
    program.add_call({kDivide, "div", "divide", 0.3}, quotient, of_quotient);
    program.add_call({kLess, "lt", nullptr, 0.3}, out, of_less);
    return program;
  }
  explicit Comparison(int64_t n) : plan(of(n), true) { plan.prepare_count(2); }
  BlockPlan plan;
};

TEST(BlockProgram, CountsTruthValues) {
  constexpr int64_t kCount = 30'011;
  const Comparison comparison(kCount);
  if (!has_machine_code()) {
    EXPECT_FALSE(comparison.plan.counts());
    GTEST_SKIP() << "no machine code on this processor";
  }
  ASSERT_TRUE(comparison.plan.counts());
  for (bool has_zero : {false, true}) {
    V x = counting(kCount, 1), y(static_cast<size_t>(kCount), 0.01);
    if (has_zero) x[9'000] = 0;
    std::vector<char> truths(static_cast<size_t>(kCount), 7);
    char* const memories[] = {bytes(x), bytes(y), truths.data()};
    for (const auto& [begin, end] :
         {std::pair<int64_t, int64_t>{0, kCount}, {5, 29}, {8'192, 16'384}, {17, 17}, {29'000, kCount}}) {
      int64_t expected = 0;
      for (int64_t i = begin; i < end; ++i) expected += 100 / x[static_cast<size_t>(i)] < y[static_cast<size_t>(i)];
      std::vector<std::atomic<uint8_t>> errors(2);
      EXPECT_EQ(comparison.plan.count_range(begin, end, memories, errors.data()), expected);
      EXPECT_EQ(errors[0], has_zero && begin <= 9'000 && 9'000 < end ? kDivideByZero : kNoErrors);
      EXPECT_EQ(errors[1], kNoErrors);
    }
    EXPECT_EQ(std::count(truths.begin(), truths.end(), 7), kCount);  // no truth value is written
  }
}

TEST(BlockPlan, EqualProgramsShareAPlan) {
  const auto program = [](double number, int64_t n, const DimVector& strides, int counted) {
    const std::lock_guard guard(lock());
    BlockProgram key({n, 4});
    const int x = key.add_memory(kDouble, strides), sum = key.add_register(kDouble), y = key.add_memory(kDouble);
    const int of_sum[] = {x, key.add_number(kDouble, &number)}, of_product[] = {sum, sum};
    key.add_call({kAdd, "add", nullptr, 0.3}, sum, of_sum);
    key.add_call({kMultiply, "mul", "multiply", 0.3}, y, of_product);
    return BlockPlan::of(key, counted);
  };
  const auto made = program(2, 50, {64, 8}, -1);
  EXPECT_EQ(program(2, 50, {64, 8}, -1), made);
  EXPECT_NE(program(3, 50, {64, 8}, -1), made);
  EXPECT_NE(program(2, 51, {64, 8}, -1), made);
  EXPECT_NE(program(2, 50, {64, 16}, -1), made);
  EXPECT_NE(program(2, 50, {}, -1), made);
  EXPECT_NE(program(2, 50, {64, 8}, 1), made);
  EXPECT_EQ(made->num_calls(), 2);
  EXPECT_STREQ(made->watched(1), "multiply");
  V x = counting(400), y(200);
  char* const memories[] = {bytes(x), bytes(y)};
  made->run(memories);
  for (size_t i = 0; i < 200; ++i) {
    const double sum = x[i / 4 * 8 + i % 4] + 2;
    EXPECT_EQ(y[i], sum * sum);
  }
}

}  // namespace
}  // namespace tnp::fusion
