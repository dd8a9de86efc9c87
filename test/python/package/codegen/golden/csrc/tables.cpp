// Generated from native_functions.yaml. See csrc/functions/tables.h.
#include "csrc/functions/tables.h"

namespace tnp::python {

extern const FamilyTables elements_tables;
extern const FamilyTables arrays_tables;

static const FamilyTables* const all[] = {&elements_tables, &arrays_tables};
constinit const std::span<const FamilyTables* const> family_tables{all};

}  // namespace tnp::python
