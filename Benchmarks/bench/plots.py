"""The two kinds of plots: ratios as bars, and latencies as points on a line."""

import dataclasses
import math
import statistics

from .drawing import Drawing

WIDTH, LEFT, RIGHT, TOP, ROW = 840, 290, 60, 62, 30


@dataclasses.dataclass
class Bar:
    name: str
    # The ratio of each run.
    values: list
    kind: str
    goal: float = 0


def bars(title, axis, rows):
    """Medians, with the lowest and highest of the runs, and a mark where the goal is."""
    drawing = Drawing(WIDTH, TOP + ROW * len(rows) + 64, title)
    bottom = TOP + ROW * len(rows)
    most = max(max([*row.values, row.goal]) for row in rows) * 1.05
    step = next(step for step in (0.1, 0.25, 0.5, 1, 2, 5, 10, 100) if most / step <= 9)

    def place(value):
        return LEFT + value / most * (WIDTH - LEFT - RIGHT)

    for mark in range(int(most / step) + 1):
        drawing.line(place(mark * step), TOP - 8, place(mark * step), bottom, "grid")
        drawing.text(place(mark * step), bottom + 16, f"{mark * step:g}", "small", "middle")
    drawing.line(place(1), TOP - 8, place(1), bottom, "base")
    for number, row in enumerate(rows):
        middle = TOP + ROW * number + ROW / 2 - 4
        median = statistics.median(row.values)
        drawing.text(LEFT - 12, middle + 4.5, row.name, anchor="end")
        drawing.bar(LEFT, middle - 8, place(median) - LEFT, 16, row.kind)
        if len(row.values) > 1:
            drawing.line(place(min(row.values)), middle, place(max(row.values)), middle, "range")
        if row.goal:
            drawing.line(place(row.goal), middle - 12, place(row.goal), middle + 12, "goal")
        right = max([*row.values, row.goal])
        drawing.text(place(right) + 8, middle + 4.5, f"{median:.2f}")
    goal = "; upright marks: the goals" if any(row.goal for row in rows) else ""
    drawing.text(20, bottom + 44, f"{axis}; lines: lowest to highest run{goal}", "small")
    return drawing.svg()


@dataclasses.dataclass
class Points:
    name: str
    p50: float
    p99: float
    p999: float
    kind: str


def points(title, groups):
    """Latencies in µs on a logarithmic axis; `groups` are headings with their rows."""
    lines = sum(len(rows) + 1 for _, rows in groups)
    bottom = TOP + ROW * lines
    drawing = Drawing(WIDTH, bottom + 64, title)
    every = [value for _, rows in groups for row in rows for value in (row.p50, row.p99, row.p999)]
    low, high = math.log10(max(min(every), 1)) - 0.1, math.log10(max(every)) + 0.1

    def place(value):
        return LEFT + (math.log10(max(value, 1)) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    for decade in range(0, 8):
        for factor in (1, 2, 5):
            value = factor * 10**decade
            if low <= math.log10(value) <= high:
                drawing.line(place(value), TOP - 8, place(value), bottom, "grid")
                words = f"{value:,} µs" if value < 1000 else f"{value // 1000:,} ms"
                drawing.text(place(value), bottom + 16, words, "small", "middle")
    middle = TOP + ROW / 2 - 4
    for heading, rows in groups:
        drawing.text(20, middle + 4.5, heading, "small")
        for row in rows:
            middle += ROW
            drawing.text(LEFT - 12, middle + 4.5, row.name, anchor="end")
            drawing.line(place(row.p50), middle, place(row.p999), middle, row.kind)
            drawing.dot(place(row.p50), middle, row.kind)
            drawing.dot(place(row.p99), middle, row.kind, is_hollow=True)
            drawing.line(place(row.p999), middle - 7, place(row.p999), middle + 7, row.kind)
        middle += ROW
    drawing.text(20, bottom + 44, "full: p50, hollow: p99, upright: p999 (medians of the runs)", "small")
    return drawing.svg()
