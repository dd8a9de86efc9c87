"""Samples of affine maps."""
from samples import Case

import torch_np


def _linear(make, *arrays):
    result = torch_np.nn.functional.linear(*[make.torch(a) for a in arrays])
    return result if make.face == "Tensor" else result._np_compat()


def _samples(make):
    def call(*arrays):
        return _linear(make, *arrays)
    return [Case([make(2, 3), make(4, 3), make(4)], call), Case([make(2, 2, 3), make(4, 3)], call), Case([make(2, 3), make(3)], call)]


SAMPLES = {"linear": _samples}
