// may_share_memory, shares_memory, isfortran: questions about the memory of arrays.
#include <algorithm>

#include "csrc/convert/convert.h"
#include "csrc/types/common.h"

namespace tnp::python {

namespace {

// Whether two arrays have a byte in common; exact for up to ten million elements, else by the memory that they span.
bool overlap(const Tensor& a, const Tensor& b, bool exact) {
  auto starts = [](const Tensor& t, const char*& low, const char*& high) {
    low = high = t.data();
    for (int64_t d = 0; d < t.dim(); ++d) {
      int64_t reach = (t.size(d) - 1) * t.stride(d) * t.itemsize();
      (reach < 0 ? low : high) += reach;
    }
    high += t.itemsize();
  };
  if (a.numel() == 0 || b.numel() == 0 || a.device() != b.device()) return false;
  const char *a_low, *a_high, *b_low, *b_high;
  starts(a, a_low, a_high);
  starts(b, b_low, b_high);
  if (a_low >= b_high || b_low >= a_high) return false;
  if (!exact || a.numel() + b.numel() > 10'000'000) return true;
  auto addresses = [](const Tensor& t) {
    std::vector<const char*> list{t.data()};
    for (int64_t d = 0; d < t.dim(); ++d) {
      size_t n = list.size();
      for (int64_t i = 1; i < t.size(d); ++i) {
        for (size_t k = 0; k < n; ++k) list.push_back(list[k] + i * t.stride(d) * t.itemsize());
      }
    }
    std::sort(list.begin(), list.end());
    return list;
  };
  std::vector<const char*> x = addresses(a), y = addresses(b);
  for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i] + a.itemsize() <= y[j]) ++i;
    else if (y[j] + b.itemsize() <= x[i]) ++j;
    else return true;
  }
  return false;
}

template <bool exact>
PyObject* shares(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"", "", "max_work", nullptr};
  PyObject *a, *b, *max_work = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, exact ? "OO|O:shares_memory" : "OO|O:may_share_memory", const_cast<char**>(names), &a, &b, &max_work)) return nullptr;
  return protect<true>([&] {
    Tensor x = is_variable(a) ? unwrap(a) : as_tensor(a, true), y = is_variable(b) ? unwrap(b) : as_tensor(b, true);
    return PyBool_FromLong(overlap(x, y, exact));
  });
}

PyObject* is_fortran(PyObject*, PyObject* a) {
  return protect<true>([&] {
    Tensor t = is_variable(a) ? unwrap(a) : as_tensor(a, true);
    return PyBool_FromLong(t.is_fortran_contiguous() && !t.is_contiguous());
  });
}

PyMethodDef functions[] = {
    {"may_share_memory", as_method(shares<false>), METH_VARARGS | METH_KEYWORDS,
     "may_share_memory($module, a, b, /, max_work=0)\n--\n\nWhether the memory that two arrays span overlaps."},
    {"shares_memory", as_method(shares<true>), METH_VARARGS | METH_KEYWORDS,
     "shares_memory($module, a, b, /, max_work=-1)\n--\n\nWhether two arrays have an element in common."},
    {"isfortran", is_fortran, METH_O, "isfortran($module, a)\n--\n\nWhether `a` is column-major and not row-major."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_memory_functions(PyObject* numpy_module) {
  Ref name(PyUnicode_FromString("torch_np.numpy"));
  for (PyMethodDef* f = functions; name && f->ml_name; ++f) {
    Ref function(PyCFunction_NewEx(f, nullptr, name.get()));
    if (!function || PyObject_SetAttrString(numpy_module, f->ml_name, function.get()) < 0) return false;
  }
  return static_cast<bool>(name);
}

}  // namespace tnp::python
