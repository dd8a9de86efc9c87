"""Image models of timm."""
PROJECT = "timm"
TASK = "logits of a ResNet, a ViT and a ConvNeXt, and the ResNet's features"
TOLERANCE = 1e-3


def job():
    import timm

    from packages.values import fill, wave

    x = wave(1, 3, 64, 64, step=0.01)
    results = {}
    for name, options in (("resnet10t", {}), ("test_vit", {"img_size": 64}), ("convnext_atto", {})):
        model = fill(timm.create_model(name, pretrained=False, num_classes=5, **options)).eval()
        results[name] = model(x)
    results["features"] = [f.mean() for f in fill(timm.create_model("resnet10t", pretrained=False, features_only=True)).eval()(x)]
    return results
