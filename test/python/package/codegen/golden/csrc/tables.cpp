// Generated from native_functions.yaml. See csrc/functions/tables.h.
#include "csrc/functions/tables.h"

namespace tnp::python {

namespace elements_rows { extern const FamilyTables tables; }
namespace arrays_rows { extern const FamilyTables tables; }

static const FamilyTables* const all[] = {&elements_rows::tables, &arrays_rows::tables};
constinit const std::span<const FamilyTables* const> family_tables{all};

}  // namespace tnp::python
