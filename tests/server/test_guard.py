"""Who gets in, and what goes out: HTTP and WebSocket alike."""

import logging
import time

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from anonset.server.access import CSRF, DEVICE, SESSION, Access, TrustedProxies
from anonset.server.guard import CSRF_HEADER, Guard
from anonset.server.sessions import Sessions
from anonset.workbench import accounts
from anonset.workbench.accounts import Accounts
from anonset.workbench.audit import AuditLog
from anonset.workbench.permissions import person
from anonset.workbench.store import Store

TOKEN = "a token of some length"
PASSWORD = "a password of some length"
EVENT, PING = '42["event",{}]', "3"


class Clock:
    """A time that tests set."""

    def __init__(self):
        self.now = time.time()

    def __call__(self):
        return self.now


async def page(request):
    return HTMLResponse("<html><script>1</script><scripture></scripture></html>")


async def api(request):
    return JSONResponse({"path": request.url.path, "person": person()})


async def socket(websocket):
    await websocket.accept()
    await websocket.send_text(f"in: {person()}")
    async for text in websocket.iter_text():
        await websocket.send_text(f"heard {text}")


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "store")
    yield made
    made.close()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def people(store, monkeypatch):
    """The accounts of ann, who may run, and rex, who may release."""
    monkeypatch.setitem(accounts.SCRYPT, "n", 2)  # as quick as tests want it
    made = Accounts(store)
    made.add("ann", "run", PASSWORD)
    made.add("rex", "release", PASSWORD)
    return made


@pytest.fixture
def served(store, clock):
    """A guarded application: by a token, or as its arguments say."""

    def serve(token=TOKEN, address="testclient", **ways):
        inner = Mount("/api", routes=[Route("/thing", api, methods=["GET", "POST", "DELETE"])])
        routes = [inner, WebSocketRoute("/_nicegui_ws/socket.io/", socket), Route("/", page)]
        routes += [Route("/_nicegui_ws/poll", api, methods=["GET", "POST"])]
        access = Access(Sessions(store, token or "", idle=600, longest=3_000, clock=clock), token=token, **ways)
        access.attempts._clock = clock
        guard = Guard(Starlette(routes=routes), access, ["testserver", "127.0.0.1:8484"], AuditLog(store))
        return TestClient(guard, follow_redirects=False, client=(address, 5000))

    return serve


@pytest.fixture
def client(served):
    """A client of the guarded application, not signed in."""
    return served()


@pytest.fixture
def signed_in(client):
    """A client that showed the token, and has been to a page."""
    client.post("/login", data={"token": TOKEN})
    client.get("/")
    return client


def sign_in(client, name="ann", password=PASSWORD):
    return client.post("/login", data={"name": name, "password": password})


def test_without_the_cookie_a_page_leads_to_the_login_and_the_api_says_401(client):
    page, api = client.get("/"), client.get("/api/thing")

    assert (page.status_code, page.headers["location"]) == (303, "/login")
    assert (api.status_code, api.headers["content-type"]) == (401, "application/problem+json")


@pytest.mark.parametrize("cookies", [{}, {SESSION: "wrong"}, {SESSION: TOKEN}])
def test_a_socket_without_the_right_cookie_is_refused(client, cookies):
    client.cookies.update(cookies)

    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/_nicegui_ws/socket.io/") as socket:
        socket.receive_text()


@pytest.mark.parametrize("path", ["/login", "/account"])
def test_a_socket_is_not_opened_at_the_pages_of_the_guard(client, path):
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(path) as socket:
        socket.receive_text()


def test_a_socket_with_the_cookie_opens_unless_its_origin_is_foreign(signed_in):
    with signed_in.websocket_connect("/_nicegui_ws/socket.io/", headers={"Origin": "http://testserver"}) as socket:
        assert socket.receive_text() == "in: None"
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Origin": "null"}):
        with pytest.raises(WebSocketDisconnect), signed_in.websocket_connect("/_nicegui_ws/socket.io/", headers=headers):
            pass


@pytest.mark.parametrize("host", ["evil.example", "testserver:99", "127.0.0.1", ""])
def test_another_name_is_421(signed_in, host):
    assert signed_in.get("/", headers={"Host": host}).status_code == 421


def test_two_names_or_origins_are_none(signed_in):
    assert signed_in.get("/", headers=[("Host", "evil.example"), ("Host", "testserver")]).status_code == 421
    origins = [("Origin", "http://evil.example"), ("Origin", "http://testserver")]
    assert signed_in.get("/api/thing", headers=origins).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://testserver.evil.example", "testserver"])
def test_another_origin_is_403(signed_in, origin):
    assert signed_in.get("/api/thing", headers={"Origin": origin}).status_code == 403


def test_after_five_wrong_tokens_one_waits_a_second_and_then_twice_as_long(client, clock):
    def codes(number):
        return [client.post("/login", data={"token": f"wrong {i}"}).status_code for i in range(number)]

    assert codes(6) == [401] * 5 + [429]
    waiting = client.post("/login", data={"token": TOKEN})
    assert (waiting.status_code, waiting.headers["retry-after"]) == (429, "1")
    clock.now += 1.1
    assert codes(2) == [401, 429]
    clock.now += 1.1
    assert codes(1) == [429]
    clock.now += 1
    assert client.post("/login", data={"token": TOKEN}).status_code == 303
    assert codes(6) == [401] * 6, "this browser is known now, and has ten of its own"


def test_wrong_tokens_of_programs_count_too(client):
    codes = [client.get("/api/thing", headers={"Authorization": f"Bearer no {i}"}).status_code for i in range(6)]

    assert codes == [401] * 5 + [429]
    assert client.get("/api/thing", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 429


@pytest.mark.parametrize("ways", [{"guessable": False}, {"token": TOKEN * 2}])
def test_nobody_can_lock_out_the_holder_of_a_token_that_cannot_be_guessed(served, ways):
    client = served(**ways)
    for i in range(50):
        assert client.post("/login", data={"token": f"wrong {i}"}).status_code == 401
        assert client.get("/api/thing", headers={"Authorization": f"Bearer no {i}"}).status_code == 401

    token = client.app.access.token
    assert client.get("/api/thing", headers={"Authorization": f"Bearer {token}"}).status_code == 200
    assert client.post("/login", data={"token": token}).status_code == 303


def test_a_browser_that_signed_in_before_is_not_locked_out_by_another_process(served):
    known, other = served(), served()
    other.app = known.app
    assert known.post("/login", data={"token": TOKEN}).status_code == 303
    del known.cookies[SESSION]

    assert [other.post("/login", data={"token": "wrong"}).status_code for _ in range(7)][-1] == 429
    assert known.post("/login", data={"token": TOKEN}).status_code == 303
    other.cookies[DEVICE] = known.cookies[DEVICE].replace(".", "x.")
    assert other.post("/login", data={"token": TOKEN}).status_code == 429, "the cookie is signed"


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(client):
    answer = client.post("/login", data={"token": TOKEN})

    assert answer.status_code == 303
    for line in answer.headers.get_list("set-cookie"):
        assert "SameSite=Strict" in line
        assert "HttpOnly" in line or line.startswith(CSRF)
        assert TOKEN not in line


def test_the_link_of_the_start_works_once(client):
    once = client.app.access.once

    assert client.get(f"/login?once={once}").status_code == 303
    client.cookies.clear()
    assert client.get(f"/login?once={once}").status_code == 200
    assert client.get("/").status_code == 303


def test_a_change_needs_the_token_against_forgery(signed_in):
    assert signed_in.post("/api/thing").status_code == 403
    assert signed_in.post("/api/thing", headers={CSRF_HEADER: "wrong"}).status_code == 403
    assert signed_in.post("/api/thing", headers={CSRF_HEADER: signed_in.cookies[CSRF]}).status_code == 200
    assert signed_in.delete("/api/thing").status_code == 403


def test_a_program_with_the_token_needs_no_cookie(client):
    headers = {"Authorization": f"Bearer {TOKEN}"}

    assert client.get("/api/thing", headers=headers).status_code == 200
    assert client.post("/api/thing", headers=headers).status_code == 200


def test_the_fallback_of_the_socket_needs_its_origin(signed_in):
    assert signed_in.post("/_nicegui_ws/poll").status_code == 403
    assert signed_in.post("/_nicegui_ws/poll", headers={"Origin": "http://testserver"}).status_code == 200


def test_a_session_ends_when_nobody_uses_it(signed_in, clock):
    for _ in range(3):
        clock.now += 500
        assert signed_in.get("/api/thing").status_code == 200
    clock.now += 601

    assert signed_in.get("/api/thing").status_code == 401
    assert signed_in.get("/").headers["location"] == "/login"


def test_the_polling_of_a_page_does_not_keep_a_session(signed_in, clock):
    for _ in range(2):
        clock.now += 400
        code = signed_in.get("/_nicegui_ws/poll").status_code

    assert code == 303


def test_every_session_ends_in_the_end(signed_in, clock):
    for _ in range(5):
        clock.now += 590
        assert signed_in.get("/api/thing").status_code == 200
    clock.now += 100

    assert signed_in.get("/api/thing").status_code == 401


def test_a_socket_is_closed_when_its_session_ends_and_kept_by_what_a_person_does(signed_in, clock):
    with signed_in.websocket_connect("/_nicegui_ws/socket.io/") as socket:
        socket.receive_text()
        for text, seconds in ((EVENT, 500), (EVENT, 500), (PING, 500)):
            clock.now += seconds
            socket.send_text(text)
            assert socket.receive_text() == f"heard {text}"
        clock.now += 200
        socket.send_text(EVENT)
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
    assert closed.value.code == 1008


def test_a_session_outlives_a_restart_with_the_same_token_only(served):
    first, same, other = served(), served(), served(token="another token of some length")
    first.post("/login", data={"token": TOKEN})
    for client in (same, other):
        client.cookies.update(first.cookies)

    assert same.get("/api/thing").status_code == 200
    assert other.get("/api/thing").status_code == 401


def test_the_store_has_no_value_of_a_cookie(signed_in, store):
    held = b"".join(path.read_bytes() for path in store.folder.rglob("*") if path.is_file())

    assert signed_in.cookies[SESSION].encode() not in held
    assert signed_in.cookies[CSRF].encode() not in held
    assert TOKEN.encode() not in held


def test_signing_out_ends_the_session(signed_in):
    old = dict(signed_in.cookies)
    shown = signed_in.get("/account").text
    assert "You are signed in." in shown
    assert signed_in.post("/account", data={"do": "leave"}).status_code == 403, "this needs the form"

    answer = signed_in.post("/account", data={"do": "leave", "csrf": old[CSRF]})

    assert answer.headers["location"] == "/login"
    signed_in.cookies.update(old)
    assert signed_in.get("/api/thing").status_code == 401


def test_a_person_signs_in_with_the_password_of_the_account(served, people):
    client = served(token=None, accounts=people)
    assert "Account" in client.get("/login").text
    assert sign_in(client, password="wrong password").status_code == 401
    assert sign_in(client, "nobody").status_code == 401

    assert sign_in(client).status_code == 303
    assert client.get("/api/thing").json()["person"] == "ann"
    with client.websocket_connect("/_nicegui_ws/socket.io/") as socket:
        assert socket.receive_text() == "in: ann"
    assert "You are signed in as ann. Your account may look and change projects and start runs." in client.get("/account").text


def test_wrong_passwords_lock_one_account_for_one_address_only(served, people):
    here, there = served(token=None, accounts=people), served(token=None, accounts=people, address="10.0.0.7")
    there.app.access.attempts = here.app.access.attempts
    codes = [sign_in(here, password="wrong password").status_code for _ in range(6)]

    assert codes == [401] * 5 + [429]
    assert sign_in(here).status_code == 429
    assert sign_in(here, "rex").status_code == 303
    assert sign_in(there).status_code == 303


def test_an_account_that_is_disabled_is_out_at_once(served, people, clock):
    client = served(token=None, accounts=people)
    sign_in(client)
    token = people.make_token("ann")
    with client.websocket_connect("/_nicegui_ws/socket.io/") as socket:
        socket.receive_text()
        people.disable("ann")
        socket.send_text(EVENT)
        with pytest.raises(WebSocketDisconnect):
            socket.receive_text()

    assert client.get("/api/thing").status_code == 401
    assert client.get("/api/thing", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert sign_in(client).status_code == 401
    people.enable("ann")
    clock.now += 3
    assert client.get("/api/thing").status_code == 401, "the session has ended for good"
    assert client.get("/api/thing", headers={"Authorization": f"Bearer {token}"}).status_code == 200


def test_a_program_uses_the_token_of_an_account(served, people):
    client = served(token=None, accounts=people)
    headers = {"Authorization": f"Bearer {people.make_token('rex')}"}

    assert client.post("/api/thing", headers=headers).json()["person"] == "rex"
    assert client.get("/api/thing", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 401
    assert client.get("/account", headers=headers).headers["location"] == "/login"


def test_a_person_changes_the_password(served, people, clock):
    client, other = served(token=None, accounts=people), served(token=None, accounts=people)
    for one in (client, other):
        sign_in(one)
        one.get("/")

    def change(old, new):
        fields = {"do": "password", "csrf": client.cookies[CSRF], "old": old, "new": new}
        return client.post("/account", data=fields).status_code

    assert change("not the password", "another good password") == 401
    assert change(PASSWORD, "short") == 422
    assert change(PASSWORD, "another good password") == 303
    assert client.get("/api/thing").status_code == 200
    clock.now += 3
    assert other.get("/api/thing").status_code == 401
    assert sign_in(other).status_code == 401
    assert sign_in(other, password="another good password").status_code == 303


def test_only_a_trusted_proxy_says_who_somebody_is(served, people):
    proxies = TrustedProxies(["10.0.0.0/8"], "X-Forwarded-User")
    ways = {"token": None, "accounts": people, "proxies": proxies}
    proxied, direct = served(address="10.0.0.1", **ways), served(address="192.168.0.1", **ways)
    ann = {"X-Forwarded-User": "ann"}

    assert proxied.get("/api/thing", headers=ann).json()["person"] == "ann"
    assert direct.get("/api/thing", headers=ann).status_code == 401
    assert proxied.get("/api/thing", headers={"X-Forwarded-User": "nobody"}).status_code == 403
    assert proxied.get("/api/thing", headers=[("X-Forwarded-User", "ann"), ("X-Forwarded-User", "rex")]).status_code == 401
    assert proxied.post("/api/thing", headers=ann).status_code == 403, "a change needs the token against forgery"
    csrf = proxied.get("/api/thing", headers=ann).cookies.get(CSRF) or proxied.cookies[CSRF]
    assert proxied.post("/api/thing", headers=ann | {CSRF_HEADER: csrf}).status_code == 200


def test_attempts_through_a_proxy_count_by_the_address_behind_it(served, people):
    client = served(token=None, accounts=people, address="10.0.0.1", proxies=TrustedProxies(["10.0.0.1"]))

    def wrong(address):
        fields = {"name": "ann", "password": "wrong password"}
        return client.post("/login", data=fields, headers={"X-Forwarded-For": address}).status_code

    assert [wrong("203.0.113.9") for _ in range(6)][-1] == 429
    assert wrong("1.2.3.4, 203.0.113.9") == 429, "what the client wrote there itself does not count"
    assert wrong("203.0.113.10") == 401


def test_the_log_says_who_signed_in_and_out_and_no_passwords(served, people, store):
    client = served(token=None, accounts=people)
    sign_in(client, password="wrong password")
    sign_in(client, "a password typed as a name")
    sign_in(client)
    client.get("/")
    client.post("/account", data={"do": "leave", "csrf": client.cookies[CSRF]})

    entries = [(entry.person, entry.action) for entry in AuditLog(store).all()]
    assert entries == [("ann", "sign-in failed"), ("nobody", "sign-in failed"), ("ann", "signed in"), ("ann", "signed out")]


def test_every_response_carries_the_policy_and_a_page_its_nonce(signed_in):
    pages = [signed_in.get("/") for _ in range(2)]
    nonces = [answer.text.split('nonce="')[1].split('"')[0] for answer in pages]

    assert nonces[0] != nonces[1]
    assert f"'nonce-{nonces[0]}'" in pages[0].headers["content-security-policy"]
    assert "<scripture>" in pages[0].text
    others = [signed_in.get("/api/thing"), signed_in.get("/login"), signed_in.get("/x", headers={"Host": "evil.example"})]
    for answer in (*pages, *others, signed_in.get("/missing"), signed_in.get("/account")):
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe-inline" not in answer.headers["content-security-policy"].split("style-src")[0]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"  # with none, browsers send the form of the login from "null"
        assert answer.headers["cache-control"] == "no-store"


def test_the_log_has_no_queries(signed_in, caplog):
    with caplog.at_level(logging.INFO, logger="anonset.access"):
        signed_in.get("/api/thing?name=MARKER")

    assert "GET /api/thing 200" in caplog.text
    assert "MARKER" not in caplog.text


def test_a_malformed_cookie_or_form_is_no_way_in(client, served, people):
    assert client.get("/", headers={"Cookie": f'{SESSION}="; ;;='}).status_code == 303
    assert client.get("/", headers={"Cookie": f"{SESSION}=\xff\xfe".encode("latin-1")}).status_code == 303
    assert client.post("/login", content=b"\xff" * 10_000).status_code == 401
    assert client.put("/login").status_code == 405
    by_account = served(token=None, accounts=people)
    for body in (b"\xff" * 10_000, b"name=%00&password=", b"name=ann&password=%ed%a0%80", b"name=ann%0aann&password=x"):
        assert by_account.post("/login", content=body).status_code == 401
