"""Dictionaries of tensors of tensordict."""
PROJECT = "tensordict"
TASK = "nested dictionaries of tensors: indexing, stacking, functions of all tensors, modules in sequence, data classes"


def job():
    import torch
    from tensordict import TensorDict, tensorclass
    from tensordict.nn import TensorDictModule, TensorDictSequential

    from packages.values import wave

    data = TensorDict({"a": wave(2, 3), "b": {"c": wave(2, 4)}}, batch_size=[2])
    layer = torch.nn.Linear(3, 2)
    for p in layer.parameters():
        torch.nn.init.constant_(p, 0.3)
    network = TensorDictSequential(TensorDictModule(layer, in_keys=["a"], out_keys=["o"]),
                                   TensorDictModule(lambda x: x * 2, in_keys=["o"], out_keys=["p"]))

    @tensorclass
    class Pair:
        x: torch.Tensor
        y: torch.Tensor

    pair = Pair(wave(3, 2), wave(3), batch_size=[3])
    stacked = torch.stack([data, data.apply(lambda x: x + 1)], 0)
    return {"item": data[1]["b", "c"], "stacked": stacked["a"], "out": network(data)["p"], "part": pair[1:].x, "flat": data.flatten_keys(".")["b.c"],
            "sum": data.sum(dim=0)["a"]}
