from soaking.run import soak


def test_random_releases_hold_against_brute_force():
    tally, wrong = soak(600, 2026, most=40)

    assert tally["releases"] == 40
    assert wrong == []
