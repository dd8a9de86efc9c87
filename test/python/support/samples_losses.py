"""Sample calls of losses with their own kernels, and of the parts of losses, for the check of
gradients."""
import torch_np
import torch_np.nn.functional as F
from samples import Case
from samples_activation import call

# Pairs of arrays of one shape, and of shapes that broadcast.
PAIRS = (((2, 3), (2, 3)), ((3,), (2, 3)))


def cases(function, *shapes, low=None, high=None, second=True):
    return lambda make: [Case([make(*s, low=low, high=high) for s in each], lambda *xs: call(make, function, *xs), "real", second)
                         for each in (shapes or PAIRS)]


def of_probabilities(make):
    return [Case([make(2, 3, low=0.1, high=0.9), make(2, 3, low=0.1, high=0.9)],
                 lambda x, t: call(make, lambda x, t: F.binary_cross_entropy(x, t, reduction="none"), x, t), "real")]


def transcribed(*targets, steps, lengths, **options):
    """The input after log_softmax, as its gradient assumes."""
    numbers = torch_np.tensor(targets, dtype=torch_np.int64)
    return lambda x: F.ctc_loss(x.log_softmax(-1), numbers, steps, lengths, **options)


SAMPLES = {
    **{n: cases(lambda x, t: F.mse_loss(x, t, reduction="none"), PAIRS[0]) for n in ("_squared_error", "squared_error_backward")},
    **{n: cases(lambda x, t: F.l1_loss(x, t, reduction="sum"), PAIRS[0]) for n in ("_absolute_error", "absolute_error_backward")},
    **{n: cases(lambda x, t: F.smooth_l1_loss(x, t, beta=0.7), PAIRS[0]) for n in ("_smooth_absolute", "smooth_absolute_backward")},
    **{n: of_probabilities for n in ("_binary_cross_entropy_of", "binary_cross_entropy_backward")},
    **{n: cases(F.binary_cross_entropy_with_logits, PAIRS[0]) for n in ("_logits_cross_entropy", "logits_cross_entropy_backward")},
    "_divergence": cases(lambda x, t: F.kl_div(x, t, reduction="sum"), low=0.2, high=1.5),
    "_divergence_of_logarithms": cases(lambda x, t: F.kl_div(x, t, reduction="sum", log_target=True)),
    "ctc_losses": lambda make: [
        Case([make(4, 2, 3)], lambda x: call(make, transcribed([1, 1], [2, 1], steps=(4, 3), lengths=(2, 1)), x), "real", second=False),
        Case([make(5, 2, 3)], lambda x: call(make, transcribed(0, 1, 0, steps=(5, 2), lengths=(3, 0), blank=2, reduction="none"), x), "real",
             second=False),
        Case([make(3, 3)], lambda x: call(make, transcribed(1, 2, steps=(3,), lengths=(2,), reduction="sum"), x), "real", second=False)],
}
REAL_ONLY = {"ctc_losses"}
