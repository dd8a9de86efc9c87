"""Programs in the style of NumPy users, for programs.py: grids, matrices, particles, networks,
loops over elements.

The kinds are those of NPBench (Ziogas et al., ICS 2021) and PolyBench; the texts are this
project's. Each program receives arrays, as listed in PROGRAMS, and may modify them. Sizes are
chosen so that NumPy needs some milliseconds; half of the programs are dominated by calls on small
arrays.
"""
import numpy as np


def relax_plane(steps, a, b):
    """Five-point stencil, alternating between two grids."""
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[:-2, 1:-1] + b[2:, 1:-1])


def diffuse_heat(steps, u):
    """The heat equation in three dimensions, second differences along each axis."""
    for _ in range(steps):
        inner = u[1:-1, 1:-1, 1:-1]
        change = (u[2:, 1:-1, 1:-1] - 2.0 * inner + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] - 2.0 * inner + u[1:-1, :-2, 1:-1]
                  + u[1:-1, 1:-1, 2:] - 2.0 * inner + u[1:-1, 1:-1, :-2])
        u[1:-1, 1:-1, 1:-1] += 0.1 * change


def chained_products(alpha, beta, a, b, c, d):
    """d = beta d + alpha (a b) c, with matrix products."""
    d *= beta
    d += alpha * (a @ b) @ c
    return d


def normal_equations(a, x):
    """A^T (A x), as in iterative least squares."""
    return (a @ x) @ a


def attention_weights(scores):
    """Softmax over the last axis."""
    shifted = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


def convolution(image, weights, bias):
    n, height, width, _ = image.shape
    k = weights.shape[0]
    out = np.empty((n, height - k + 1, width - k + 1, weights.shape[3]), dtype=image.dtype)
    for i in range(height - k + 1):
        for j in range(width - k + 1):
            window = image[:, i:i + k, j:j + k, :, np.newaxis]
            out[:, i, j, :] = np.sum(window * weights[np.newaxis], axis=(1, 2, 3))
    return out + bias


def small_network(image, w1, b1, w2, b2):
    """Convolution, ReLU, 2 x 2 max pooling, a dense layer."""
    x = np.maximum(convolution(image, w1, b1), 0)
    n, height, width, channels = x.shape
    x = x[:, :height // 2 * 2, :width // 2 * 2].reshape(n, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4))
    return attention_weights(x.reshape(n, -1) @ w2 + b2)


def gravity(steps, mass, position, velocity):
    """Leapfrog steps of bodies that attract each other, and their kinetic energies."""
    def acceleration():
        dx = position[np.newaxis] - position[:, np.newaxis]
        inverse = np.sum(dx**2, axis=2) + 0.01
        inverse[inverse > 0] = inverse[inverse > 0] ** -1.5
        return (dx * inverse[:, :, np.newaxis] * mass[np.newaxis, :, np.newaxis]).sum(axis=1)

    energies = np.zeros(steps)
    now = acceleration()
    for i in range(steps):
        velocity += now * 0.005
        position += velocity * 0.01
        now = acceleration()
        velocity += now * 0.005
        energies[i] = 0.5 * np.sum(mass[:, np.newaxis] * velocity**2)
    return energies


def sparse_product(starts, columns, values, x):
    """Product of a CSR matrix and a vector, row by row."""
    y = np.empty(starts.size - 1, dtype=values.dtype)
    for i in range(y.size):
        row = slice(starts[i], starts[i + 1])
        y[i] = values[row] @ x[columns[row]]
    return y


def rings(radius, brightness, count):
    """Mean brightness of the points of each ring."""
    widest = radius.max()
    means = np.zeros(count, dtype=brightness.dtype)
    for i in range(count):
        inside = np.logical_and(widest * i / count <= radius, radius < widest * (i + 1) / count)
        means[i] = brightness[inside].mean()
    return means


def mandelbrot(low, high, n, steps):
    """The escape time of each point of the plane from the disc of radius 2; escaped points are
    dropped."""
    x, y = np.linspace(low, high, n), np.linspace(low, high, n)
    c = x + y[:, np.newaxis] * 1j
    counts = np.zeros(c.shape, dtype=np.int64)
    z = np.zeros_like(c)
    for i in range(steps):
        alive = np.less(abs(z), 2.0)
        counts[alive] = i
        z[alive] = z[alive] ** 2 + c[alive]
    return z, counts


def fourier_transform(signal):
    """Stockham's algorithm for a power of two, in stages."""
    n = signal.size
    x = signal.reshape(n, 1).copy()
    while x.shape[0] > 1:
        half, m = x.shape[0] // 2, x.shape[1]
        even, odd = x[:half], x[half:] * np.exp(-1j * np.pi * np.arange(m) / m)[np.newaxis]
        x = np.concatenate((even + odd, even - odd), axis=1)
    return x[0]


def triangular_factor(a):
    """Cholesky factorisation, element by element below the diagonal."""
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] = (a[i, j] - np.dot(a[i, :j], a[j, :j])) / a[j, j]
        a[i, i] = np.sqrt(a[i, i] - np.dot(a[i, :i], a[i, :i]))
    return np.tril(a)


def shortest_paths(distance):
    for k in range(distance.shape[0]):
        distance[:] = np.minimum(distance, np.add.outer(distance[:, k], distance[k, :]))


def orthonormalise(a):
    """Gram-Schmidt orthogonalisation, column by column."""
    q, r = np.zeros_like(a), np.zeros((a.shape[1], a.shape[1]), dtype=a.dtype)
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


def correlations(data):
    deviation = data.std(axis=0)
    deviation[deviation <= 0.1] = 1.0
    data -= data.mean(axis=0)
    data /= np.sqrt(data.shape[0]) * deviation
    result = np.eye(data.shape[1], dtype=data.dtype)
    for i in range(data.shape[1] - 1):
        result[i + 1:, i] = result[i, i + 1:] = data[:, i] @ data[:, i + 1:]
    return result


def checksum(octets):
    """CRC-16, bit by bit, on single integers."""
    crc = 0xFFFF
    for octet in octets:
        current = 0xFF & octet
        for _ in range(8):
            crc = (crc >> 1) ^ 0x8408 if (crc & 1) ^ (current & 1) else crc >> 1
            current >>= 1
    return crc & 0xFFFF


def _sparse(rng, rows, width):
    counts = rng.integers(0, width, rows)
    starts = np.concatenate(([0], np.cumsum(counts)))
    return [starts, rng.integers(0, rows, starts[-1]), rng.random(starts[-1]), rng.random(rows)]


def _definite(rng, n):
    a = rng.random((n, n))
    return a @ a.T + n * np.eye(n)


PROGRAMS = {
    "relax_plane": lambda rng: [20, rng.random((250, 250)), rng.random((250, 250))],
    "diffuse_heat": lambda rng: [10, rng.random((50, 50, 50))],
    "chained_products": lambda rng: [1.5, 1.2, *(rng.random(s) for s in ((300, 250), (250, 200), (200, 350), (300, 350)))],
    "normal_equations": lambda rng: [rng.random((1200, 1000)), rng.random(1000)],
    "attention_weights": lambda rng: [rng.random((8, 8, 128, 128), dtype=np.float32)],
    "convolution": lambda rng: [rng.random((4, 32, 32, 3), dtype=np.float32), rng.random((5, 5, 3, 16), dtype=np.float32),
                                rng.random(16, dtype=np.float32)],
    "small_network": lambda rng: [rng.random((4, 28, 28, 1), dtype=np.float32), rng.random((5, 5, 1, 6), dtype=np.float32),
                                  rng.random(6, dtype=np.float32), rng.random((864, 10), dtype=np.float32), rng.random(10, dtype=np.float32)],
    "gravity": lambda rng: [100, rng.random(25), rng.standard_normal((25, 3)), rng.standard_normal((25, 3))],
    "sparse_product": lambda rng: _sparse(rng, 4000, 12),
    "rings": lambda rng: [rng.random(40000), rng.random(40000), 100],
    "mandelbrot": lambda rng: [-1.75, 0.5, 200, 20],  # more steps would amplify rounding differences
    "fourier_transform": lambda rng: [rng.random(1 << 15) + 1j * rng.random(1 << 15)],
    "triangular_factor": lambda rng: [_definite(rng, 100)],
    "shortest_paths": lambda rng: [rng.integers(1, 1000, (200, 200), dtype=np.int32)],
    "orthonormalise": lambda rng: [rng.random((70, 60))],
    "correlations": lambda rng: [rng.random((500, 400))],
    "checksum": lambda rng: [rng.integers(0, 256, 1600, dtype=np.uint8)],
}
