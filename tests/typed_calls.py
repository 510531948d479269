"""What a type checker, and with it an editor, must let pass or must mark. `make check` reads this; nobody runs it."""

import anonset

data = anonset.read("people.csv", quasi=["age"], item_separator="|")
anonset.anonymize(data, "lift", k=5, m=2)
anonset.anonymize(data, algorithm="lift", k=5, m=2)
anonset.anonymize(data, k=5, m=2)
best = anonset.recommend(data).best
anonset.anonymize(data, best.algorithm, **best.parameters)

anonset.anonymize(data, "lift", k=5, kk=2)  # type: ignore[call-overload]
anonset.anonymize(data, "lift", k="five")  # type: ignore[call-overload]
anonset.anonymize(data, kk=5)  # type: ignore[call-overload]
anonset.read("people.csv", quazi=["age"])  # type: ignore[call-arg]
