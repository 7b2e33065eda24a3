"""A plot as SVG, without any library: it looks right on light and on dark pages, since it brings its own ground."""

from xml.sax.saxutils import escape

STYLE = """\
  text { font: 13px -apple-system, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif; fill: #1f2328 }
  .ground { fill: #ffffff; stroke: #d0d7de } .title { font-weight: 600; font-size: 15px } .small { font-size: 11px; fill: #59636e }
  .grid { stroke: #d8dee4 } .base { stroke: #59636e; stroke-dasharray: 4 3 } .range { stroke: #1f2328; stroke-width: 1.5 }
  .goal { stroke: #bc4c00; stroke-width: 2.5 }
  .plain { fill: #8c959f; stroke: #8c959f } .broker { fill: #2f81f7; stroke: #2f81f7 } .durable { fill: #2da44e; stroke: #2da44e }
  .peer { fill: #a475f9; stroke: #a475f9 } .bar { stroke: none } .hollow { fill: #ffffff; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9198a1 } .ground { fill: #0d1117; stroke: #3d444d } .grid { stroke: #2b3138 }
    .base { stroke: #9198a1 } .range { stroke: #e6edf3 } .goal { stroke: #f0883e } .hollow { fill: #0d1117 }
  }
"""


class Drawing:
    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = [f"<title>{escape(title)}</title>", f"<style>\n{STYLE}</style>"]
        self._add("rect", x=0.5, y=0.5, width=width - 1, height=height - 1, rx=6, kind="ground")
        self.text(20, 30, title, "title")

    def _add(self, tag, kind, **attributes):
        values = "".join(
            f' {name}="{value:.1f}"' if isinstance(value, float) else f' {name}="{value}"'
            for name, value in attributes.items())
        self.parts.append(f'<{tag} class="{kind}"{values}/>')

    def text(self, x, y, words, kind="", anchor="start"):
        self.parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>')

    def line(self, x1, y1, x2, y2, kind):
        self._add("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), kind=kind)

    def bar(self, x, y, width, height, kind):
        self._add("rect", x=float(x), y=float(y), width=float(width), height=float(height), rx=2, kind=f"{kind} bar")

    def dot(self, x, y, kind, is_hollow=False):
        self._add("circle", cx=float(x), cy=float(y), r=4.5, kind=f"{kind} hollow" if is_hollow else kind)

    def svg(self):
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img">\n' + "\n".join(self.parts) + "\n</svg>\n")
