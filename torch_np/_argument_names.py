"""Names of the same argument in the two faces, for operators of the engine (tools/codegen) and of
users (torch_np.library). The generator executes this file before torch_np is built, so it imports
nothing.
"""
# NumPy's names by PyTorch's
NUMPYS = {"input": "a", "dim": "axis", "keepdim": "keepdims"}
# other names that PyTorch's face accepts
ALIASES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
