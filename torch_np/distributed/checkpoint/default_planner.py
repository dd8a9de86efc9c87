"""torch_np.distributed.checkpoint.default_planner: plans of sharded files, by PyTorch's names. They are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "sharded files are not implemented; call torch_np.save in one process, and torch_np.load in all",
    functions="create_default_global_load_plan create_default_global_save_plan create_default_local_load_plan create_default_local_save_plan",
    classes="DefaultLoadPlanner DefaultSavePlanner")
