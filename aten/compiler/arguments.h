// Arguments and results of operators of any type, as data and back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "aten/compiler/call.h"
#include "aten/kernels/out_options.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"

namespace tnp::compiler {

class Frame;

// --- from a function's arguments to a call's

// Adds arguments to a list. Options are several keyword arguments.
class TNP_API ArgumentWriter {
 public:
  explicit ArgumentWriter(std::vector<Argument>& to) : to_(to) {}

  void add(const Tensor& t) { put(value_of(t)); }
  void add(TensorList list);
  void add(bool v) { put(v); }
  void add(int64_t v) { put(v); }
  void add(double v) { put(v); }
  void add(const Scalar& v) { put(v); }
  void add(ScalarType v) { put(v); }
  void add(Device v) { put(real(v)); }
  void add(IntList v) { put(DimVector(v)); }
  void add(std::span<const double> v) { put(std::vector<double>(v.begin(), v.end())); }
  void add(std::span<const bool> v) { put(std::vector<uint8_t>(v.begin(), v.end())); }
  void add(std::string_view v) { put(std::string(v)); }
  void add(Generator* v);
  void add(const OutOptions& o);
  void add(const PointwiseOptions& o);
  void add(const ReduceOptions& o);
  template <class T>
    requires std::is_enum_v<T>
  void add(T v) {
    put(Enumerator{static_cast<int64_t>(v)});
  }
  template <class T>
  void add(const std::optional<T>& v) {
    v ? add(*v) : put(std::monostate());
  }

 private:
  // The number of the ViewNumber that stands for `t`; -1 if it is undefined.
  virtual int number_of(const Tensor& t) = 0;
  virtual void note_generator() {}
  virtual Device real(Device v) { return v; }
  ArgumentValue value_of(const Tensor& t);
  void put(ArgumentValue v, const char* keyword = nullptr);

  std::vector<Argument>& to_;

 protected:
  ~ArgumentWriter() = default;
};

// --- and back

// Reads the arguments of a call in order. A list refers to the call's memory, or to memory of the
// reader. Without a frame, there are no tensors.
class TNP_API ArgumentReader {
 public:
  explicit ArgumentReader(const Call& call) : at_(call.arguments.data()) {}
  // A ViewNumber counts `tensors`.
  ArgumentReader(const std::vector<Argument>& arguments, const std::vector<Tensor>& tensors)
      : at_(arguments.data()), values_(tensors.data()) {}
  ArgumentReader(const Call& call, Frame& frame) : at_(call.arguments.data()), frame_(&frame) {}

  const ArgumentValue& next() { return (at_++)->value; }
  const Tensor& tensor();
  TensorList tensors();
  IntList integers() { return std::get<DimVector>(next()); }
  std::span<const bool> flags();
  PointwiseOptions pointwise_options();
  ReduceOptions reduce_options();

  template <class T>
  T read(std::type_identity<T>) {
    if constexpr (std::is_enum_v<T> && !std::is_same_v<T, ScalarType>)
      return static_cast<T>(std::get<Enumerator>(next()).number);
    else
      return std::get<T>(next());
  }
  const Tensor& read(std::type_identity<Tensor>) { return tensor(); }
  TensorList read(std::type_identity<TensorList>) { return tensors(); }
  IntList read(std::type_identity<IntList>) { return integers(); }
  std::span<const double> read(std::type_identity<std::span<const double>>) {
    return std::get<std::vector<double>>(next());
  }
  std::span<const bool> read(std::type_identity<std::span<const bool>>) { return flags(); }
  std::string_view read(std::type_identity<std::string_view>) { return std::get<std::string>(next()); }
  OutOptions read(std::type_identity<OutOptions>) { return {tensor()}; }
  PointwiseOptions read(std::type_identity<PointwiseOptions>) { return pointwise_options(); }
  ReduceOptions read(std::type_identity<ReduceOptions>) { return reduce_options(); }
  template <class T>
  std::optional<T> read(std::type_identity<std::optional<T>>) {
    if (!is_none(at_->value)) return read(std::type_identity<T>());
    ++at_;
    return std::nullopt;
  }

 private:
  const Argument* at_;
  const Tensor& tensor_of(int number);
  Frame* const frame_ = nullptr;
  const Tensor* const values_ = nullptr;
  std::vector<std::vector<Tensor>> lists_;
};

// --- results

// Calls f with an operator's results, as a list of tensors or as a number.
template <class R, class F>
decltype(auto) with_results(const R& results, F&& f) {
  if constexpr (std::is_same_v<R, Tensor>)
    return f(TensorList(&results, 1));
  else if constexpr (std::is_same_v<R, std::vector<Tensor>>)
    return f(TensorList(results));
  else if constexpr (std::is_arithmetic_v<R>)
    return f(static_cast<double>(results));
  else
    return std::apply(
        [&](const auto&... parts) {
          std::vector<Tensor> list;
          const auto add = [&](const auto& part) {
            with_results(part, [&](TensorList some) { list.insert(list.end(), some.begin(), some.end()); });
          };
          (add(parts), ...);
          return f(TensorList(list));
        },
        results);
}

}  // namespace tnp::compiler
