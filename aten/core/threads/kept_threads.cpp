#include "aten/core/threads/kept_threads.h"

#include <pthread.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>

#include "aten/core/threads/parallel.h"
#include "aten/core/threads/spin.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

namespace {

constexpr std::chrono::microseconds kPatience{100};

// A seat is the slot of one kept thread. This is the state of the seat and of the thread in it. The
// team's owner calls threads, assigns work, takes back work not yet begun, and dismisses threads.
// The thread makes all other transitions.
enum class State : uint32_t {
  Away,     // no thread, or it is leaving
  Called,   // oneTBB has an enqueued task that will take the seat
  Waiting,  // the thread spins
  Given,    // `work` is set
  Busy,     // the thread runs `work`
};

struct alignas(64) Seat {
  std::atomic<State> state{State::Away};
  const function_ref<void(int)>* work = nullptr;  // written before Given
};
Seat seats[KeptThreads::kMost];

// The thread that uses the team, identified by the address of its thread_state; null if free.
std::atomic<const void*> owner{nullptr};

bool is_owner() { return owner.load(std::memory_order_relaxed) == &thread_state; }

bool change(Seat& seat, State from, State to) {
  return seat.state.compare_exchange_strong(from, to, std::memory_order_acq_rel, std::memory_order_acquire);
}

// Spins until there is work. False: the thread must leave its seat.
bool wait(Seat& seat) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + kPatience;
  for (uint32_t turn = 1;; ++turn) {
    switch (seat.state.load(std::memory_order_acquire)) {
      case State::Given:
        if (change(seat, State::Given, State::Busy)) return true;
        break;
      // dismissed and called again before it left: the newly enqueued task finds the seat taken
      case State::Called:
        change(seat, State::Called, State::Waiting);
        break;
      case State::Away:
        return false;
      default:
        if (turn % 16 == 0 && Clock::now() > end && change(seat, State::Waiting, State::Away)) return false;
    }
    spin();
  }
}

void sit_down(int i) {
  Seat& seat = seats[i];
  if (!change(seat, State::Called, State::Waiting)) return;
  while (wait(seat)) {
    (*seat.work)(i + 1);
    seat.state.store(State::Waiting, std::memory_order_release);
  }
}

// None of the threads exists in the child of a fork.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] {
  for (Seat& seat : seats) seat.state.store(State::Away);
  owner.store(nullptr);
});

}  // namespace

KeptThreads::KeptThreads() : is_owner_(false) {
  const int wanted = std::min(get_num_threads() - 1, kMost);
  if (wanted < 1) return;
  const void* nobody = nullptr;
  is_owner_ = owner.compare_exchange_strong(nobody, &thread_state, std::memory_order_acquire);
  if (!is_owner_ && nobody != &thread_state) return;
  for (int i = 0; i < wanted; ++i)
    if (seats[i].state.load(std::memory_order_relaxed) == State::Away && change(seats[i], State::Away, State::Called))
      tbb::this_task_arena::enqueue([i] { sit_down(i); });
}

KeptThreads::~KeptThreads() {
  if (is_owner_ && is_owner()) owner.store(nullptr, std::memory_order_release);
}

int KeptThreads::waiting() {
  if (!is_owner()) return 0;
  int n = 0;
  for (const Seat& seat : seats) n += seat.state.load(std::memory_order_relaxed) == State::Waiting;
  return n;
}

bool KeptThreads::share(int count, function_ref<void(int)> work, function_ref<void()> own) {
  if (TNP_LIKELY(!is_owner())) return false;
  if (waiting() < count) {
    if (count > kMost)  // the call needs all of oneTBB's threads
      for (Seat& seat : seats) change(seat, State::Waiting, State::Away);
    return false;
  }
  Seat* given[kMost];
  int num_given = 0;
  for (int i = 0; i < kMost && num_given < count; ++i) {
    if (seats[i].state.load(std::memory_order_acquire) != State::Waiting) continue;
    seats[i].work = &work;
    if (change(seats[i], State::Waiting, State::Given)) given[num_given++] = &seats[i];
  }
  own();
  for (Seat* seat : std::span(given, static_cast<size_t>(num_given))) {
    if (change(*seat, State::Given, State::Waiting)) continue;
    while (seat->state.load(std::memory_order_acquire) == State::Busy) spin();
  }
  return true;
}

}  // namespace tnp
