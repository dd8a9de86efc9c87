"""`functorch.experimental`: names of transforms that torch.func has, too, and vmap by a number of chunks."""
from torch_np._functorch.deprecated import functionalize as functionalize, hessian as hessian, jacfwd as jacfwd, jvp as jvp
from torch_np._functorch.vmap import chunk_vmap as chunk_vmap
from torch_np.func import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
