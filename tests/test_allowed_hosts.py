"""Only the user decides which hosts may receive data, because a repository can bring settings of its own."""

import json
from pathlib import Path

import pytest

from command_process import run as run_command
from cuecard.errors import ModelError, UsageError
from cuecard.models.endpoints.allowed_hosts import allow, allowed_hosts, check_allowed, file_of_hosts, forbid
from cuecard.models.endpoints.endpoint import post_json
from cuecard.models.endpoints.sent import ledger

URL = "https://models.example.org:8443/v1/embeddings"
HOST = "models.example.org:8443"


@pytest.fixture(autouse=True)
def configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CUECARD_ALLOW_HOSTS", raising=False)
    return tmp_path / "config" / "cuecard" / "allowed-hosts"


def is_allowed(url: str) -> bool:
    try:
        check_allowed(url)
    except ModelError:
        return False
    return True


def test_another_machine_is_told_nothing_without_a_word_of_the_user() -> None:
    ledger.take()
    with pytest.raises(ModelError) as raised:
        post_json(URL, {"input": "a secret"}, {}, 1)
    assert raised.value.what == f"`{HOST}` is not among the hosts that you allow"
    assert f"cuecard allow {HOST}" in raised.value.hint
    assert ledger.take() == []


@pytest.mark.parametrize("place", ["localhost:11434", "127.0.0.1:8000", "[::1]:80", "a.localhost"])
def test_this_machine_needs_the_same_word(place: str) -> None:
    url = f"http://{place}/v1" if ":" in place else f"https://{place}"
    assert not is_allowed(url)
    allow(place)
    assert is_allowed(url)
    assert not is_allowed(url.replace(place, f"{place.rpartition(':')[0] or place}:11435"))


@pytest.mark.parametrize(
    "settings",
    [
        {"embedding": {"provider": "ollama"}},
        {"embedding": {"provider": "openai", "url": "http://LOCALHOST:11434/v1"}},
        {"retrieval": {"judge": {"enabled": True, "provider": "ollama"}}},
    ],
)
def test_what_the_own_configuration_names_is_agreed_to(configuration: Path, settings: object) -> None:
    configuration.parent.mkdir(parents=True)
    own = configuration.with_name("config.json")
    own.write_text(json.dumps(settings))
    assert is_allowed("http://localhost:11434/api/embed")
    assert not is_allowed("http://localhost:11435/api/embed")
    assert not is_allowed("http://127.0.0.1:11434/api/embed")
    own.write_text("{}")
    assert not is_allowed("http://localhost:11434/api/embed")


def test_a_port_that_is_not_named_is_443() -> None:
    allow("models.example.org")
    assert is_allowed("https://models.example.org/v1")
    assert is_allowed("https://models.example.org:443/v1")
    assert not is_allowed("http://models.example.org/v1")
    allow("http://models.example.org")
    assert is_allowed("http://models.example.org:80/v1")
    assert allowed_hosts() == ["models.example.org", "models.example.org:80"]


def test_a_host_is_allowed_with_its_port_and_no_other(configuration: Path) -> None:
    assert allow(URL)
    assert not allow(HOST.upper())
    assert configuration.read_text() == f"{HOST}\n"
    assert is_allowed(URL)
    for other in (
        "https://models.example.org/v1",
        "https://models.example.org:844/v1",
        "https://evil.models.example.org:8443",
        "https://example.org:8443",
        "https://models.example.org.evil.org:8443",
    ):
        assert not is_allowed(other), other
    assert forbid(HOST)
    assert not forbid(HOST)
    assert not is_allowed(URL)


def test_the_environment_allows_some_too(monkeypatch: pytest.MonkeyPatch, configuration: Path) -> None:
    monkeypatch.setenv("CUECARD_ALLOW_HOSTS", f"api.anthropic.com, {HOST.upper()},")
    assert not is_allowed(URL)
    configuration.parent.mkdir(parents=True, exist_ok=True)
    configuration.with_name("config.json").write_text('{"variables": true}')
    assert is_allowed(URL)
    assert is_allowed("https://api.anthropic.com/v1/messages")
    assert not is_allowed("https://api.openai.com/v1/embeddings")
    assert not configuration.exists()


def test_a_file_written_by_hand_is_read_with_its_comments(configuration: Path) -> None:
    configuration.parent.mkdir(parents=True)
    configuration.write_bytes(b"# mine\n\n API.Anthropic.com  # the judge\r\n\xff\napi.anthropic.com\n")
    assert allowed_hosts() == ["api.anthropic.com"]
    assert is_allowed("https://api.anthropic.com/v1/messages")


@pytest.mark.parametrize(
    "named", ["", "a b", "https://", "ftp://x.org", "https://name:word@x.org", "x.org:port", "x\ny"]
)
def test_what_is_no_host_is_refused(named: str, configuration: Path) -> None:
    with pytest.raises(UsageError):
        allow(named)
    assert not configuration.exists()


def test_the_file_is_in_the_folder_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert file_of_hosts() == tmp_path / ".config" / "cuecard" / "allowed-hosts"


def test_the_command_shows_adds_and_takes_away(tmp_path: Path) -> None:
    configuration = tmp_path / "config" / "cuecard" / "allowed-hosts"

    def run(*arguments: str) -> tuple[int, str, str]:
        ran = run_command(tmp_path, tmp_path, "allow", *arguments)
        return ran.code, ran.stdout, ran.stderr

    assert run() == (0, "", "note: no host is allowed; only hosts that your own configuration names are asked\n")
    code, shown, notes = run(URL)
    assert (code, shown) == (0, f"{HOST}\n")
    assert "a person should confirm this" in notes
    assert run(HOST) == (0, f"{HOST}\n", "note: the host was already allowed\n")
    assert json.loads(run("api.anthropic.com", "--json")[1]) == {
        "file": str(configuration),
        "hosts": [HOST, "api.anthropic.com"],
        "changed": True,
        "note": "a person should confirm this",
    }
    assert run(HOST, "--remove")[1] == "api.anthropic.com\n"
    assert run("--remove")[0] == 2
    assert run("no host")[0] == 2
