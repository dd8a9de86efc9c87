"""Small files written by PyTorch, kept as text in golden/torch_files.json.

`python test/python/support/torch_files.py` rewrites them; it needs PyTorch. test_torch_files.py
reads them with torch_np."""
import base64
import collections
import io
import json
import pathlib

GOLDEN = pathlib.Path(__file__).parents[1] / "data" / "golden" / "torch_files.json"
DTYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "uint8", "int8", "int16", "int32", "int64", "uint16",
          "uint32", "uint64", "bool")


def objects(torch):
    """The contents of the files. `torch` is PyTorch, or torch_np."""
    x = torch.arange(6.0).reshape(2, 3)
    containers = {"list": [1, -1, 300, 70000, 2**40, -2**70, 2.5, "text \u00e9", None, True, False, (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
                  "bytes": b"\0\xffab", "bytearray": bytearray(b"xy"), "complex": 1 + 2j, "set": {1, 2}, (1, "a"): {}, 5: [[]],
                  "size": torch.Size([2, 3]), "device": torch.device("cpu"), "dtype": torch.float16,
                  "ordered": collections.OrderedDict([("b", 1), ("a", 2)]), "counter": collections.Counter("aab")}
    state = collections.OrderedDict([("weight", torch.arange(4.0).reshape(2, 2)), ("bias", torch.ones(2))])
    state._metadata = collections.OrderedDict([("", {"version": 1})])
    steps = {"state": {0: {"step": torch.tensor(3.0), "exp_avg": torch.full((2,), 0.5)}}, "param_groups": [{"lr": 0.001, "params": [0]}]}
    return {
        "dtypes": {name: torch.tensor([0, 1, 1, 0]).to(getattr(torch, name)) for name in DTYPES},
        "views": {"a": x, "transposed": x.t(), "row": x[1], "column": x[:, 1], "broadcast": x[0].expand(3, 3), "again": x},
        "shapes": [torch.tensor(5), torch.empty(0), torch.empty(2, 0, 3), torch.ones(1, 1, 1)],
        "parameter": {"p": torch.nn.Parameter(torch.ones(2)), "fixed": torch.nn.Parameter(torch.zeros(1), requires_grad=False),
                      "leaf": torch.ones(3, requires_grad=True)},
        "containers": containers,
        "state": {"model": state, "optimizer": steps},
        "storages": [torch.arange(3.0).untyped_storage(), torch.arange(3, dtype=torch.int16).storage()],
        "meta": torch.ones(2, 3, device="meta"),
    }


def main():
    import torch

    files = {}
    for name, obj in objects(torch).items():
        file = io.BytesIO()
        torch.save(obj, file)
        files[name] = base64.b64encode(file.getvalue()).decode()
    file = io.BytesIO()
    torch.save(torch.nn.Linear(1, 1), file)
    files["module"] = base64.b64encode(file.getvalue()).decode()
    GOLDEN.write_text(json.dumps(files, indent=0) + "\n")


if __name__ == "__main__":
    main()
