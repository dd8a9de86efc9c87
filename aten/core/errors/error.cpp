#include "aten/core/errors/error.h"

#include <charconv>

#include "aten/core/numbers/no_loop.h"

namespace tnp {

namespace {
template <class T>
void append_number(std::string& out, T v) {
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  out.append(buffer, end);
}
}  // namespace

void append(std::string& out, int64_t v) { append_number(out, v); }
void append(std::string& out, uint64_t v) { append_number(out, v); }
void append(std::string& out, double v) { append_number(out, v); }

void append(std::string& out, std::span<const int64_t> shape) {
  out += '(';
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) out += ", ";
    append_number(out, shape[i]);
  }
  out += shape.size() == 1 ? ",)" : ")";
}

NoLoopError::NoLoopError(const char* op, size_t num_operands, ScalarType compute, bool requested)
    : Error(ErrorKind::Dtype, '"' + std::string(op) + "\" is not implemented for " + dtype_name(compute)),
      op_(op),
      num_operands_(num_operands),
      compute_(compute),
      requested_(requested) {}

}  // namespace tnp
