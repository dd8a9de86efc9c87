"""As much of torchvision's interface as torch_programs.py's programs use, with data that scikit-learn ships in place of downloads."""
from torchvision import datasets, models, transforms, utils  # noqa: F401
from PIL import Image

Image.ANTIALIAS = Image.LANCZOS  # its name in the version of Pillow that some programs were written for
