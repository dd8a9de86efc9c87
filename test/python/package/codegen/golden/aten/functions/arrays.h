// Generated from native_functions/arrays.yaml. Operators of the engine.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"
#include "aten/kernels/out_options.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"

namespace tnp {

class Generator;
enum class Distribution : uint8_t;  // aten/random/distribution.h

// filled(int[*] size, Scalar value=1, *, ScalarType? dtype=None, Order order='C') -> Tensor
TNP_API Tensor filled(IntList size, const Scalar& value = Scalar(int64_t{1}), std::optional<ScalarType> dtype = std::nullopt, Order order = Order::C);
// product(Tensor input, Tensor other, float scale=1.5) -> Tensor
TNP_API Tensor product(const Tensor& input, const Tensor& other, double scale = 1.5, const OutOptions& options = {});
// swapped(Tensor(a) input, int dim0, int dim1) -> Tensor(a)
TNP_API Tensor swapped(const Tensor& input, int64_t dim0, int64_t dim1);
// assign_(Tensor(a!) self, Tensor src) -> Tensor(a!)
TNP_API const Tensor& assign_(const Tensor& self, const Tensor& src);
// joined(Tensor[] tensors, int dim=0) -> Tensor
TNP_API Tensor joined(TensorList tensors, int64_t dim = 0);
// joined.lists(Tensor[] tensors, *, str mode='plain') -> Tensor[]
TNP_API std::vector<Tensor> joined(TensorList tensors, std::string_view mode = "plain");
// chosen(Tensor input, int dim) -> (Tensor values, Tensor indices)
TNP_API std::tuple<Tensor, Tensor> chosen(const Tensor& input, int64_t dim);
// places(Tensor input, int? dim=None) -> Tensor
TNP_API Tensor places(const Tensor& input, std::optional<int64_t> dim = std::nullopt, const OutOptions& options = {});
// normalized(Tensor input, Tensor? weight=None, float[] scales=[0.5, 2.0], *, float[]? range=None, bool[] flags=[True]) -> (Tensor values, Tensor norm)
TNP_API std::tuple<Tensor, Tensor> normalized(const Tensor& input, const Tensor& weight = Tensor(), std::span<const double> scales = std::span<const double>(std::initializer_list<double>{0.5, 2.0}), std::optional<std::span<const double>> range = std::nullopt, std::span<const bool> flags = std::span<const bool>(std::initializer_list<bool>{true}));
// numbers(Distribution distribution, int[] size, *, Generator? generator=None) -> Tensor
TNP_API Tensor numbers(Distribution distribution, IntList size, Generator* generator = nullptr);
// fill_numbers(Tensor(a!) self, Distribution distribution, Generator? generator) -> bool
TNP_API bool fill_numbers(const Tensor& self, Distribution distribution, Generator* generator);

}  // namespace tnp
