"""The memory of arrays over time, and its picture."""
from __future__ import annotations

import html
import math
from typing import NamedTuple

from torch_np.autograd._profiler_table import size_text
from torch_np.profiler._events import Change

_WIDTH, _HEIGHT = 720, 150  # size of a curve's plot area
_LEFT, _TOP, _BELOW = 78, 26, 30  # margins around it
_COLOURS = ("#4878a8", "#d1805a", "#6a9f58", "#967aa1")


class Peak(NamedTuple):
    """The largest number of bytes in use, its time in microseconds since the profile began, and the
    name of the operator or label that reached it ('' for none).
    """

    bytes: int
    time: float
    name: str


def _ticks(largest: float, most: int) -> list[float]:
    """At most `most` round numbers, starting at 0."""
    power = 10.0 ** math.floor(math.log10(largest / most))
    step = next(power * factor for factor in (1, 2, 5, 10) if largest <= power * factor * most)
    return [i * step for i in range(int(largest / step) + 1)]


def _byte_ticks(least: int, most: int) -> list[int]:
    """Multiples of a power of two between `least` and `most`, including 0."""
    step = 1
    while (most - least) / step > 5:
        step *= 2
    return list(range(-(-least // step) * step, most + 1, step))


def _steps(points: list[tuple[float, int]], duration: float) -> list[tuple[float, int]]:
    """At most four points for each column of the picture: the first, the smallest, the largest and
    the last, in their order.
    """
    if len(points) <= 4 * _WIDTH:
        return points
    columns: dict[int, list[int]] = {}
    for i, (time, _) in enumerate(points):
        columns.setdefault(int(time / duration * _WIDTH) if duration > 0 else 0, []).append(i)
    kept: list[int] = []
    for indices in columns.values():
        by_size = sorted(indices, key=lambda i: points[i][1])
        kept += sorted({indices[0], by_size[0], by_size[-1], indices[-1]})
    return [points[i] for i in kept]


class MemoryTimeline:
    """Bytes in use by arrays, relative to the start of the profile.

    Arrays that existed before the profile count when they are freed, as negative bytes.
    `points[device]` is a list of pairs of a time in microseconds and the bytes in use from then on.
    Notebooks show the picture.
    """

    def __init__(self, changes: list[Change], duration: int) -> None:
        self.duration = duration / 1000  # microseconds
        self.points: dict[str, list[tuple[float, int]]] = {}
        self.peaks: dict[str, Peak] = {}
        held: dict[str, int] = {}
        for change in changes:
            now = held[change.device] = held.get(change.device, 0) + change.bytes
            time = change.time / 1000
            self.points.setdefault(change.device, [(0.0, 0)]).append((time, now))
            if change.device not in self.peaks or now > self.peaks[change.device].bytes:
                self.peaks[change.device] = Peak(now, time, change.event.name if change.event is not None else "")

    def _curve(self, device: str, top: int, colour: str) -> str:
        points = self.points[device]
        least, most = min(0, *(p[1] for p in points)), max(0, *(p[1] for p in points))
        spread, duration = max(most - least, 1), max(self.duration, 1e-3)

        def x(time: float) -> float:
            return round(_LEFT + min(time / duration, 1) * _WIDTH, 1)

        def y(size: float) -> float:
            return round(top + _HEIGHT * (most - size) / spread, 1)

        path = [f"M{x(0)},{y(0)}"]
        for time, size in _steps(points, duration):
            path.append(f"H{x(time)}V{y(size)}")
        path.append(f"H{x(duration)}V{y(0)}Z")
        peak = self.peaks[device]
        title = f"{device}: peak {size_text(peak.bytes)} at {peak.time / 1000:.3f} ms" + (f", in {peak.name}" if peak.name else "")
        parts = [f'<text x="{_LEFT}" y="{top - 8}" font-weight="bold">{html.escape(title)}</text>']
        for size in _byte_ticks(least, most):
            parts.append(f'<line x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{y(size)}" y2="{y(size)}" stroke="#888" stroke-opacity="0.25"/>'
                         f'<text x="{_LEFT - 6}" y="{y(size) + 4}" text-anchor="end">{size_text(size)}</text>')
        parts.append(f'<path d="{"".join(path)}" fill="{colour}" fill-opacity="0.55" stroke="{colour}"/>')
        parts.append(f'<circle cx="{x(peak.time)}" cy="{y(peak.bytes)}" r="3" fill="{colour}"><title>{html.escape(title)}</title></circle>')
        for time in _ticks(duration / 1000, 9):
            parts.append(f'<text x="{x(time * 1000)}" y="{top + _HEIGHT + 16}" text-anchor="middle">{time:g} ms</text>')
        return "".join(parts)

    def svg(self) -> str:
        """The picture as SVG text: a curve for each device, with its peak and the operator that
        reached it.
        """
        each = _TOP + _HEIGHT + _BELOW
        curves = [self._curve(device, i * each + _TOP, _COLOURS[i % len(_COLOURS)]) for i, device in enumerate(sorted(self.points))]
        if not curves:
            curves = [f'<text x="{_LEFT}" y="{_TOP}">no array took or gave back memory</text>']
        width, height = _LEFT + _WIDTH + 40, len(curves) * each
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11" '
                f'fill="#777">{"".join(curves)}</svg>')

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        peaks = ", ".join(f"{device} {size_text(peak.bytes)}" for device, peak in sorted(self.peaks.items()))
        return f"<MemoryTimeline: peak {peaks or 'of nothing'}>"
