"""Random sparse tensors of all layouts, against dense ones."""
import random

import pytest
import torch_np
from sparse_tensors import BSC, BSR, COO, CSC, CSR, LAYOUTS, NAMES

DTYPES = [getattr(torch_np, name) for name in ("float32", "float64", "int64", "int32", "complex64", "float16", "bfloat16", "uint8")]
OPPOSITE = {COO: COO, CSR: CSC, CSC: CSR, BSR: BSC, BSC: BSR}


def equal(a, b):
    a = a if a.layout is torch_np.strided else a.to_dense()
    assert a.shape == b.shape and a.dtype == b.dtype
    torch_np.testing.assert_close(a, b)


class Random:
    """Random shapes, dense tensors, and conversions of them to one layout."""

    def __init__(self, layout, seed):
        random.seed(seed)
        torch_np.manual_seed(seed)
        self.layout, self.dtype = layout, random.choice(DTYPES)
        self.block = {"blocksize": (random.choice([1, 2, 3]), random.choice([1, 2]))} if layout in (BSR, BSC) else {}
        rows, columns = (random.choice([0, 1, 2, 3, 5]) * n for n in self.block.get("blocksize", (1, 1)))
        self.inner = random.choice([(), (), (2,), (0,), (2, 3)])
        self.shape = (rows, columns, *(random.choice([(), (3,)]) if layout is COO else ()), *self.inner)
        self.axes = random.randint(1, len(self.shape))

    def dense(self):
        kept = torch_np.rand(self.shape) < random.choice([0, 0.2, 0.5, 1])
        return (torch_np.randint(0, 4, self.shape) * kept).to(self.dtype)

    def sparse(self, dense):
        if self.layout is COO:
            return dense.to_sparse(self.axes)
        return dense.to_sparse(layout=self.layout, dense_dim=len(self.inner), **self.block)


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_against_dense_tensors(layout, seed):
    of = Random(layout, seed)
    d, e = of.dense(), of.dense()
    x, y = of.sparse(d), of.sparse(e)
    if layout is COO and seed % 2:  # with repeated indices
        indices, values = torch_np.cat((x._indices(), x._indices().flip(1)), 1), torch_np.cat((x._values(), x._values().flip(0)))
        x, d = torch_np.sparse_coo_tensor(indices, values, of.shape), d + d
        equal(x.coalesce(), d)
    equal(x, d)
    equal(x.to_sparse(), d)
    equal(x.to_sparse(layout=OPPOSITE[layout], **of.block), d)
    for result, expected in ((x + y, d + e), (torch_np.sub(x, y), d - e), (e + x, e + d), (x * y, d * e), (x * e, d * e), (e * x, d * e), (x * 3, d * 3),
                             (torch_np.abs(x), torch_np.abs(d)), (x.clone().mul_(2), d * 2), (x.clone().add_(y), d + e), (e.clone().add_(x), e + d),
                             (x.sum(), d.sum()), (x.to(torch_np.complex128), d.to(torch_np.complex128))):
        equal(result, expected)
    if layout is COO:
        axes = tuple(random.sample(range(d.dim()), random.randint(1, d.dim())))
        equal(torch_np.sum(x, axes), d.sum(axes))
        equal(torch_np.sum(x, axes[0], True), d.sum(axes[0], True))
    if 0 not in of.inner:
        kept = torch_np.ones(of.shape, dtype=of.dtype).sparse_mask(y).to_dense()
        equal(e.sparse_mask(y), e)
        equal(x.sparse_mask(y), d * kept)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_gradients(layout, seed):
    of = Random(layout, seed)
    of.dtype = torch_np.float64
    a, b, weight = of.dense().requires_grad_(), of.dense().requires_grad_(), torch_np.rand(of.shape, dtype=of.dtype)
    x, y = of.sparse(a), of.sparse(b)
    sum((result.to_dense() * weight).sum() for result in (x + y, x * y.detach().to_dense(), torch_np.sin(x), x * y)).backward()
    kept, other = (torch_np.ones(of.shape, dtype=of.dtype).sparse_mask(t.detach()).to_dense() for t in (x, y))
    torch_np.testing.assert_close(a.grad, kept * weight * (1 + b.detach() * other + torch_np.cos(a.detach()) + b.detach() * other))
    torch_np.testing.assert_close(b.grad, other * weight * (1 + a.detach() * kept))
