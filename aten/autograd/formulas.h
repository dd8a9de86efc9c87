// Everything that derivative formulas may call besides public operators; generated nodes include this.
#pragma once

#include "aten/autograd/formulas_linalg.h"
