"""Pages for people: points first, drawing second. Needs the `report` extra."""
