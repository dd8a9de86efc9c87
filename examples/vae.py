"""A variational autoencoder of handwritten digits, which interpolates between digits.

The data: 1,797 digits of 8 x 8 pixels, included in scikit-learn (test set of Alpaydin and Kaynak,
UCI, 1998). The model: Kingma and Welling, Auto-Encoding Variational Bayes, 2014, with two latent
numbers for each digit, so that the whole latent space can be drawn. The distributions come from
`torch_np.distributions`. Trained by Adam.

    python examples/vae.py [--epochs N] [--figure PATH]
"""
import argparse
import time

from sklearn.datasets import load_digits
from tqdm import tqdm

import torch_np as torch
from torch_np import nn
from torch_np.distributions import Bernoulli, Normal, kl_divergence
from torch_np.utils.data import DataLoader, TensorDataset

BATCH, HIDDEN, LATENT, RATE = 100, 256, 2, 2e-3


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, 2 * LATENT))
        self.decoder = nn.Sequential(nn.Linear(LATENT, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, 64))

    def posterior(self, x):
        mean, log_variance = self.encoder(x).chunk(2, dim=-1)
        return Normal(mean, (log_variance / 2).exp())

    def forward(self, x):
        """The two terms of the evidence lower bound for each row of x (n, 64): log-likelihood and
        KL divergence."""
        q = self.posterior(x)
        likelihood = Bernoulli(logits=self.decoder(q.rsample()))
        prior = Normal(torch.zeros(LATENT), torch.ones(LATENT))
        return likelihood.log_prob((x > 0.5).float()).sum(-1), kl_divergence(q, prior).sum(-1)


def train(model, images, epochs):
    """The bound (mean over the digits, in nats) after each epoch."""
    loader = DataLoader(TensorDataset(images), BATCH, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), RATE)
    bounds = []
    bar = tqdm(range(epochs), desc="training", unit=" epochs")
    for _ in bar:
        total = 0.0
        for (x,) in loader:
            optimizer.zero_grad()
            fit, cost = model(x)
            loss = (cost - fit).mean()
            loss.backward()
            optimizer.step()
            total -= loss.item() * len(x)
        bounds.append(total / len(images))
        bar.set_postfix_str(f"bound {bounds[-1]:.2f} nats")
    return bounds


@torch.no_grad()
def draw(path, model, images, digits, bounds):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4.6), layout="constrained")
    left.plot(bounds)
    left.set(xlabel="epoch", ylabel="lower bound of log p(x) (nats)", title="Training")
    places = model.posterior(images).mean
    points = middle.scatter(*places.T.numpy(), c=digits, cmap="tab10", s=5)
    figure.colorbar(points, ax=middle, ticks=range(10))
    middle.set(title="Where digits lie", xlabel="first latent number", ylabel="second")
    steps = 15
    quantiles = Normal(0.0, 1.0).icdf(torch.linspace(0.03, 0.97, steps))
    grid = torch.cartesian_prod(-quantiles, quantiles).flip(-1)
    tiles = torch.sigmoid(model.decoder(grid)).view(steps, steps, 8, 8)
    right.imshow(tiles.permute(0, 2, 1, 3).reshape(steps * 8, steps * 8).numpy(), cmap="gray_r")
    right.set(title="What lies between them", xticks=[], yticks=[])
    figure.savefig(path, dpi=110)
    print(f"figure: {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--figure", default="vae.png")
    options = parser.parse_args()
    torch.manual_seed(0)
    data = load_digits()
    images = torch.tensor(data.data / 16, dtype=torch.float32)
    model = VAE()
    begin = time.perf_counter()
    bounds = train(model, images, options.epochs)
    steps = options.epochs * -(-len(images) // BATCH)
    seconds = time.perf_counter() - begin
    print(f"{steps} steps in {seconds:.1f} s, {seconds / steps * 1e3:.2f} ms each; bound {bounds[0]:.2f} -> {bounds[-1]:.2f} nats")
    draw(options.figure, model, images, data.target, bounds)


if __name__ == "__main__":
    main()
