"""Sample calls of normalisations, embeddings and cross entropies for the check of gradients."""
import torch_np
import torch_np.nn.functional as F
from samples import Case
from samples_activation import call


def cases(*calls, second=True):
    """Cases for pairs (shapes of the arrays, function of them)."""
    return lambda make: [Case([make(*s) for s in shapes], lambda *xs, f=function: call(make, f, *xs), "real", second)
                         for shapes, function in calls]


def index(*values):
    return torch_np.tensor(values, dtype=torch_np.int64)


def classes(weight=None, **options):
    return lambda x: F.cross_entropy(x, index(0, 2, -100), weight=None if weight is None else torch_np.tensor(weight, dtype=x.dtype),
                                     **options)


MEAN, VAR = [0.3, -0.2, 0.1], [1.2, 0.7, 2.0]


def evaluated(x, w, b):
    return F.batch_norm(x, torch_np.tensor(MEAN, dtype=x.dtype), torch_np.tensor(VAR, dtype=x.dtype), w, b)


SAMPLES = {
    "native_rms_norm": cases((((2, 3, 4), (4,)), lambda x, w: F.rms_norm(x, (4,), w, 0.1)), (((3, 2, 2),), lambda x: F.rms_norm(x, (2, 2)))),
    "native_group_norm": cases((((2, 4, 3), (4,), (4,)), lambda x, w, b: F.group_norm(x, 2, w, b)), (((2, 4),), lambda x: F.group_norm(x, 2))),
    "native_batch_norm": cases(
        (((4, 3), (3,), (3,)), lambda x, w, b: F.batch_norm(x, None, None, w, b, True)),
        (((2, 3, 2), (3,), (3,)), lambda x, w, b: F.batch_norm(x, None, None, w, b, True)), (((2, 3, 2), (3,), (3,)), evaluated)),
    # Without padding and frequencies, which make the gradient differ from the derivative.
    "embedding": cases((((4, 3),), lambda w: F.embedding(index(0, 2, 2), w)), (((4, 3),), lambda w: F.embedding(index(2), w))),
    "embedding_backward": cases((((4, 3),), lambda w: F.embedding(index(0, 2, 2), w))),
    "_embedding_bag": cases(
        (((4, 3), (4,)), lambda w, s: F.embedding_bag(index(0, 2, 2, 1), w, index(0, 1), mode="sum", per_sample_weights=s)),
        (((4, 3),), lambda w: F.embedding_bag(index(0, 2, 2, 1), w, index(0, 1))),
        (((4, 3),), lambda w: F.embedding_bag(index(0, 2, 2, 1), w, index(0, 1), mode="max")), second=False),
    "_cross_entropy": cases((((3, 4),), classes()), (((3, 4),), classes([0.5, 1.0, 2.0, 0.1], label_smoothing=0.2, reduction="sum")),
                            (((3, 4),), classes(reduction="none", label_smoothing=0.1)),
                            (((1, 4, 3),), lambda x: F.cross_entropy(x, index(0, 2, -100).unsqueeze(0)))),
}
for _name in ("_nll_loss", "nll_loss_backward"):
    SAMPLES[_name] = cases((((3, 4),), lambda x: F.nll_loss(x, index(0, 2, -100), torch_np.tensor([0.5, 1.0, 2.0, 0.1], dtype=x.dtype))),
                           (((3, 4, 1),), lambda x: F.nll_loss(x, index(0, 2, -100).unsqueeze(1), reduction="none")))
REAL_ONLY = {"native_rms_norm", "native_group_norm", "native_batch_norm", "_embedding_bag", "_cross_entropy", "_nll_loss", "nll_loss_backward"}
WITHOUT_COMPLEX = {"embedding", "embedding_backward"}
