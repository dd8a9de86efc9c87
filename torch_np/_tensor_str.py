"""torch_np._tensor_str: the parts of a tensor's text, where PyTorch keeps them."""
from torch_np._torch.tensor_str import (
    PRINT_OPTS as PRINT_OPTS, _add_suffixes as _add_suffixes, _str_intern as _str_intern, _tensor_str as _tensor_str,
    get_printoptions as get_printoptions, printoptions as printoptions, set_printoptions as set_printoptions,
)
