"""Small objects pickled by Python's `pickle` under PyTorch, kept as text in golden/torch_pickles.json.

`python test/python/support/torch_pickles.py` rewrites them; it needs PyTorch. With the name of a
file that `test_launcher_pickles.py` has written (`--keep FILE`), it reads these pickles with
PyTorch instead."""
import base64
import json
import pathlib
import pickle
import sys

GOLDEN = pathlib.Path(__file__).parents[1] / "data" / "golden" / "torch_pickles.json"
DTYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool")


def objects(torch):
    """The pickled objects. `torch` is PyTorch, or torch_np under the launcher."""
    nn = torch.nn
    x = torch.arange(6.0).reshape(2, 3)

    def filled(module):
        for parameter in module.parameters():
            parameter.data.copy_(torch.arange(float(parameter.numel())).reshape(parameter.shape) / 8)
        return module

    named = torch.ones(2)
    named.label = "a"
    return {
        **{f"tensor of {name}": torch.tensor([0, 1, 1]).to(getattr(torch, name)) for name in DTYPES},
        "views": [x, x.t(), x[1], x[:, 1:]], "shapes": [torch.tensor(5), torch.empty(0), torch.empty(2, 0)], "leaf": torch.ones(3, requires_grad=True),
        "meta": torch.ones(2, 3, device="meta"), "attributes": named,
        "parameter": [nn.Parameter(torch.ones(2)), nn.Parameter(torch.zeros(1), requires_grad=False)],
        "storages": [torch.arange(3.0).untyped_storage(), torch.arange(3, dtype=torch.int16).storage()],
        "values": [torch.float32, torch.Size([2, 3]), torch.device("cpu"), torch.device("cuda:1")],
        "classes": [torch.Tensor, torch.Size, nn.Linear, nn.Parameter, torch.optim.Adam, torch.distributions.Normal, torch.utils.data.DataLoader,
                    torch.utils.data.TensorDataset, torch.optim.lr_scheduler.StepLR],
        "functions": [nn.functional.softmax, nn.functional.relu, nn.init.xavier_uniform_],
        "state": filled(nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))).state_dict(),
        "module": filled(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2, bias=False))),
    }


def main():
    import torch

    if sys.argv[1:2] == ["--keep"]:
        for name, text in json.loads(pathlib.Path(sys.argv[2]).read_text()).items():
            print(f"{name}: {pickle.loads(base64.b64decode(text))}")
        return
    GOLDEN.write_text(json.dumps({name: base64.b64encode(pickle.dumps(obj, 2)).decode() for name, obj in objects(torch).items()}, indent=0) + "\n")


if __name__ == "__main__":
    main()
