"""A small GPT that learns to write like Python's documentation, one character at a time.

The text: the topics of the Python Language Reference that come with every CPython
(`pydoc_data.topics`, 465,000 characters). The model: a decoder-only transformer (Radford et al.,
2018) with pre-normalisation, trained by AdamW with warm-up and a cosine schedule. With PyTorch,
only the line `import torch_np as torch` would differ.

    python examples/gpt.py [--steps N] [--layers N] [--figure PATH] [--seed N]
"""
import argparse
import math
import re
import textwrap
import time

from pydoc_data.topics import topics
from tqdm import tqdm

import torch_np as torch
from torch_np import nn
from torch_np.nn import functional as F

LAYERS, HEADS, WIDTH, CONTEXT, BATCH = 4, 4, 128, 96, 16
RATE, WARM_UP, DECAY, CLIP = 2e-3, 30, 0.1, 1.0


class Text:
    """Characters as integers; the last tenth is held out. Long indents and table rules are
    shortened: there is little to learn from them."""

    def __init__(self):
        text = re.sub(r"([-+=* ])\1{2,}", r"\1\1", "\n\n".join(topics[name] for name in sorted(topics)))
        self.characters = sorted(set(text))
        number = {c: i for i, c in enumerate(self.characters)}
        data = torch.tensor([number[c] for c in text])
        cut = len(data) * 9 // 10
        self.training, self.held_out = data[:cut], data[cut:]

    def batch(self, data, generator=None):
        """(BATCH, CONTEXT) characters, and the successor of each."""
        starts = torch.randint(len(data) - CONTEXT - 1, (BATCH, 1), generator=generator)
        places = starts + torch.arange(CONTEXT + 1)
        windows = data[places]
        return windows[:, :-1], windows[:, 1:]

    def decode(self, numbers):
        return "".join(self.characters[i] for i in numbers)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        batch, places, _ = x.shape
        q, k, v = (part.view(batch, places, HEADS, -1).transpose(1, 2) for part in self.qkv(x).split(WIDTH, dim=2))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(batch, places, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(WIDTH), Attention()
        self.mlp_norm = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))


class GPT(nn.Module):
    def __init__(self, vocabulary, layers):
        super().__init__()
        self.characters = nn.Embedding(vocabulary, WIDTH)
        self.places = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(layers)))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, vocabulary, bias=False)
        self.apply(self.initialise)

    @staticmethod
    def initialise(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, x):
        h = self.characters(x) + self.places(torch.arange(x.shape[1]))
        return self.head(self.norm(self.blocks(h)))

    def loss(self, x, y):
        return F.cross_entropy(self(x).flatten(0, 1), y.flatten())

    @torch.no_grad()
    def write(self, beginning, length, temperature=0.7):
        """`beginning`, a list of numbers, and `length` more, each sampled from the model's
        probabilities."""
        numbers = list(beginning)
        for _ in tqdm(range(length), desc="writing", unit=" characters"):
            logits = self(torch.tensor([numbers[-CONTEXT:]]))[0, -1]
            numbers.append(torch.multinomial(F.softmax(logits / temperature, dim=-1), 1).item())
        return numbers


def rate(step, steps):
    """The learning rate as a fraction of RATE: linear warm-up, then cosine decay."""
    if step < WARM_UP:
        return (step + 1) / WARM_UP
    return 0.1 + 0.45 * (1 + math.cos(math.pi * (step - WARM_UP) / max(1, steps - WARM_UP)))


@torch.no_grad()
def held_out_loss(model, text, batches=8):
    generator = torch.Generator().manual_seed(1)
    model.eval()
    loss = sum(model.loss(*text.batch(text.held_out, generator)).item() for _ in range(batches)) / batches
    model.train()
    return loss


def train(model, text, steps):
    """(losses of the steps, [(step, held-out loss)])."""
    matrices = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}], lr=RATE,
                                  betas=(0.9, 0.95))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step, steps))
    losses, held_out = [], [(0, held_out_loss(model, text))]
    bar = tqdm(range(1, steps + 1), desc="training", unit=" steps")
    for step in bar:
        optimizer.zero_grad()
        loss = model.loss(*text.batch(text.training))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step % 50 == 0 or step == steps:
            held_out.append((step, held_out_loss(model, text)))
            bar.set_postfix_str(f"loss {losses[-1]:.3f}, held out {held_out[-1][1]:.3f}")
    return losses, held_out


def draw(path, losses, held_out, written):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained", width_ratios=(1, 1.2))
    left.plot(range(1, len(losses) + 1), losses, linewidth=0.8, alpha=0.5, label="training")
    left.plot(*zip(*held_out, strict=True), marker="o", markersize=3, label="held out")
    left.set(xlabel="step", ylabel="cross-entropy of a character (nats)", title="Learning to write")
    left.legend()
    lines = [part for line in written.splitlines() for part in textwrap.wrap(line, 90) or [""]]
    right.text(0.01, 0.98, "\n".join(lines), family="monospace", fontsize=7, va="top", transform=right.transAxes)
    right.set_title("What it writes")
    right.axis("off")
    figure.savefig(path, dpi=110)
    print(f"figure: {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--layers", type=int, default=LAYERS)
    parser.add_argument("--length", type=int, default=500, help="characters to write at the end")
    parser.add_argument("--figure", default="gpt.png")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    text = Text()
    model = GPT(len(text.characters), options.layers)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(text.training):,} characters to learn from")
    begin = time.perf_counter()
    losses, held_out = train(model, text, options.steps)
    seconds = time.perf_counter() - begin
    print(f"{options.steps} steps in {seconds:.1f} s, {seconds / options.steps * 1e3:.0f} ms each; held-out loss "
          f"{held_out[0][1]:.3f} -> {held_out[-1][1]:.3f}")
    written = text.decode(model.eval().write([text.characters.index("\n")], options.length)).strip()
    print(written)
    draw(options.figure, losses, held_out, written)


if __name__ == "__main__":
    main()
