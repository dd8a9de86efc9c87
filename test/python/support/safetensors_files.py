"""Small files written by safetensors.torch, kept as text in golden/safetensors_files.json.

`python test/python/support/safetensors_files.py` rewrites them; it needs PyTorch and safetensors.
test_safetensors.py reads them with torch_np."""
import base64
import json
import pathlib

GOLDEN = pathlib.Path(__file__).parents[1] / "data" / "golden" / "safetensors_files.json"
DTYPES = ("float64", "float32", "float16", "bfloat16", "complex64", "bool", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16",
          "uint8")


def files(torch):
    """Tensors and metadata of each file. `torch` is PyTorch, or torch_np."""
    return {
        "dtypes": ({name: torch.tensor([0, 1, 1, 0, 1]).to(getattr(torch, name)) for name in DTYPES}, None),
        "shapes": ({"number": torch.tensor(5.0), "none": torch.empty(2, 0, 3), "matrix": torch.arange(6.0).reshape(2, 3)}, None),
        "metadata": ({"a": torch.tensor([0.5, -1.5], dtype=torch.bfloat16)}, {"format": "pt"}),
        "nothing": ({}, None),
    }


def tied_model(nn):
    """A module with one parameter under two names."""
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=True))
    model[1].weight = model[0].weight
    return model


def main():
    import tempfile

    import torch
    from safetensors.torch import save, save_model

    written = {name: save(tensors, metadata) for name, (tensors, metadata) in files(torch).items()}
    model = tied_model(torch.nn)
    with torch.no_grad():
        for n, parameter in enumerate(model.parameters()):
            parameter.copy_(torch.arange(float(parameter.numel())).reshape(parameter.shape) + n)
    with tempfile.NamedTemporaryFile() as file:
        save_model(model, file.name)
        written["tied_model"] = pathlib.Path(file.name).read_bytes()
    # A dtype that torch_np cannot hold.
    written["float8"] = save({"a": torch.ones(2).to(torch.float8_e4m3fn), "b": torch.ones(1)})
    GOLDEN.write_text(json.dumps({name: base64.b64encode(data).decode() for name, data in written.items()}, indent=0) + "\n")


if __name__ == "__main__":
    main()
