"""
Heat that spreads, and its source found by a gradient
=====================================================

A plate is warm in one place; after some steps all that is known is the blurred picture. The steps are NumPy's slices and sums, so
``_backward()`` goes through all of them, and gradient descent finds a start that leads to the same end.
"""
import matplotlib.pyplot as plt

import torch_np
import torch_np.numpy as np


def after(heat, steps=25):
    for _ in range(steps):
        around = np.roll(heat, 1, 0) + np.roll(heat, -1, 0) + np.roll(heat, 1, 1) + np.roll(heat, -1, 1)
        heat = heat + 0.2 * (around - 4 * heat)
    return heat


true = np.zeros((48, 48))
true[10:18, 12:30] = 1.0
true[30:38, 28:36] = 2.0
end = after(true)

guess = np.zeros((48, 48), _requires_grad=True)
errors = []
for _ in range(60):
    error = ((after(guess) - end) ** 2).sum()
    error._backward()
    with torch_np.no_grad():
        better = np.maximum(guess - 0.9 * guess._grad, 0)
    guess = np.array(better, _requires_grad=True)
    errors.append(float(error))

figure, axes = plt.subplots(1, 4, figsize=(11, 2.8), layout="constrained")
for ax, (title, values) in zip(axes, {"start": true, "end, which is known": end, "start that was found": guess._detach()}.items()):
    ax.imshow(values, cmap="inferno", vmin=0, vmax=2)
    ax.set_title(title)
    ax.axis("off")
axes[3].semilogy(errors)
axes[3].set_title("squared error at the end")
plt.show()
