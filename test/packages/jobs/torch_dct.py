"""Cosine transforms of torch-dct."""
PROJECT = "torch-dct"
TASK = "cosine transforms of one and two dimensions and their inverses, with a gradient"


def job():
    import torch
    import torch_dct

    from packages.values import wave

    x = wave(3, 4, 6, dtype=torch.float64).requires_grad_()
    plane = torch_dct.dct_2d(x, norm="ortho")
    (plane * wave(3, 4, 6, step=0.7, dtype=torch.float64)).sum().backward()
    return {"dct": torch_dct.dct(x), "dct_2d": plane, "back": torch_dct.idct_2d(plane, norm="ortho"), "idct": torch_dct.idct(x),
            "dct1": torch_dct.dct1(x), "dst": torch_dct.LinearDCT(6, "dct")(x.float()), "gradient": x.grad}
