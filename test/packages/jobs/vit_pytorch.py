"""Vision transformers of vit-pytorch."""
PROJECT = "vit-pytorch"
TASK = "logits and gradients of a ViT, a SimpleViT and a CCT, and attention maps"


def job():
    import torch
    from vit_pytorch import SimpleViT, ViT
    from vit_pytorch.cct import CCT
    from vit_pytorch.recorder import Recorder

    from packages.values import fill, wave

    images = wave(2, 3, 32, 32)
    results = {}
    sizes = {"image_size": 32, "patch_size": 8, "num_classes": 5, "dim": 16, "depth": 2, "heads": 2, "mlp_dim": 24}
    for name, model in (("vit", ViT(**sizes)), ("simple", SimpleViT(**sizes)),
                        ("cct", CCT(img_size=32, embedding_dim=16, n_conv_layers=1, kernel_size=7, stride=2, padding=3, num_layers=2, num_heads=2,
                                    mlp_ratio=2.0, num_classes=5))):
        model = fill(model).eval()
        logits = model(images)
        torch.nn.functional.cross_entropy(logits, torch.tensor([1, 3])).backward()
        results[name] = [logits, next(p.grad for p in model.parameters() if p.grad is not None)]
        if name == "vit":
            results["attention"] = Recorder(model)(images)[1]
    return results
