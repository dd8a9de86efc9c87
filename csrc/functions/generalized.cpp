#include "csrc/functions/generalized.h"

#include <cstring>

namespace tnp::python {

namespace {

UfuncRow row_named(const char* name) {
  UfuncRow row{};
  row.name = name;
  row.package = "";
  row.nin = 2;
  row.nout = 1;
  row.identity = "None";
  for (const FunctionTable* table = function_tables; table->functions; ++table) {
    if (!table->compat || table->package[0]) continue;
    for (PyMethodDef* m = table->functions; m->ml_name; ++m) {
      if (std::strcmp(m->ml_name, name) != 0) continue;
      row.binding = reinterpret_cast<Binding>(reinterpret_cast<void (*)()>(m->ml_meth));
      row.doc = m->ml_doc;
    }
  }
  return row;
}

}  // namespace

std::array<Generalized, 4>& generalized_ufuncs() {
  static std::array<Generalized, 4> rows = {{{"(n?,k),(k,m?)->(n?,m?)", row_named("matmul")},
                                             {"(n),(n)->()", row_named("vecdot")},
                                             {"(m,n),(n)->(m)", row_named("matvec")},
                                             {"(n),(n,m)->(m)", row_named("vecmat")}}};
  return rows;
}

const UfuncRow* find_generalized(const char* name) {
  for (const Generalized& g : generalized_ufuncs()) {
    if (g.row.binding && std::strcmp(g.row.name, name) == 0) return &g.row;
  }
  return nullptr;
}

}  // namespace tnp::python
