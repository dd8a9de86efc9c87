"""
A picture through its frequencies
=================================

``np.fft.rfft2`` gives the frequencies of a picture. Without the high frequencies it is blurred. Without the low ones only its edges remain.
"""
import matplotlib.pyplot as plt

import torch_np.numpy as np

size = 256
y, x = np.mgrid[-1:1:size * 1j, -1:1:size * 1j]
r = np.hypot(x, y)
picture = np.where(r < 0.8, 0.6 + 0.4 * np.cos(14 * np.arctan2(y, x)), 0.0) + (np.abs(x) + np.abs(y) < 0.3)

frequencies = np.fft.rfft2(picture)
distance = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size)[None, :])
low = np.exp(-(distance / 0.03) ** 2)
blurred = np.fft.irfft2(frequencies * low)
edges = np.fft.irfft2(frequencies * (1 - low))

spectrum = np.log1p(np.abs(np.fft.fftshift(np.fft.fft2(picture))))
shown = {"picture": picture, "its frequencies": spectrum, "low ones": blurred, "the others": edges}
figure, axes = plt.subplots(1, 4, figsize=(10, 2.8), layout="constrained")
for ax, (title, values) in zip(axes, shown.items()):
    ax.imshow(values, cmap="gray")
    ax.set_title(title)
    ax.axis("off")
plt.show()
print("the two parts add up to the picture:", np.allclose(blurred + edges, picture))
