"""The summary of a network by torchsummary."""
PROJECT = "torchsummary"
TASK = "the summary of a convolutional network, as text"


def job():
    import contextlib
    import io

    import torch
    from torchsummary import summary

    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(4 * 36, 10))
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        summary(net, (3, 8, 8), device="cpu")
    return {"text": text.getvalue()}
