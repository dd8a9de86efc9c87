"""Sample calls of convolutions, pooling, resampling and borders."""
import torch_np
from samples import Case

F = torch_np.nn.functional


def through(make, call, *args):
    """Runs `call` on Tensors. Returns its result in the type under test."""
    result = call(*[make.torch(a) for a in args])
    return result if make.face == "Tensor" else result._np_compat()



def gradients(f, *inputs):
    """Gradients of the sum of squares of f by its inputs, which need not require gradients."""
    leaves = [x if x.requires_grad else x.detach() for x in inputs]
    for x in leaves:
        x.requires_grad = True
    with torch_np.enable_grad():  # finite differences are computed without grad mode
        return torch_np.autograd.grad((f(*leaves) ** 2).sum(), leaves, create_graph=True)


SAMPLES = {
    "convolution": lambda make: [
        Case([make(2, 2, 5), make(4, 1, 3), make(4)],
             lambda x, w, b: through(make, lambda x, w, b: F.conv1d(x, w, b, 2, 1, 1, 2), x, w, b), "real"),
        Case([make(1, 2, 4, 3), make(2, 2, 2, 2), make(2)],
             lambda x, w, b: through(make, lambda x, w, b: F.conv2d(x, w, b, (2, 1), 1, (1, 2)), x, w, b), "real"),
        Case([make(1, 4, 2, 2), make(4, 1, 3, 2), make(2)],
             lambda x, w, b: through(make, lambda x, w, b: F.conv_transpose2d(x, w, b, 2, 1, 1, 2), x, w, b), "real"),
        Case([make(1, 1, 2, 3, 2), make(2, 1, 2, 2, 2)],
             lambda x, w: through(make, lambda x, w: F.conv3d(x, w, padding=1), x, w), "real")],
    "resample": lambda make: [
        Case([make(1, 2, 5, 4)], lambda x: through(make, lambda x: F.interpolate(x, (3, 7), mode="bilinear"), x), "real"),
        Case([make(1, 2, 5, 4)], lambda x: through(make, lambda x: F.avg_pool2d(x, 2, 1, 1), x), "real"),
        Case([make(1, 2, 4)], lambda x: through(make, lambda x: F.pad(x, (2, 3), "reflect"), x), "real complex")],
    "constant_pad_nd": lambda make: [
        Case([make(2, 3)], lambda x: through(make, lambda x: torch_np.constant_pad_nd(x, [1, -1, 0, 2], 2.0), x))],
    "max_pool_windows": lambda make: [
        Case([make(1, 2, 4, 4)], lambda x: through(make, lambda x: F.max_pool2d(x, 2), x), "real"),
        Case([make(1, 1, 5, 3)], lambda x: through(make, lambda x: F.adaptive_max_pool2d(x, (2, 2)), x), "real")],
    "scatter_planes": lambda make: [
        Case([make(1, 2, 3)], lambda x: through(make, lambda x: F.max_unpool1d(x, torch_np.tensor([[[0, 2, 5], [1, 3, 4]]]), 2), x), "real")],
    "gather_planes": lambda make: [
        Case([make(1, 2, 6)], lambda x: through(make, lambda x: gradients(lambda x: F.max_pool1d(x, 2), x)[0], x), "real", second=False)],
    "convolution_backward": lambda make: [
        Case([make(1, 2, 4, 3), make(2, 2, 2, 2), make(2)],
             lambda x, w, b: through(make, lambda *a: sum((g ** 2).sum() for g in gradients(
                 lambda x, w, b: F.conv2d(x, w, b, padding=1), *a)), x, w, b), "real", second=False),
        Case([make(1, 2, 2, 2), make(2, 1, 3, 2)],
             lambda x, w: through(make, lambda *a: sum((g ** 2).sum() for g in gradients(
                 lambda x, w: F.conv_transpose2d(x, w, None, 2), *a)), x, w), "real", second=False)],
}

REAL_ONLY = {"convolution", "convolution_backward", "max_pool_windows", "scatter_planes", "gather_planes"}
