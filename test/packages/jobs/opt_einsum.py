"""Contractions of opt_einsum."""
PROJECT = "opt_einsum"
TASK = "contractions of several tensors, and an expression for later use, with gradients"


def job():
    import opt_einsum
    import torch

    from packages.values import wave

    a, b, c = wave(3, 4), wave(4, 5), wave(5, 6).requires_grad_()
    expression = opt_einsum.contract_expression("ab,bc,cd->ad", (3, 4), (4, 5), (5, 6))
    y = opt_einsum.contract("ab,bc,cd->ad", a, b, c, backend="torch")
    y.sum().backward()
    return {"contract": y, "gradient": c.grad, "expression": expression(a, b, c.detach(), backend="torch"),
            "trace": opt_einsum.contract("ij,jk,ki->", wave(3, 3), wave(3, 3), torch.eye(3))}
