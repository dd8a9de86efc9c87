// Everything that derivative formulas may call besides public operators; generated nodes include this.
#pragma once

#include "aten/autograd/formulas_linalg.h"
// Everything that derivative formulas may call by its bare name, by topic.
#pragma once

#include "aten/autograd/formulas_linalg.h"
#include "aten/autograd/formulas_shape.h"
