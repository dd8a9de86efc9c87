"""CartPole-v1 (Barto, Sutton and Anderson, 1983), with the part of gymnasium's interface that the
programs of torch_programs.py use."""
import math
import types

import numpy


class CartPole:
    """A pole on a cart: mass 0.1 and 1 kg, half length 0.5 m, a push of 10 N, steps of 0.02 s."""
    spec = types.SimpleNamespace(reward_threshold=475.0)

    def reset(self, seed=None):
        if seed is not None:
            self.rng = numpy.random.default_rng(seed)
        self.state, self.steps = self.rng.uniform(-0.05, 0.05, 4), 0
        return self.state.astype("float32"), {}

    def step(self, action):
        x, speed, angle, turning = self.state
        force, cosine, sine = 10.0 if action == 1 else -10.0, math.cos(angle), math.sin(angle)
        part = (force + 0.05 * turning ** 2 * sine) / 1.1
        angular = (9.8 * sine - cosine * part) / (0.5 * (4 / 3 - 0.1 * cosine ** 2 / 1.1))
        linear = part - 0.05 * angular * cosine / 1.1
        self.state = self.state + 0.02 * numpy.array([speed, linear, turning, angular])
        self.steps += 1
        ended = bool(abs(self.state[0]) > 2.4 or abs(self.state[2]) > 12 * math.pi / 180)
        return self.state.astype("float32"), 1.0, ended, self.steps >= 500, {}


def make(name, render_mode=None):
    return CartPole()
