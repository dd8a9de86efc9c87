// Machine code: the encoding of instructions, compared with an assembler's (GNU as); the code of
// sequences, compared with operators computed here. No element outside the arrays is read or
// written.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

#include "aten/fusion/assembler.h"
#include "aten/fusion/block_plan.h"
#include "aten/fusion/compiled_regions.h"
#include "aten/fusion/machine_code.h"

using namespace tnp;
using namespace tnp::fusion;

namespace {

using Bytes = std::vector<uint8_t>;
constexpr auto k128 = VectorLength::k128, k256 = VectorLength::k256, k512 = VectorLength::k512;

Bytes encoded(const std::function<void(Assembler&)>& write) {
  Assembler a;
  write(a);
  return a.bytes();
}

TEST(Assembler, InstructionsOverRegistersAreThoseOfAnAssembler) {
  auto of = [](int r) { return RegisterOrMemory::of(r); };
  // vaddpd %zmm17, %zmm8, %zmm31
  EXPECT_EQ(encoded([&](Assembler& a) { a.evex({1, 1, 1, 0x58}, k512, 31, 8, of(17)); }),
            (Bytes{0x62, 0x21, 0xbd, 0x48, 0x58, 0xf9}));
  // vcmpltpd %zmm1, %zmm2, %k3
  EXPECT_EQ(encoded([&](Assembler& a) { a.evex({1, 1, 1, 0xc2}, k512, 3, 2, of(1), 1); }),
            (Bytes{0x62, 0xf1, 0xed, 0x48, 0xc2, 0xd9, 0x01}));
  // vblendmps %zmm20, %zmm5, %zmm6{%k7}
  EXPECT_EQ(encoded([&](Assembler& a) { a.evex({2, 1, 0, 0x65}, k512, 6, 5, of(20), -1, 7); }),
            (Bytes{0x62, 0xb2, 0x55, 0x4f, 0x65, 0xf4}));
  // vpmovm2b %k6, %xmm18
  EXPECT_EQ(encoded([&](Assembler& a) { a.evex({2, 2, 0, 0x28}, k128, 18, 0, of(6)); }),
            (Bytes{0x62, 0xe2, 0x7e, 0x08, 0x28, 0xd6}));
  // vcvtpd2ps %zmm9, %ymm25
  EXPECT_EQ(encoded([&](Assembler& a) { a.evex({1, 1, 1, 0x5a}, k512, 25, 0, of(9)); }),
            (Bytes{0x62, 0x41, 0xfd, 0x48, 0x5a, 0xc9}));
  // vsqrtpd %zmm30, %zmm0
  EXPECT_EQ(encoded([&](Assembler& a) { a.evex({1, 1, 1, 0x51}, k512, 0, 0, of(30)); }),
            (Bytes{0x62, 0x91, 0xfd, 0x48, 0x51, 0xc6}));
  // vpabsb %xmm19, %xmm3
  EXPECT_EQ(encoded([&](Assembler& a) { a.evex({2, 1, 0, 0x1c}, k128, 3, 0, of(19)); }),
            (Bytes{0x62, 0xb2, 0x7d, 0x08, 0x1c, 0xdb}));
  // {vex3} vmulps %ymm3, %ymm12, %ymm9
  EXPECT_EQ(encoded([&](Assembler& a) { a.vex({1, 0, 0, 0x59}, k256, 9, 12, of(3)); }),
            (Bytes{0xc4, 0x61, 0x1c, 0x59, 0xcb}));
  // vxorpd %ymm15, %ymm1, %ymm2
  EXPECT_EQ(encoded([&](Assembler& a) { a.vex({1, 1, 0, 0x57}, k256, 2, 1, of(15)); }),
            (Bytes{0xc4, 0xc1, 0x75, 0x57, 0xd7}));
  // vblendvpd %ymm11, %ymm10, %ymm9, %ymm8
  EXPECT_EQ(encoded([&](Assembler& a) { a.vex({3, 1, 0, 0x4b}, k256, 8, 9, of(10), 11 << 4); }),
            (Bytes{0xc4, 0x43, 0x35, 0x4b, 0xc2, 0xb0}));
  // vpcmpgtq %ymm1, %ymm14, %ymm13
  EXPECT_EQ(encoded([&](Assembler& a) { a.vex({2, 1, 0, 0x37}, k256, 13, 14, of(1)); }),
            (Bytes{0xc4, 0x62, 0x0d, 0x37, 0xe9}));
  // vpsubd %zmm17, %zmm20, %zmm20{%k3}
  EXPECT_EQ(encoded([&](Assembler& a) { a.evex({1, 1, 0, 0xfa}, k512, 20, 20, of(17), -1, 3); }),
            (Bytes{0x62, 0xa1, 0x5d, 0x43, 0xfa, 0xe1}));
  // vpternlogd $0xff, %zmm19, %zmm19, %zmm19
  EXPECT_EQ(encoded([&](Assembler& a) { a.evex({3, 1, 0, 0x25}, k512, 19, 19, of(19), 0xff); }),
            (Bytes{0x62, 0xa3, 0x65, 0x40, 0x25, 0xdb, 0xff}));
  // {vex3} kandw %k3, %k2, %k1
  EXPECT_EQ(encoded([&](Assembler& a) { a.vex({1, 0, 0, 0x41}, k256, 1, 2, of(3)); }),
            (Bytes{0xc4, 0xe1, 0x6c, 0x41, 0xcb}));
  // {vex3} knotw %k5, %k4
  EXPECT_EQ(encoded([&](Assembler& a) { a.vex({1, 0, 0, 0x44}, k128, 4, 0, of(5)); }),
            (Bytes{0xc4, 0xe1, 0x78, 0x44, 0xe5}));
}

TEST(Assembler, InstructionsOverMemoryAreThoseOfAnAssembler) {
  using R = RegisterOrMemory;
  // vmovupd 0x40000(%r13,%rax,8), %zmm21
  EXPECT_EQ(encoded([](Assembler& a) { a.evex({1, 1, 1, 0x10}, k512, 21, 0, R::at(r13, rax, 3, 0x40000)); }),
            (Bytes{0x62, 0xc1, 0xfd, 0x48, 0x10, 0xac, 0xc5, 0x00, 0x00, 0x04, 0x00}));
  // {disp32} vmovdqu8 %xmm16, 0x10(%r8,%rax,1)
  EXPECT_EQ(encoded([](Assembler& a) { a.evex({1, 3, 0, 0x7f}, k128, 16, 0, R::at(r8, rax, 0, 0x10)); }),
            (Bytes{0x62, 0xc1, 0x7f, 0x08, 0x7f, 0x84, 0x00, 0x10, 0x00, 0x00, 0x00}));
  // {vex3} {disp32} vmovups %ymm9, 0x20(%rbp,%rax,4)
  EXPECT_EQ(encoded([](Assembler& a) { a.vex({1, 0, 0, 0x11}, k256, 9, 0, R::at(rbp, rax, 2, 0x20)); }),
            (Bytes{0xc4, 0x61, 0x7c, 0x11, 0x8c, 0x85, 0x20, 0x00, 0x00, 0x00}));
  // prefetcht0 0x800(%r13,%rax,8)
  EXPECT_EQ(encoded([](Assembler& a) { a.prefetch(R::at(r13, rax, 3, 0x800)); }),
            (Bytes{0x41, 0x0f, 0x18, 0x8c, 0xc5, 0x00, 0x08, 0x00, 0x00}));
  // {vex3} {disp32} kmovw %k3, 0x40(%rsp)
  EXPECT_EQ(encoded([](Assembler& a) { a.vex({1, 0, 0, 0x91}, k128, 3, 0, R::at(rsp, 0x40)); }),
            (Bytes{0xc4, 0xe1, 0x78, 0x91, 0x9c, 0x24, 0x40, 0x00, 0x00, 0x00}));
}

TEST(Assembler, GeneralInstructionsAreThoseOfAnAssembler) {
  EXPECT_EQ(encoded([](Assembler& a) { a.push(r12); }), (Bytes{0x41, 0x54}));
  EXPECT_EQ(encoded([](Assembler& a) { a.pop(rbx); }), (Bytes{0x5b}));
  EXPECT_EQ(encoded([](Assembler& a) { a.zero(rax); }), (Bytes{0x48, 0x31, 0xc0}));
  EXPECT_EQ(encoded([](Assembler& a) { a.compare(rax, rdx); }), (Bytes{0x48, 0x39, 0xd0}));
  EXPECT_EQ(encoded([](Assembler& a) { a.vzeroupper(), a.ret(); }), (Bytes{0xc5, 0xf8, 0x77, 0xc3}));
}

// --- sequences

using Kind = InstructionSequence::Value::Kind;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
constexpr double kOdd[] = {0.0, -0.0, 1.5, -2.25, kNaN, kInfinity, -kInfinity, 5e-324, -1e-310, 1e308};

// Memory between inaccessible pages; its `n` bytes end (or begin) at one of them.
class Guarded {
 public:
  Guarded(size_t n, bool at_end) : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    inside_ = (n + page_) / page_ * page_;
    pages_ = static_cast<char*>(mmap(nullptr, inside_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(pages_ + page_, inside_, PROT_READ | PROT_WRITE);
    data_ = pages_ + page_ + (at_end ? inside_ - n : 0);
  }
  ~Guarded() { munmap(pages_, inside_ + 2 * page_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  char* data() const { return data_; }

 private:
  size_t page_, inside_;
  char *pages_, *data_;
};

// max(x * 2 + y, y) where x < y, else -x; and x < y.
InstructionSequence example() {
  InstructionSequence c;
  auto value = [&](Kind kind, ScalarType t, int memory = -1) {
    c.values.push_back({kind, t, static_cast<int16_t>(memory)});
    return static_cast<int16_t>(c.values.size() - 1);
  };
  constexpr auto F = ScalarType::Float64;
  const auto x = value(Kind::Memory, F, 0), y = value(Kind::Memory, F, 1), two = value(Kind::Number, F),
             product = value(Kind::Result, F), sum = value(Kind::Result, F), larger = value(Kind::Result, F),
             less = value(Kind::Result, ScalarType::Bool, 3), negative = value(Kind::Result, F),
             chosen = value(Kind::Result, F, 2);
  c.instructions = {
      {Operation::Multiply, 2, product, {two, x, 0}}, {Operation::Add, 2, sum, {product, y, 0}},
      {Operation::Maximum, 2, larger, {sum, y, 0}},   {Operation::Less, 2, less, {x, y, 0}},
      {Operation::Negative, 1, negative, {x, 0, 0}},  {Operation::Where, 3, chosen, {less, larger, negative}}};
  c.num_memories = 4;
  return c;
}

class MachineCodeOfLengths : public testing::TestWithParam<bool> {};

TEST_P(MachineCodeOfLengths, ComputesEachAndTouchesNothingBeyond) {
  InstructionSequence sequence = example();
  for (InstructionSequence::Value& v : sequence.values) v.is_far = GetParam() && v.kind == Kind::Memory;
  const auto code = machine_code(sequence);
  if (!code) GTEST_SKIP() << "no machine code on this processor";
  const double two = 2;
  const char* const values[] = {reinterpret_cast<const char*>(&two)};
  const MachineCode::Numbers numbers = code->numbers(values);
  for (size_t n = 0; n <= 130; ++n) {
    for (bool at_end : {false, true}) {
      const Guarded x(8 * n, at_end), y(8 * n, at_end), z(8 * n, at_end), less(n, at_end);
      auto* const xs = reinterpret_cast<double*>(x.data());
      auto* const ys = reinterpret_cast<double*>(y.data());
      for (size_t i = 0; i < n; ++i) xs[i] = kOdd[i % 10], ys[i] = kOdd[i / 10 % 10];
      char* const memories[] = {x.data(), y.data(), z.data(), less.data()};
      code->run(memories, numbers.data, static_cast<int64_t>(n));
      for (size_t i = 0; i < n; ++i) {
        const double sum = xs[i] * 2 + ys[i];
        const double larger = ys[i] < sum || std::isnan(sum) ? sum : ys[i];
        const double expected = xs[i] < ys[i] ? larger : -xs[i];
        EXPECT_EQ(std::bit_cast<uint64_t>(expected),
                  std::bit_cast<uint64_t>(reinterpret_cast<const double*>(z.data())[i]));
        EXPECT_EQ(less.data()[i], static_cast<char>(xs[i] < ys[i]));
      }
    }
  }
}

// Prefetching of distant memory shows in the time only, so the results must be the same.
INSTANTIATE_TEST_SUITE_P(Far, MachineCodeOfLengths, testing::Values(false, true));

// Of not ((x < y) or (y < 0.5)), and of x < y, one is counted, and the other is written or unused.
TEST(MachineCode, CountsTruthValuesInsteadOfWritingThem) {
  constexpr auto B = ScalarType::Bool;
  for (auto capability : {CpuCapability::AVX2, CpuCapability::AVX512}) {
    if (capability > cpu_capability()) continue;
    for (auto t : {ScalarType::Float32, ScalarType::Float64}) {
      for (bool first : {false, true}) {
        InstructionSequence c;
        c.values = {{Kind::Memory, t, 0}, {Kind::Memory, t, 1}, {Kind::Number, t},   {Kind::Result, B, 2},
                    {Kind::Result, B},    {Kind::Result, B},    {Kind::Result, B, 3}};
        c.instructions = {{Operation::Less, 2, 3, {0, 1, 0}},
                          {Operation::Less, 2, 4, {1, 2, 0}},
                          {Operation::Or, 2, 5, {3, 4, 0}},
                          {Operation::Not, 1, 6, {5, 0, 0}}};
        c.num_memories = 4;
        c.counted = first ? 2 : 3;
        const MachineCode code(c, generate_code(c, capability));
        ASSERT_TRUE(code.is_there());
        visit<TypeList<float, double>>(t, [&]<class T>() {
          const auto half = static_cast<T>(0.5);
          const char* const values[] = {reinterpret_cast<const char*>(&half)};
          const MachineCode::Numbers numbers = code.numbers(values);
          for (int64_t n = 0; n <= 20 * code.iteration_elements(); n += code.iteration_elements()) {
            const auto size = static_cast<size_t>(n);
            std::vector<T> x(size), y(size);
            for (size_t i = 0; i < size; ++i) {
              x[i] = static_cast<T>(kOdd[i % 10]);
              y[i] = static_cast<T>(kOdd[i / 7 % 10]);
            }
            std::vector<char> less(size + 1, 7), neither(size + 1, 7);
            char* const memories[] = {reinterpret_cast<char*>(x.data()), reinterpret_cast<char*>(y.data()), less.data(),
                                      neither.data()};
            int64_t expected = 0;
            for (size_t i = 0; i < size; ++i) expected += first ? x[i] < y[i] : !(x[i] < y[i] || y[i] < half);
            EXPECT_EQ(code.count(memories, numbers.data, n), expected);
            for (size_t i = 0; i < size; ++i) {
              EXPECT_EQ(less[i], first ? 7 : x[i] < y[i]);
              EXPECT_EQ(neither[i], first ? !(x[i] < y[i] || y[i] < half) : 7);
            }
            EXPECT_EQ(less[size], 7);
            EXPECT_EQ(neither[size], 7);
          }
        });
      }
    }
  }
}

// More live values than registers: some are spilled to the stack and reloaded.
TEST(MachineCode, SequencesOfMoreValuesThanRegistersAreRight) {
  constexpr int kValues = 60;
  for (auto capability : {CpuCapability::AVX2, CpuCapability::AVX512}) {
    if (capability > cpu_capability()) continue;
    for (auto t : {ScalarType::Float32, ScalarType::Float64}) {
      InstructionSequence c;
      auto result = [&](int memory = -1) {
        c.values.push_back({Kind::Result, t, static_cast<int16_t>(memory)});
        return static_cast<int16_t>(c.values.size() - 1);
      };
      c.values.push_back({Kind::Memory, t, 0});
      std::vector<int16_t> powers = {0};
      for (int i = 1; i < kValues; ++i) {
        powers.push_back(result());
        c.instructions.push_back({Operation::Add, 2, powers.back(), {powers[static_cast<size_t>(i) - 1], 0, 0}});
      }
      int16_t sum = powers.back();
      for (int i = 0; i + 1 < kValues; ++i) {
        const int16_t next = result(i + 2 == kValues ? 1 : -1);
        c.instructions.push_back({Operation::Subtract, 2, next, {powers[static_cast<size_t>(i)], sum, 0}});
        sum = next;
      }
      c.num_memories = 2;
      const MachineCode code(c, generate_code(c, capability));
      ASSERT_TRUE(code.is_there());
      visit<TypeList<float, double>>(t, [&]<class T>() {
        T x[100], y[100];
        for (int i = 0; i < 100; ++i) x[i] = static_cast<T>(i - 50);
        char* const memories[] = {reinterpret_cast<char*>(x), reinterpret_cast<char*>(y)};
        code.run(memories, code.numbers({}).data, 100);
        for (int i = 0; i < 100; ++i) {
          T expected = x[i] * kValues;
          for (int k = 1; k < kValues; ++k) expected = x[i] * static_cast<T>(k) - expected;
          EXPECT_EQ(y[i], expected);  // whole numbers: exact
        }
      });
    }
  }
}

TEST(MachineCode, ResultsMayTakeThePlaceOfWhatWasRead) {
  InstructionSequence c;
  constexpr auto F = ScalarType::Float32;
  c.values = {{Kind::Memory, F, 0}, {Kind::Number, F}, {Kind::Result, F}, {Kind::Result, F, 0}};
  c.instructions = {{Operation::Subtract, 2, 2, {1, 0, 0}}, {Operation::Divide, 2, 3, {2, 0, 0}}};
  c.num_memories = 1;
  const auto code = machine_code(c);
  if (!code) GTEST_SKIP() << "no machine code on this processor";
  const float one = 1;
  const char* const values[] = {reinterpret_cast<const char*>(&one)};
  const MachineCode::Numbers numbers = code->numbers(values);
  for (int n = 1; n <= 200; ++n) {
    std::vector<float> x;
    for (int i = 0; i < n; ++i) x.push_back(static_cast<float>(i) - 3.5f);
    char* const memories[] = {reinterpret_cast<char*>(x.data())};
    code->run(memories, numbers.data, n);
    for (int i = 0; i < n; ++i) {
      const float before = static_cast<float>(i) - 3.5f;
      EXPECT_EQ(x[static_cast<size_t>(i)], (1 - before) / before);
    }
  }
}

TEST(MachineCode, TheSameSequenceIsMadeOnce) {
  if (!machine_code(example())) GTEST_SKIP() << "no machine code on this processor";
  const MachineCodeStatistics before = machine_code_statistics();
  const auto first = machine_code(example()), second = machine_code(example());
  EXPECT_EQ(first, second);
  EXPECT_EQ(machine_code_statistics().made, before.made);
  EXPECT_EQ(machine_code_statistics().found, before.found + 2);
}

TEST(MachineCode, IsNotWritable) {
  const ExecutableMemory pages(std::vector<uint8_t>{0xc3});
  ASSERT_NE(pages.data(), nullptr);
  std::ifstream maps("/proc/self/maps");
  bool is_found = false;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t first = 0, last = 0;
    char may[5] = {};
    ASSERT_EQ(std::sscanf(line.c_str(), "%lx-%lx %4s", &first, &last, may), 3);
    const auto at = reinterpret_cast<uintptr_t>(pages.data());
    if (at < first || at >= last) continue;
    is_found = true;
    EXPECT_STREQ(may, "r-xp");
  }
  EXPECT_TRUE(is_found);
}

// --- regions of block programs as machine code

template <double (*f)(double, double)>
void loop_of(char* const* data, const int64_t* strides, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<double*>(data[0] + i * strides[0]) =
        f(*reinterpret_cast<double*>(data[1] + i * strides[1]), *reinterpret_cast<double*>(data[2] + i * strides[2]));
}
constexpr Loop kAdd = loop_of<[](double a, double b) { return a + b; }>;
constexpr Loop kMultiply = loop_of<[](double a, double b) { return a * b; }>;
constexpr Loop kDivide = loop_of<[](double a, double b) { return a / b; }>;
constexpr ScalarType kDouble = ScalarType::Float64;

int add_call(BlockProgram& p, Loop loop, int out, int a, int b, const char* watched = nullptr) {
  const int in[] = {a, b};
  p.add_call({loop, loop == kAdd ? "add" : loop == kMultiply ? "mul" : "div", watched, 0.3}, out, in);
  return out;
}

// Runs the program that `make` plans on separate memories with `run`, with machine code and
// without.
void expect_same(const std::function<void(BlockProgram&)>& make, const DimVector& sizes,
                 const std::function<void(const BlockPlan&, std::vector<double>&)>& run) {
  if (!has_machine_code()) GTEST_SKIP() << "no machine code on this processor";
  std::vector<double> results[2];
  for (bool is_on : {false, true}) {
    set_machine_code(is_on);
    const MachineCodeStatistics before = machine_code_statistics();
    BlockProgram p(sizes);
    make(p);
    const BlockPlan plan(p, true);
    const MachineCodeStatistics after = machine_code_statistics();
    EXPECT_EQ(after.made + after.found > before.made + before.found, is_on);
    results[is_on].resize(4096);
    for (size_t i = 0; i < 4096; ++i) results[is_on][i] = static_cast<double>(i % 97) - 31.5;
    run(plan, results[is_on]);
  }
  set_machine_code(true);
  EXPECT_EQ(results[0], results[1]);
}

char* at(std::vector<double>& v, size_t i) { return reinterpret_cast<char*>(v.data() + i); }

TEST(CompiledRegions, SeeWhatEarlierCallsWroteToTheSameMemory) {
  // y = x * x; z = x + y: where y and x share memory, the second call reads y twice
  const auto make = [](BlockProgram& p) {
    const int x = p.add_memory(kDouble), y = p.add_memory(kDouble), z = p.add_memory(kDouble);
    add_call(p, kMultiply, y, x, x);
    add_call(p, kAdd, z, x, y);
  };
  for (int64_t n : {1, 5, 64, 701}) {
    for (size_t second : {size_t{0}, size_t{1024}}) {
      expect_same(make, {n}, [&](const BlockPlan& p, std::vector<double>& v) {
        char* const memories[] = {at(v, 0), at(v, second), at(v, 2048)};
        p.run(memories);
      });
    }
  }
}

TEST(CompiledRegions, LeaveAloneMemoryThatIsReadAndWritten) {
  const auto make = [](BlockProgram& p) {
    const int x = p.add_memory(kDouble), y = p.add_memory(kDouble), r = p.add_register(kDouble),
              s = p.add_register(kDouble);
    add_call(p, kAdd, r, x, y);
    add_call(p, kMultiply, s, r, r);
    add_call(p, kAdd, x, s, x);
    add_call(p, kMultiply, x, x, y);
    add_call(p, kAdd, y, x, r);
  };
  expect_same(make, {700}, [](const BlockPlan& p, std::vector<double>& v) {
    char* const memories[] = {at(v, 0), at(v, 1024)};
    p.run(memories);
  });
}

TEST(CompiledRegions, MemoryOfAnyStrides) {
  for (const auto& [rows, columns] : {std::pair{6, 70}, std::pair{2, 600}}) {
    const DimVector sizes = {rows, columns};
    for (const DimVector& strides : {DimVector{8 * 640, 8}, DimVector{0, 8}, DimVector{8, 0}, DimVector{8 * 640, -8}}) {
      for (bool is_result_dense : {false, true}) {
        const auto make = [&](BlockProgram& p) {
          const int x = p.add_memory(kDouble, strides), y = p.add_memory(kDouble), r = p.add_register(kDouble),
                    z = is_result_dense ? p.add_memory(kDouble) : p.add_memory(kDouble, {8 * 640, 8});
          add_call(p, kMultiply, r, x, y);
          add_call(p, kAdd, z, r, x);
        };
        expect_same(make, sizes, [&](const BlockPlan& p, std::vector<double>& v) {
          std::vector<double> y(v.begin(), v.begin() + 1300), z(4096);
          char* const memories[] = {at(v, strides[1] < 0 ? 639 : 0), at(y, 0), at(z, 0)};
          p.run(memories);
          std::copy(z.begin(), z.end(), v.begin());
        });
      }
    }
  }
}

TEST(CompiledRegions, ErrorsBelongToTheCallThatMetThem) {
  BlockProgram p({1000});
  const int x = p.add_memory(kDouble), y = p.add_memory(kDouble), r = p.add_register(kDouble),
            z = p.add_memory(kDouble);
  add_call(p, kAdd, r, x, x, "add");
  add_call(p, kDivide, z, r, y, "divide");
  const BlockPlan plan(p, true);
  std::vector<double> a(1000, 1.0), b(1000, 2.0), c(1000);
  char* const memories[] = {at(a, 0), at(b, 0), at(c, 0)};
  std::atomic<uint8_t> errors[2] = {};
  plan.run(memories, errors);
  EXPECT_EQ(errors[0] | errors[1], 0);
  b[777] = 0;
  plan.run(memories, errors);
  EXPECT_EQ(errors[0], 0);
  EXPECT_EQ(errors[1], kDivideByZero);
  EXPECT_EQ(c[777], kInfinity);
  // In place, too: the machine code would overwrite operands that the calls need when they run
  // again.
  errors[1] = 0;
  char* const in_place[] = {at(a, 0), at(b, 0), at(b, 0)};
  plan.run(in_place, errors);
  EXPECT_EQ(errors[0], 0);
  EXPECT_EQ(errors[1], kDivideByZero);
  EXPECT_EQ(b[777], kInfinity);
  EXPECT_EQ(b[0], 1.0);
}

}  // namespace
