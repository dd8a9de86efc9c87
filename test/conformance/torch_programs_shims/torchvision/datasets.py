"""Datasets: MNIST (scikit-learn's digits, enlarged), random images, images of a folder."""
import pathlib

import numpy
import torch
from PIL import Image
from torch.utils.data import Dataset


class MNIST(Dataset):
    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        from sklearn.datasets import load_digits
        digits = load_digits()
        part = slice(0, 600) if train else slice(600, 800)
        pictures = numpy.kron(digits.images[part] * 15.9, numpy.ones((3, 3)))
        self.data = torch.from_numpy(numpy.pad(pictures, ((0, 0), (2, 2), (2, 2))).astype("uint8"))
        self.targets = torch.from_numpy(digits.target[part])
        self.transform, self.target_transform = transform, target_transform

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        picture, digit = Image.fromarray(self.data[index].numpy()), int(self.targets[index])
        return self.transform(picture) if self.transform else picture, digit


class FakeData(Dataset):
    def __init__(self, size=1000, image_size=(3, 224, 224), num_classes=10, transform=None):
        self.size, self.image_size, self.num_classes, self.transform = size, image_size, num_classes, transform

    def __len__(self):
        return min(self.size, 130)

    def __getitem__(self, index):
        channels, height, width = self.image_size
        rng = numpy.random.default_rng(index)
        picture = Image.fromarray(rng.integers(0, 255, (height, width, channels), "uint8"))
        return self.transform(picture) if self.transform else picture, int(rng.integers(self.num_classes))


class ImageFolder(Dataset):
    def __init__(self, root, transform=None):
        self.paths, self.transform = sorted(pathlib.Path(root).glob("*/*.*g")), transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        picture = Image.open(self.paths[index]).convert("RGB")
        return self.transform(picture) if self.transform else picture, 0
