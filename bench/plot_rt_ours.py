"""R-U maps of bench/results/rt_ours.md: risk (1/k) against the error of queries for one value and one or two items, m = 2.

Each mark is a release within its bound on NCP. Run: python bench/plot_rt_ours.py. Writes docs/algorithms/rt-search.svg.
"""

import re
from pathlib import Path

from anonset.report.svg import Axis, Drawing, PlotFrame, joined, legend, marker, text

ROOT = Path(__file__).parents[1]
CIRCLE, SQUARE, DIAMOND, UP, DOWN, STAR = 0, 1, 2, 3, 4, 6
MARKS = {
    "r-first": (DOWN, "#8c8c8c"),
    "t-first": (UP, "#8c8c8c"),
    "rmerge-r": (CIRCLE, "#e69f00"),
    "rmerge-t": (SQUARE, "#e69f00"),
    "rmerge-rt": (DIAMOND, "#e69f00"),
    "tmerge-r": (CIRCLE, "#56b4e9"),
    "tmerge-t": (SQUARE, "#56b4e9"),
    "tmerge-rt": (DIAMOND, "#56b4e9"),
    "rt-search": (STAR, "#009e73"),
}
WIDTH, HEIGHT = 330.0, 300.0


def points(section):
    """Algorithm, and the mean error by `uniform` of queries for two items and for one, of each release of a section."""
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) > 9 and cells[-1] == "yes" and "beyond" not in cells[2]:
            yield cells[1], (float(cells[4]) + float(cells[6])) / 2


def main():
    maps = {}
    sections = (ROOT / "bench" / "results" / "rt_ours.md").read_text().split("\n## ")[1:]
    for section in (section for section in sections if ", m = 2\n" in section):
        name, k = section.split(":")[0], int(re.search(r"k = (\d+)", section).group(1))
        maps.setdefault(name, []).extend((algorithm, 1 / k, error) for algorithm, error in points(section))
    body = "".join(drawn(name, maps[name], WIDTH * place) for place, name in enumerate(sorted(maps)))
    signs = [(lambda x, y, m=mark, c=colour: marker(m, x, y, c, 1.2), name) for name, (mark, colour) in MARKS.items()]
    names, bottom = legend(signs, 50, HEIGHT + 60, WIDTH * len(maps) - 60)
    drawing = Drawing(WIDTH * len(maps), bottom, body + names, "Risk against the error of queries")
    drawing.save(ROOT / "docs" / "algorithms" / "rt-search.svg")


def drawn(name, found, left):
    """The map of one dataset: its releases, and a line through the best of `rt-search`."""
    risks = sorted({risk for _, risk, _ in found})
    ticks = tuple((risk, f"1/{round(1 / risk)}") for risk in risks)
    across = Axis("mean relative error of queries", 0.0, 1.0, False, tuple((n / 5, f"{n / 5:g}") for n in range(6)))
    frame = PlotFrame(left + 50, 30, WIDTH - 70, HEIGHT - 30, across, Axis("", 0.0, 0.22, False, ticks))
    best = [(min(error for one, r, error in found if r == risk and one == "rt-search"), risk) for risk in risks]
    parts = [text(left + 50, 18, f"{name}: risk upwards"), frame.draw(), joined([frame.at(*p) for p in best], "#009e73", "")]
    for algorithm, risk, error in found:
        mark, colour = MARKS[algorithm]
        parts.append(marker(mark, *frame.at(error, risk), colour, 1.6 if algorithm == "rt-search" else 0.8))
    return "".join(parts)


if __name__ == "__main__":
    main()
