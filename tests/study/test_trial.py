from anonset.study.trial import Trial, trial_table


def test_parameters_and_measures_have_columns_of_their_own():
    trials = [
        Trial("a", "x", "pcta", {"k": 2, "refine": True}, "done", measures={"ul": 0.5}, records=9, seconds=1.5),
        Trial("b", "x", "aa", {"k": 3, "m": 2}, "infeasible", "too few records"),
    ]

    found = trial_table(trials)

    assert found["p.k"].to_list() == ["2", "3"]
    assert found["p.m"].to_list() == [None, "2"]
    assert found["m.ul"].to_list() == [0.5, None]
    assert found["reason"].to_list() == ["", "too few records"]
    assert found["seconds"].to_list() == [1.5, 0.0]
