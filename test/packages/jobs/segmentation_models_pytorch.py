"""Segmentation networks of segmentation-models-pytorch."""
PROJECT = "segmentation-models-pytorch"
TASK = "masks of a Unet, an FPN and a DeepLabV3+ with a ResNet encoder, the Dice, focal and Jaccard losses, and metrics"
TOLERANCE = 1e-4


def job():
    import segmentation_models_pytorch as smp
    import torch

    from packages.values import wave

    images, target = wave(2, 3, 64, 64), (torch.arange(2 * 64 * 64).reshape(2, 1, 64, 64) % 3 == 0).long()
    results = {}
    for name in ("Unet", "FPN", "DeepLabV3Plus"):
        model = getattr(smp, name)("resnet18", encoder_weights=None, classes=1).eval()
        with torch.no_grad():
            for k, p in enumerate(model.parameters()):
                p.copy_((torch.sin(torch.arange(p.numel(), dtype=torch.float64) * 0.37 + k) * (p.numel() / p.shape[0] + 1) ** -0.5).reshape(p.shape))
        logits = model(images)
        loss = smp.losses.DiceLoss("binary")(logits, target)
        loss.backward()
        results[name] = [logits[:, :, ::8, ::8], loss, smp.losses.FocalLoss("binary")(logits, target), smp.losses.JaccardLoss("binary")(logits, target),
                         smp.losses.TverskyLoss("binary")(logits, target)]
    counts = smp.metrics.get_stats(torch.sigmoid(logits), target, mode="binary", threshold=0.5)
    results["scores"] = [smp.metrics.iou_score(*counts, reduction="micro"), smp.metrics.f1_score(*counts, reduction="micro")]
    return results
