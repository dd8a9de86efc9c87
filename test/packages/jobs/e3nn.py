"""Equivariant operators of e3nn."""
PROJECT = "e3nn"
TASK = "spherical harmonics, a linear layer and a tensor product, with gradients"
TOLERANCE = 1e-4


def job():
    import torch
    from e3nn import o3

    from packages.values import fill, wave

    x = wave(4, 3).requires_grad_()
    harmonics = o3.spherical_harmonics([0, 1, 2], x, normalize=True)
    layer = fill(o3.Linear("2x0e + 1x1o", "1x0e + 2x1o"))
    product = o3.FullyConnectedTensorProduct("2x0e + 1x1o", "1x0e + 1x1o", "2x0e + 1x1o")
    weight = wave(product.weight_numel)
    y = product(wave(4, 5), wave(4, 4, step=0.7), weight)
    (gradient,) = torch.autograd.grad(harmonics.pow(3).sum(), x)
    return {"harmonics": harmonics, "gradient": gradient, "linear": layer(wave(4, 5)), "product": y, "wigner": o3.wigner_3j(1, 1, 2)}
