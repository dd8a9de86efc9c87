"""Handwritten digits: a small neural network in plain NumPy style, differentiated by the engine.

The data: 1,797 digits of 8 x 8 pixels, included in scikit-learn (test set of Alpaydin and Kaynak,
UCI, 1998). The network: two layers, ReLU, trained by gradient descent with momentum on the
cross-entropy. The same network with hand-written derivatives in NumPy runs beside it, to compare
time and result.

    python examples/digits.py [--epochs N] [--figure PATH]
"""
import argparse
import time

import numpy
from sklearn.datasets import load_digits
from tqdm import tqdm

import torch_np
import torch_np.numpy as np

HIDDEN, BATCH, RATE, MOMENTUM = 128, 64, 0.1, 0.9
HELD_OUT = 360  # one fifth of the digits, chosen by a fixed permutation


def load():
    """(training images, training labels, held-out images, held-out labels), as NumPy arrays; pixels in [0, 1]."""
    data = load_digits()
    order = numpy.random.default_rng(0).permutation(len(data.target))
    images, labels = (data.data[order] / 16.0).astype(numpy.float32), data.target[order]
    return images[HELD_OUT:], labels[HELD_OUT:], images[:HELD_OUT], labels[:HELD_OUT]


def initial_parameters(xp):
    """Weights by He's rule (2015), zero biases: (64, HIDDEN), (HIDDEN,), (HIDDEN, 10), (10,)."""
    rng = numpy.random.default_rng(2)
    shapes = ((64, HIDDEN), (HIDDEN,), (HIDDEN, 10), (10,))
    return [xp.asarray((rng.standard_normal(s) * (2 / s[0]) ** 0.5 if len(s) == 2 else numpy.zeros(s)).astype("float32"))
            for s in shapes]


def scores(x, parameters):
    w1, b1, w2, b2 = parameters
    return np.maximum(x @ w1 + b1, 0) @ w2 + b2


def cross_entropy(logits, onehot):
    """Mean over the rows of -log of the softmax at the true class."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_probability = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return -(log_probability * onehot).sum() / len(onehot)


def step_numpy_style(x, onehot, parameters, velocities):
    """One step of gradient descent, as a NumPy user writes it. The only new names begin with an
    underscore."""
    loss = cross_entropy(scores(x, parameters), onehot)
    loss._backward()
    with torch_np.no_grad():
        for p, v in zip(parameters, velocities):
            v *= MOMENTUM
            v += p._grad
            p -= RATE * v
            p._grad = None
    return float(loss)


def step_torch_style(x, onehot, parameters, velocities):
    """The same step on the same memory, as a PyTorch user writes it: `_torch()` copies nothing."""
    x, onehot = x._torch(), onehot._torch()
    w1, b1, w2, b2 = (p._torch() for p in parameters)
    logits = torch_np.relu(x @ w1 + b1) @ w2 + b2
    loss = -(torch_np.log_softmax(logits, dim=1) * onehot).sum() / len(onehot)
    loss.backward()
    with torch_np.no_grad():
        for p, v in zip((w1, b1, w2, b2), velocities):
            v = v._torch()
            v.mul_(MOMENTUM).add_(p.grad)
            p.sub_(RATE * v)
            p.grad = None
    return loss.item()


def step_by_hand(x, onehot, parameters, velocities):
    """The same step in NumPy, with derivatives worked out on paper."""
    w1, b1, w2, b2 = parameters
    hidden = numpy.maximum(x @ w1 + b1, 0)
    logits = hidden @ w2 + b2
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_probability = shifted - numpy.log(numpy.exp(shifted).sum(axis=1, keepdims=True))
    d_logits = (numpy.exp(log_probability) - onehot) / len(onehot)
    d_hidden = (d_logits @ w2.T) * (hidden > 0)
    gradients = (x.T @ d_hidden, d_hidden.sum(axis=0), hidden.T @ d_logits, d_logits.sum(axis=0))
    for p, v, g in zip(parameters, velocities, gradients):
        v *= MOMENTUM
        v += g
        p -= RATE * v
    return float(-(log_probability * onehot).sum() / len(onehot))


def train(step, images, onehot, parameters, velocities, epochs, name):
    """Mean loss of each epoch, and seconds per epoch."""
    rng = numpy.random.default_rng(1)
    losses, start = [], time.perf_counter()
    for _ in tqdm(range(epochs), desc=name, unit="epoch"):
        order = rng.permutation(len(images))
        batches = [order[i:i + BATCH] for i in range(0, len(order), BATCH)]
        losses.append(sum(step(images[b], onehot[b], parameters, velocities) for b in batches) / len(batches))
    return losses, (time.perf_counter() - start) / epochs


def draw(path, losses, hand_losses, truth, predicted, images):
    """The figure: loss curves, confusion matrix, and samples with their predictions (wrong ones in red, first)."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure = plt.figure(figsize=(13, 4.2), layout="constrained")
    left, middle, right = figure.subfigures(1, 3, squeeze=False)[0]
    axes = left.subplots()
    axes.semilogy(losses, label="torch_np, _backward()")
    axes.semilogy(hand_losses, "--", label="NumPy, by hand")
    axes.set(xlabel="epoch", ylabel="cross-entropy", title="Training loss")
    axes.legend()
    confusion = numpy.zeros((10, 10), int)
    numpy.add.at(confusion, (truth, predicted), 1)
    axes = middle.subplots()
    axes.imshow(confusion, cmap="Blues")
    for i, j in zip(*confusion.nonzero()):
        axes.text(j, i, confusion[i, j], ha="center", va="center", fontsize=7,
                  color="white" if confusion[i, j] > 20 else "black")
    axes.set(xlabel="predicted", ylabel="true", xticks=range(10), yticks=range(10), title="Held-out digits")
    wrong_first = numpy.argsort(predicted == truth, kind="stable")[:24]
    for axes, i in zip(right.subplots(4, 6).ravel(), wrong_first):
        axes.imshow(images[i].reshape(8, 8), cmap="gray_r")
        axes.set_title(str(predicted[i]), fontsize=8, color="black" if predicted[i] == truth[i] else "red", pad=2)
        axes.axis("off")
    right.suptitle("Predictions (mistakes in red)", fontsize=11)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--figure", default="digits.png")
    options = parser.parse_args()

    images, labels, test_images, test_labels = load()
    onehot = numpy.eye(10, dtype="float32")[labels]

    x, t, test = np.asarray(images), np.asarray(onehot), np.asarray(test_images)
    parameters = initial_parameters(np)
    if torch_np.cuda.is_available():
        x, t, test, parameters = x._cuda(), t._cuda(), test._cuda(), [p._cuda() for p in parameters]
    velocities = [np.zeros_like(p) for p in parameters]
    for p in parameters:
        p._requires_grad = True

    losses, seconds = train(step_numpy_style, x, t, parameters, velocities, options.epochs, "torch_np")
    last, _ = train(step_torch_style, x, t, parameters, velocities, 1, "torch style")
    hand = initial_parameters(numpy)
    hand_losses, hand_seconds = train(step_by_hand, images, onehot, hand, [0 * p for p in hand], options.epochs, "NumPy")

    with torch_np.no_grad():
        predicted = numpy.asarray(scores(test, parameters).argmax(axis=1)._cpu())
    accuracy = (predicted == test_labels).mean()

    draw(options.figure, losses + last, hand_losses, test_labels, predicted, test_images)
    print(f"accuracy on {len(test_labels)} held-out digits: {accuracy:.2%}")
    print(f"seconds per epoch: torch_np with _backward() {seconds:.4f}, NumPy by hand {hand_seconds:.4f}")
    print(f"largest difference of the loss curves: {max(abs(a - b) for a, b in zip(losses, hand_losses)):.1e}")
    print(f"figure: {options.figure}")
    if accuracy < 0.97:
        raise SystemExit("the accuracy should be at least 97 %")


if __name__ == "__main__":
    main()
