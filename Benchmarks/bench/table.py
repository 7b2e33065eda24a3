"""Tables, for terminals and for Markdown."""

import dataclasses


@dataclasses.dataclass
class Table:
    title: str
    header: list
    rows: list = dataclasses.field(default_factory=list)

    def text(self):
        lines = [self.header, *self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.header))]
        return "\n".join([self.title, "", *(self._line(line, widths) for line in lines)])

    @staticmethod
    def _line(cells, widths):
        first = cells[0].ljust(widths[0])
        return "   ".join([first, *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:]))])

    def markdown(self):
        lines = [self.header, ["---"] * len(self.header), *self.rows]
        table = "\n".join(f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in lines)
        return f"{self.title}\n\n{table}"
