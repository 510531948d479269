import numpy as np
import pytest
from hypothesis import given

from anonset.algorithms import make
from anonset.attacks.audit import audit, risk_between
from anonset.attacks.linkage import Rate, share
from anonset.attacks.matching import released_records
from anonset.errors import InputError, ParameterError
from anonset.model.dataset import Column, Dataset, Transactions
from strategies import rt_datasets


def as_is(data):
    return make("identity", {"k": 1}).anonymize(data)


def crowd(n, seed):
    """People with a number, a town and items that depend on the town."""
    rng = np.random.default_rng(seed)
    town = rng.integers(0, 4, n).astype(np.int32)
    ages = rng.integers(0, 60, n).astype(np.int32)
    sets = [sorted({int(i) for i in (rng.integers(0, 12, 4) + 3 * t) % 20}) for t in town]
    return Dataset(
        (
            Column("age", "quasi", "numeric", ages, tuple(map(str, range(60))), np.arange(60.0)),
            Column("town", "quasi", "categorical", town, tuple("abcd")),
        ),
        Transactions.from_records([[str(i) for i in held] for held in sets], domain=[str(i) for i in range(20)]),
    )


def part(data, rows):
    return data.take(np.asarray(rows, np.int64))


@given(rt_datasets(min_records=2))
def test_everybody_is_copied_into_the_file_itself_and_nobody_else(data):
    records = released_records(data, as_is(data))

    assert records.exact_copies(records.people(data)).all()
    half = np.arange(len(data) // 2)
    of_half = released_records(data, as_is(part(data, half)))
    values = [tuple(column.codes.tolist()) for column in data.columns]
    rows = [(*(v[r] for v in values), tuple(held)) for r, held in enumerate(data.transactions.records())]
    assert of_half.exact_copies(records.people(data)).tolist() == [row in rows[: len(half)] for row in rows]


def test_a_generalized_value_is_no_copy():
    data = Dataset(crowd(60, 1).columns)
    records = released_records(data, make("mondrian", {"k": 20}).anonymize(data))

    assert not records.exact_copies(records.people(data)).any()


def test_a_file_about_others_tells_nothing():
    everybody = crowd(1500, 2)
    used, others, strangers = (part(everybody, range(500 * p, 500 * (p + 1))) for p in range(3))

    found = audit(used, as_is(strangers), control=others, attackers=500, seed=1)

    assert not found.leaks
    assert {attack.kind for attack in found.attacks} == {"copies", "singling out", "linkability", "inference"}
    assert found.membership.right.low < 0.5 < found.membership.right.high


@pytest.mark.parametrize("copied", [50, 200])
def test_planted_copies_are_found_and_counted(copied):
    everybody = crowd(1500, 3)
    used, others = part(everybody, range(500)), part(everybody, range(500, 1000))
    file = part(everybody, [*range(1000, 1500 - copied), *range(copied)])

    found = audit(used, as_is(file), control=others, attackers=500, seed=1)

    copies = found.attacks[0]
    assert copies.leaks
    assert copies.risk.low <= copied / 500 <= copies.risk.high


def test_the_order_of_risk_is_that_of_the_files():
    everybody = crowd(1200, 4)
    used, others = part(everybody, range(600)), part(everybody, range(600, 1200))
    rng = np.random.default_rng(1)
    again = part(used, rng.integers(0, 600, 600))
    shuffled = Dataset(
        tuple(column.take(rng.permutation(600)) for column in used.columns), used.transactions.take(rng.permutation(600))
    )

    files = (as_is(again), make("mondrian", {"k": 5}).anonymize(used), as_is(shuffled))
    copies, linked, guessed = zip(
        *(_risks(audit(used, file, control=others, attackers=400, seed=1)) for file in files), strict=True
    )

    assert copies[0] > 0.5
    assert copies[2] < 0.1
    assert linked[0] > linked[2]
    assert min(guessed[0], guessed[1]) > guessed[2]


def _risks(found):
    """The risk of copies, of linkability, and of the first inference."""
    kinds = [attack.kind for attack in found.attacks]
    return [found.attacks[kinds.index(kind)].risk.value for kind in ("copies", "linkability", "inference")]


def test_the_item_behind_a_label_is_guessed_where_rows_are_known():
    data = Dataset(transactions=crowd(400, 5).transactions)
    release = make("pcta", {"k": 60, "m": 2}).anonymize(data)

    found = audit(data, release, aligned=True, attackers=200, seed=1)

    downcoding = [attack for attack in found.attacks if attack.kind == "downcoding"]
    assert [attack.knowledge for attack in downcoding] == ["the file"]
    assert downcoding[0].attackers > 0
    assert downcoding[0].people.value >= downcoding[0].chance.value - 0.05
    assert found.membership is None
    assert found.remarks


def test_the_same_seed_gives_the_same_audit():
    data = crowd(200, 6)

    assert audit(data, as_is(data), attackers=50, seed=7) == audit(data, as_is(data), attackers=50, seed=7)


def test_what_the_control_explains_is_no_risk():
    assert risk_between(share(50, 100), share(50, 100)).value == 0.0
    assert risk_between(share(100, 100), Rate(1.0, 0.9, 1.0)) == Rate(0.0, 0.0, 1.0)
    risk = risk_between(share(60, 100), share(20, 100))
    assert risk.value == pytest.approx(0.5)
    assert 0.3 < risk.low < 0.5 < risk.high < 0.7


def test_impossible_requests_are_refused():
    data = crowd(20, 7)
    with pytest.raises(ParameterError, match="attackers must be 1 or more"):
        audit(data, as_is(data), attackers=0)
    with pytest.raises(InputError, match="no records"):
        audit(data, as_is(data).take(np.arange(0)))
    with pytest.raises(InputError, match="no such column"):
        audit(data, as_is(data), control=Dataset(transactions=data.transactions))
    with pytest.raises(InputError, match="have no items"):
        audit(data, as_is(data), control=Dataset(data.columns))
