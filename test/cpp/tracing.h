// Traces of functions, for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "aten/compiler/frame.h"
#include "aten/compiler/plan.h"
#include "aten/compiler/tracer.h"
#include "aten/functions.h"

namespace tnp::compiler {

struct Traced {
  Trace trace;
  int result;
};

inline Tensor numbers() {
  Tensor x = empty_tensor({5}, ScalarType::Float64);
  for (int64_t i = 0; i < 5; ++i) x.data_ptr<double>()[i] = static_cast<double>(i);
  return x;
}

template <class F>
std::unique_ptr<Traced> traced_of(const std::vector<Tensor>& arguments, F&& function) {
  auto made = std::make_unique<Traced>();
  Tracer tracer(made->trace);
  for (const Tensor& t : arguments) tracer.add_argument(t);
  Tensor y;
  {
    const StateGuard<Observer*, &ThreadState::observer> guard(&tracer);
    y = function(TensorList(arguments));
  }
  made->result = tracer.result(y);
  EXPECT_EQ(tracer.failure(), "");
  return made;
}

template <class F>
std::unique_ptr<Traced> traced_by(F&& function, const Tensor& x = numbers()) {
  return traced_of({x}, [&](TensorList arguments) { return function(arguments[0]); });
}

inline bool run_with(const Trace& trace, const Tensor& x) {
  Frame frame(trace);
  frame.set_argument(0, x);
  size_t at = 0;
  return run(trace, frame, at);
}

}  // namespace tnp::compiler
