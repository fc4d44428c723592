"""Only the user decides which hosts may receive data, because a repository can bring settings of its own."""

import json
from pathlib import Path

import pytest

from command_process import run as run_command
from cuecard.errors import ModelError, UsageError
from cuecard.models.endpoints.allowed_hosts import allow, check_allowed, forbid
from cuecard.models.endpoints.allowed_places import allowed_model, allowed_places, file_of_places
from cuecard.models.endpoints.endpoint import post_json
from cuecard.models.endpoints.sent import ledger

URL = "https://models.example.org:8443/v1/embeddings"
HOST = "models.example.org:8443"
PLACE = f"https://{HOST}"


@pytest.fixture(autouse=True)
def configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CUECARD_ALLOW_HOSTS", raising=False)
    return tmp_path / "config" / "cuecard" / "allowed-hosts"


def is_allowed(url: str, purpose: str = "embedding") -> bool:
    try:
        check_allowed(url, purpose)
    except ModelError:
        return False
    return True


def lines() -> list[str]:
    return [one.line() for one in allowed_places()]


def test_another_machine_is_told_nothing_without_a_word_of_the_user() -> None:
    ledger.take()
    with pytest.raises(ModelError) as raised:
        post_json(URL, {"input": "a secret"}, {}, 1)
    assert raised.value.what == f"`{PLACE}` is not among the places that you allow for the purpose `embedding`"
    assert f"cuecard allow {PLACE} --for embedding" in raised.value.hint
    assert ledger.take() == []


@pytest.mark.parametrize("place", ["localhost:11434", "127.0.0.1:8000", "[::1]:80", "a.localhost"])
def test_this_machine_needs_the_same_word(place: str) -> None:
    url = f"http://{place}/v1" if ":" in place else f"https://{place}"
    assert not is_allowed(url)
    allow(place)
    assert is_allowed(url)
    assert not is_allowed(url.replace(place, f"{place.rpartition(':')[0] or place}:11435"))


@pytest.mark.parametrize(
    ("settings", "purpose"),
    [
        ({"embedding": {"provider": "ollama"}}, "embedding"),
        ({"embedding": {"provider": "openai", "url": "http://LOCALHOST:11434/v1"}}, "embedding"),
        ({"retrieval": {"judge": {"enabled": True, "provider": "ollama"}}}, "judge"),
        ({"capture": {"background": {"provider": "ollama"}}}, ""),
    ],
)
def test_what_the_own_configuration_asks_is_agreed_to_for_that_purpose(
    configuration: Path, settings: object, purpose: str
) -> None:
    configuration.parent.mkdir(parents=True)
    own = configuration.with_name("config.json")
    own.write_text(json.dumps(settings))
    for each in ("embedding", "judge", "background"):
        assert is_allowed("http://localhost:11434/api/embed", each) == (each == purpose)
        assert not is_allowed("https://localhost:11434/api/embed", each)
        assert not is_allowed("http://localhost:11435/api/embed", each)
        assert not is_allowed("http://127.0.0.1:11434/api/embed", each)
    own.write_text("{}")
    assert not is_allowed("http://localhost:11434/api/embed", purpose or "background")


def test_a_consent_is_for_the_scheme_too() -> None:
    allow("models.example.org")
    assert is_allowed("https://models.example.org/v1")
    assert is_allowed("https://models.example.org:443/v1")
    assert not is_allowed("http://models.example.org/v1")
    assert not is_allowed("http://models.example.org:443/v1")
    allow("http://models.example.org")
    assert is_allowed("http://models.example.org:80/v1")
    assert not is_allowed("https://models.example.org:80/v1")


@pytest.mark.parametrize(
    ("named", "place"),
    [
        ("api.anthropic.com", "https://api.anthropic.com"),
        ("models.example.org:8443", "https://models.example.org:8443"),
        ("models.example.org:80", "http://models.example.org"),
        ("LOCALHOST:11434", "http://localhost:11434"),
        ("127.1.2.3:8000", "http://127.1.2.3:8000"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("[::ffff:127.0.0.1]:8000", "http://[::ffff:127.0.0.1]:8000"),
        ("localhost", "https://localhost"),
        ("[::1]", "https://[::1]"),
        ("localhost:443", "https://localhost"),
        ("a.localhost:11434", "https://a.localhost:11434"),
        ("10.0.0.5:11434", "https://10.0.0.5:11434"),
        ("http://10.0.0.5:11434/v1?x", "http://10.0.0.5:11434"),
    ],
)
def test_a_host_without_a_scheme_means_what_is_safe(named: str, place: str) -> None:
    allow(named, ["judge"])
    assert lines() == [f"{place} judge"]


def test_a_consent_is_for_its_purposes_and_no_others() -> None:
    assert allow(URL, ["embedding"])
    assert [is_allowed(URL, each) for each in ("embedding", "judge", "background")] == [True, False, False]
    assert allow(URL, ["judge"])
    assert not allow(URL)
    assert allow(URL, ["background"])
    assert is_allowed(URL, "background")
    assert forbid(URL, ["embedding", "background"])
    assert lines() == [f"{PLACE} judge"]


def test_without_a_purpose_a_consent_is_for_embedding_and_judge(configuration: Path) -> None:
    assert allow(URL)
    assert not allow(HOST.upper())
    assert configuration.read_text() == f"{PLACE} embedding\n{PLACE} judge\n"
    assert is_allowed(URL)
    assert not is_allowed(URL, "background")
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


def test_a_consent_can_name_the_model(configuration: Path) -> None:
    assert allow(URL, ["embedding"], "hf.co/a/b:Q4")
    assert configuration.read_text() == f"{PLACE} embedding hf.co/a/b:Q4\n"
    assert allowed_model(URL, "embedding") == "hf.co/a/b:Q4"
    assert allowed_model(URL, "judge") == ""
    assert not allow(URL, ["embedding"])
    assert allow(URL, ["embedding"], "other")
    assert lines() == [f"{PLACE} embedding other"]


@pytest.mark.parametrize("model", ["a b", "a#b", "a\nb", "\u00e9", "a" * 201])
def test_what_a_line_cannot_hold_is_no_model(configuration: Path, model: str) -> None:
    with pytest.raises(UsageError):
        allow(URL, ["embedding"], model)
    assert not configuration.exists()


def test_what_is_no_purpose_is_refused(configuration: Path) -> None:
    with pytest.raises(UsageError, match="is not a purpose"):
        allow(URL, ["embedding", "telemetry"])
    assert not configuration.exists()


def test_the_environment_allows_some_too(monkeypatch: pytest.MonkeyPatch, configuration: Path) -> None:
    monkeypatch.setenv("CUECARD_ALLOW_HOSTS", f"api.anthropic.com, {HOST.upper()},")
    assert not is_allowed(URL)
    configuration.parent.mkdir(parents=True, exist_ok=True)
    configuration.with_name("config.json").write_text('{"variables": true}')
    assert is_allowed(URL)
    assert is_allowed("https://api.anthropic.com/v1/messages")
    assert not is_allowed("https://api.openai.com/v1/embeddings")
    assert not configuration.exists()


def test_a_line_of_an_earlier_version_counts_for_what_it_can_mean_safely(configuration: Path) -> None:
    configuration.parent.mkdir(parents=True)
    configuration.write_bytes(
        b"# mine\n\n API.Anthropic.com  # the judge\r\n\xff\napi.anthropic.com\nlocalhost:11434\n10.0.0.5:11434\n"
        b"https://a.example\ttelemetry\nhttp://a.example judge  #\n"
    )
    assert {one.place for one in allowed_places() if one.is_old} == {
        "https://api.anthropic.com",
        "http://localhost:11434",
        "https://10.0.0.5:11434",
    }
    for purpose in ("embedding", "judge", "background"):
        assert is_allowed("https://api.anthropic.com/v1/messages", purpose)
        assert is_allowed("http://localhost:11434", purpose)
        assert not is_allowed("http://api.anthropic.com:443/v1/messages", purpose)
        assert not is_allowed("http://10.0.0.5:11434", purpose)
        assert not is_allowed("https://a.example", purpose)
        assert is_allowed("http://a.example", purpose) == (purpose == "judge")


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
    assert file_of_places() == tmp_path / ".config" / "cuecard" / "allowed-hosts"


def test_the_command_shows_adds_and_takes_away(tmp_path: Path) -> None:
    configuration = tmp_path / "config" / "cuecard" / "allowed-hosts"

    def run(*arguments: str) -> tuple[int, str, str]:
        ran = run_command(tmp_path, tmp_path, "allow", *arguments)
        return ran.code, ran.stdout, ran.stderr

    assert run() == (0, "", "note: no host is allowed; only hosts that your own configuration names are asked\n")
    code, shown, notes = run(URL)
    assert (code, shown) == (0, f"{PLACE} embedding\n{PLACE} judge\n")
    assert "a person should confirm this" in notes
    assert run(HOST)[2] == "note: the host was already allowed\n"
    assert run(HOST, "--remove", "--for", "judge")[1] == f"{PLACE} embedding\n"
    assert json.loads(run("localhost:11434", "--for", "embedding", "--model", "m", "--json")[1]) == {
        "file": str(configuration),
        "hosts": [PLACE, "http://localhost:11434"],
        "allowed": [
            {"place": PLACE, "purpose": "embedding", "model": None},
            {"place": "http://localhost:11434", "purpose": "embedding", "model": "m"},
        ],
        "changed": True,
        "note": "a person should confirm this",
    }
    assert run(HOST, "--remove")[1] == "http://localhost:11434 embedding m\n"
    assert len(run("a.example", "--for", "all")[1].splitlines()) == 4
    assert run("--remove")[0] == 2
    assert run("--for", "judge")[0] == 2
    assert run("a.example", "--for", "telemetry")[0] == 2
    assert run("a.example", "--model", "a b")[0] == 2
    assert run("no host")[0] == 2
