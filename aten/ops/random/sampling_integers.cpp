// Random integers and permutations of the torch-style face. Note [PyTorch's stream] in
// sampling.cpp.
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "aten/core/errors/pending_warnings.h"
#include "aten/core/numbers/range.h"

#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/sampling.h"
#include "aten/native_functions/random.h"
#include "aten/native_functions/sampling.h"
#include "aten/ops/random/random_drawing.h"
#include "aten/ops/random/sampling.h"
#include "aten/ops/with_grad.h"
#include "aten/random/torch_stream.h"

namespace tnp::native {

namespace {

using random::TorchStream;
constexpr int64_t kBlock = 624;

// The remainder of 32-bit numbers by a constant from 1 to 2^32. Source: Lemire, Kaser and Kurz,
// Softw. Pract. Exp. 49 (2019) 953-970.
class Remainder {
 public:
  explicit Remainder(uint64_t divisor) : divisor_(divisor), inverse_(~uint64_t{0} / divisor + 1) {}
  uint32_t of(uint32_t x) const {
    return divisor_ == 1 ? 0 : static_cast<uint32_t>((static_cast<uint128>(inverse_ * x) * divisor_) >> 64);
  }

 private:
  uint64_t divisor_, inverse_;
};

// Fills with integers from `low` to `low` + `range` - 1; a range of 0 means all of 64 bits. If
// `wide` is set, two 32-bit words are drawn for each number. Otherwise one word is drawn, and
// `range` must be at most 2^32. PyTorch draws two words for ranges of 2^28 and more; probabilities
// then differ by at most 5 %.
void fill_range(TorchStream& stream, int64_t* out, int64_t n, int64_t low, uint64_t range, bool wide) {
  uint32_t words[2 * kBlock];
  const Remainder remainder(wide ? 1 : range);
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

// Fills `self` with integers from `range`, drawn by a generator that has NumPy's algorithms.
Tensor drawn_as_numpys(const Tensor& self, const Range& range, Generator& g) {
  const bool is_uint64 = self.dtype() == ScalarType::UInt64;
  const ScalarType dtype = is_uint64 ? ScalarType::UInt64 : ScalarType::Int64;
  const uint64_t last = static_cast<uint64_t>(range.low) + range.count - 1;
  Scalar ends[] = {range.low, static_cast<int64_t>(last)};
  if (is_uint64)
    ends[1] = last;
  else if (range.count == 0)
    ends[0] = INT64_MIN, ends[1] = INT64_MAX;
  return native::random_integers(scalar_tensor(ends[0], dtype), scalar_tensor(ends[1], dtype), self.sizes(), dtype,
                                 self.device(), &g);
}

void fill_integers(const Tensor& self, const Range& range, Generator* generator) {
  check_writeable(self, "assignment destination");
  TNP_CHECK(!self.is_complex(), ErrorKind::NotImplemented, "is not implemented for {self} of ", self.dtype());
  if (self.device().is_meta() || self.numel() == 0) return;
  Generator& g = generator ? *generator : default_torch_generator(self.device());
  if (!g.torch) {
    copy_into(self, drawn_as_numpys(self, range, g));
    self.bump_version();
    return;
  }
  Drawing drawing(&g, self.numel(), self.device(), true);
  TorchStream stream(g);
  const Tensor to = in_memory_order(self);
  const HostDraw drawn(to, ScalarType::Int64);
  fill_range(stream, drawn.tensor().data_ptr<int64_t>(), to.numel(), range.low, range.count, range.wide);
  drawn.publish();
  self.bump_version();
}

// The largest integer of a dtype. For a floating dtype, the largest n for which all integers from 0
// to n are representable.
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

// The caller's names of the ends of a range, for messages.
struct Ends {
  const char *from, *to;
};
constexpr Ends kOfFill{"from", "to"}, kOfRandint{"low", "high"};

// Raises an error unless the dtype of `self` can represent `value`. For the message: `value` is the
// argument {name}, or {name} - 1 if `minus` says so.
void check_holds(const Tensor& self, int64_t value, const char* name, const char* minus = "") {
  visit<RealTypes>(self.dtype(), [&]<class T>() {
    bool holds = false;
    Scalar least = 0, most = 1;
    if constexpr (std::is_same_v<T, bool>) {
      holds = value == 0 || value == 1;
    } else if constexpr (std::is_integral_v<T>) {
      holds = std::in_range<T>(value);
      least = static_cast<int64_t>(std::numeric_limits<T>::min());
      most = static_cast<uint64_t>(std::numeric_limits<T>::max());
    } else {
      const double x = static_cast<double>(value), end = largest_finite(self.dtype());
      holds = x >= -end && x <= end;
      least = -end, most = end;
    }
    TNP_CHECK(holds, ErrorKind::Dtype, "{", name, "}", minus, " is out of bounds for ", self.dtype(), ": it is ", value,
              ", but the dtype holds ", least, " to ", most);
  });
}

int digits_of(ScalarType floating) { return std::countr_zero(largest(floating)); }

// `x` rounded to the floating `dtype`.
double rounded(ScalarType dtype, int64_t x) {
  double result = 0;
  visit<FloatingTypes>(dtype, [&]<class T>() {
    if constexpr (is_reduced_float_v<T>)
      result = static_cast<double>(static_cast<float>(T(static_cast<float>(x))));
    else
      result = static_cast<double>(static_cast<T>(x));
  });
  return result;
}

// The distance between neighbouring floats near the integer `x`, for a mantissa of `digits` bits.
double spacing(int digits, int64_t x) {
  const uint64_t size = x < 0 ? uint64_t{0} - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  return std::ldexp(1.0, static_cast<int>(std::bit_width(size)) - digits);
}

constexpr double kEnd = 0x1p63;  // one more than the largest int64

// For floating dtypes, which cannot represent every integer beyond 2^digits. Like PyTorch, moves
// the ends of such a range inward, so that no drawn number is rounded to `to`.
int64_t moved_from(ScalarType dtype, int64_t from) {
  const double above = rounded(dtype, from + 1);
  if (above >= static_cast<double>(from)) return from;
  const double moved = above + spacing(digits_of(dtype), from + 1);
  return moved >= kEnd ? INT64_MAX : static_cast<int64_t>(moved);
}
int64_t moved_to(ScalarType dtype, int64_t to) {
  const double below = rounded(dtype, to - 1);
  if (below < kEnd && static_cast<int64_t>(below) < to) return to;
  return static_cast<int64_t>(below - spacing(digits_of(dtype), to - 1));
}

// The integers of the half-open range [from, to).
Range range_between(const Tensor& self, int64_t from, int64_t to, const Ends& ends) {
  TNP_CHECK(from < to, ErrorKind::Dtype, "{", ends.from, "} must be less than {", ends.to,
            "}: random_ expects 'from' to be less than 'to', but got from=", from, " >= to=", to);
  check_holds(self, from, ends.from);
  check_holds(self, to - 1, ends.to, " - 1");
  if (is_floating(self.dtype())) {
    const int64_t first = moved_from(self.dtype(), from), end = moved_to(self.dtype(), to);
    TNP_CHECK(first < end, ErrorKind::Dtype, "{", ends.from, "} = ", from, " and {", ends.to, "} = ", to,
              " have no integer between them that ", self.dtype(), " holds");
    from = first, to = end;
  }
  const uint64_t count = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  return {from, count, count >= uint64_t{1} << 28};
}

// The integers from `from` to the largest integer of the dtype. For floating dtypes the last
// integer is 2^digits.
Range range_from(const Tensor& self, int64_t from) {
  const ScalarType dtype = self.dtype();
  check_holds(self, from, "from");
  if (from == INT64_MIN) return {0, 0, true};  // all 64-bit integers, as in PyTorch
  const uint64_t last = largest(dtype);
  if (is_floating(dtype)) {
    TNP_CHECK(from < static_cast<int64_t>(last), ErrorKind::Dtype, "{from} must be less than ", last, ", up to which ",
              dtype, " holds every integer, but got ", from);
    from = moved_from(dtype, from);
  }
  const uint64_t count = last - static_cast<uint64_t>(from) + 1;
  return {from, count, count == 0 || count >= uint64_t{1} << 28};
}

// PyTorch's warning for a bound beyond which the dtype does not hold every integer.
void warn_of_rounding(ScalarType dtype, int64_t bound, const char* what) {
  const int digits = digits_of(dtype);
  if (digits >= 63 || (bound >= -(int64_t{1} << digits) && bound <= int64_t{1} << digits)) return;
  const std::string power = "2^" + std::to_string(digits);
  std::string text =
      std::string(what) + " is out of bounds [-(" + power + "), " + power + "]. Due to precision limitations ";
  append(text, dtype);
  warn_caller(text + " can support discrete uniform distribution only within this range.");
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
  const Range range = to ? range_between(self, from, *to, kOfFill) : range_from(self, from);
  if (to && is_floating(self.dtype())) {
    warn_of_rounding(self.dtype(), from, "from");
    warn_of_rounding(self.dtype(), *to - 1, "to - 1");
  }
  fill_integers(self, range, generator);
  return self;
}

namespace {

Tensor filled_between(const Tensor& out, int64_t low, int64_t high, bool requires_grad, Generator* generator) {
  TNP_CHECK(!out.is_complex(), ErrorKind::NotImplemented, "is not implemented for {dtype} ", out.dtype());
  fill_integers(out, range_between(out, low, high, kOfRandint), generator);
  return with_grad(as_new(out), requires_grad);
}

}  // namespace

Tensor randint_low(int64_t low, int64_t high, IntList size, std::optional<ScalarType> dtype,
                   std::optional<Device> device, bool requires_grad, Generator* generator) {
  const Tensor out = empty_tensor(size, dtype.value_or(ScalarType::Int64), result_device(device));
  return filled_between(out, low, high, requires_grad, generator);
}

Tensor randint(int64_t high, IntList size, std::optional<ScalarType> dtype, std::optional<Device> device,
               bool requires_grad, Generator* generator) {
  return native::randint_low(0, high, size, dtype, device, requires_grad, generator);
}

Tensor randint_like_low_dtype(const Tensor& input, int64_t low, int64_t high, std::optional<ScalarType> dtype,
                              std::optional<Device> device, bool requires_grad, Order order, Generator* generator,
                              std::optional<std::string_view> memory_format) {
  const Tensor out = tnp::empty_like(input, dtype, device, false, order, std::nullopt, memory_format);
  return filled_between(out, low, high, requires_grad, generator);
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
    // int32 needs half the memory
    drawn = empty_tensor({n}, n <= INT32_MAX ? ScalarType::Int32 : ScalarType::Int64);
    visit<TypeList<int32_t, int64_t>>(drawn.dtype(), [&]<class T>() {
      T* data = drawn.data_ptr<T>();
      std::iota(data, data + n, T(0));
      shuffle(stream, data, n);
    });
    drawn = on_device(drawn, to);
  } else {
    drawn = native::random_permutation(n, std::nullopt, to, &g);
  }
  return with_grad(drawn.dtype() == type ? drawn : native::cast(drawn, type, Order::C), requires_grad);
}

}  // namespace tnp::native
