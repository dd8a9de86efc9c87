"""torch_np.onnx.symbolic_opset11: operators of the ONNX format, whose files are not written."""
from torch_np._absent import absent_names

absent_names(globals(), "files of the ONNX format are not implemented; torch_np.save keeps the parameters",
             functions="cat clamp gather index nonzero pad select slice squeeze topk unsqueeze")
