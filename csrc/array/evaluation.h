// Note [Who calls an operator] A reference count of one says that an array is in one place, not that nobody reads it
// there again. `operator.add(*pair)` calls for what the tuple `pair` holds; an extension module may hold the only
// reference to an array, add to it, and read it afterwards. Only the evaluation of a binary operator's byte code is
// known to drop its operands, and that is one place in the interpreter: the return address there is found out at
// import, by having an operator evaluated, since few builds have a symbol for it (compilers split the function, or make
// one of each instruction). Where it cannot be found out, no call comes from there.
#pragma once

namespace tnp::python {

bool init_evaluation();

// Whether the number slot that runs was called for a binary operator in Python code, not by a function written in C.
bool called_by_evaluation();

}  // namespace tnp::python
