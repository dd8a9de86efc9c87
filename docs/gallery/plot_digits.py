"""
A network that reads digits
===========================

Two layers, Adam, a few epochs over the 1,797 digits that scikit-learn brings along; ``examples/digits.py`` is the longer program.
"""
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import torch_np as torch
from torch_np import nn

torch.manual_seed(0)
data = load_digits()
images, digits = torch.tensor(data.data / 16, dtype=torch.float32), torch.tensor(data.target)
order = torch.randperm(len(images))
train, held_out = order[:1400], order[1400:]

net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
losses = []
for epoch in range(12):
    for rows in train[torch.randperm(len(train))].split(64):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(images[rows]), digits[rows])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

with torch.no_grad():
    read = net(images[held_out]).argmax(1)
right = (read == digits[held_out]).float().mean().item()
print(f"{right:.1%} of {len(held_out)} digits that it never saw")

figure, (left, *rest) = plt.subplots(1, 6, figsize=(9, 2.2), width_ratios=[3, 1, 1, 1, 1, 1], layout="constrained")
left.semilogy(losses)
left.set_xlabel("step")
left.set_ylabel("loss")
for axes, i in zip(rest, range(5)):
    axes.imshow(images[held_out[i]].reshape(8, 8).numpy(), cmap="gray_r")
    axes.set_title(f"read: {read[i].item()}")
    axes.axis("off")
plt.show()
