// tnp::Error: the engine's exception, with a kind that each front end maps to its own exception
// class.
//
// Messages contain argument names in braces, as the native schema spells them ("{input}", "{dim}").
// The front end replaces them by the caller's names. See csrc/args/call.h.
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "aten/core/macros.h"

namespace tnp {

enum class ErrorKind : uint8_t {
  //                np                       torch_np
  Value,           // ValueError              ValueError
  Shape,           // ValueError              RuntimeError: shapes that do not fit
  Domain,          // ValueError              RuntimeError: values outside the operator's domain
  Type,            // TypeError               TypeError
  Dtype,           // TypeError               RuntimeError: a dtype that the operator does not support
  Casting,         // UFuncTypeError          RuntimeError: a cast that the rules forbid
  Index,           // IndexError              IndexError
  Axis,            // AxisError               IndexError
  RepeatedAxis,    // ValueError              RuntimeError
  Runtime,         // RuntimeError            RuntimeError
  NotImplemented,  // NotImplementedError     NotImplementedError
  Memory,          // MemoryError             MemoryError
  Overflow,        // OverflowError           OverflowError (RuntimeError where PyTorch raises that)
  ZeroDivision,    // ZeroDivisionError       ZeroDivisionError
  LinAlg,          // LinAlgError             torch_np.linalg.LinAlgError
  Buffer,          // BufferError             BufferError
  ReadOnly,        // ValueError              RuntimeError: a write to a read-only array
  Internal,        // SystemError             SystemError: a broken internal invariant
};

class TNP_API Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  ErrorKind kind() const noexcept { return kind_; }
  const std::string& message() const noexcept { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorKind kind_;
  std::string message_;
};

// append() overloads format one part of a message. Other types define theirs in their own namespace
// (found by ADL).
inline void append(std::string& out, std::string_view v) { out += v; }
inline void append(std::string& out, const char* v) { out += v; }
inline void append(std::string& out, char v) { out += v; }
inline void append(std::string& out, bool v) { out += v ? "True" : "False"; }
TNP_API void append(std::string& out, int64_t v);
TNP_API void append(std::string& out, uint64_t v);
TNP_API void append(std::string& out, double v);
TNP_API void append(std::string& out, std::span<const int64_t> shape);  // as a Python tuple: (2, 3)
inline void append(std::string& out, int v) { append(out, static_cast<int64_t>(v)); }
inline void append(std::string& out, unsigned v) { append(out, static_cast<uint64_t>(v)); }

namespace detail {
template <class... Parts>
[[noreturn]] TNP_COLD void raise(ErrorKind kind, const Parts&... parts) {
  std::string text;
  (append(text, parts), ...);
  throw Error(kind, std::move(text));
}

}  // namespace detail

// TNP_CHECK(condition, ErrorKind::Value, "text ", values...) raises the joined parts. The text is
// only built if the condition fails. Parts may be text, numbers, shapes (IntList), ScalarType,
// Device and Scalar.
#define TNP_CHECK(condition, kind, ...)                                                     \
  do {                                                                                      \
    if (TNP_UNLIKELY(!(condition))) ::tnp::detail::raise((kind)__VA_OPT__(, ) __VA_ARGS__); \
  } while (0)

#define TNP_RAISE(kind, ...) ::tnp::detail::raise((kind), __VA_ARGS__)

#define TNP_INTERNAL_ASSERT(condition)                          \
  TNP_CHECK(condition, ::tnp::ErrorKind::Internal,              \
            "torch_np is at fault, not your call: '" #condition \
            "' does not "                                       \
            "hold at " __FILE__ ":",                            \
            __LINE__)

}  // namespace tnp
