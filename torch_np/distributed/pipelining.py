"""torch_np.distributed.pipelining: networks in stages, by PyTorch's names. They are not implemented."""
import enum

from torch_np._absent import absent_names

absent_names(
    globals(), "networks are not divided into stages; use torch_np.nn.parallel.DistributedDataParallel",
    functions="build_stage pipe_split pipeline",
    classes="Pipe PipelineStage Schedule1F1B ScheduleGPipe ScheduleInterleaved1F1B ScheduleInterleavedZeroBubble ScheduleLoopedBFS")


class SplitPoint(enum.Enum):
    """Where a network is divided: before a module, or behind it."""

    BEGINNING = 1
    END = 2
