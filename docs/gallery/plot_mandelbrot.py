"""
Mandelbrot's set, by fused expressions
======================================

Each step of ``z = z * z + c`` is an expression of whole arrays. Real and imaginary parts are arrays of their own, so that the products
and sums of a step wait for each other and run as one pass over memory. ``steps`` counts how long a point stays near 0.
"""
import matplotlib.pyplot as plt

import torch_np.numpy as np

width, height, rounds = 420, 300, 60
a = np.linspace(-2.1, 0.7, width)[None, :]
b = np.linspace(-1.0, 1.0, height)[:, None]
x, y = np.zeros((height, width)), np.zeros((height, width))
steps = np.zeros((height, width), dtype="int32")
for _ in range(rounds):
    x, y = np.clip(x * x - y * y + a, -4, 4), np.clip(2 * x * y + b, -4, 4)
    steps += x * x + y * y < 4

plt.figure(figsize=(7, 5))
plt.imshow(np.log1p(rounds - steps), extent=(-2.1, 0.7, -1, 1), cmap="magma_r")
plt.xlabel("real part")
plt.ylabel("imaginary part")
plt.show()
print(f"{int((steps == rounds).sum())} of {steps.size} points stay near 0 for {rounds} steps")
