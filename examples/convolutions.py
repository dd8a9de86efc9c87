"""Handwritten digits by convolutions: a small residual network, trained on shifted copies, and its
confusion matrix.

The data: 1,797 digits of 8 x 8 pixels, included in scikit-learn (test set of Alpaydin and Kaynak,
UCI, 1998). The network: two residual blocks (He et al., 2015) of 3 x 3 convolutions with batch
normalisation. It is trained by SGD with Nesterov momentum and a one-cycle learning rate (Smith and
Topin, 2017). The weights are saved in PyTorch's file format, and loaded again before the last test.

    python examples/convolutions.py [--epochs N] [--figure PATH] [--weights PATH]
"""
import argparse
import pathlib
import tempfile
import time

import numpy
from sklearn.datasets import load_digits
from tqdm import tqdm

import torch_np as torch
from torch_np import nn
from torch_np.nn import functional as F
from torch_np.utils.data import DataLoader, TensorDataset, random_split

BATCH, RATE, MOMENTUM, DECAY = 64, 0.15, 0.9, 5e-4


class Residual(nn.Module):
    """relu(f(x) + x) with f of two convolutions; where the shape changes, a 1 x 1 convolution is
    applied to x."""

    def __init__(self, channels_in, channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels_in, channels, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        same = stride == 1 and channels_in == channels
        self.shortcut = nn.Identity() if same else nn.Conv2d(channels_in, channels, 1, stride, bias=False)

    def forward(self, x):
        h = F.relu(self.norm1(self.conv1(x)))
        return F.relu(self.norm2(self.conv2(h)) + self.shortcut(x))


def network():
    return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), Residual(16, 32, 1),
                         Residual(32, 64, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(64, 10))


def load():
    """The training and the test dataset of (image (1, 8, 8) in [0, 1], digit)."""
    data = load_digits()
    images = torch.tensor(data.images / 16, dtype=torch.float32).unsqueeze(1)
    digits = torch.tensor(data.target)
    return random_split(TensorDataset(images, digits), [1437, 360], generator=torch.Generator().manual_seed(0))


def shifted(images):
    """The images, all shifted by the same random offset of up to one pixel in each direction."""
    down, right = torch.randint(3, (2,)).tolist()
    return F.pad(images, (1, 1, 1, 1))[:, :, down:down + 8, right:right + 8]


@torch.no_grad()
def predictions(model, loader):
    """(images, digits, predicted digits) of the whole loader."""
    model.eval()
    batches = [(x, y, model(x).argmax(1)) for x, y in loader]
    model.train()
    return [torch.cat(parts) for parts in zip(*batches, strict=True)]


def train(model, training, test, epochs):
    """(losses of the steps, accuracy after each epoch)."""
    optimizer = torch.optim.SGD(model.parameters(), RATE, MOMENTUM, weight_decay=DECAY, nesterov=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, epochs=epochs, steps_per_epoch=len(training))
    losses, accuracies = [], []
    bar = tqdm(range(epochs), desc="training", unit=" epochs")
    for _ in bar:
        for images, digits in training:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(shifted(images)), digits, label_smoothing=0.05)
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        _, digits, predicted = predictions(model, test)
        accuracies.append((digits == predicted).float().mean().item())
        bar.set_postfix_str(f"loss {losses[-1]:.3f}, held out {accuracies[-1]:.1%}")
    return losses, accuracies


def draw(path, losses, accuracies, images, digits, predicted):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    left.plot(losses, linewidth=0.7)
    left.set(xlabel="step", ylabel="cross-entropy", title="Training")
    twin = left.twinx()
    twin.plot(numpy.linspace(0, len(losses), len(accuracies)), accuracies, color="tab:green")
    twin.set(ylabel="held-out accuracy", ylim=(0.8, 1))
    confusion = numpy.zeros((10, 10), int)
    numpy.add.at(confusion, (digits.numpy(), predicted.numpy()), 1)
    middle.imshow(numpy.log1p(confusion), cmap="Blues")
    middle.set(xlabel="predicted", ylabel="digit", title="Confusion", xticks=range(10), yticks=range(10))
    wrong = (digits != predicted).nonzero().flatten().tolist()[:8] or list(range(8))
    right.imshow(numpy.hstack([images[i, 0].numpy() for i in wrong]), cmap="gray_r")
    right.set(title="Wrong: " + ", ".join(f"{digits[i].item()} for {predicted[i].item()}" for i in wrong), xticks=[], yticks=[])
    right.title.set_fontsize(8)
    figure.savefig(path, dpi=110)
    print(f"figure: {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--figure", default="convolutions.png")
    parser.add_argument("--weights", help="where to keep the weights (.pt)")
    options = parser.parse_args()
    torch.manual_seed(0)
    training, test = load()
    training, test = DataLoader(training, BATCH, shuffle=True, drop_last=True), DataLoader(test, 180)
    model = network()
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters")
    begin = time.perf_counter()
    losses, accuracies = train(model, training, test, options.epochs)
    seconds = time.perf_counter() - begin
    print(f"{len(losses)} steps in {seconds:.1f} s, {seconds / len(losses) * 1e3:.1f} ms each")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(options.weights or f"{folder}/weights.pt")
        torch.save(model.state_dict(), path)
        read = network()
        read.load_state_dict(torch.load(path))
        images, digits, predicted = predictions(read, test)
    print(f"held-out accuracy {(digits == predicted).float().mean().item():.1%}")
    draw(options.figure, losses, accuracies, images, digits, predicted)


if __name__ == "__main__":
    main()
