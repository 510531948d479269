"""Who gets in, and what goes out: HTTP and WebSocket alike."""

import logging

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from anonset.server.guard import CSRF, CSRF_HEADER, SESSION, Guard, Sessions

TOKEN = "a token of some length"


async def page(request):
    return HTMLResponse("<html><script>1</script><scripture></scripture></html>")


async def api(request):
    return JSONResponse({"path": request.url.path})


async def socket(websocket):
    await websocket.accept()
    await websocket.send_text("in")
    await websocket.close()


@pytest.fixture
def client():
    """A client of the guarded application, not signed in."""
    inner = Mount("/api", routes=[Route("/thing", api, methods=["GET", "POST", "DELETE"])])
    routes = [inner, WebSocketRoute("/_nicegui_ws/socket.io/", socket), Route("/", page)]
    routes += [Route("/_nicegui_ws/poll", api, methods=["POST"])]
    guard = Guard(Starlette(routes=routes), Sessions(TOKEN), ["testserver", "127.0.0.1:8484"])
    return TestClient(guard, follow_redirects=False)


@pytest.fixture
def signed_in(client):
    """A client that showed the token, and has been to a page."""
    client.post("/login", data={"token": TOKEN})
    client.get("/")
    return client


def test_without_the_cookie_a_page_leads_to_the_login_and_the_api_says_401(client):
    page, api = client.get("/"), client.get("/api/thing")

    assert (page.status_code, page.headers["location"]) == (303, "/login")
    assert (api.status_code, api.headers["content-type"]) == (401, "application/problem+json")


@pytest.mark.parametrize("cookies", [{}, {SESSION: "wrong"}, {SESSION: TOKEN}])
def test_a_socket_without_the_right_cookie_is_refused(client, cookies):
    client.cookies.update(cookies)

    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/_nicegui_ws/socket.io/") as socket:
        socket.receive_text()


def test_a_socket_with_the_cookie_opens_unless_its_origin_is_foreign(signed_in):
    with signed_in.websocket_connect("/_nicegui_ws/socket.io/", headers={"Origin": "http://testserver"}) as socket:
        assert socket.receive_text() == "in"
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


def test_the_sixth_wrong_token_is_429_and_then_even_the_right_one(client):
    codes = [client.post("/login", data={"token": f"wrong {i}"}).status_code for i in range(6)]

    assert codes == [401] * 5 + [429]
    assert client.post("/login", data={"token": TOKEN}).status_code == 429


def test_wrong_tokens_of_programs_count_too(client):
    codes = [client.get("/api/thing", headers={"Authorization": f"Bearer no {i}"}).status_code for i in range(6)]

    assert codes == [401] * 5 + [429]


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(client):
    answer = client.post("/login", data={"token": TOKEN})

    assert answer.status_code == 303
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=Strict" in answer.headers["set-cookie"]
    assert TOKEN not in answer.headers["set-cookie"]


def test_the_link_of_the_start_works_once(client):
    once = client.app.sessions.once

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


def test_every_response_carries_the_policy_and_a_page_its_nonce(signed_in):
    pages = [signed_in.get("/") for _ in range(2)]
    nonces = [answer.text.split('nonce="')[1].split('"')[0] for answer in pages]

    assert nonces[0] != nonces[1]
    assert f"'nonce-{nonces[0]}'" in pages[0].headers["content-security-policy"]
    assert "<scripture>" in pages[0].text
    others = [signed_in.get("/api/thing"), signed_in.get("/login"), signed_in.get("/x", headers={"Host": "evil.example"})]
    for answer in (*pages, *others, signed_in.get("/missing")):
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


def test_a_malformed_cookie_or_form_is_no_way_in(client):
    assert client.get("/", headers={"Cookie": f'{SESSION}="; ;;='}).status_code == 303
    assert client.post("/login", content=b"\xff" * 10_000).status_code == 401
    assert client.put("/login").status_code == 405
