import csv
import io
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.data._kernels import parse
from oracles import parsing

blanks = st.sampled_from([" ", "  ", "\t", "\r", " \r"])
numbers = st.one_of(st.integers(-30, 30), st.integers(-(10**18) + 1, 10**18 - 1))


@st.composite
def basket_bytes(draw):
    lines = draw(st.lists(st.lists(numbers, max_size=6), min_size=1, max_size=8))
    text = "\n".join(draw(blanks).join(map(str, line)) + draw(st.sampled_from(["", " ", "\r"])) for line in lines)
    return (text + draw(st.sampled_from(["", "\n"]))).encode()


def parsed(data):
    ends, entries, _, _, names, known, stop = parse.parse_integers(np.frombuffer(data, np.uint8), *parse.empty_codebook())
    return [names[:known][entries[a:b]].tolist() for a, b in pairwise([0, *ends])], int(stop)


@given(basket_bytes())
def test_numbers_are_those_that_splitting_finds(data):
    lines, stop = parsed(data)

    assert stop == -1
    assert lines == parsing.integer_lines(data)


def test_codebook_grows_with_the_numbers():
    data = " ".join(map(str, range(3 * parse.FIRST_CAPACITY))).encode()

    lines, stop = parsed(data)

    assert stop == -1
    assert lines == [list(range(3 * parse.FIRST_CAPACITY))]


@pytest.mark.parametrize("token", ["x", "1x", "-", "--1", "+1", "1.5", "007", "-0", "9" * 19, "1,2"])
def test_the_first_token_that_is_no_plain_number_is_pointed_at(token):
    assert parsed(f"12 3\n4 {token} 5\n".encode())[1] == 7


@st.composite
def delimited_texts(draw):
    width = draw(st.integers(1, 3))
    cell = st.text("ab,\"\n' ", max_size=3)
    rows = draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=5))
    if draw(st.booleans()):
        rows.insert(draw(st.integers(0, len(rows))), draw(st.lists(cell, min_size=1, max_size=4)))
    out = io.StringIO()
    csv.writer(out, lineterminator=draw(st.sampled_from(["\n", "\r\n"]))).writerows(rows)
    return out.getvalue(), rows, width


@given(delimited_texts())
def test_rows_are_counted_and_the_first_ragged_one_is_found(sample):
    text, rows, width = sample

    finding, count, line, _ = parse.scan_rows(np.frombuffer(text.encode(), np.uint8), ord(","), width)

    ragged = parsing.first_ragged_line(text, ",", width)
    if ragged is None:
        assert (finding, count) == (parse.GOOD, len(rows))
    else:
        assert (finding, line) == (parse.RAGGED, ragged)


@given(delimited_texts())
def test_the_line_of_a_row_is_where_the_row_begins(sample):
    text, rows, _ = sample
    reader, begins = csv.reader(io.StringIO(text, newline="")), [1]
    for _ in reader:
        begins.append(reader.line_num + 1)

    found = [parse.line_of_row(np.frombuffer(text.encode(), np.uint8), r) for r in range(len(rows))]

    assert found == begins[: len(rows)]


@pytest.mark.parametrize(
    ("text", "finding", "line"),
    [
        ('a,b\n1"2,3\n', parse.STRAY_QUOTE, 2),
        ('a,b\n"1"2,3\n', parse.TEXT_AFTER_QUOTE, 2),
        ('a,b\n1,2\n3,"4\n5,6\n', parse.OPEN_QUOTE, 3),
        ("a,b\n1,\0\n", parse.ZERO_BYTE, 2),
    ],
)
def test_broken_quotes_and_zero_bytes_are_found(text, finding, line):
    found = parse.scan_rows(np.frombuffer(text.encode(), np.uint8), ord(","), 2)

    assert (found[0], found[2]) == (finding, line)
