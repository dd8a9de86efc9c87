// Shape function of gather_line().
#include "aten/meta_functions/indexing.h"

namespace tnp::meta {

void gather_line(Outputs& outputs, Operand& input, Operand& index) { outputs.add(index->sizes(), input->dtype()); }

}  // namespace tnp::meta
