"""Writers of TensorBoard's event files."""
from __future__ import annotations

import io
import os
import socket
import time
from datetime import datetime
from typing import Any

import numpy

from torch_np import _C
from torch_np._absent import absent_function


def _array(values: Any) -> Any:
    if isinstance(values, _C.Tensor):
        return values.detach().cpu().numpy()
    return numpy.asarray(values)


def _number(value: Any) -> float:
    return float(value.item() if isinstance(value, (_C.Tensor, numpy.ndarray)) else value)


class FileWriter:
    """Writes events to a file in a folder.

    Args:
      log_dir: The folder.
      max_queue: Number of events that wait for the file.
      flush_secs: Seconds after which they are written.
      filename_suffix: End of the file's name.
    """

    def __init__(self, log_dir: Any, max_queue: int = 10, flush_secs: float = 120, filename_suffix: str = "") -> None:
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self._log_dir = str(log_dir)
        self.event_writer = EventFileWriter(self._log_dir, max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        """Returns the folder."""
        return self._log_dir

    def add_event(self, event: Any, step: int | None = None, walltime: float | None = None) -> None:
        """Adds an event.

        Args:
          event: tensorboard's Event.
          step: Its step; None for none.
          walltime: Its time in seconds; None is now.
        """
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Adds a summary.

        Args:
          summary: tensorboard's Summary.
          global_step: Its step; None for none.
          walltime: Its time in seconds; None is now.
        """
        from tensorboard.compat.proto.event_pb2 import Event

        self.add_event(Event(summary=summary), global_step, walltime)

    def flush(self) -> None:
        """Writes all events to the file."""
        self.event_writer.flush()

    def close(self) -> None:
        """Writes all events and closes the file."""
        self.event_writer.close()


class SummaryWriter:
    """Writes numbers, histograms, images and texts for TensorBoard.

    Args:
      log_dir: Folder of the files; None is runs/<date>_<machine><comment>.
      comment: End of that name.
      purge_step: Step from which on TensorBoard forgets earlier events of the folder; None for
        none.
      max_queue: Number of events that wait for the file.
      flush_secs: Seconds after which they are written.
      filename_suffix: End of the file's name.
    """

    def __init__(self, log_dir: Any = None, comment: str = "", purge_step: int | None = None, max_queue: int = 10, flush_secs: float = 120,
                 filename_suffix: str = "") -> None:
        if not log_dir:
            log_dir = os.path.join("runs", datetime.now().strftime("%b%d_%H-%M-%S") + "_" + socket.gethostname() + comment)
        self.log_dir = str(log_dir)
        self._options = max_queue, flush_secs, filename_suffix
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] = {}
        if purge_step is not None:
            from tensorboard.compat.proto.event_pb2 import Event, SessionLog

            writer = self._writer(self.log_dir)
            writer.add_event(Event(step=purge_step, file_version="brain.Event:2"))
            writer.add_event(Event(step=purge_step, session_log=SessionLog(status=SessionLog.START)))
        self.file_writer = self._writer(self.log_dir)

    def _writer(self, folder: str) -> FileWriter:
        if folder not in self.all_writers:
            self.all_writers[folder] = FileWriter(folder, *self._options)
        return self.all_writers[folder]

    def _add(self, tag: str, step: int | None, walltime: float | None, folder: str | None = None, **value: Any) -> None:
        from tensorboard.compat.proto.summary_pb2 import Summary

        summary = Summary(value=[Summary.Value(tag=tag, **value)])
        self._writer(folder or self.log_dir).add_summary(summary, step, walltime)

    def get_logdir(self) -> str:
        """Returns the folder of the files."""
        return self.log_dir

    def add_scalar(self, tag: str, scalar_value: Any, global_step: int | None = None, walltime: float | None = None, new_style: bool = False,
                   double_precision: bool = False) -> None:
        """Adds a number.

        Args:
          tag: Name of the curve.
          scalar_value: The number, or a tensor with one element.
          global_step: Step of the program.
          walltime: Time in seconds; None is now.
          new_style: Whether it is written as a tensor.
          double_precision: Has no effect unless `new_style`: the tensor is then of float64.
        """
        number = _number(scalar_value)
        if not new_style:
            self._add(tag, global_step, walltime, simple_value=number)
            return
        from tensorboard.compat.proto.summary_pb2 import SummaryMetadata
        from tensorboard.compat.proto.tensor_pb2 import TensorProto

        proto = TensorProto(double_val=[number], dtype="DT_DOUBLE") if double_precision else TensorProto(float_val=[number], dtype="DT_FLOAT")
        self._add(tag, global_step, walltime, tensor=proto,
                  metadata=SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="scalars")))

    def add_scalars(self, main_tag: str, tag_scalar_dict: dict[str, Any], global_step: int | None = None, walltime: float | None = None) -> None:
        """Adds several numbers to one picture, each in a folder of its own.

        Args:
          main_tag: Name of the picture.
          tag_scalar_dict: Numbers by the names of their curves.
          global_step: Step of the program.
          walltime: Time in seconds; None is now.
        """
        for tag, value in tag_scalar_dict.items():
            folder = os.path.join(self.log_dir, main_tag.replace("/", "_") + "_" + tag)
            self._add(main_tag, global_step, walltime, folder, simple_value=_number(value))

    def add_histogram(self, tag: str, values: Any, global_step: int | None = None, bins: Any = "tensorflow", walltime: float | None = None,
                      max_bins: int | None = None) -> None:
        """Adds a histogram.

        Args:
          tag: Its name.
          values: Tensor or array of values.
          global_step: Step of the program.
          bins: 'tensorflow', or what numpy.histogram takes.
          walltime: Time in seconds; None is now.
          max_bins: Only None.

        Errors: NotImplementedError for `max_bins`; ValueError without values.
        """
        from tensorboard.compat.proto.summary_pb2 import HistogramProto

        if max_bins is not None:
            raise NotImplementedError("add_histogram(): bins are not joined; max_bins must be None")
        data = _array(values).reshape(-1).astype(numpy.float64)
        if data.size == 0:
            raise ValueError("The input has no element.")
        if isinstance(bins, str) and bins == "tensorflow":
            steps = 1e-12 * 1.1 ** numpy.arange(774)  # up to 1e20
            bins = [*-steps[::-1], 0.0, *steps]
        counts, limits = numpy.histogram(data, bins=bins)
        filled = numpy.nonzero(counts)[0]
        first, last = (filled[0], filled[-1] + 1) if filled.size else (0, 1)
        self._add(tag, global_step, walltime, histo=HistogramProto(
            min=data.min(), max=data.max(), num=data.size, sum=data.sum(), sum_squares=data @ data,
            bucket_limit=limits[first:last + 1].tolist(), bucket=[0, *counts[first:last].tolist()]))

    def add_text(self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None) -> None:
        """Adds a text.

        Args:
          tag: Its name.
          text_string: The text.
          global_step: Step of the program.
          walltime: Time in seconds; None is now.
        """
        from tensorboard.compat.proto.summary_pb2 import SummaryMetadata
        from tensorboard.compat.proto.tensor_pb2 import TensorProto
        from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

        shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)])
        self._add(f"{tag}/text_summary", global_step, walltime,
                  metadata=SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text")),
                  tensor=TensorProto(dtype="DT_STRING", string_val=[text_string.encode()], tensor_shape=shape))

    def add_image(self, tag: str, img_tensor: Any, global_step: int | None = None, walltime: float | None = None, dataformats: str = "CHW") -> None:
        """Adds an image, by the package Pillow.

        Args:
          tag: Its name.
          img_tensor: Tensor or array: uint8 from 0 to 255, or floats from 0 to 1.
          global_step: Step of the program.
          walltime: Time in seconds; None is now.
          dataformats: Order of the axes: 'CHW', 'HWC' or 'HW'.

        Errors: ValueError for another order or shape.
        """
        from PIL import Image
        from tensorboard.compat.proto.summary_pb2 import Summary

        data = _array(img_tensor)
        if sorted(dataformats.upper()) not in (sorted("CHW"), sorted("HW")) or data.ndim != len(dataformats):
            raise ValueError(f"add_image(): dataformats {dataformats!r} does not fit an array of {data.ndim} axes")
        order = [dataformats.upper().index(axis) for axis in ("HWC" if data.ndim == 3 else "HW")]
        data = data.transpose(order)
        if data.dtype != numpy.uint8:
            data = (data.astype(numpy.float32) * 255).clip(0, 255).astype(numpy.uint8)
        if data.ndim == 2:
            data = data[..., None].repeat(3, axis=2)
        elif data.shape[2] == 1:
            data = data.repeat(3, axis=2)
        out = io.BytesIO()
        Image.fromarray(data).save(out, format="PNG")
        height, width, channels = data.shape
        self._add(tag, global_step, walltime, image=Summary.Image(
            height=height, width=width, colorspace=channels, encoded_image_string=out.getvalue()))

    def add_figure(self, tag: str, figure: Any, global_step: int | None = None, close: bool = True, walltime: float | None = None) -> None:
        """Adds a picture of matplotlib.

        Args:
          tag: Its name.
          figure: The figure.
          global_step: Step of the program.
          close: Whether the figure is closed.
          walltime: Time in seconds; None is now.
        """
        figure.canvas.draw()
        self.add_image(tag, numpy.asarray(figure.canvas.buffer_rgba()), global_step, walltime, "HWC")
        if close:
            from matplotlib import pyplot

            pyplot.close(figure)

    def flush(self) -> None:
        """Writes all events to the files."""
        for writer in self.all_writers.values():
            writer.flush()

    def close(self) -> None:
        """Writes all events and closes the files."""
        for writer in self.all_writers.values():
            writer.close()
        self.all_writers.clear()

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


for _name in ("add_audio", "add_custom_scalars", "add_custom_scalars_marginchart", "add_custom_scalars_multilinechart", "add_embedding",
              "add_graph", "add_hparams", "add_images", "add_image_with_boxes", "add_mesh", "add_onnx_graph", "add_pr_curve",
              "add_pr_curve_raw", "add_histogram_raw", "add_tensor", "add_video"):
    setattr(SummaryWriter, _name, absent_function(
        f"SummaryWriter.{_name}", "only numbers, histograms, texts, images and figures are written; use add_scalar, add_image or add_text",
        "torch_np.utils.tensorboard"))
