from anonset.errors import unknown


def test_the_nearest_name_is_suggested_whatever_its_case():
    assert unknown("measure", "rsik", ["ncp", "risk"]) == "no measure 'rsik'; did you mean 'risk'?"
    assert unknown("column", "age", ["Age"], part="quasi") == "no column 'age' (quasi); did you mean 'Age'?"


def test_all_names_are_told_where_none_is_near():
    assert unknown("format", "doc", ["csv", "parquet"]) == "no format 'doc'; choose from csv, parquet"
    assert unknown("column", 3, [], choose="there are") == "no column 3; there are none"
