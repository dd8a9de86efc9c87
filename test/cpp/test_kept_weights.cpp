// Packed copies kept beside weights, and their lifetime.
#include <gtest/gtest.h>

#include "aten/functions.h"
#include "aten/fusion/mode.h"
#include "aten/kernels/cpu/convolution/kept_weight.h"

using namespace tnp;

namespace {

const std::vector<int64_t> kLayout{1, 2, 3};

bool is_kept(const Tensor& weight) { return KeptWeight(weight, kLayout).copy().defined(); }

// Uses a weight twice.
void use_twice(const Tensor& weight) {
  EXPECT_FALSE(KeptWeight(weight, kLayout).is_wanted());
  KeptWeight second(weight, kLayout);
  EXPECT_TRUE(second.is_wanted());
  second.keep(ones({8}));
}

TEST(KeptWeights, AreKeptFromTheSecondUseOn) {
  const Tensor weight = ones({4, 4});
  EXPECT_FALSE(is_kept(weight));
  EXPECT_FALSE(is_kept(weight));  // wanted, but no copy was made
  KeptWeight(weight, kLayout).keep(ones({8}));
  EXPECT_TRUE(is_kept(weight));
}

TEST(KeptWeights, GoWithTheBytesThatTheyWereMadeOf) {
  const Tensor weight = ones({4, 4});
  use_twice(weight);
  weight.storage().bump_version();
  use_twice(weight);
  EXPECT_TRUE(is_kept(weight));
}

TEST(KeptWeights, TwoLayoutsOfAWeightAreKept) {
  const Tensor weight = ones({4, 4});
  use_twice(weight);
  EXPECT_FALSE(KeptWeight(weight, {1, 2}).copy().defined());
  EXPECT_TRUE(is_kept(weight));
  KeptWeight(weight, {1, 2}).keep(ones({9}));
  EXPECT_EQ(KeptWeight(weight, {1, 2}).copy().numel(), 9);
  EXPECT_EQ(KeptWeight(weight, kLayout).copy().numel(), 8);
  EXPECT_FALSE(KeptWeight(weight, {3}).copy().defined());  // replaces the least recently used one
  EXPECT_TRUE(is_kept(weight));
  EXPECT_FALSE(KeptWeight(weight, {1, 2}).copy().defined());
}

TEST(KeptWeights, AreNotKeptWhileOthersMayWrite) {
  const Tensor weight = ones({4, 4});
  use_twice(weight);
  {
    const Loan loan(weight.impl()->storage);
    for (int i = 0; i < 3; ++i) {
      KeptWeight lent(weight, kLayout);
      EXPECT_FALSE(lent.is_wanted());
      EXPECT_FALSE(lent.copy().defined());
    }
  }
  use_twice(weight);  // the weight may have changed in between
  EXPECT_TRUE(is_kept(weight));
}

TEST(KeptWeights, AChangeMeanwhileIsNotKept) {
  const Tensor weight = ones({4, 4});
  KeptWeight(weight, kLayout);
  KeptWeight second(weight, kLayout);
  weight.storage().bump_version();
  KeptWeight(weight, kLayout);
  second.keep(ones({8}));
  EXPECT_FALSE(is_kept(weight));
}

TEST(Storages, MemoryOfOthersIsAlwaysLent) {
  float numbers[4] = {};
  bool released = false;
  {
    const auto storage = make_intrusive<Storage>(numbers, sizeof numbers, Device{}, [&] { released = true; });
    EXPECT_TRUE(storage->is_lent());
    EXPECT_FALSE(storage->owns_memory());
    EXPECT_FALSE(released);
  }
  EXPECT_TRUE(released);
}

// The attachment of a pending result is its expression.
TEST(KeptWeights, AreKeptForFormerPendingResults) {
  fusion::set_mode(fusion::Mode::Always);
  const Tensor weight = add(ones({4, 4}), ones({4, 4}));
  fusion::set_mode(fusion::Mode::Auto);
  EXPECT_TRUE(weight.storage().is_pending());
  use_twice(weight);
  EXPECT_FALSE(weight.storage().is_pending());
  EXPECT_TRUE(is_kept(weight));
  EXPECT_EQ(weight.data_ptr<float>()[0], 2);
}

TEST(KeptWeights, AStorageHasOneAttachmentOfOneClass) {
  struct A final : Storage::Attachment {};
  struct B final : Storage::Attachment {};
  const Tensor t = ones({4});
  t.storage().attach(std::make_unique<A>());
  EXPECT_NE(t.storage().attachment<A>(), nullptr);
  EXPECT_EQ(t.storage().attachment<B>(), nullptr);
  EXPECT_THROW(t.storage().attach(std::make_unique<B>()), Error);
  t.storage().detach();
  EXPECT_EQ(t.storage().attachment<A>(), nullptr);
  t.storage().attach(std::make_unique<B>());
}

}  // namespace
