"""torch_np.special: special functions under PyTorch's names.

Functions that torch_np has too are the same objects, some under another name: gammaln is lgamma,
psi is digamma, expit is sigmoid.
"""
from __future__ import annotations

from torch_np._C._torch import (  # noqa: F401
    digamma as digamma, erf as erf, erfc as erfc, erfinv as erfinv, exp2 as exp2, expm1 as expm1, i0 as i0, igamma as gammainc,
    igammac as gammaincc, lgamma as gammaln, log1p as log1p, log_softmax as log_softmax, logit as logit, mvlgamma as multigammaln,
    polygamma as polygamma, round as round, sigmoid as expit, sinc as sinc, softmax as softmax, xlogy as xlogy,
)
from torch_np._C._torch_special import *  # noqa: F401,F403

psi = digamma
