import shutil
from random import Random

import pytest

from fuzzing.targets import TARGETS, complaint, said, whole_files


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("files")
    whole_files(place)
    return place


@pytest.mark.parametrize("name", TARGETS)
def test_no_damaged_file_is_an_internal_error_or_quoted(name, folder):
    target, random = TARGETS[name], Random(name)
    whole = (folder / target.file).read_bytes()

    told = [complaint(target, folder, target.damage(random, whole)) for _ in range(12)]

    assert [text for text in told if text] == []


@pytest.mark.parametrize("name", TARGETS)
def test_a_whole_file_is_taken(name, folder):
    code, told = said(folder, TARGETS[name].command)
    for made in ("out", "study"):
        shutil.rmtree(folder / made, ignore_errors=True)

    assert code == 0, told
