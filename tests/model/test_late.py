from anonset.model.late import late


def test_a_function_of_a_layer_above_is_found_by_its_name():
    assert late("errors:unknown", "item", "x", ["a"]) == "no item 'x'; choose from a"
