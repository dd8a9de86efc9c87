"""Sample calls of operators that select, scatter, or change shapes in place; see samples.py."""
import torch_np
from samples import Case, integers


def lines(make, index):
    return make.torch(integers(make, index))


def tensor_case(make, inputs, call, **options):
    """A case of Tensors: both faces check derivatives with the function of the torch face."""
    def run(*arrays):
        result = call(*map(make.torch, arrays))
        return result if make.face == "Tensor" else result._np_compat()
    return Case(inputs, run, **options)


def scattering(make, name, reduce, include_self, **options):
    index = lines(make, [[0, 1], [1, 1], [3, 0]])
    return tensor_case(make, [make(4, 2), make(3, 2)], lambda x, y: torch_np.scatter_reduce(x, 0, index, y, reduce, include_self=include_self),
                       id=f"{reduce}-{include_self}", **options)


SAMPLES = {
    "topk": lambda make: [tensor_case(make, [make(3, 5)], lambda x: torch_np.topk(x, 2, 1)[0], kinds="real")],
    "kthvalue": lambda make: [tensor_case(make, [make(3, 5)], lambda x: torch_np.kthvalue(x, 2, 0)[0], kinds="real")],
    "median": lambda make: [tensor_case(make, [make(3, 5)], torch_np.median, kinds="real")],
    "median.dim": lambda make: [tensor_case(make, [make(3, 5)], lambda x: torch_np.median(x, 1)[0], kinds="real")],
    "nanmedian": lambda make: [tensor_case(make, [make(3, 5)], torch_np.nanmedian, kinds="real")],
    "nanmedian.dim": lambda make: [tensor_case(make, [make(3, 5)], lambda x: torch_np.nanmedian(x, 1)[0], kinds="real")],
    "mode": lambda make: [tensor_case(make, [make(3, 5)], lambda x: torch_np.mode(x, 1)[0], kinds="real")],
    "cummax": lambda make: [tensor_case(make, [make(3, 5)], lambda x: torch_np.cummax(x, 1)[0], kinds="real")],
    "cummin": lambda make: [tensor_case(make, [make(3, 5)], lambda x: torch_np.cummin(x, 0)[0], kinds="real")],
    "logcumsumexp": lambda make: [tensor_case(make, [make(3, 4)], lambda x: torch_np.logcumsumexp(x, 1))],
    "scatter_reduce": lambda make: [
        *(scattering(make, "scatter_reduce", reduce, include, **({} if reduce in ("sum", "mean", "prod") else {"kinds": "real"}))
          for reduce in ("sum", "mean", "prod", "amax", "amin") for include in (True, False))],
    "unfold": lambda make: [tensor_case(make, [make(7, 2)], lambda x: x.unfold(0, 3, 2)),
                            tensor_case(make, [make(2, 5)], lambda x: x.unfold(1, 4, 1))],
}
REAL_ONLY = {"topk", "kthvalue", "median", "median.dim", "nanmedian", "nanmedian.dim", "mode", "cummax", "cummin"}
