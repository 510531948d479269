"""Passwords in addresses: accepted, and shown nowhere."""

import re

IN_ADDRESS = re.compile(r"(://[^:@/\s]*):.*@", re.DOTALL)  # up to the last @: a password may hold anything
IN_SETTINGS = re.compile(r"([?&](?:\w*password|\w*secret\w*|\w*token)=)[^&\s]*", re.IGNORECASE)


def without_password(text: str) -> str:
    """The text with every password of an address left out."""
    return IN_SETTINGS.sub(r"\1***", IN_ADDRESS.sub(r"\1:***@", text))
