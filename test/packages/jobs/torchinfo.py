"""The summary of a network by torchinfo."""
PROJECT = "torchinfo"
TASK = "the summary of a convolutional network: shapes, parameters, multiply-adds"


def job():
    import torch
    import torchinfo

    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(4 * 36, 10))
    found = torchinfo.summary(net, input_size=(2, 3, 8, 8), verbose=0, device="cpu")
    return {"text": str(found), "parameters": found.total_params, "operations": found.total_mult_adds}
