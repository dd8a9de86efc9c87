"""Rearranged, reduced and repeated tensors, and layers of einops."""
PROJECT = "einops"
TASK = "rearrange, reduce, repeat, einsum, and layers in a network, with gradients"


def job():
    import torch
    from einops import einsum, pack, parse_shape, rearrange, reduce, repeat, unpack
    from einops.layers.torch import EinMix, Rearrange, Reduce

    from packages.values import fill, wave

    x = wave(2, 6, 4, 3).requires_grad_()
    net = fill(torch.nn.Sequential(Rearrange("b (h s) w c -> b h w (s c)", s=2), EinMix("b h w c -> b h w d", weight_shape="c d", c=6, d=5),
                                   Reduce("b h w d -> b d", "mean")))
    y = net(x)
    (y ** 2).sum().backward()
    packed, shapes = pack([wave(2, 3), wave(2, 4, 5)], "b *")
    return {"network": y, "gradient": x.grad, "rearrange": rearrange(x, "b h w c -> c (b h) w"), "max": reduce(x, "b (h k) w c -> b h c", "max", k=3),
            "repeat": repeat(x[0, 0], "w c -> w r c", r=2), "einsum": einsum(x, wave(3, 2), "b h w c, c d -> b d h"), "packed": packed,
            "unpacked": unpack(packed, shapes, "b *"), "shape": parse_shape(x, "b h w _")}
