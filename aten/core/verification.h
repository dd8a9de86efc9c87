// Switch of verification, and comparison of results: pending expressions (Note [Verified
// expressions] in aten/fusion/verified_expression.h) and compiled functions (Note [Verification] in
// aten/compiler/verify.h) are computed in two ways, whose results must be the same.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "aten/core/errors/error.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/numbers/dtype.h"

namespace tnp {

namespace detail {
TNP_API extern std::atomic<bool> verifying;
}

// Whether operators that are deferred, and functions that are recorded, from now on are verified.
// The environment variable TORCH_NP_VERIFY=1 is the default.
inline bool is_verifying() { return detail::verifying.load(std::memory_order_relaxed); }
inline void set_verifying(bool on) { detail::verifying.store(on, std::memory_order_relaxed); }

// Raised for a difference. Code that answers an operator's errors by another computation must pass
// this one on.
class TNP_API VerificationError final : public Error {
 public:
  explicit VerificationError(std::string message);  // counts it
};
TNP_API uint64_t num_verification_errors();

// Index of the first of `numel` elements whose bits differ; -1 if there is none. NaNs are equal to
// each other.
int64_t first_difference(ScalarType dtype, const char* a, const char* b, int64_t numel);
// For people: two elements with their bits.
std::string difference_text(ScalarType dtype, const char* got, const char* expected);

// Scope guard for computations that the program did not ask for. On exit, the thread's reports are
// those of entry.
class HiddenReports {
 public:
  HiddenReports() : earlier_(take_floating_point_reports()) {}
  ~HiddenReports();
  HiddenReports(const HiddenReports&) = delete;
  HiddenReports& operator=(const HiddenReports&) = delete;

 private:
  const std::vector<FloatingPointReport> earlier_;
};

}  // namespace tnp
