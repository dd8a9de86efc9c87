"""Transforms from images to tensors."""
import numpy
import torch


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, x):
        for f in self.transforms:
            x = f(x)
        return x


class ToTensor:
    def __call__(self, picture):
        array = numpy.asarray(picture)
        array = array[:, :, None] if array.ndim == 2 else array
        tensor = torch.from_numpy(array.transpose(2, 0, 1).copy())
        return tensor.float().div(255)


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = torch.tensor(mean).view(-1, 1, 1), torch.tensor(std).view(-1, 1, 1)

    def __call__(self, x):
        return x.sub(self.mean).div(self.std)


class Resize:
    def __init__(self, size):
        self.size = size

    def __call__(self, picture):
        size = self.size
        if isinstance(size, int):
            scale = size / min(picture.size)
            size = round(picture.size[1] * scale), round(picture.size[0] * scale)
        return picture.resize((size[1], size[0]))


class CenterCrop:
    def __init__(self, size):
        self.size = size if isinstance(size, tuple) else (size, size)

    def __call__(self, picture):
        left, top = (picture.size[0] - self.size[1]) // 2, (picture.size[1] - self.size[0]) // 2
        return picture.crop((left, top, left + self.size[1], top + self.size[0]))


class Lambda:
    def __init__(self, function):
        self.function = function

    def __call__(self, x):
        return self.function(x)
