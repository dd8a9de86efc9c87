"""`python -m torch_np program.py`: runs a program in which `import torch` finds torch_np."""
from torch_np._launcher import _command

if __name__ == "__main__":
    _command.main()
