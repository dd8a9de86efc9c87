"""The rows of benchmarks/nn.py: layers and training steps, written once for PyTorch and torch_np.

A row is a function of the library `t` that builds its inputs and returns a closure to be timed.
Numbers come from NumPy, so that both libraries compute the same. `loss` closures return a number,
by which the results are compared.
"""
import numpy

ROWS = {}


def row(f):
    ROWS[f.__name__] = f
    return f


def normal(t, *shape, seed=0, scale=1.0):
    return t.from_numpy((numpy.random.default_rng(seed).standard_normal(shape) * scale).astype("float32"))


def integers(t, high, *shape, seed=0):
    return t.from_numpy(numpy.random.default_rng(seed).integers(0, high, shape))


def fill(t, module, seed=0):
    """Sets the parameters to small numbers, the same for both libraries."""
    rng = numpy.random.default_rng(seed)
    with t.no_grad():
        for p in module.parameters():
            bound = 1 / max(1, p.numel() // max(1, p.shape[0])) ** 0.5 if p.dim() > 1 else 0.1
            p.copy_(t.from_numpy(rng.uniform(-bound, bound, tuple(p.shape)).astype("float32")))
    return module


def forward(t, module, *inputs):
    def run():
        with t.no_grad():
            return module(*inputs)
    return run


def forward_backward(t, module, *inputs):
    """Forward and backward, with gradients of all parameters and floating-point inputs."""
    leaves = [x for x in inputs if x.is_floating_point()]
    for x in leaves:
        x.requires_grad_()
    everything = [*leaves, *(module.parameters() if isinstance(module, t.nn.Module) else ())]

    def run():
        for x in everything:
            x.grad = None
        result = module(*inputs)
        result = result[0] if isinstance(result, tuple) else result
        result.sum().backward()
        return result
    return run


def layer(f):
    """Two rows of one layer, forward and with backward: `f(t)` returns a callable and its
    inputs."""
    ROWS[f.__name__ + "_forward"] = lambda t: forward(t, *f(t))
    ROWS[f.__name__ + "_forward_backward"] = lambda t: forward_backward(t, *f(t))
    return f


def training(t, module, optimizer, loss_of):
    def run():
        optimizer.zero_grad()
        loss = loss_of(module)
        loss.backward()
        optimizer.step()
        return loss
    return run


# ------------------------------------------------------------------------------------------------------------------ layers

@layer
def conv3x3(t):
    return fill(t, t.nn.Conv2d(64, 64, 3, padding=1)), normal(t, 16, 64, 32, 32)


@layer
def conv1x1(t):
    return fill(t, t.nn.Conv2d(128, 128, 1)), normal(t, 16, 128, 28, 28)


@layer
def depthwise(t):
    return fill(t, t.nn.Conv2d(96, 96, 3, padding=1, groups=96)), normal(t, 16, 96, 28, 28)


@row
def max_pool_forward_backward(t):
    return forward_backward(t, t.nn.MaxPool2d(2), normal(t, 16, 64, 32, 32))


@row
def avg_pool_forward_backward(t):
    return forward_backward(t, t.nn.AvgPool2d(2), normal(t, 16, 64, 32, 32))


@layer
def batch_norm(t):
    return t.nn.BatchNorm2d(64), normal(t, 32, 64, 32, 32)


@layer
def layer_norm(t):
    return t.nn.LayerNorm(512), normal(t, 32, 128, 512)


@layer
def group_norm(t):
    return t.nn.GroupNorm(8, 64), normal(t, 32, 64, 32, 32)


@layer
def lstm(t):
    return fill(t, t.nn.LSTM(128, 256)), normal(t, 35, 20, 128)


def attention(t, positions, batch, heads):
    q, k, v = (normal(t, batch, heads, positions, 64, seed=s, scale=0.5) for s in range(3))
    return lambda a, b, c: t.nn.functional.scaled_dot_product_attention(a, b, c, is_causal=True), q, k, v


@layer
def attention_512(t):
    return attention(t, 512, 2, 8)


@layer
def attention_4096(t):
    return attention(t, 4096, 1, 2)


@row
def embedding_forward_backward(t):
    return forward_backward(t, fill(t, t.nn.Embedding(10_000, 128)), integers(t, 10_000, 32, 128))


@row
def cross_entropy_forward_backward(t):
    target = integers(t, 1000, 1024)
    return forward_backward(t, lambda x: t.nn.functional.cross_entropy(x, target), normal(t, 1024, 1000))


@row
def gelu_forward_backward(t):
    return forward_backward(t, t.nn.GELU(), normal(t, 1024, 1024))


@row
def softmax_forward_backward(t):
    return forward_backward(t, t.nn.Softmax(-1), normal(t, 2048, 512))


@row
def adam_step(t):
    parameters = [normal(t, 100, 200, seed=k).requires_grad_() for k in range(50)]
    for k, p in enumerate(parameters):
        p.grad = normal(t, 100, 200, seed=100 + k)
    return t.optim.Adam(parameters).step


# ---------------------------------------------------------------------------------------------------------- training steps

@row
def mlp_step(t):
    nn = t.nn
    net = fill(t, nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10)))
    x, y = normal(t, 64, 64), integers(t, 10, 64)
    return training(t, net, t.optim.SGD(net.parameters(), 0.01), lambda m: nn.functional.cross_entropy(m(x), y))


def resnet8(t):
    nn = t.nn

    class Block(nn.Module):
        def __init__(self, channels_in, channels, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(channels_in, channels, 3, stride, 1, bias=False)
            self.norm1 = nn.BatchNorm2d(channels)
            self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
            self.norm2 = nn.BatchNorm2d(channels)
            self.shortcut = nn.Identity() if stride == 1 and channels_in == channels else nn.Conv2d(channels_in, channels, 1, stride, bias=False)

        def forward(self, x):
            h = nn.functional.relu(self.norm1(self.conv1(x)))
            return nn.functional.relu(self.norm2(self.conv2(h)) + self.shortcut(x))

    return nn.Sequential(nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), Block(16, 16, 1), Block(16, 32, 2),
                         Block(32, 64, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


@row
def resnet8_step(t):
    net = fill(t, resnet8(t))
    x, y = normal(t, 32, 3, 32, 32), integers(t, 10, 32)
    return training(t, net, t.optim.SGD(net.parameters(), 0.01, momentum=0.9), lambda m: t.nn.functional.cross_entropy(m(x), y))


def gpt(t, layers=6, width=128, heads=4, vocabulary=96, positions=128):
    nn = t.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x):
            b, n, _ = x.shape
            q, k, v = (part.view(b, n, heads, -1).transpose(1, 2) for part in self.qkv(self.norm1(x)).split(width, 2))
            mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(mixed.transpose(1, 2).reshape(b, n, width))
            return x + self.mlp(self.norm2(x))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
            self.blocks = nn.Sequential(*(Block() for _ in range(layers)))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

        def forward(self, x):
            return self.head(self.norm(self.blocks(self.tokens(x) + self.places(t.arange(x.shape[1])))))

    return GPT()


@row
def gpt_step(t):
    net = fill(t, gpt(t))
    x, y = integers(t, 96, 8, 128), integers(t, 96, 8, 128, seed=1)
    return training(t, net, t.optim.AdamW(net.parameters(), 1e-4), lambda m: t.nn.functional.cross_entropy(m(x).view(-1, 96), y.view(-1)))


@row
def vae_step(t):
    nn = t.nn

    class VAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Conv2d(1, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(), nn.Flatten(),
                                         nn.Linear(32 * 49, 64))
            self.decoder = nn.Sequential(nn.Linear(32, 32 * 49), nn.ReLU(), nn.Unflatten(1, (32, 7, 7)),
                                         nn.ConvTranspose2d(32, 16, 3, 2, 1, 1), nn.ReLU(), nn.ConvTranspose2d(16, 1, 3, 2, 1, 1))

        def forward(self, x):
            mean, log_variance = self.encoder(x).chunk(2, 1)
            z = mean + (log_variance / 2).exp() * noise
            kl = -0.5 * (1 + log_variance - mean ** 2 - log_variance.exp()).sum()
            return nn.functional.binary_cross_entropy_with_logits(self.decoder(z), x, reduction="sum") + kl

    net = fill(t, VAE())
    x, noise = t.sigmoid(normal(t, 64, 1, 28, 28)), normal(t, 64, 32, seed=1)
    return training(t, net, t.optim.Adam(net.parameters(), 1e-3), lambda m: m(x))
