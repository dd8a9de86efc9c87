"""Wavelet transforms of ptwt."""
PROJECT = "ptwt"
TASK = "discrete wavelet transforms of one and two dimensions and their inverses, and a continuous one"


def job():
    import ptwt
    import pywt
    import torch

    from packages.values import wave

    x = wave(64)
    parts = ptwt.wavedec(x, pywt.Wavelet("db2"), level=2, mode="zero")
    image = wave(1, 16, 16)
    tree = ptwt.wavedec2(image, pywt.Wavelet("haar"), level=2)
    continuous, _ = ptwt.cwt(x, torch.arange(1, 8), "mexh")
    return {**{f"part {i}": part for i, part in enumerate(parts)}, "inverse": ptwt.waverec(parts, pywt.Wavelet("db2")), "coarse": tree[0],
            "image": ptwt.waverec2(tree, pywt.Wavelet("haar")), "continuous": torch.as_tensor(continuous)}
