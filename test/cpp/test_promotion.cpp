// Promotion where NumPy and PyTorch differ. The complete tables are in
// test/python/numpy_face/test_promotion.py.
#include <gtest/gtest.h>

#include "aten/core/numbers/promotion.h"

namespace tnp {
namespace {

using enum ScalarType;

ScalarType torch(OperandType a, OperandType b) {
  OperandType both[] = {a, b};
  return result_type(both, PromotionRules::Torch);
}
ScalarType numpy(OperandType a, OperandType b) {
  OperandType both[] = {a, b};
  return result_type(both, PromotionRules::NumPy);
}
constexpr OperandType array(ScalarType t) { return {t, OperandKind::Array}; }
constexpr OperandType zero_dim(ScalarType t) { return {t, OperandKind::ZeroDim}; }
constexpr OperandType number(ScalarType t) { return {t, OperandKind::PythonNumber}; }

TEST(Promotion, IntegersWithFloat32) {
  EXPECT_EQ(promote_types(Int64, Float32, PromotionRules::Torch), Float32);
  EXPECT_EQ(promote_types(Int64, Float32, PromotionRules::NumPy), Float64);
}

TEST(Promotion, ZeroDimTensorsOnlyRaiseTheKindInTorch) {
  EXPECT_EQ(torch(array(Float32), zero_dim(Float64)), Float32);
  EXPECT_EQ(torch(array(Int8), zero_dim(Float64)), Float64);
  EXPECT_EQ(torch(array(Int8), zero_dim(Int64)), Int8);
  EXPECT_EQ(torch(array(Float64), zero_dim(Complex64)), Complex128);
  EXPECT_EQ(numpy(array(Float32), zero_dim(Float64)), Float64);
}

TEST(Promotion, PythonNumbersOnlyAskForTheirKind) {
  EXPECT_EQ(torch(array(Int8), number(Float64)), Float32);
  EXPECT_EQ(numpy(array(Int8), number(Float64)), Float64);
  EXPECT_EQ(torch(zero_dim(UInt8), number(Int64)), UInt8);
  EXPECT_EQ(numpy(array(UInt8), number(Int64)), UInt8);
  EXPECT_EQ(torch(array(Bool), number(Int64)), Int64);
  EXPECT_EQ(torch(array(Float32), number(Complex128)), Complex64);
  EXPECT_EQ(numpy(array(Float16), number(Complex128)), Complex64);
}

TEST(Promotion, NoCommonDtypeIsAnError) {
  EXPECT_THROW(promote_types(Float16, BFloat16, PromotionRules::NumPy), Error);
  EXPECT_EQ(promote_types(Float16, BFloat16, PromotionRules::Torch), Float32);
  EXPECT_THROW(promote_types(UInt16, Int32, PromotionRules::Torch), Error);
}

TEST(Promotion, SameKindMeansAnotherThingInTorch) {
  EXPECT_FALSE(can_cast(Int64, UInt8, Casting::SameKind, PromotionRules::NumPy));
  EXPECT_TRUE(can_cast(Int64, UInt8, Casting::SameKind, PromotionRules::Torch));
  EXPECT_FALSE(can_cast(Float32, Int64, Casting::SameKind, PromotionRules::Torch));
}

TEST(LoopTypes, APythonIntegerHasToFit) {
  DialectGuard rules{Dialect(Face::NumPy)};
  Tensor operands[] = {empty_tensor({2}, UInt8), wrapped_number(Scalar(300))};
  try {
    loop_types(Promotion::Arithmetic, "add", operands, std::nullopt);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::Overflow);
    EXPECT_EQ(e.message(), "Python integer 300 out of bounds for uint8");
  }
  EXPECT_EQ(loop_types(Promotion::Comparison, "less", operands, std::nullopt).compute, Int64);
}

TEST(LoopTypes, FloatingResultsOfIntegersFollowTheirWidthInNumPy) {
  Tensor bytes[] = {empty_tensor({2}, Int8)}, ints[] = {empty_tensor({2}, Int32)};
  EXPECT_EQ(loop_types(Promotion::Floating, "exp", ints, std::nullopt).result, Float32);
  DialectGuard rules{Dialect(Face::NumPy)};
  EXPECT_EQ(loop_types(Promotion::Floating, "exp", bytes, std::nullopt).result, Float16);
  EXPECT_EQ(loop_types(Promotion::Floating, "exp", ints, std::nullopt).result, Float64);
}

}  // namespace
}  // namespace tnp
