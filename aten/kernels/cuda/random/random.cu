// Base distributions of floating-point numbers, drawn on the device from a Philox stream. See Note
// [Random numbers on devices].
#include <bit>
#include <cstring>
#include <mutex>

#include "aten/iterator/copy.h"
#include "aten/kernel_functions/random.h"
#include "aten/kernels/cuda/random/philox_units.h"
#include "aten/kernels/cuda/random/rejection.h"
#include "aten/kernels/pointwise.h"
#include "aten/random/attempts.h"
#include "aten/random/base_draws.h"

namespace tnp {

namespace gpu {
namespace {

using random::Base;

// Functions that map a uniform number to a number of a distribution.
struct Itself {
  template <class T>
  TNP_HOST_DEVICE T operator()(T u) const {
    return u;
  }
};
struct MinusLog {
  TNP_HOST_DEVICE double operator()(double u) const { return -std::log(1.0 - u); }
};
struct MinusLog1p {
  template <class T>
  TNP_HOST_DEVICE T operator()(T u) const {
    return random::minus_log1p(u);
  }
};

// out[i] = x, or offset + scale * x.
template <class T>
struct Scaled {
  T* out;
  T offset, scale;
  bool plain;
  TNP_HOST_DEVICE void operator()(int64_t i, T x) const { out[i] = plain ? x : offset + scale * x; }
};

template <class T, class Function>
struct OfUniform {
  Scaled<T> write;
  TNP_HOST_DEVICE void operator()(int64_t i, uint64_t bits) const { write(i, Function()(to_double(bits))); }
  TNP_HOST_DEVICE void operator()(int64_t i, uint32_t bits) const { write(i, Function()(to_float(bits))); }
};

template <class T>
using unit_t = std::conditional_t<std::is_same_v<T, double>, uint64_t, uint32_t>;

template <class Function, class T>
void draw_uniform(Generator& g, const Scaled<T>& write, int64_t n, Device device) {
  write_units<unit_t<T>>(g, n, OfUniform<T, Function>{write}, device);
}

// The ziggurat tables of a device. The tables are never freed, because they may be used during
// shutdown.
const Ziggurat* ziggurat_on(Device device) {
  static auto* tables = new Tensor[128];
  static auto* mutex = new std::mutex;
  Tensor& table = tables[device.index];
  {
    std::lock_guard lock(*mutex);
    if (table.defined()) return reinterpret_cast<const Ziggurat*>(table.address());
  }
  // The copy waits for the GPU and lets other threads run, so the mutex is not held during the
  // copy. If two threads copy, the second table is discarded.
  const Tensor host = empty_tensor({static_cast<int64_t>(sizeof(Ziggurat))}, ScalarType::UInt8);
  std::memcpy(host.data_ptr<uint8_t>(), &ziggurat(), sizeof(Ziggurat));
  const Tensor made = empty_tensor(host.sizes(), host.dtype(), device);
  copy_across(made, host, false);
  std::lock_guard lock(*mutex);
  if (!table.defined()) table = made;
  return reinterpret_cast<const Ziggurat*>(table.address());
}

template <class T, bool kNormal>
struct ZigguratAttempts {
  using Unit = unit_t<T>;
  using Value = T;
  static constexpr int kUnitsPerPlace = 1, kPlacesPerUnit = 1, kNumbers = 1, kBefore = kLookBack;
  static constexpr bool kVariable = true;
  const ZigguratTable<T, Unit>* table;
  Scaled<T> write;
  TNP_HOST_DEVICE bool attempt(UnitReader<Unit>& bits, int64_t, T& x) const {
    if constexpr (kNormal)
      return random::try_normal(bits, *table, x);
    else
      return random::try_exponential(bits, *table, x);
  }
  TNP_HOST_DEVICE void store(int64_t i, T x) const { write(i, x); }
};

template <bool kNormal, class T>
bool draw_ziggurat(Generator& g, const Scaled<T>& write, int64_t n, Device device) {
  const Ziggurat* z = ziggurat_on(device);
  const ZigguratTable<T, unit_t<T>>* table = nullptr;  // a device address, not dereferenced here
  if constexpr (std::is_same_v<T, double>)
    table = kNormal ? &z->normal : &z->exponential;
  else
    table = kNormal ? &z->normal_f : &z->exponential_f;
  constexpr double kNumbersPerUnit = kNormal ? 0.978 : 0.967;  // measured ratio
  return draw_by_rejection(g, ZigguratAttempts<T, kNormal>{table, write}, n, kNumbersPerUnit, device);
}

// Marsaglia's polar method, two numbers at a time.
struct PolarAttempts {
  using Unit = uint64_t;
  struct Value {
    double first, second;
  };
  static constexpr int kUnitsPerPlace = 2, kPlacesPerUnit = 1, kNumbers = 2, kBefore = 0;
  static constexpr bool kVariable = false;
  Scaled<double> write;
  int64_t n;
  TNP_HOST_DEVICE bool attempt(UnitReader<Unit>& bits, int64_t, Value& value) const {
    return random::try_polar(bits, value.first, value.second);
  }
  TNP_HOST_DEVICE void store(int64_t i, Value value) const {
    write(2 * i, value.first);
    if (2 * i + 1 < n) write(2 * i + 1, value.second);
  }
  TNP_HOST_DEVICE static int64_t left_over(Value value) { return std::bit_cast<int64_t>(value.second); }
};

struct WriteOne {
  static constexpr uint32_t kThreads = 32;
  Scaled<double> write;
  double x;
  TNP_HOST_DEVICE void run(Place place) const {
    if (place.thread == 0) write(0, x);
  }
};

bool draw_polar(Generator& g, Scaled<double> write, int64_t n, Device device) {
  const int64_t waiting = n > 0 && g.gauss->is_there ? 1 : 0;
  const double first = g.gauss->value;
  Scaled<double> rest = write;
  rest.out += waiting;
  n -= waiting;
  int64_t left_over = 0;
  if (!draw_by_rejection(g, PolarAttempts{rest, n}, n, 0.785, device, &left_over)) return false;
  if (waiting) {
    launch(WriteOne{write, first}, 1, device);
    *g.gauss = {};
  }
  if (n % 2 != 0) *g.gauss = {1, std::bit_cast<double>(left_over)};
  return true;
}

// Returns false if the CPU has to draw the numbers.
template <class T>
bool draw(Base base, Generator& g, const Scaled<T>& write, int64_t n, Device device) {
  constexpr bool is_double = std::is_same_v<T, double>;  // the legacy methods exist for double only
  switch (base) {
    case Base::Uniform:
      return draw_uniform<Itself>(g, write, n, device), true;
    case Base::ExponentialInverse:
      return draw_uniform<MinusLog1p>(g, write, n, device), true;
    case Base::Exponential:
      if constexpr (is_double) {
        if (g.legacy) return draw_uniform<MinusLog>(g, write, n, device), true;
      }
      return draw_ziggurat<false>(g, write, n, device);
    case Base::Normal:
      if constexpr (is_double) {
        if (g.legacy) return draw_polar(g, write, n, device);
      }
      return draw_ziggurat<true>(g, write, n, device);
  }
  return false;
}

}  // namespace
}  // namespace gpu

bool native::random_fill_cuda(const Tensor& out, Distribution distribution, double offset, double scale,
                              Generator* generator) {
  const random::BaseDraw draw = random::known_base_draw(distribution);
  auto fill = [&]<class T>(T) {
    const gpu::Scaled<T> write{reinterpret_cast<T*>(out.address()), static_cast<T>(offset), static_cast<T>(scale),
                               draw.plain};
    return gpu::draw(draw.base, *generator, write, out.numel(), out.device());
  };
  return out.dtype() == ScalarType::Float32 ? fill(float{}) : fill(double{});
}

}  // namespace tnp
