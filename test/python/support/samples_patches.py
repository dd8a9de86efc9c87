"""Sample calls of patches as columns, and of sampling at positions of a grid."""
import torch_np
from samples import Case
from samples_convolution import through

F = torch_np.nn.functional

SAMPLES = {
    "im2col": lambda make: [Case([make(1, 2, 4, 3)], lambda x: through(make, lambda x: F.unfold(x, 2, 1, 1, (2, 1)), x))],
    "col2im": lambda make: [Case([make(1, 8, 6)], lambda x: through(make, lambda x: F.fold(x, (3, 4), 2), x))],
    "grid_sample_nd": lambda make: [
        Case([make(1, 2, 4, 5), make(1, 3, 2, 2)], lambda x, g: through(make, lambda x, g: F.grid_sample(x, g, "bicubic", align_corners=False), x, g),
             "real", second=False),
        Case([make(1, 1, 3, 3, 2)], lambda x: through(make, lambda x: F.grid_sample(
            x, torch_np.tensor([[[[[0.3, -0.2, 0.1], [0.9, 0.4, -0.7]]]]], dtype=x.dtype), align_corners=False), x), "real", second=False)],
}
REAL_ONLY = {"grid_sample_nd"}
