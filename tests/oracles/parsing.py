"""Slow twins of the byte parsers: the same answers by splitting texts."""

import csv
import io


def integer_lines(data):
    """Each line of a .dat file as a list of numbers."""
    lines = data.decode().split("\n")
    return [[int(token) for token in line.split()] for line in (lines[:-1] if lines[-1] == "" else lines)]


def first_ragged_line(text, delimiter, width):
    """The line of the first row without `width` fields, or None."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    line = 1
    for row in reader:
        if len(row) != width and not (width == 1 and row == []):
            return line
        line = reader.line_num + 1
    return None
