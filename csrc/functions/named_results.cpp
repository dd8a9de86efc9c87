// Classes with named fields for several results. As in the original libraries, torch_np has struct
// sequences in the module return_types, and torch_np.numpy has named tuples in the function's
// module.
#include "csrc/functions/named_results.h"

#include <structseq.h>

#include <sstream>
#include <string>
#include <vector>

#include "csrc/functions/lookup.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

namespace {

PyTypeObject* make_struct_sequence(const ResultRow& row) {
  std::vector<PyStructSequence_Field> fields;
  std::istringstream names(row.fields);
  // The names live as long as the type, and the type as long as the process.
  for (std::string name; names >> name;) fields.push_back({(new std::string(name))->c_str(), nullptr});
  const int n = static_cast<int>(fields.size());
  fields.push_back({nullptr, nullptr});
  const auto* name = new std::string(std::string("torch_np.return_types.") + row.name);
  PyStructSequence_Desc description = {name->c_str(), "Results with names.", fields.data(), n};
  return PyStructSequence_NewType(&description);
}

PyTypeObject* make_named_tuple(const ResultRow& row, const std::string& module) {
  Ref collections(PyImport_ImportModule("collections"));
  Ref namedtuple(collections ? PyObject_GetAttrString(collections.get(), "namedtuple") : nullptr);
  Ref args(Py_BuildValue("(ss)", row.name, row.fields)), kwargs(Py_BuildValue("{s:s}", "module", module.c_str()));
  PyObject* made = namedtuple && args && kwargs ? PyObject_Call(namedtuple.get(), args.get(), kwargs.get()) : nullptr;
  return reinterpret_cast<PyTypeObject*>(made);
}

bool add(PyObject* module, const ResultRow& row) {
  const std::string package = row.package;
  *row.its_type = row.compat ? make_named_tuple(row, "torch_np.numpy" + (package.empty() ? "" : "." + package))
                             : make_struct_sequence(row);
  if (!*row.its_type) return false;
  Ref target(submodule(module, row.compat ? "_numpy" + (package.empty() ? "" : "_" + package) : "_return_types"));
  return target && PyObject_SetAttrString(target.get(), row.name, reinterpret_cast<PyObject*>(*row.its_type)) == 0;
}

}  // namespace

bool init_named_results(PyObject* module) {
  for (const FamilyTables* family : family_tables) {
    for (const ResultRow* row = family->results; row->name; ++row) {
      if (!add(module, *row)) return false;
    }
  }
  return true;
}

}  // namespace tnp::python
