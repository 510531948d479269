"""Which addresses may be served, and under which names."""

import pytest

from anonset.errors import InputError, ParameterError
from anonset.server.access import TrustedProxies
from anonset.server.app import ServerSettings, _megabytes, hosts_of


def test_this_machine_gets_a_token_made_up():
    assert len(ServerSettings().checked_token()) >= 16
    assert ServerSettings(no_token=True).checked_token() is None


@pytest.mark.parametrize(
    "wanted",
    [
        ServerSettings(host="0.0.0.0"),
        ServerSettings(host="192.168.1.7", no_token=True),
        ServerSettings(token="short"),
        ServerSettings(token="long enough to be taken", no_token=True),
    ],
)
def test_what_would_let_others_in_is_refused(wanted):
    with pytest.raises(InputError):
        wanted.checked_token()


def test_accounts_take_the_place_of_the_token():
    assert ServerSettings(host="0.0.0.0").checked_token(accounts=True) is None
    for wanted in (ServerSettings(token="long enough to be taken"), ServerSettings(no_token=True)):
        with pytest.raises(InputError, match="accounts"):
            wanted.checked_token(accounts=True)
    with pytest.raises(InputError, match="needs accounts"):
        ServerSettings(proxy_user="X-User", trusted_proxies=("10.0.0.1",)).checked_token()


@pytest.mark.parametrize("addresses", [(), ("example.com",)])
def test_a_proxy_that_names_people_has_an_address(addresses):
    with pytest.raises(ParameterError, match="proxy"):
        TrustedProxies(addresses, "X-User")


def test_the_names_a_server_answers_to():
    assert set(hosts_of("127.0.0.1", 8484)) == {"127.0.0.1:8484", "localhost:8484", "[::1]:8484"}
    assert "anon.example" in hosts_of("0.0.0.0", 443, ["anon.example"])
    assert "10.1.1.1:8484" in hosts_of("10.1.1.1", 8484)
    assert "localhost:8484" not in hosts_of("10.1.1.1", 8484)
    assert "proxy.example:444" in hosts_of("10.1.1.1", 8484, ["proxy.example:444"])


def test_a_limit_of_memory_is_typed_as_people_do():
    assert _megabytes("2GB") == 2048
    with pytest.raises(ParameterError, match="such as 2GB"):
        _megabytes("lots")
