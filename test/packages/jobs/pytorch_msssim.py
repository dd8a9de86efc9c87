"""Structural similarity by pytorch-msssim."""
PROJECT = "pytorch-msssim"
TASK = "SSIM and multi-scale SSIM of images, with a gradient"


def job():
    from pytorch_msssim import MS_SSIM, SSIM, ms_ssim, ssim

    from packages.values import wave

    a, b = (wave(2, 3, 176, 176, step=step) * 0.5 + 0.5 for step in (0.37, 0.3701))
    b.requires_grad_()
    value = ssim(a, b, data_range=1, size_average=False)
    value.sum().backward()
    return {"ssim": value, "gradient": b.grad[:, :, ::20, ::20], "ms_ssim": ms_ssim(a, b, data_range=1, size_average=False),
            "module": SSIM(data_range=1, channel=3, nonnegative_ssim=True)(a, b), "ms_module": MS_SSIM(data_range=1, channel=3)(a, b)}
