// Fast path for programs that draw single random numbers in a loop: it avoids the call frame and an
// array result.
#include "aten/core/devices/default_device.h"
#include "aten/core/numbers/promotion.h"
#include "aten/functions/random.h"
#include "csrc/args/readers.h"
#include "csrc/module/modules.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/generator.h"
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

PyObject* draw_number(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return protect<true>([&]() -> PyObject* {
    if (n < 2 || n > 2 + kMaxParameters) raise_python(PyExc_TypeError, "_draw_number(generator, name, *parameters)");
    Tensor parameters[kMaxParameters];
    for (Py_ssize_t i = 2; i < n; ++i)
      if (!read_parameter(args[i], parameters[i - 2])) Py_RETURN_NONE;
    if (!default_device().is_cpu() || default_dtype(Face::NumPy) != ScalarType::Float64) Py_RETURN_NONE;
    const intrusive_ptr<Generator> generator = read_generator(args[0]);
    try {
      const Tensor drawn =
          tnp::random_draw(read_distribution(args[1]), TensorList(parameters, static_cast<size_t>(n - 2)), std::nullopt,
                           std::nullopt, Device{}, generator.get());
      return python_number(drawn.item());
    } catch (const Error&) {
      Py_RETURN_NONE;  // nothing was drawn; the general path will raise the error
    }
  });
}

PyMethodDef functions[] = {
    {"_draw_number", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(draw_number)), METH_FASTCALL,
     "_draw_number(generator, name, /, *parameters)\n--\n\n"
     "One random number as a Python number.\n\n"
     "The result is None if the general path is needed: the default device is not the CPU, the default\n"
     "dtype is not float64, a parameter is not a plain number, or a parameter is invalid.\n\n"
     "Args:\n"
     "  generator: Generator to draw from.\n"
     "  name: Name of the distribution.\n"
     "  parameters: Parameters of the distribution."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_draws(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
