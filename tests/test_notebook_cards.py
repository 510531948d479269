from anonset.notebook import LONGEST, bullets, card, heading, line, side_by_side, table


def test_nothing_is_taken_for_markup():
    text = "<i>&"
    pieces = [line(text, mark=text), heading(text), bullets([text]), table([text], [[text]], caption=text)]

    assert "<i>" not in card(text, side_by_side(*pieces))


def test_long_cells_are_cut_and_numbers_are_short():
    shown = table(["a", "b", "c"], [["x" * 200, 1234567, 0.123456789], [None, True, 2.0]])

    assert "x" * LONGEST not in shown
    assert "1,234,567" in shown
    assert ">0.1235<" in shown
    assert ">True<" in shown


def test_an_empty_list_is_nothing():
    assert bullets([]) == ""
