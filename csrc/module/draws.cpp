// Fast paths for programs that draw a few random numbers in a loop: they avoid the call frame and the
// layers in Python.
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "aten/core/devices/default_device.h"
#include "aten/core/numbers/promotion.h"
#include "aten/functions/random.h"
#include "csrc/args/readers.h"
#include "csrc/module/modules.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/generator.h"
#include "csrc/objects/methods.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

constexpr Py_ssize_t kMaxParameters = 3;

// Reads a distribution parameter; false if it is not a plain number.
bool read_parameter(PyObject* o, Tensor& parameter) {
  if (!PyFloat_CheckExact(o) && !PyLong_CheckExact(o)) return false;
  int overflow = 0;
  const double number =
      PyFloat_CheckExact(o) ? PyFloat_AS_DOUBLE(o) : static_cast<double>(PyLong_AsLongLongAndOverflow(o, &overflow));
  if (overflow) return false;
  parameter = empty_tensor({}, ScalarType::Float64);
  *parameter.data_ptr<double>() = number;
  return true;
}

// Reads `size`: None, an int, or a tuple of ints. False if it is something else, or negative.
bool read_size(PyObject* o, std::optional<DimVector>& size) {
  if (o == Py_None) return true;
  const bool is_tuple = PyTuple_CheckExact(o);
  size.emplace();
  for (Py_ssize_t i = 0; i < (is_tuple ? PyTuple_GET_SIZE(o) : 1); ++i) {
    PyObject* const item = is_tuple ? PyTuple_GET_ITEM(o, i) : o;
    int overflow = 0;
    const int64_t n = PyLong_CheckExact(item) ? PyLong_AsLongLongAndOverflow(item, &overflow) : -1;
    if (n < 0 || overflow) return false;
    size->push_back(n);
  }
  return true;
}
OptIntList as_list(const std::optional<DimVector>& size) { return size ? OptIntList(*size) : std::nullopt; }

// The distribution of this name. The names that callers write are interned, so that most are found by
// their address.
Distribution distribution_named(PyObject* name) {
  struct Known {
    PyObject* name;
    Distribution distribution;
  };
  static std::vector<Known> known;
  for (const Known& k : known)
    if (k.name == name) return k.distribution;
  const Distribution found = read_distribution(name);
  if (PyUnicode_CHECK_INTERNED(name)) known.push_back({Py_NewRef(name), found});
  return found;
}

// Whether draws without `dtype` and `device` are those of NumPy: on the CPU, in 64 bits.
bool defaults_are_numpys() {
  return default_device().is_cpu() && default_dtype(Face::NumPy) == ScalarType::Float64 &&
         default_integer_dtype(Face::NumPy) == ScalarType::Int64;
}

// Calls `draw`, which raises before the first draw. The general path then raises the error.
template <class F>
PyObject* or_none(F&& draw) {
  try {
    return std::forward<F>(draw)();
  } catch (const Error&) {
    Py_RETURN_NONE;
  }
}

PyObject* plain_draw(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return protect<true>([&]() -> PyObject* {
    constexpr Py_ssize_t kFirst = 3;
    if (n < kFirst || n > kFirst + kMaxParameters)
      raise_python(PyExc_TypeError, "_plain_draw(generator, name, size, *parameters)");
    Tensor parameters[kMaxParameters];
    std::optional<DimVector> size;
    for (Py_ssize_t i = kFirst; i < n; ++i)
      if (!read_parameter(args[i], parameters[i - kFirst])) Py_RETURN_NONE;
    if (!read_size(args[2], size) || !defaults_are_numpys()) Py_RETURN_NONE;
    const intrusive_ptr<Generator> generator = read_generator(args[0]);
    return or_none([&] {
      Tensor drawn =
          tnp::random_draw(distribution_named(args[1]), TensorList(parameters, static_cast<size_t>(n - kFirst)),
                           as_list(size), std::nullopt, Device{}, generator.get());
      return size ? wrap<true>(std::move(drawn)) : python_number(drawn.item());
    });
  });
}

// Reads the bounds of plain_integers() as int64; false if they are no such numbers, or the range is
// empty. `high` None: from 0 to `low`.
bool read_range(PyObject* low, PyObject* high, bool endpoint, int64_t& from, int64_t& last) {
  if (!PyLong_CheckExact(low) || (high != Py_None && !PyLong_CheckExact(high))) return false;
  int overflow = 0, overflows = 0;
  from = PyLong_AsLongLongAndOverflow(low, &overflow);
  overflows |= overflow;
  last = high == Py_None ? std::exchange(from, 0) : PyLong_AsLongLongAndOverflow(high, &overflow);
  overflows |= overflow;
  if (overflows || (!endpoint && last == std::numeric_limits<int64_t>::min())) return false;
  last -= !endpoint;
  return from <= last;
}

PyObject* plain_integers(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return protect<true>([&]() -> PyObject* {
    if (n != 5) raise_python(PyExc_TypeError, "_plain_integers(generator, low, high, endpoint, size)");
    int64_t from, last;
    std::optional<DimVector> size;
    if (!read_range(args[1], args[2], args[3] == Py_True, from, last) || !read_size(args[4], size) ||
        !defaults_are_numpys())
      Py_RETURN_NONE;
    const intrusive_ptr<Generator> generator = read_generator(args[0]);
    return or_none([&] {
      Tensor drawn = tnp::random_integers(wrapped_number(Scalar(from)), wrapped_number(Scalar(last)), as_list(size),
                                          ScalarType::Int64, Device{}, generator.get());
      return wrap_result<true>(std::move(drawn), !size);
    });
  });
}

PyMethodDef functions[] = {
    {"_plain_draw", as_method(plain_draw), METH_FASTCALL,
     "_plain_draw(generator, name, size, /, *parameters)\n--\n\n"
     "Random numbers: one Python number if `size` is None, otherwise an array.\n\n"
     "The result is None if the general path is needed: the default device is not the CPU, a default\n"
     "dtype does not have 64 bits, a parameter is not a plain number, `size` is neither an int nor a\n"
     "tuple of ints, or an argument is invalid.\n\n"
     "Args:\n"
     "  generator: Generator to draw from.\n"
     "  name: Name of the distribution.\n"
     "  size: Shape of the result.\n"
     "  parameters: Parameters of the distribution."},
    {"_plain_integers", as_method(plain_integers), METH_FASTCALL,
     "_plain_integers(generator, low, high, endpoint, size, /)\n--\n\n"
     "Random integers, as Generator.integers draws them: one np.int64 if `size` is None, otherwise an\n"
     "array of int64. The result is None if the general path is needed, as in `_plain_draw`."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_draws(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
