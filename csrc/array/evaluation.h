// Note [Who calls an operator] A reference count of one means that an array has one owner, but this
// owner may read it again. `operator.add(*pair)` passes arrays that the tuple `pair` owns. An
// extension module may own the only reference to an array, add to it, and read it afterwards. Only
// the bytecode of a binary operator is known to drop its operands, and the interpreter has one call
// site for it. Few builds have a symbol for this site (compilers split the function, or make one
// for each instruction). Therefore import evaluates an operator, in an expression and in a
// generator, and records the return address. If the two addresses differ, if the stack cannot be
// unwound, or if the switch is off, called_by_evaluation() always returns false.
#pragma once

namespace tnp::python {

bool init_evaluation();

// Whether the interpreter called the current number slot for a binary operator in Python code.
// Returns false if a C function called the slot.
bool called_by_evaluation();

}  // namespace tnp::python
