from datetime import UTC, datetime

from anonset.model.cover import Cover, moment, today


def test_the_date_is_today_unless_the_environment_says_otherwise(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert (today(), moment()) == ("1970-01-01", datetime(1970, 1, 1, tzinfo=UTC))
    assert Cover("t").date == "1970-01-01"

    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    assert abs((moment() - datetime.now(UTC)).total_seconds()) < 60
