"""A password in an address is shown nowhere, whatever it is made of."""

import pytest

from anonset.errors import without_password


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://me:geheim@host:5432/db", "postgresql://me:***@host:5432/db"),
        ("postgresql://:geheim@host/db", "postgresql://:***@host/db"),
        ("postgresql://me:ge/h@ei m@host/db", "postgresql://me:***@host/db"),
        (
            "postgresql://host/db?user=me&password=geheim&sslmode=require",
            "postgresql://host/db?user=me&password=***&sslmode=require",
        ),
        ("s3://b/t.csv?secret_key=geheim", "s3://b/t.csv?secret_key=***"),
        ("postgresql://me@host/db", "postgresql://me@host/db"),
        ("sqlite:///folder/data.db", "sqlite:///folder/data.db"),
        ("people.csv", "people.csv"),
    ],
)
def test_a_password_is_left_out(text, shown):
    assert without_password(text) == shown
