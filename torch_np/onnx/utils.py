"""torch_np.onnx.utils: the export of ONNX files, which is not implemented."""
from torch_np._absent import absent_names
from torch_np.onnx import (
    export as export, is_in_onnx_export as is_in_onnx_export, register_custom_op_symbolic as register_custom_op_symbolic,
    unregister_custom_op_symbolic as unregister_custom_op_symbolic,
)

absent_names(globals(), "files of the ONNX format are not implemented; torch_np.save keeps the parameters",
             functions="export_to_pretty_string model_signature select_model_mode_for_export unconvertible_ops")
