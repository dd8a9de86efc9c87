"""Flow past a cylinder by the lattice Boltzmann method (D2Q9, BGK): a NumPy program of a well-known kind.

The program is not specific to torch_np: with `import numpy as np` instead, it runs on NumPy with
the same result. Behind the cylinder the flow sheds vortices (von Karman's street) if the Reynolds
number exceeds about 50.

    python examples/lattice_boltzmann.py [STEPS]

Source of the method: Qian, d'Humieres and Lallemand, Europhysics Letters 17 (1992) 479-484.
"""
import sys
import time

import torch_np.numpy as np

NX, NY = 300, 80                    # lattice points along and across the flow
RADIUS, INFLOW, REYNOLDS = 9, 0.08, 120.0
VISCOSITY = INFLOW * 2 * RADIUS / REYNOLDS
OMEGA = 1.0 / (3.0 * VISCOSITY + 0.5)   # relaxation rate per step

VELOCITIES = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
WEIGHTS = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]


def equilibrium(density, velocity):
    """The nine populations of a fluid at rest in its own frame. Shapes: (NX, NY), (2, NX, NY) -> (9, NX, NY)."""
    along = np.einsum("qd,dxy->qxy", VELOCITIES.astype(float), velocity)
    speed2 = (velocity ** 2).sum(axis=0)
    return WEIGHTS[:, None, None] * density * (1 + 3 * along + 4.5 * along ** 2 - 1.5 * speed2)


def simulate(steps):
    """The velocity field, of shape (2, NX, NY), after `steps` steps from a slightly disturbed uniform flow."""
    x, y = np.meshgrid(np.arange(NX), np.arange(NY), indexing="ij")
    obstacle = (x - NX // 5) ** 2 + (y - NY // 2) ** 2 < RADIUS ** 2
    velocity = np.zeros((2, NX, NY))
    velocity[0] = INFLOW * (1 + 0.01 * np.sin(2 * np.pi * y / (NY - 1)))
    inflow = equilibrium(np.ones((1, NY)), velocity[:, :1])
    populations = equilibrium(np.ones((NX, NY)), velocity)
    for _ in range(steps):
        populations[[3, 6, 7], -1] = populations[[3, 6, 7], -2]         # open end
        populations[:, 0] = inflow[:, 0]
        density = populations.sum(axis=0)
        velocity = np.tensordot(VELOCITIES.T.astype(float), populations, axes=1) / density
        collided = populations + OMEGA * (equilibrium(density, velocity) - populations)
        collided[:, obstacle] = populations[OPPOSITE][:, obstacle]      # bounce back
        for q, (cx, cy) in enumerate(VELOCITIES.tolist()):
            populations[q] = np.roll(collided[q], (cx, cy), axis=(0, 1))
    velocity[:, obstacle] = 0
    return velocity


def picture(velocity, columns=100, rows=20):
    """The vorticity as text, which shows the vortex street."""
    vorticity = np.gradient(velocity[1], axis=0) - np.gradient(velocity[0], axis=1)
    sampled = vorticity[::NX // columns, ::NY // rows] / abs(vorticity[NX // 4:]).max()
    levels = "@#+-. .-+#@"
    places = np.clip((sampled + 1) / 2 * (len(levels) - 1), 0, len(levels) - 1).round().astype(int)
    return "\n".join("".join(levels[i] for i in row) for row in places.T.tolist())


if __name__ == "__main__":
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    start = time.perf_counter()
    flow = simulate(steps)
    print(picture(flow))
    print(f"{np.__name__}: {steps} steps in {time.perf_counter() - start:.1f} s, "
          f"largest speed {float(np.hypot(flow[0], flow[1]).max()):.6f}")
