// The events of profiles: writing by threads, and reading by a profile.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "aten/core/profiler/profiler.h"

namespace tnp::profiler {

namespace {

// Each event lies within its parent: it begins later and ends earlier.
void expect_nested(const Profile& profile) {
  for (const Thread& thread : profile.threads) {
    for (size_t i = 0; i < thread.entries.size(); ++i) {
      const Entry& e = thread.entries[i];
      ASSERT_LT(e.name, profile.names.size());
      ASSERT_TRUE(0 <= e.begin && e.begin <= e.end && e.end <= profile.duration);
      if (e.parent < 0) continue;
      ASSERT_LT(e.parent, static_cast<int32_t>(i));
      const Entry& outer = thread.entries[static_cast<size_t>(e.parent)];
      ASSERT_TRUE(outer.begin <= e.begin && e.end <= outer.end && outer.kind != Kind::Memory);
    }
  }
}

TEST(Profiler, NothingIsRecordedWithoutAProfile) {
  EXPECT_FALSE(is_on());
  {
    const Operation operation("before");
  }
  start(false);
  const Profile profile = stop();
  EXPECT_TRUE(profile.threads.empty());
}

TEST(Profiler, WhatIsDroppedLeavesWhatIsWithinIt) {
  start(true);
  {
    const Operation outer("outer");
    Operation dropped("dropped");
    note_memory(100, Device{});
    const Operation inner("inner");
    dropped.drop();
  }
  const Profile profile = stop();
  ASSERT_EQ(profile.threads.size(), 1u);
  const std::vector<Entry>& entries = profile.threads[0].entries;
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[1].kind, Kind::Memory);
  EXPECT_EQ(entries[1].bytes, 100);
  EXPECT_EQ(entries[1].parent, 0);
  EXPECT_EQ(profile.names[entries[2].name], "inner");
  EXPECT_EQ(entries[2].parent, 0);
}

TEST(Profiler, ThereIsOneProfileAtATime) {
  EXPECT_THROW(stop(), Error);
  start(false);
  EXPECT_THROW(start(false), Error);
  stop();
}

// `make test-threads` runs this test under ThreadSanitizer.
TEST(Profiler, ThreadsMayBeAtWorkWhenProfilesBeginAndEnd) {
  std::atomic<bool> goes_on{true};
  std::thread worker([&] {
    for (int i = 0; goes_on; ++i) {
      const Operation outer("outer");
      const Operation inner([&] { return begin_named("name " + std::to_string(i % 7), Kind::Label, Device{}); });
      if (has_memory()) note_memory(8, Device{});
    }
  });
  for (int i = 0; i < 100; ++i) {
    start(i % 2 == 0);
    std::thread([] {
      for (int k = 0; k < 50; ++k) const Operation operation("short");
    }).join();
    {
      const Operation operation("here");
    }
    const Profile profile = stop();
    EXPECT_GE(profile.threads.size(), 2u);
    expect_nested(profile);
  }
  goes_on = false;
  worker.join();
}

}  // namespace

}  // namespace tnp::profiler
