"""Measures of images by piq."""
PROJECT = "piq"
TASK = "PSNR, SSIM, VIF, GMSD, HaarPSI, total variation and other measures, with a gradient"
TOLERANCE = 2e-5


def job():
    import piq

    from packages.values import wave

    a, b = (wave(2, 3, 96, 96, step=step) * 0.5 + 0.5 for step in (0.37, 0.3702))
    b.requires_grad_()
    loss = piq.SSIMLoss(data_range=1.0)(b, a)
    loss.backward()
    measures = {name: getattr(piq, name)(b, a, data_range=1.0, reduction="none")
                for name in ("psnr", "ssim", "vif_p", "gmsd", "multi_scale_gmsd", "haarpsi", "vsi", "mdsi", "fsim", "dss")}
    return {"loss": loss, "gradient": b.grad[:, :, ::10, ::10], "total variation": piq.total_variation(a, "none"), **measures}
