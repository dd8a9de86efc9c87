"""Einstein notation of einx."""
PROJECT = "einx"
TASK = "rearrangements, sums, dot products, elementwise operators and indexing in einx's notation"


def job():
    import einx
    import torch

    from packages.values import wave

    x, y = wave(4, 3, 2).requires_grad_(), wave(2, 5)
    product = einx.dot("a b c, c d -> a b d", x, y)
    product.pow(2).sum().backward()
    return {"rearrange": einx.id("a b c -> c (a b)", x), "sum": einx.sum("a [b] c", x), "dot": product, "gradient": x.grad,
            "add": einx.add("a b c, b -> a b c", x, wave(3)), "softmax": einx.softmax("a b [c]", x), "max": einx.max("a b [c]", x),
            "where": einx.where("a b, a b, -> a b", torch.eye(3) > 0, wave(3, 3), 0.0)}
