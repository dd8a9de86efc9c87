"""Files of safetensors, by its module for PyTorch."""
PROJECT = "safetensors"
TASK = "a model's parameters written to a file and read again, with slices and shared tensors"


def job():
    import os
    import tempfile

    import torch
    from safetensors import safe_open
    from safetensors.torch import load_file, load_model, save, save_file, save_model

    from packages.values import fill, wave

    net = fill(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.safetensors")
        save_file({"a": wave(4, 3), "b": torch.arange(6, dtype=torch.int16), "c": wave(3).to(torch.bfloat16)}, path, metadata={"k": "v"})
        found = load_file(path)
        with safe_open(path, framework="pt") as file:
            part, metadata = file.get_slice("a")[1:3, :2], file.metadata()
        save_model(net, path)
        other = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2))
        missing = load_model(other, path)
    return {**found, "part": part, "metadata": metadata, "missing": [sorted(m) for m in missing], "model": list(other.parameters()),
            "bytes": list(save({"x": wave(2)}))}
