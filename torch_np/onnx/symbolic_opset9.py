"""torch_np.onnx.symbolic_opset9: operators of the ONNX format, whose files are not written."""
from torch_np._absent import absent_names

absent_names(globals(), "files of the ONNX format are not implemented; torch_np.save keeps the parameters",
             functions="""add arange cast clamp conv2d div expand floor floordiv full gather ge gelu gt index index_put le linear lt matmul max mean
             min mul ones pow reciprocal relu reshape select sigmoid size slice softmax sqrt sub sum tanh transpose unsqueeze upsample_nearest2d
             view wrap_logical_op_with_cast_to zeros""")
