"""
What a compiled function does
=============================

``torch_np.compile`` records a function once and replays the record without Python. ``lower`` shows the record: as text, in Graphviz's
language, and in a notebook as a drawing. Here each step is a bar: which operator it is, and which pass over memory computes it.
"""
import matplotlib.pyplot as plt

import torch_np as torch


@torch.compile
def score(x, y):
    near = (x - y) ** 2
    weight = torch.exp(-near) / (1 + near)
    return (weight * x).sum() / weight.sum()


x, y = torch.linspace(0, 1, 200_000), torch.linspace(1, 0, 200_000)
record = score.lower(x, y).details[0]
plt.figure(figsize=(7, 0.4 * len(record.steps) + 1))
for number, step in enumerate(record.steps):
    alone = step.group < 0
    plt.barh(number, 1, color="lightgray" if alone else plt.cm.Set2(step.group), edgecolor="white")
    plt.text(0.02, number, step.text, va="center", family="monospace")
    plt.text(0.98, number, "by itself" if alone else f"pass {step.group}", va="center", ha="right")
plt.gca().invert_yaxis()
plt.axis("off")
plt.show()
print(torch.compiler.explain(score, x, y))
