"""
Ways down a valley
==================

Rosenbrock's function has its minimum at (1, 1), at the end of a bent valley. Three optimisers of ``torch_np.optim`` start at one place;
``backward()`` gives each its gradients.
"""
import matplotlib.pyplot as plt

import torch_np as torch


def valley(x, y):
    return (1 - x) ** 2 + 20 * (y - x * x) ** 2


def way(make, rounds=300):
    """The places that an optimiser goes through."""
    place = torch.tensor([-1.2, 1.0], requires_grad=True)
    optimizer = make([place])
    places = [place.tolist()]
    for _ in range(rounds):
        optimizer.zero_grad()
        valley(*place).backward()
        optimizer.step()
        places.append(place.tolist())
    return torch.tensor(places)


ways = {
    "SGD": way(lambda p: torch.optim.SGD(p, lr=0.004)),
    "SGD with momentum": way(lambda p: torch.optim.SGD(p, lr=0.002, momentum=0.9)),
    "Adam": way(lambda p: torch.optim.Adam(p, lr=0.05)),
}
x, y = torch.meshgrid(torch.linspace(-1.6, 1.6, 200), torch.linspace(-0.6, 1.6, 200), indexing="xy")
plt.figure(figsize=(7, 4.5))
plt.contourf(x.numpy(), y.numpy(), torch.log1p(valley(x, y)).numpy(), 24, cmap="Blues_r", alpha=0.8)
for name, places in ways.items():
    plt.plot(*places.T.numpy(), label=f"{name}: ends at ({places[-1, 0].item():.2f}, {places[-1, 1].item():.2f})")
plt.plot(1, 1, "k*", markersize=12)
plt.legend(loc="lower right")
plt.show()
