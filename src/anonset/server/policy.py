"""The headers that every response carries, and the nonce of a page's own scripts."""

import re
from collections.abc import Iterable

Headers = list[tuple[bytes, bytes]]
SCRIPT = re.compile(rb"<script(?=[\s>])")
FIXED = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def content_policy(nonce: str) -> str:
    """Scripts of ours alone; `unsafe-eval` is there because the framework of the pages compiles its templates."""
    parts = (
        "default-src 'self'",
        f"script-src 'self' 'nonce-{nonce}' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "frame-src 'self'",
        "frame-ancestors 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    )
    return "; ".join(parts)


def with_policy(headers: Iterable[tuple[bytes, bytes]], nonce: str, *, private: bool) -> Headers:
    """Headers with ours beside them; a policy that is there already is kept, and what is private is not kept by browsers."""
    found = [(name, value) for name, value in headers if name.lower() != b"server"]
    there = {name.lower() for name, _ in found}
    ours = FIXED | {"Content-Security-Policy": content_policy(nonce)} | ({"Cache-Control": "no-store"} if private else {})
    return found + [(name.encode(), text.encode()) for name, text in ours.items() if name.lower().encode() not in there]


def with_nonce(page: bytes, nonce: str) -> bytes:
    """A page whose script elements carry the nonce; data in it are escaped and hold no such element."""
    return SCRIPT.sub(b'<script nonce="' + nonce.encode() + b'"', page)
