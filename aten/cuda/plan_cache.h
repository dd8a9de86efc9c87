// LRU cache of plans, for libraries where creating a plan costs much more than executing it
// (cuFFT).
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace tnp::gpu {

// Holds at most `limit` plans and evicts the least recently used. Thread-safe. An evicted plan
// lives on while a caller holds it. Callers create the plans outside of the cache's lock, because
// creating one takes long.
template <class Key, class Plan>
class PlanCache {
 public:
  explicit PlanCache(size_t limit) : limit_(limit) {}

  // Returns null if the cache has no plan for `key`.
  std::shared_ptr<Plan> find(const Key& key) {
    std::lock_guard lock(mutex_);
    auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    plans_.splice(plans_.begin(), plans_, found->second);
    return found->second->second;
  }

  // Returns the plan to use: the cached one, if another thread inserted a plan for `key` first.
  std::shared_ptr<Plan> insert(const Key& key, std::shared_ptr<Plan> plan) {
    std::list<Entry> gone;  // destroyed after the lock is released
    std::lock_guard lock(mutex_);
    auto [place, is_new] = places_.try_emplace(key);
    if (!is_new) return place->second->second;
    plans_.emplace_front(key, plan);
    place->second = plans_.begin();
    shrink(gone);
    return plan;
  }

  size_t size() const {
    std::lock_guard lock(mutex_);
    return plans_.size();
  }
  size_t limit() const {
    std::lock_guard lock(mutex_);
    return limit_;
  }
  // 0 disables the cache.
  void set_limit(size_t limit) {
    std::list<Entry> gone;
    std::lock_guard lock(mutex_);
    limit_ = limit;
    shrink(gone);
  }
  void clear() {
    std::list<Entry> gone;
    std::lock_guard lock(mutex_);
    places_.clear();
    gone.swap(plans_);
  }

 private:
  using Entry = std::pair<Key, std::shared_ptr<Plan>>;

  void shrink(std::list<Entry>& gone) {
    while (plans_.size() > limit_) {
      places_.erase(plans_.back().first);
      gone.splice(gone.end(), plans_, std::prev(plans_.end()));
    }
  }

  mutable std::mutex mutex_;
  size_t limit_;
  std::list<Entry> plans_;  // most recently used first
  std::map<Key, typename std::list<Entry>::iterator> places_;
};

}  // namespace tnp::gpu
