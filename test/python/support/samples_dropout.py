"""Sample calls of dropouts for the check of gradients: each call drops the same elements."""
import torch_np
import torch_np.nn.functional as F
from samples import Case
from samples_activation import call


def seeded(function, shape):
    def run(x):
        torch_np.manual_seed(3)
        return function(x)
    return lambda make: [Case([make(*shape)], lambda x: call(make, run, x))]


SAMPLES = {
    "_dropout": lambda make: [*seeded(lambda x: F.dropout(x, 0.4), (4, 5))(make), *seeded(lambda x: F.alpha_dropout(x, 0.4, True), (4, 5))(make)],
    "kept_scaled": seeded(lambda x: F.dropout(x * x, 0.4), (3, 4)),
}
