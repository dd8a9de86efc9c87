// Includes all helpers that derivative formulas may call, by topic. Generated nodes include this
// file.
#pragma once

#include "aten/autograd/formulas_activation.h"
#include "aten/autograd/formulas_distances.h"
#include "aten/autograd/formulas_factor.h"
#include "aten/autograd/formulas_indexing.h"
#include "aten/autograd/formulas_linalg.h"
#include "aten/autograd/formulas_pointwise.h"
#include "aten/autograd/formulas_recurrent.h"
#include "aten/autograd/formulas_reduction.h"
#include "aten/autograd/formulas_scatter.h"
#include "aten/autograd/formulas_shape.h"
#include "aten/autograd/formulas_special.h"
#include "aten/autograd/sparse_gradients.h"
