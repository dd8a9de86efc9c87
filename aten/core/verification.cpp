#include "aten/core/verification.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "aten/core/tensor.h"

namespace tnp {

namespace {

bool is_on_by_default() {
  const char* const text = std::getenv("TORCH_NP_VERIFY");
  return text && std::strcmp(text, "1") == 0;
}

template <class T>
bool is_nan(const T& v) {
  if constexpr (is_complex_v<T>)
    return v.re != v.re || v.im != v.im;
  else if constexpr (is_floating_v<T>)
    return static_cast<accumulate_t<T>>(v) != static_cast<accumulate_t<T>>(v);
  else
    return false;
}

std::string bits_of(const char* element, int64_t size) {
  std::string text = "0x";
  for (int64_t i = size; i-- > 0;) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(element[i])));
    text += digits;
  }
  return text;
}

}  // namespace

std::atomic<bool> detail::verifying{is_on_by_default()};

namespace {
std::atomic<uint64_t> num_errors = 0;
}

VerificationError::VerificationError(std::string message) : Error(ErrorKind::Runtime, std::move(message)) {
  num_errors.fetch_add(1, std::memory_order_relaxed);
}
uint64_t num_verification_errors() { return num_errors.load(std::memory_order_relaxed); }

int64_t first_difference(ScalarType dtype, const char* a, const char* b, int64_t numel) {
  if (std::memcmp(a, b, static_cast<size_t>(numel * element_size(dtype))) == 0) return -1;
  int64_t found = -1;
  visit_dtype(dtype, [&]<class D>() {
    using T = stored_t<D>;
    const T *p = reinterpret_cast<const T*>(a), *q = reinterpret_cast<const T*>(b);
    for (int64_t i = 0; i < numel; ++i) {
      if (std::memcmp(p + i, q + i, sizeof(T)) == 0 || (is_nan(p[i]) && is_nan(q[i]))) continue;
      found = i;
      return;
    }
  });
  return found;
}

std::string difference_text(ScalarType dtype, const char* got, const char* expected) {
  const int64_t size = element_size(dtype);
  const auto text = [&](const char* element) {
    return scalar_at(dtype, element).to_string() + " (" + bits_of(element, size) + ")";
  };
  return text(got) + " instead of " + text(expected);
}

HiddenReports::~HiddenReports() {
  take_floating_point_reports();
  report_floating_point_errors(earlier_);
}

}  // namespace tnp
