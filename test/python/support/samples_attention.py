"""Samples of attention."""
from samples import Case

import torch_np


def _attention(make, q, k, v, **options):
    result = torch_np.nn.functional.scaled_dot_product_attention(make.torch(q), make.torch(k), make.torch(v), **options)
    return result if make.face == "Tensor" else result._np_compat()


def _samples(make):
    return [Case([make(2, 3, 4), make(2, 5, 4), make(2, 5, 2)], lambda q, k, v: _attention(make, q, k, v), "real"),
            Case([make(3, 4), make(3, 4), make(3, 4)], lambda q, k, v: _attention(make, q, k, v, is_causal=True), "real")]


SAMPLES = {"flash_attention": _samples}
REAL_ONLY = {"flash_attention"}
