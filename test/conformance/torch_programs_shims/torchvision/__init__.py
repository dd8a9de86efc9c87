"""The part of torchvision's interface that the programs of torch_programs.py use. Data that
scikit-learn ships replaces downloads."""
from torchvision import datasets, models, transforms, utils  # noqa: F401
from PIL import Image

Image.ANTIALIAS = Image.LANCZOS  # its name in the version of Pillow that some programs were written for
