"""Networks, losses, metrics and transforms of MONAI."""
PROJECT = "monai"
TASK = "a U-Net, the Dice and focal losses with gradients, inference in windows, a metric, and transforms of an image"


def job():
    import torch
    from monai.inferers import sliding_window_inference
    from monai.losses import DiceCELoss, FocalLoss
    from monai.metrics import DiceMetric
    from monai.networks.nets import UNet
    from monai.transforms import Compose, GaussianSmooth, Resize, ScaleIntensity

    from packages.values import wave

    net = UNet(2, 1, 2, (4, 8, 16), (2, 2), num_res_units=1)
    for i, p in enumerate(net.parameters()):
        torch.nn.init.constant_(p, 0.05 + 0.01 * (i % 3))
    x = wave(2, 1, 32, 32)
    made = net(x)
    loss = DiceCELoss(to_onehot_y=True, softmax=True)(made, (x > 0).float())
    loss.backward()
    metric = DiceMetric()
    metric((wave(2, 2, 8, 8) > 0).float(), (wave(2, 2, 8, 8, step=0.3) > 0).float())
    transform = Compose([ScaleIntensity(), Resize((16, 16)), GaussianSmooth(1.0)])
    return {"logits": made, "loss": loss, "gradient": sum(p.grad.abs().sum() for p in net.parameters()),
            "focal": FocalLoss()(made, (made > 0).float()), "windows": sliding_window_inference(x, (16, 16), 2, net),
            "dice": metric.aggregate(), "image": torch.as_tensor(transform(x[0]))}
