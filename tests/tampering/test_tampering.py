from tampering.run import tamper_with_all


def test_every_change_of_a_release_is_found_and_named():
    tally, wrong, releases = tamper_with_all(45, 2026, ["aa", "cluster", "nr-k"])

    assert (tally.total(), releases) == (45, 3)
    assert wrong == []
