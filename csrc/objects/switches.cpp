#include "csrc/objects/switches.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include "csrc/objects/python_error.h"

namespace tnp::python {

namespace {

struct Row {
  const char *name, *does, *reads, *reason, *without;
};
constexpr Row kRows[] = {
#define TNP_SWITCH(device, ...) {__VA_ARGS__},
    TNP_SWITCHES(TNP_SWITCH)
#undef TNP_SWITCH
};

}  // namespace

bool is_on(Switch device) {
  static const auto are_on = [] {
    std::array<bool, std::size(kRows)> all{};
    for (size_t i = 0; i < all.size(); ++i) {
      const char* text = std::getenv(kRows[i].name);
      all[i] = !text || std::string_view(text) != "0";
    }
    return all;
  }();
  return are_on[static_cast<size_t>(device)];
}

PyObject* switches(PyObject*, PyObject*) {
  Ref all(PyList_New(0));
  for (const Row& r : kRows) {
    const Ref row(Py_BuildValue("sssss", r.name, r.does, r.reads, r.reason, r.without));
    if (!all || !row || PyList_Append(all.get(), row.get()) != 0) return nullptr;
  }
  return all.release();
}

}  // namespace tnp::python
