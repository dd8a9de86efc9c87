"""vmap of functions without a derivative of their own, and of composed ones: in a batch, against a loop."""
import warnings

import pytest

import torch_np
import torch_np.numpy as np

SIZE = 3
F = torch_np.nn.functional
M, V = (3, 4), (5,)
# Functions of tensors, and the shapes of their arguments.
FUNCTIONS = {
    "addbmm": (torch_np.addbmm, (2, 3), (4, 2, 5), (4, 5, 3)), "addcdiv": (lambda x, y, z: torch_np.addcdiv(x, y, z, value=2), M, M, M),
    "addmm": (lambda x, y, z: torch_np.addmm(x, y, z, beta=2, alpha=3), (3,), (2, 4), (4, 3)), "addmv": (torch_np.addmv, (2,), (2, 4), (4,)),
    "addr": (torch_np.addr, (2, 3), (2,), (3,)), "all": (lambda x: torch_np.all(x > 0, 0), M), "allclose_in": (lambda x, y: torch_np.isclose(x, y), M, M),
    "amax": (lambda x: x.amax((0, 1)), M), "aminmax": (lambda x: torch_np.aminmax(x, dim=1), M), "argmax": (torch_np.argmax, M),
    "argmax_keepdim": (lambda x: x.argmax(1, keepdim=True), M), "argsort": (torch_np.argsort, M), "atleast_2d": (torch_np.atleast_2d, V),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2), (2, 4, 4)), "baddbmm": (torch_np.baddbmm, (2, 3, 4), (2, 3, 5), (2, 5, 4)),
    "bilinear": (F.bilinear, (2, 3), (2, 4), (5, 3, 4)), "bincount_of_signs": (lambda x: (x > 0).sum(), V), "block_diag": (torch_np.block_diag, (2, 2), (1, 3)),
    "bmm": (torch_np.bmm, (2, 3, 4), (2, 4, 5)), "bucketize": (lambda x, y: torch_np.bucketize(x, y.sort()[0]), M, (6,)),
    "cartesian_prod": (torch_np.cartesian_prod, (2,), (3,)), "cat": (lambda x, y: torch_np.cat([x, y], -1), M, (3, 2)), "cdist": (torch_np.cdist, (3, 4), (2, 4)),
    "cdist_1": (lambda x, y: torch_np.cdist(x, y, 1), (2, 3, 4), (2, 2, 4)), "chunk": (lambda x: torch_np.chunk(x, 2, 1), M), "clamp": (lambda x: x.clamp(-0.5, 0.5), M),
    "clamp_tensor": (lambda x, y: torch_np.clamp(x, min=y), M, (4,)), "combinations": (torch_np.combinations, V), "copysign": (torch_np.copysign, M, (4,)),
    "corrcoef": (torch_np.corrcoef, M), "cosine_similarity": (F.cosine_similarity, M, M), "count_nonzero": (lambda x: torch_np.count_nonzero(x > 0, 0), M),
    "cov": (torch_np.cov, M), "cross": (lambda x, y: torch_np.linalg.cross(x, y), (2, 3), (2, 3)), "cross_entropy": (lambda x: F.cross_entropy(x, torch_np.tensor([1, 0, 3])), M),
    "cross_entropy_weighted": (lambda x, w: F.cross_entropy(x, torch_np.tensor([1, 0, 3]), w.abs(), label_smoothing=0.1), M, (4,)),
    "cross_entropy_of_one": (lambda x: F.cross_entropy(x, torch_np.tensor(2)), (4,)), "cross_entropy_of_probabilities": (lambda x, y: F.cross_entropy(x, y.softmax(1)), M, M),
    "cumsum": (lambda x: x.cumsum(-1), M), "diag": (torch_np.diag, V), "diag_embed": (torch_np.diag_embed, M), "diagonal": (lambda x: x.diagonal(1), M), "diff": (torch_np.diff, V),
    "dist": (torch_np.dist, M, M), "dot": (torch_np.dot, V, V), "dstack": (lambda x, y: torch_np.dstack([x, y]), M, M), "einsum": (lambda x, y: torch_np.einsum("ij,kj->ik", x, y), M, (2, 4)),
    "einsum_trace": (lambda x: torch_np.einsum("ii->", x), (3, 3)), "embedding": (lambda w: F.embedding(torch_np.tensor([[0, 2], [1, 1]]), w), (3, 4)),
    "equal_elements": (torch_np.eq, M, M), "expand": (lambda x: x.expand(2, 3, 4), (3, 1)), "eye_like": (lambda x: x @ torch_np.eye(4, dtype=x.dtype), M),
    "fft": (torch_np.fft.fft, V), "fft2": (torch_np.fft.fft2, M), "irfft": (lambda x: torch_np.fft.irfft(x + 0j, 8), V), "rfftn": (torch_np.fft.rfftn, M), "fftshift": (torch_np.fft.fftshift, M),
    "flatten": (torch_np.flatten, (2, 3, 2)), "flip": (lambda x: torch_np.flip(x, [0, 1]), M), "floor_divide": (torch_np.floor_divide, M, M), "frexp": (torch_np.frexp, M),
    "full_like": (lambda x: torch_np.full_like(x, 2.5) + x, M), "gather": (lambda x: x.gather(1, torch_np.tensor([[0, 1], [2, 0], [3, 3]])), M),
    "gather_sorted": (lambda x: x.gather(0, x.argsort(0)), M), "glu": (F.glu, M), "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), (2, 4, 3), (4,), (4,)),
    "grid_sample": (lambda x, g: F.grid_sample(x, g.tanh(), align_corners=True), (1, 2, 4, 4), (1, 3, 3, 2)), "histc": (lambda x: torch_np.histc(x, 4, -2, 2), (20,)),
    "index": (lambda x: x[torch_np.tensor([0, 2]), 1:], M), "index_2": (lambda x: x[:, torch_np.tensor([0, 2])], M), "index_apart": (lambda x: x[torch_np.tensor([0, 1]), :, torch_np.tensor([1, 0])], (2, 3, 2)),
    "index_by_batch": (lambda x, y: x[y.argsort()], (5, 2), V), "index_add": (lambda x, y: x.index_add(0, torch_np.tensor([0, 2]), y), M, (2, 4)),
    "index_copy": (lambda x, y: x.index_copy(0, torch_np.tensor([0, 2]), y), M, (2, 4)), "index_fill": (lambda x: x.index_fill(1, torch_np.tensor([0]), 3.0), M),
    "index_put": (lambda x, v: x.index_put((torch_np.tensor([0, 2]),), v), M, (4,)), "index_put_by_batch": (lambda x, v, k: x.index_put((k.argsort(),), v, accumulate=True), (5, 2), (5, 2), V),
    "index_select": (lambda x: x.index_select(1, torch_np.tensor([0, 2])), M), "inner": (torch_np.inner, M, (2, 4)), "instance_norm": (F.instance_norm, (2, 3, 5)),
    "interpolate": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), (1, 2, 3, 3)), "isfinite": (torch_np.isfinite, M), "isin": (lambda x: torch_np.isin((x * 2).long(), torch_np.tensor([0, 1])), M),
    "kron": (torch_np.kron, (2, 2), (1, 3)), "kthvalue": (lambda x: torch_np.kthvalue(x, 2), M), "l1_loss": (F.l1_loss, M, M), "layer_norm": (lambda x, w, b: F.layer_norm(x, (4,), w, b), M, (4,), (4,)),
    "lerp": (torch_np.lerp, M, (4,), ()), "linalg_cond": (lambda x: torch_np.linalg.cond(x + 4 * torch_np.eye(3, dtype=x.dtype)), (3, 3)), "linear": (F.linear, M, (2, 4), (2,)), "logsumexp": (lambda x: x.logsumexp(0), M),
    "lstsq": (lambda a, b: torch_np.linalg.lstsq(a, b)[0], (4, 2), (4, 3)), "margin": (lambda x, y: F.margin_ranking_loss(x, y, torch_np.ones(5)), V, V),
    "masked_fill": (lambda x, y: x.masked_fill(y > 0, -1.0), M, M), "masked_scatter": (lambda x, y: x.masked_scatter(torch_np.tensor([True, False, True, False]), y), M, M),
    "matmul_broadcast": (torch_np.matmul, (2, 1, 2, 3), (4, 3, 2)), "matrix_power": (lambda x: torch_np.linalg.matrix_power(x, 3), (3, 3)), "max": (torch_np.max, M), "max_dim": (lambda x: x.max(0), M),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), (1, 2, 4, 4)), "mean": (lambda x: x.mean(0), M), "median": (torch_np.median, V), "meshgrid": (lambda x, y: torch_np.meshgrid(x, y, indexing="ij"), (2,), (3,)),
    "mm": (torch_np.mm, M, (4, 2)), "mode": (lambda x: torch_np.mode(x.round(), 1), M), "movedim": (lambda x: x.movedim(0, -1), (2, 3, 4)), "mse": (F.mse_loss, M, M), "msort": (torch_np.msort, M),
    "multi_dot": (lambda x, y, z: torch_np.linalg.multi_dot([x, y, z]), (2, 3), (3, 4), (4, 2)), "multi_margin": (lambda x: F.multi_margin_loss(x, torch_np.tensor([1, 0, 3])), M),
    "mv": (torch_np.mv, M, (4,)), "nan_to_num": (lambda x: torch_np.nan_to_num(torch_np.log(x)), M), "nanmean": (torch_np.nanmean, M), "nansum": (lambda x: torch_np.nansum(torch_np.sqrt(x), 0), M), "narrow": (lambda x: x.narrow(1, 1, 2), M),
    "new_zeros": (lambda x: x.new_zeros(2) + x.sum(), M), "nll_loss": (lambda x: F.nll_loss(x.log_softmax(1), torch_np.tensor([1, 0, 3]), reduction="sum"), M), "norm": (lambda x: torch_np.linalg.norm(x, dim=1), M),
    "norm_fro": (torch_np.linalg.norm, M), "norm_nuc": (lambda x: torch_np.linalg.norm(x, "nuc"), M), "normalize": (F.normalize, M), "one_hot": (lambda x: F.one_hot((x > 0).long(), 2), M), "ones_like": (lambda x: torch_np.ones_like(x) + x, M), "outer": (torch_np.outer, V, (2,)),
    "pad": (lambda x: F.pad(x, (1, 2)), M), "pad_reflect": (lambda x: F.pad(x, (1, 2), mode="reflect"), (2, 3, 4)), "pairwise_distance": (F.pairwise_distance, M, M), "pdist": (F.pdist, M), "pinv": (torch_np.linalg.pinv, M),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2), (4, 2, 2)), "prod": (lambda x: x.prod(1), M), "ptp": (lambda x: x.amax() - x.amin(), M), "quantile": (lambda x: torch_np.quantile(x, 0.3, dim=1), M), "ravel": (torch_np.ravel, M), "real": (lambda x: torch_np.complex(x, x).real, M), "renorm": (lambda x: torch_np.renorm(x, 2, 0, 1), M),
    "repeat": (lambda x: x.repeat(2, 1, 3), M), "repeat_interleave": (lambda x: x.repeat_interleave(2, 1), M), "repeat_interleave_tensor": (lambda x: x.repeat_interleave(torch_np.tensor([1, 0, 2]), 0), M), "reshape": (lambda x: x.T.reshape(2, -1), M),
    "rms_norm": (lambda x, w: F.rms_norm(x, (4,), w), M, (4,)), "roll": (lambda x: torch_np.roll(x, 2), M), "rot90": (torch_np.rot90, M), "round": (torch_np.round, M), "scatter": (lambda x, y: x.scatter(1, torch_np.tensor([[0, 1], [2, 0], [3, 3]]), y), M, (3, 2)),
    "scatter_add_by_batch": (lambda x, y: x.scatter_add(1, x.argsort(1), y), M, M), "scatter_reduce": (lambda x, y: x.scatter_reduce(0, torch_np.tensor([[0, 1, 0, 1]]), y, "amax"), M, (1, 4)),
    "scaled_dot_product_attention": (F.scaled_dot_product_attention, (2, 3, 4), (2, 5, 4), (2, 5, 4)), "searchsorted": (lambda x, y: torch_np.searchsorted(x.sort()[0], y), V, M), "select_scatter": (lambda x, y: x.select_scatter(y, 0, 1), M, (4,)),
    "slice_scatter": (lambda x, y: x.slice_scatter(y, 1, 0, 2), M, (3, 2)), "slogdet": (torch_np.linalg.slogdet, (3, 3)), "smooth_l1": (F.smooth_l1_loss, M, M), "softmax": (lambda x: x.softmax(0), M), "solve": (lambda a, b: torch_np.linalg.solve(a + 4 * torch_np.eye(3, dtype=a.dtype), b), (3, 3), (3,)), "sort": (torch_np.sort, M), "split": (lambda x: x.split([1, 3], 1), M),
    "squeeze": (torch_np.squeeze, (1, 3, 1)), "stack": (lambda x, y: torch_np.stack([x, y], 1), M, M), "std": (lambda x: torch_np.std(x, 0), M), "std_mean": (torch_np.std_mean, M), "sum_to_size": (lambda x: x.sum_to_size(1, 4), M), "svdvals": (torch_np.linalg.svdvals, M), "swapaxes": (lambda x: x.swapaxes(0, 1), M),
    "take": (lambda x: torch_np.take(x, torch_np.tensor([0, 5, 11])), M), "take_along_dim": (lambda x: torch_np.take_along_dim(x, x.argsort(1), 1), M), "tensor_split": (lambda x: torch_np.tensor_split(x, 3, 1), M), "tensordot": (lambda x, y: torch_np.tensordot(x, y, 1), M, (4, 2)), "tile": (lambda x: torch_np.tile(x, (2, 2)), M),
    "topk": (lambda x: x.topk(2), M), "trace": (torch_np.trace, (3, 3)), "trapezoid": (torch_np.trapezoid, M), "tril": (torch_np.tril, (3, 3)), "triplet": (F.triplet_margin_loss, M, M, M), "true_divide": (torch_np.div, M, ()), "unbind": (lambda x: x.unbind(1), M), "unfold": (lambda x: x.unfold(0, 2, 1), M), "unfold_images": (lambda x: F.unfold(x, 2), (1, 2, 4, 4)),
    "vander": (torch_np.vander, V), "var_mean": (lambda x: torch_np.var_mean(x, 0), M), "vdot": (torch_np.vdot, V, V), "view_as": (lambda x, y: x.view_as(y), (2, 6), (3, 4)), "vstack": (lambda x, y: torch_np.vstack([x, y]), M, (4,)), "where": (torch_np.where, M, M, M), "xlogy": (lambda x, y: torch_np.xlogy(x, y.abs()), M, M), "zeros_like": (lambda x: torch_np.zeros_like(x).add_(x), M),
}
FUNCTIONS["where"] = (lambda x, y, z: torch_np.where(x > 0, y, z), M, (4,), ())
ARRAYS = {
    "average": (lambda x, w: np.average(x, weights=w * w), (4,), (4,)), "concatenate": (lambda x, y: np.concatenate([x, y]), M, (2, 4)), "convolve": (np.convolve, (4,), (3,)), "cross": (np.cross, (2, 3), (3,)),
    "dot": (np.dot, M, (4, 2)), "gradient": (np.gradient, V), "interp": (lambda x: np.interp(x, np.array([-1.0, 0.0, 1.0]), np.array([0.0, 1.0, 3.0])), V), "matmul": (np.matmul, M, (4,)), "moveaxis": (lambda x: np.moveaxis(x, 0, 1), M), "norm": (lambda x: np.linalg.norm(x), M),
    "percentile": (lambda x: np.percentile(x, 30), M), "polyval": (np.polyval, (3,), V), "ptp": (np.ptp, M), "std": (np.std, M), "sum_of_scalars": (lambda x: x.sum() * x[0, 0] + 1, M), "trace": (np.trace, M), "take": (lambda x: np.take(x, [0, 2], 1), M), "cumsum": (np.cumsum, M), "sort": (np.sort, M), "tensordot": (lambda x, y: np.tensordot(x, y, 1), M, (4, 2)),
    "outer": (np.outer, V, V), "einsum": (lambda x, y: np.einsum("ij,j->i", x, y), M, (4,)), "where": (lambda x: np.where(x > 0, x, 0), M), "clip": (lambda x: np.clip(x, -0.5, 0.5), M), "assigned": (lambda x: _assigned(np.zeros_like(x), x), M),
}


def _assigned(y, x):
    y[1:] = x[:-1]
    y[0, ::2] += 1
    return y


def samples(shape, seed):
    return torch_np.randn(SIZE, *shape, dtype=torch_np.float64, generator=torch_np.Generator().manual_seed(seed))


def flat(value):
    return [t for v in value for t in flat(v)] if isinstance(value, (tuple, list)) else [value]


def check(vmap, function, batches, as_tensor):
    count = len(batches)
    alone = [[i == k for i in range(count)] for k in range(count)]
    for number, batched in enumerate(alone if count == 1 else [*alone, [True] * count]):
        axes = tuple((-1 if number % 2 else 0) if use else None for use in batched)
        given = [b[0] if a is None else b if a == 0 else np.moveaxis(b, 0, -1) if isinstance(b, np.ndarray) else b.movedim(0, -1) for b, a in zip(batches, axes)]
        made = flat(vmap(lambda *xs: tuple(flat(function(*xs))), axes)(*given))
        expected = zip(*(flat(function(*[b[i if use else 0] for b, use in zip(batches, batched)])) for i in range(SIZE)))
        for result, parts in zip(made, expected, strict=True):
            whole = torch_np.stack([as_tensor(p) for p in parts])
            assert as_tensor(result).shape == whole.shape and as_tensor(result).dtype == whole.dtype
            torch_np.testing.assert_close(as_tensor(result), whole, rtol=1e-8, atol=1e-9, equal_nan=True)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_tensors(name):
    function, *shapes = FUNCTIONS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(torch_np.vmap, function, [samples(shape, i) for i, shape in enumerate(shapes)], lambda t: t)


@pytest.mark.parametrize("name", ARRAYS)
def test_functions_of_arrays(name):
    function, *shapes = ARRAYS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(np._vmap, function, [samples(shape, i)._np_compat() for i, shape in enumerate(shapes)], lambda a: np.asarray(a)._torch())
