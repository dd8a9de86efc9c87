#include "aten/fusion/block_program.h"

#include <algorithm>
#include <cstring>

#include "aten/core/errors/error.h"
#include "aten/core/tensor.h"
#include "aten/iterator/cast.h"

namespace tnp::fusion {

namespace {

bool is_dense(const DimVector& strides, const DimVector& axes, int64_t itemsize) {
  int64_t step = itemsize;
  for (size_t d = axes.size(); d-- > 0; step *= axes[d])
    if (axes[d] != 1 && strides[d] != step) return false;
  return true;
}

}  // namespace

BlockProgram::BlockProgram(IntList sizes) : sizes_(sizes) {
  if (sizes_.empty()) sizes_.push_back(1);
}

int64_t BlockProgram::numel() const { return numel_of(sizes_); }

int BlockProgram::add(Value value) {
  values_.push_back(std::move(value));
  return static_cast<int>(values_.size()) - 1;
}

int BlockProgram::add_memory(ScalarType dtype, const DimVector& byte_strides) {
  Value value{.kind = Value::Kind::Memory, .dtype = dtype};
  if (!byte_strides.empty() && !is_dense(byte_strides, sizes_, value.itemsize())) value.strides = byte_strides;
  value.memory = static_cast<int>(memories_.size());
  memories_.push_back(static_cast<int>(values_.size()));
  return add(std::move(value));
}

int BlockProgram::add_number(ScalarType dtype, const void* number) {
  Value value{.kind = Value::Kind::Number, .dtype = dtype};
  std::memcpy(value.number.data(), number, static_cast<size_t>(value.itemsize()));
  return add(std::move(value));
}

int BlockProgram::add_register(ScalarType dtype) { return add({.kind = Value::Kind::Register, .dtype = dtype}); }

void BlockProgram::add_call(const LoopOperation& operation, std::span<const int> out, std::span<const int> in) {
  TNP_INTERNAL_ASSERT(out.size() + in.size() <= kMostOperands);
  const auto place = static_cast<int>(calls_.size());
  Call& call = calls_.emplace_back(Call{operation, static_cast<int>(out.size()), {}});
  for (const std::span<const int> list : {out, in})
    for (const int v : list) {
      call.values.push_back(v);
      values_[static_cast<size_t>(v)].last_call = place;
    }
  for (const int v : in) {
    Value& value = values_[static_cast<size_t>(v)];
    value.is_read = value.is_read || !value.is_written();
  }
  for (const int v : out) ++values_[static_cast<size_t>(v)].num_writes;
  is_watched_ = is_watched_ || operation.watched;
}

void BlockProgram::add_copy(int to, int from) {
  add_call(copy_operation(value(to).dtype, value(from).dtype), to, {&from, 1});
}

void BlockProgram::add_call(const Elementwise& e, int out, std::array<int, 3> in) {
  const auto in_dtype = [&](int from, ScalarType dtype) {
    if (value(from).dtype == dtype) return from;
    const int cast = add_register(dtype);
    add_call(copy_operation(dtype, value(from).dtype, e.operation.watched), cast, {&from, 1});
    return cast;
  };
  for (size_t i = 0; i < e.num_inputs; ++i) in[i] = in_dtype(in[i], e.types[1 + i]);
  const ScalarType dtype = value(out).dtype;
  const int computed = dtype == e.types[0] ? out : add_register(e.types[0]);
  add_call(e.operation, computed, {in.data(), e.num_inputs});
  if (computed != out) add_call(copy_operation(dtype, e.types[0], e.operation.watched), out, {&computed, 1});
}

LoopOperation copy_operation(ScalarType to, ScalarType from, const char* watched) {
  constexpr double kCostOfCopy = 0.1;  // nanoseconds per element
  return {cast_loop(to, from), to == from ? "copy" : "cast", watched, kCostOfCopy};
}

bool operator==(const BlockProgram::Call& a, const BlockProgram::Call& b) {
  return a.operation == b.operation && a.num_results == b.num_results &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end());
}

bool operator==(const BlockProgram& a, const BlockProgram& b) {
  return a.sizes_ == b.sizes_ && a.values_ == b.values_ && a.calls_ == b.calls_;
}

}  // namespace tnp::fusion
