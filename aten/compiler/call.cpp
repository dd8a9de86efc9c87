#include "aten/compiler/call.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "aten/compiler/trace.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"

namespace tnp::compiler {

namespace {

uint64_t bits(double v) { return std::bit_cast<uint64_t>(v); }

bool is_equal_view(ViewNumber a, ViewNumber b, const Trace& trace) {
  if (a == b || a.view < 0 || b.view < 0) return a == b;
  return trace.views[static_cast<size_t>(a.view)] == trace.views[static_cast<size_t>(b.view)];
}

struct Equal {
  const Trace& trace;

  template <class A, class B>
  bool operator()(const A&, const B&) const {
    return false;  // of different types
  }
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
  bool operator()(double a, double b) const { return bits(a) == bits(b); }
  bool operator()(const Scalar& a, const Scalar& b) const { return is_same(a, b); }
  bool operator()(ViewNumber a, ViewNumber b) const { return is_equal_view(a, b, trace); }
  bool operator()(const std::vector<ViewNumber>& a, const std::vector<ViewNumber>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](ViewNumber v, ViewNumber w) { return is_equal_view(v, w, trace); });
  }
  bool operator()(const std::vector<double>& a, const std::vector<double>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double v, double w) { return bits(v) == bits(w); });
  }
  bool operator()(const Opaque& a, const Opaque& b) const { return a.identity == b.identity; }
};

bool is_same_keyword(const char* a, const char* b) { return a == b || (a && b && std::strcmp(a, b) == 0); }

struct Hash {
  const Trace& trace;

  template <class T>
  size_t operator()(const T&) const {
    return 0;  // rare, or with few values
  }
  size_t operator()(int64_t v) const { return static_cast<size_t>(v); }
  size_t operator()(double v) const { return bits(v); }
  size_t operator()(bool v) const { return v; }
  size_t operator()(const std::string& v) const { return std::hash<std::string>()(v); }
  size_t operator()(ScalarType v) const { return static_cast<size_t>(v); }
  size_t operator()(const Scalar& v) const { return v.is_complex() ? 0 : bits(v.to<double>()); }
  size_t operator()(const DimVector& v) const {
    size_t h = v.size();
    for (int64_t n : v) h = h * 31 + static_cast<size_t>(n);
    return h;
  }
  size_t operator()(ViewNumber v) const {
    if (v.view < 0) return 0;
    const View& view = trace.views[static_cast<size_t>(v.view)];
    return (static_cast<size_t>(view.slot) * 31 + static_cast<size_t>(view.offset)) * 31 +
           static_cast<size_t>(view.dtype);
  }
  size_t operator()(const std::vector<ViewNumber>& v) const {
    size_t h = v.size();
    for (ViewNumber view : v) h = h * 31 + (*this)(view);
    return h;
  }
};

struct IsReadable {
  template <class T>
  bool operator()(const T&) const {
    return true;
  }
  bool operator()(const Scalar& v) const { return !v.is_complex(); }
  bool operator()(Generator*) const { return false; }
  bool operator()(const Opaque&) const { return false; }
};

}  // namespace

Call::Call(const PointwiseOp& o, Dialect dialect) : op(&o), name(o.name), pointwise(&o), dialect(dialect) {}
Call::Call(const ReductionOp& o, Dialect dialect) : op(&o), name(o.name), reduction(&o), dialect(dialect) {}

const ArgumentValue* Call::keyword(const char* wanted) const {
  for (const Argument& a : arguments)
    if (a.keyword && std::strcmp(a.keyword, wanted) == 0) return is_none(a.value) ? nullptr : &a.value;
  return nullptr;
}

bool Call::is_plain() const {
  return std::all_of(arguments.begin(), arguments.end(), [](const Argument& a) {
    return a.keyword ? is_none(a.value) : std::visit(IsReadable(), a.value);
  });
}

bool is_same(const Scalar& a, const Scalar& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is_integral()) return a.to<uint64_t>() == b.to<uint64_t>();
  const auto x = a.to<Complex<double>>(), y = b.to<Complex<double>>();
  return bits(x.re) == bits(y.re) && bits(x.im) == bits(y.im);
}

bool is_equal(const Call& a, const Call& b, const Trace& trace) {
  if (a.op != b.op || a.dialect != b.dialect) return false;
  return std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
                    [&](const Argument& x, const Argument& y) {
                      return is_same_keyword(x.keyword, y.keyword) && std::visit(Equal{trace}, x.value, y.value);
                    });
}

size_t hash_of(const Call& call, const Trace& trace) {
  size_t h = reinterpret_cast<size_t>(call.op);
  for (const Argument& a : call.arguments) h = h * 1000003 + std::visit(Hash{trace}, a.value) + a.value.index();
  return h;
}

}  // namespace tnp::compiler
