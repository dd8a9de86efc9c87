// Random integers and permutations of the torch-style face. Note [PyTorch's stream] in
// sampling.cpp.
#include <limits>
#include <numeric>

#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/sampling.h"
#include "aten/native_functions/random.h"
#include "aten/native_functions/sampling.h"
#include "aten/ops/random_drawing.h"
#include "aten/ops/sampling.h"
#include "aten/ops/with_grad.h"
#include "aten/random/torch_stream.h"

namespace tnp::native {

namespace {

using random::TorchStream;
constexpr int64_t kBlock = 624;

// The remainder of 32-bit numbers by a constant. Source: Lemire, Kaser and Kurz, Softw. Pract. Exp.
// 49 (2019) 953-970.
class Remainder {
 public:
  explicit Remainder(uint32_t divisor) : divisor_(divisor), inverse_(~uint64_t{0} / divisor + 1) {}
  uint32_t of(uint32_t x) const {
    return divisor_ == 1 ? 0 : static_cast<uint32_t>((static_cast<uint128>(inverse_ * x) * divisor_) >> 64);
  }

 private:
  uint32_t divisor_;
  uint64_t inverse_;
};

// Fills with integers from `low` to `low` + `range` - 1; a range of 0 means all of 64 bits. For
// ranges of 2^28 and more, each number takes two words, which keeps the numbers uniform to 5 %.
void fill_range(TorchStream& stream, int64_t* out, int64_t n, int64_t low, uint64_t range, bool wide) {
  uint32_t words[2 * kBlock];
  const Remainder remainder(wide || range == 0 ? 1 : static_cast<uint32_t>(range));
  for (int64_t first = 0; first < n; first += kBlock) {
    const int64_t m = std::min(kBlock, n - first);
    stream.fill_words(words, wide ? 2 * m : m);
    for (int64_t i = 0; i < m; ++i) {
      uint64_t value = 0;
      if (wide) {
        value = static_cast<uint64_t>(words[2 * i]) << 32 | words[2 * i + 1];
        if (range != 0) value %= range;
      } else {
        value = remainder.of(words[i]);
      }
      out[first + i] = static_cast<int64_t>(static_cast<uint64_t>(low) + value);
    }
  }
}

struct Range {
  int64_t low;
  uint64_t count;  // 0: 2^64
  bool wide;
};

void fill_integers(const Tensor& self, const Range& range, Generator* generator) {
  check_writeable(self, "assignment destination");
  TNP_CHECK(!self.is_complex(), ErrorKind::NotImplemented, "is not implemented for {self} of ", self.dtype());
  if (self.device().is_meta() || self.numel() == 0) return;
  Generator& g = generator ? *generator : default_torch_generator(self.device());
  if (!g.torch) {
    const auto last = static_cast<int64_t>(static_cast<uint64_t>(range.low) + range.count - 1);
    copy_into(self, native::random_integers(scalar_tensor(range.low, ScalarType::Int64),
                                            scalar_tensor(last, ScalarType::Int64), self.sizes(), ScalarType::Int64,
                                            self.device(), &g));
    self.storage().bump_version();
    return;
  }
  Drawing drawing(&g, self.numel(), self.device(), true);
  TorchStream stream(g);
  const Tensor to = in_memory_order(self);
  const bool in_place = to.is_contiguous() && self.dtype() == ScalarType::Int64 && self.device().is_cpu();
  const Tensor drawn = in_place ? to : empty_tensor(to.sizes(), ScalarType::Int64);
  fill_range(stream, drawn.data_ptr<int64_t>(), drawn.numel(), range.low, range.count, range.wide);
  if (!in_place) copy_into(to, on_device(drawn, self.device()));
  self.storage().bump_version();
}

// The largest integer of a dtype. For floats: the largest up to which all integers are
// representable.
uint64_t largest(ScalarType dtype) {
  uint64_t value = 0;
  visit<RealTypes>(dtype, [&]<class T>() {
    if constexpr (std::is_same_v<T, Half>)
      value = 1u << 11;
    else if constexpr (std::is_same_v<T, BFloat16>)
      value = 1u << 8;
    else if constexpr (std::is_floating_point_v<T>)
      value = uint64_t{1} << std::numeric_limits<T>::digits;
    else
      value = static_cast<uint64_t>(std::numeric_limits<T>::max());
  });
  return value;
}

void check_holds(const Tensor& self, int64_t value, const char* what) {
  if (!is_integral(self.dtype())) return;
  bool holds = true;
  visit<IntegralTypes>(self.dtype(), [&]<class T>() {
    holds = std::is_same_v<T, bool> ? value == 0 || value == 1
                                    : std::in_range<std::conditional_t<std::is_same_v<T, bool>, int, T>>(value);
  });
  TNP_CHECK(holds, ErrorKind::Dtype, what, " is out of bounds for ", self.dtype());
}

void check_range(const Tensor& self, int64_t from, int64_t to) {
  TNP_CHECK(from < to, ErrorKind::Dtype, "random_ expects 'from' to be less than 'to', but got from=", from,
            " >= to=", to);
  check_holds(self, from, "from");
  check_holds(self, to - 1, "to - 1");
}

Range range_of(int64_t from, int64_t to) {
  const uint64_t count = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  return {from, count, count >= uint64_t{1} << 28};
}

}  // namespace

const Tensor& random_(const Tensor& self, Generator* generator) {
  TNP_CHECK(!self.is_complex(), ErrorKind::NotImplemented, "is not implemented for {self} of ", self.dtype());
  const uint64_t last = largest(self.dtype());
  fill_integers(self, {0, last + 1, last >= uint64_t{1} << 32}, generator);
  return self;
}

const Tensor& random__to(const Tensor& self, int64_t to, Generator* generator) {
  return native::random__from(self, 0, to, generator);
}

const Tensor& random__from(const Tensor& self, int64_t from, std::optional<int64_t> to, Generator* generator) {
  TNP_CHECK(!self.is_complex(), ErrorKind::NotImplemented, "is not implemented for {self} of ", self.dtype());
  if (to) {
    check_range(self, from, *to);
    fill_integers(self, range_of(from, *to), generator);
    return self;
  }
  check_holds(self, from, "from");
  const uint64_t last = std::min<uint64_t>(largest(self.dtype()), INT64_MAX),
                 count = last - static_cast<uint64_t>(from) + 1;
  TNP_CHECK(from <= static_cast<int64_t>(last), ErrorKind::Dtype, "random_ expects 'from' to be no more than ", last,
            ", but got from=", from);
  fill_integers(self, {from, count, count == 0 || count >= uint64_t{1} << 28}, generator);
  return self;
}

Tensor randint_low(int64_t low, int64_t high, IntList size, std::optional<ScalarType> dtype,
                   std::optional<Device> device, bool requires_grad, Generator* generator) {
  const Tensor out = empty_tensor(size, dtype.value_or(ScalarType::Int64), result_device(device));
  return with_grad(native::random__from(out, low, high, generator), requires_grad);
}

Tensor randint(int64_t high, IntList size, std::optional<ScalarType> dtype, std::optional<Device> device,
               bool requires_grad, Generator* generator) {
  return native::randint_low(0, high, size, dtype, device, requires_grad, generator);
}

Tensor randint_like_low_dtype(const Tensor& input, int64_t low, int64_t high, std::optional<ScalarType> dtype,
                              std::optional<Device> device, bool requires_grad, Order order, Generator* generator,
                              std::optional<std::string_view> memory_format) {
  const Tensor out = tnp::empty_like(input, dtype, device, false, order, std::nullopt, memory_format);
  return with_grad(native::random__from(out, low, high, generator), requires_grad);
}

Tensor randint_like(const Tensor& input, int64_t high, std::optional<ScalarType> dtype, std::optional<Device> device,
                    bool requires_grad, Order order, Generator* generator,
                    std::optional<std::string_view> memory_format) {
  return native::randint_like_low_dtype(input, 0, high, dtype, device, requires_grad, order, generator, memory_format);
}

namespace {

template <class T>
void shuffle(TorchStream& stream, T* data, int64_t n) {
  constexpr int64_t kAhead = 256;
  uint32_t words[2 * kAhead];
  int64_t targets[kAhead];
  const bool wide = n >= std::numeric_limits<uint32_t>::max() / 20;
  for (int64_t i = 0; i < n - 1;) {
    const int64_t m = std::min(kAhead, n - 1 - i);
    stream.fill_words(words, wide ? 2 * m : m);
    for (int64_t k = 0; k < m; ++k) {
      const auto left = static_cast<uint64_t>(n - i - k);
      const uint64_t drawn = wide ? (static_cast<uint64_t>(words[2 * k]) << 32 | words[2 * k + 1]) % left
                                  : words[k] % static_cast<uint32_t>(left);
      targets[k] = i + k + static_cast<int64_t>(drawn);
      __builtin_prefetch(data + targets[k], 1);
    }
    for (int64_t k = 0; k < m; ++k) std::swap(data[i + k], data[targets[k]]);
    i += m;
  }
}

}  // namespace

Tensor randperm(int64_t n, std::optional<ScalarType> dtype, std::optional<Device> device, bool requires_grad,
                Generator* generator) {
  TNP_CHECK(n >= 0, ErrorKind::Shape, "{n} must be non-negative, got ", n);
  const ScalarType type = dtype.value_or(ScalarType::Int64);
  const Device to = result_device(device);
  if (to.is_meta()) return with_grad(empty_tensor({n}, type, to), requires_grad);
  TNP_CHECK(n == 0 || static_cast<uint64_t>(n - 1) <= largest(type), ErrorKind::Dtype, "{n} = ", n,
            " is too large for ", type);
  Generator& g = generator ? *generator : default_torch_generator(to);
  Tensor drawn;
  if (g.torch) {
    Drawing drawing(&g, n, to, true);
    TorchStream stream(g);
    // int32 halves the memory
    drawn = empty_tensor({n}, n <= INT32_MAX ? ScalarType::Int32 : ScalarType::Int64);
    visit<TypeList<int32_t, int64_t>>(drawn.dtype(), [&]<class T>() {
      T* data = drawn.data_ptr<T>();
      std::iota(data, data + n, T(0));
      shuffle(stream, data, n);
    });
    drawn = on_device(drawn, to);
  } else {
    drawn = native::random_permutation(n, to, &g);
  }
  return with_grad(drawn.dtype() == type ? drawn : native::cast(drawn, type, Order::C), requires_grad);
}

}  // namespace tnp::native
