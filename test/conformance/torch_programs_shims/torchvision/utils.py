"""Writes tensors as image files."""
import torch
from PIL import Image


def make_grid(tensor, nrow=8, normalize=False):
    columns = min(nrow, len(tensor))
    tensor = torch.nn.functional.pad(tensor, (1, 1, 1, 1))
    if normalize:
        tensor = (tensor - tensor.min()) / (tensor.max() - tensor.min())
    rows = [torch.cat(list(part), dim=2) for part in tensor.split(columns) if len(part) == columns]
    return torch.cat(rows, dim=1)


def save_image(tensor, path, nrow=8, normalize=False):
    grid = make_grid(tensor, nrow, normalize).mul(255).clamp(0, 255).to(torch.uint8)
    Image.fromarray(grid.permute(1, 2, 0).squeeze(-1).cpu().numpy()).save(path)
