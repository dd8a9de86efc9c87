// LRU caches for a few values that are expensive to create.
#pragma once

#include <list>
#include <mutex>
#include <utility>

#include "aten/core/threads/fork.h"

namespace tnp {

// `Value` is a handle type: a caller may still use a value that the cache has dropped.
template <class Key, class Value, size_t kept>
class RecentValues {
 public:
  template <class Make>
  Value get(const Key& key, Make&& make) {
    for (auto it = values_.begin(); it != values_.end(); ++it) {
      if (it->first == key) {
        values_.splice(values_.begin(), values_, it);
        return it->second;
      }
    }
    values_.emplace_front(key, make(key));
    if (values_.size() > kept) values_.pop_back();
    return values_.front().second;
  }

 private:
  std::list<std::pair<Key, Value> > values_;
};

// RecentValues guarded by a mutex, for static objects that are never destroyed.
template <class Key, class Value, size_t kept>
class RecentlyUsed {
 public:
  RecentlyUsed() { hold_at_fork(mutex_); }

  template <class Make>
  Value get(const Key& key, Make&& make) {
    std::lock_guard lock(mutex_);
    return values_.get(key, make);
  }

 private:
  std::mutex mutex_;
  RecentValues<Key, Value, kept> values_;
};

}  // namespace tnp
