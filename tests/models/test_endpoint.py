"""A request to an endpoint ends in time with an answer or a `ModelError`, whatever the endpoint does."""

import json
import socket
import threading
import time

import pytest

from cuecard import CuecardError, ModelError
from cuecard.models.endpoints.endpoint import is_loopback, place_of, post_json
from cuecard.models.endpoints.resting import is_resting
from cuecard.models.endpoints.sent import ledger
from model_server import UNWAITED_SECONDS, ModelServer, free_port, vector_of
from scratch_home import write_user_settings

KEY = "sk-very-secret-0123456789"
HEADERS = {"Authorization": f"Bearer {KEY}"}
BODY = {"model": "m", "input": ["the hook is an executable"]}


def test_an_answer_is_the_json_that_the_endpoint_sent(server: ModelServer) -> None:
    found = post_json(f"{server.url}/api/embed", BODY, HEADERS, 5)
    assert found["embeddings"] == [vector_of("the hook is an executable")]
    asked = server.requests[0]
    assert asked.body == BODY
    assert asked.headers["Authorization"] == HEADERS["Authorization"]
    assert asked.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("fault", ["slow", "dripping", "dripping_headers"])
def test_the_time_is_for_the_whole_also_where_every_byte_comes_in_time(server: ModelServer, fault: str) -> None:
    server.fault = fault
    start = time.monotonic()
    with pytest.raises(ModelError, match=r"has not answered within 300 ms|has not answered in time"):
        post_json(f"{server.url}/api/embed", BODY, HEADERS, 0.3)
    assert time.monotonic() - start < UNWAITED_SECONDS
    # The thread that made the request ends, too.
    ends = time.monotonic() + UNWAITED_SECONDS
    while any(thread.name == "cuecard-endpoint" for thread in threading.enumerate()):
        assert time.monotonic() < ends
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("500", "has answered with status 500"),
        ("401", "has answered with status 401"),
        ("429", "has answered with status 429"),
        ("garbage", "has answered with something that is not JSON"),
        ("half_json", "has answered with something that is not JSON"),
        ("empty", "has answered with something that is not JSON"),
        ("not_http", "has answered with something that is not HTTP"),
        ("half", "has ended its answer too early"),
        ("huge", "has answered with more than 8 MiB"),
        ("hang_up", "cannot be reached"),
    ],
)
def test_what_is_no_whole_answer_is_a_model_error(server: ModelServer, fault: str, words: str) -> None:
    server.fault = fault
    with pytest.raises(ModelError, match=words) as raised:
        post_json(f"{server.url}/api/embed", BODY, HEADERS, 5)
    assert isinstance(raised.value, CuecardError)
    assert raised.value.code == "MODEL_ERROR"


def test_an_endpoint_that_is_down_is_a_model_error(monkeypatch: pytest.MonkeyPatch) -> None:
    place = f"127.0.0.1:{free_port()}"
    monkeypatch.setenv("CUECARD_ALLOW_HOSTS", place)
    with pytest.raises(ModelError, match=f"`http://{place}` cannot be reached"):
        post_json(f"http://{place}/api/embed", BODY, HEADERS, 5)
    assert all(host != place for _what, host, _requests, _size in ledger.take()), "nothing was sent"


def test_a_redirect_is_not_followed_and_the_key_stays_with_the_host_it_is_for(server: ModelServer) -> None:
    with ModelServer() as other:
        server.fault, server.redirect_to = "redirect", other.url
        with pytest.raises(ModelError, match="has answered with a redirect"):
            post_json(f"{server.url}/api/embed", BODY, HEADERS, 5)
        assert not other.requests


@pytest.mark.parametrize("fault", ["echo", "500", "garbage", "not_http", "redirect", "slow", "hang_up"])
def test_no_error_holds_the_key(server: ModelServer, fault: str) -> None:
    server.fault, server.redirect_to = fault, "http://localhost:1"
    with pytest.raises(ModelError) as raised:
        post_json(f"{server.url}/api/embed?key={KEY}", BODY, HEADERS, 0.3)
    assert KEY not in repr(raised.value.as_dict())
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


@pytest.mark.parametrize("key", ["two\r\nlines", "ключ", "\ud800"])
def test_a_key_that_is_no_header_is_refused_without_being_shown(server: ModelServer, key: str) -> None:
    with pytest.raises(ModelError) as raised:
        post_json(f"{server.url}/api/embed", BODY, {"Authorization": key}, 1)
    assert key not in repr(raised.value.as_dict())


@pytest.mark.parametrize(
    "url",
    ["", "ftp://localhost/x", "file:///etc/passwd", "localhost:11434", "http://", "http://[::1", "http://a:99999999/",
     "http://a b/", "http://a/\r\nX: y", "//localhost/x"],
)  # fmt: skip
def test_a_url_that_cannot_be_asked_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(ModelError, match="a URL in the settings is not valid"):
        post_json(url, BODY, HEADERS, 1)


def test_a_url_with_a_password_is_refused(server: ModelServer) -> None:
    with pytest.raises(ModelError, match="contains a user name or a password") as raised:
        post_json(server.url.replace("://", f"://me:{KEY}@"), BODY, {}, 1)
    assert KEY not in repr(raised.value.as_dict())
    assert not server.requests


def test_no_proxy_stands_between_the_machine_and_itself(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    monkeypatch.delenv("no_proxy", raising=False)
    assert post_json(f"{server.url}/api/embed", BODY, {}, 5)["model"] == "m"


def test_a_proxy_of_the_environment_counts_only_where_the_user_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "http://models.invalid/api/embed"
    monkeypatch.setenv("CUECARD_ALLOW_HOSTS", "http://models.invalid")
    with ModelServer() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        with pytest.raises(ModelError, match=r"`http://models.invalid` cannot be reached"):
            post_json(url, BODY, {}, 5)
        assert proxy.requests == []
        for named in ("environment", proxy.url):
            write_user_settings({"network": {"proxy": named}})
            # The server is no proxy, so it answers 404, but it gets the whole URL.
            with pytest.raises(ModelError, match="status 404"):
                post_json(url, BODY, {}, 5)
        assert [asked.path for asked in proxy.requests] == ["http://models.invalid:80/api/embed"] * 2


@pytest.mark.parametrize("found", ["127.0.0.1", "0.0.0.0", "::1", "169.254.169.254", "fe80::1"])
def test_a_name_that_leads_to_this_machine_is_not_asked(monkeypatch: pytest.MonkeyPatch, found: str) -> None:
    monkeypatch.setenv("CUECARD_ALLOW_HOSTS", "http://models.example,http://x.localhost")
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", (found, 80))])
    for host in ("models.example", "x.localhost"):
        with pytest.raises(ModelError, match="resolves to an address that is not allowed for it"):
            post_json(f"http://{host}/api/embed", BODY, {}, 5)


def test_localhost_is_this_machine_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUECARD_ALLOW_HOSTS", "http://localhost")
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("192.0.2.1", 80))])
    with pytest.raises(ModelError, match="resolves to an address that is not allowed for it"):
        post_json("http://localhost/api/embed", BODY, {}, 5)


def test_the_name_is_looked_up_once_and_the_checked_address_is_asked(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(server.url.rpartition(":")[2])
    monkeypatch.setenv("CUECARD_ALLOW_HOSTS", f"localhost:{port}")
    asked = []

    def look_up(host: object, *_: object, **__: object) -> list[object]:
        asked.append(host)
        # The second lookup of the name returns another address.
        return [(2, 1, 6, "", ("127.0.0.1" if len(asked) == 1 else "192.0.2.1", port))]

    real = socket.getaddrinfo
    monkeypatch.setattr(
        "socket.getaddrinfo",
        lambda host, *rest, **named: look_up(host) if host == "localhost" else real(host, *rest, **named),
    )
    assert post_json(f"http://localhost:{port}/api/embed", BODY, {}, 5)["model"] == "m"
    assert asked == ["localhost"]
    assert server.requests[-1].headers["Host"] == f"localhost:{port}"


def test_an_endpoint_that_has_failed_is_noted_until_it_answers(server: ModelServer) -> None:
    place = place_of(server.url)
    server.fault = "slow"
    with pytest.raises(ModelError):
        post_json(f"{server.url}/api/embed", BODY, HEADERS, 0.1)
    assert is_resting(place)
    server.fault = "401"
    with pytest.raises(ModelError):
        post_json(f"{server.url}/api/embed", BODY, HEADERS, 5)
    assert is_resting(place)
    server.fault = ""
    post_json(f"{server.url}/api/embed", BODY, HEADERS, 5)
    assert not is_resting(place)


def test_what_is_sent_is_counted_by_kind_and_host(server: ModelServer) -> None:
    place = place_of(server.url)
    post_json(f"{server.url}/api/embed", BODY, HEADERS, 5)
    server.fault = "500"
    for _ in range(2):
        with pytest.raises(ModelError):
            post_json(f"{server.url}/v1/messages", {"messages": []}, HEADERS, 5, "judge")
    assert ledger.take() == [
        ("embedding", place, 1, len(json.dumps(BODY))),
        ("judge", place, 2, 2 * len('{"messages": []}')),
    ]
    assert ledger.take() == []


@pytest.mark.parametrize(
    ("url", "stays"),
    [
        ("http://localhost:11434", True),
        ("http://LOCALHOST", True),
        ("http://a.localhost/x", False),
        ("http://localhost.", False),
        ("http://127.1", False),
        ("http://2130706433", False),
        ("http://0x7f.0.0.1", False),
        ("http://127.0.0.1:1", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:1/x", True),
        ("http://[::ffff:127.0.0.1]", True),
        ("localhost:11434", True),
        ("[::1]:5", True),
        ("http://localhost.example.com", False),
        ("http://notlocalhost", False),
        ("http://10.0.0.1", False),
        ("http://0.0.0.0", False),
        ("https://api.openai.com", False),
        ("http://[::1", False),
        ("", False),
    ],
)
def test_what_stays_on_the_machine_is_told_by_the_host(url: str, stays: bool) -> None:
    assert is_loopback(url) is stays
