from collections import Counter

from anonset.samples import DIAGNOSES, generate_patients, write_sample


def test_the_same_seed_writes_the_same_patients(tmp_path):
    first = write_sample(tmp_path / "a", n=50).read_bytes()

    assert write_sample(tmp_path / "b", n=50).read_bytes() == first
    assert write_sample(tmp_path / "c", n=50, seed=1).read_bytes() != first


def test_diagnoses_follow_age():
    young, old = Counter(), Counter()
    for patient in generate_patients(4000):
        (old if patient.age > 65 else young).update(patient.diagnoses)

    assert old["dementia"] > 5 * young["dementia"]


def test_every_diagnosis_is_a_leaf_of_the_taxonomy_once(tmp_path):
    write_sample(tmp_path, n=10)
    leaves = [line.split(";")[0] for line in (tmp_path / "hierarchies" / "items.csv").read_text().splitlines()]

    assert sorted(leaves) == sorted(d for groups in DIAGNOSES.values() for group in groups.values() for d in group)
    assert len(set(leaves)) == len(leaves) >= 40
