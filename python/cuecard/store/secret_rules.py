"""What secrets look like: the documented token formats of vendors, as data (SPEC 18.2).

A rule is tried only on text that holds one of its `literals`, so that ordinary text costs a substring search a
literal. Every repetition is bounded or cannot be entered twice at one place, which keeps matching linear.
"""

from functools import cache
from re import Pattern, compile, escape
from typing import NamedTuple


class Rule(NamedTuple):
    """One format. `pattern` matches the secret, or holds it in its group `secret`."""

    kind: str
    literals: tuple[str, ...]
    pattern: str
    doubtful: bool = False
    """Whether ordinary words can stand where the pattern looks, so that the value must look made by a machine."""


@cache
def compiled(pattern: str) -> Pattern[str]:
    """The pattern, compiled when first needed: compiling the whole table costs more than `cuecard add` may."""
    return compile(pattern)


# Between letters of other scripts `\b` is no boundary, and secrets are ASCII.
START = r"(?<![A-Za-z0-9])"
END = r"(?![A-Za-z0-9])"
_ALNUM, _WORD, _HEX = "[A-Za-z0-9]", "[A-Za-z0-9_-]", "[0-9a-f]"


def _tokens(kind: str, tail: str, *prefixes: str, doubtful: bool = False) -> Rule:
    """Tokens that begin with one of the prefixes and go on as `tail`."""
    return Rule(kind, prefixes, f"{START}(?:{'|'.join(map(escape, prefixes))}){tail}", doubtful)


RULES = (
    # Source forges and build services.
    _tokens("github-token", "[A-Za-z0-9_]{36,}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    _tokens(
        "gitlab-token", "[A-Za-z0-9_.-]{20,}", "glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-",
        "glimt-", "glagent-", "glsoat-", "glffct-", "gloas-",
    ),
    _tokens("bitbucket-token", "[A-Za-z0-9_=-]{28,}", "ATBB", "ATCTT3xFfG"),
    _tokens("atlassian-token", "[A-Za-z0-9_=-]{60,}", "ATATT3xFfG"),
    _tokens("buildkite-token", "[A-Za-z0-9]{32,}", "bkua_"),
    _tokens("circleci-token", f"{_ALNUM}{{16,}}_{_HEX}{{32,}}", "CCIPAT_", "CCIPRJ_"),
    _tokens("sonar-token", f"{_HEX}{{40}}{END}", "sqp_", "squ_", "sqa_"),
    # Package registries.
    _tokens("npm-token", f"{_ALNUM}{{36,}}", "npm_"),
    _tokens("pypi-token", f"{_WORD}{{50,}}", "pypi-"),
    _tokens("rubygems-token", f"{_HEX}{{48}}{END}", "rubygems_"),
    _tokens("crates-token", f"{_ALNUM}{{32}}{END}", "cio", doubtful=True),
    _tokens("nuget-token", f"[a-z0-9]{{43}}{END}", "oy2", doubtful=True),
    _tokens("docker-token", f"{_WORD}{{27,}}", "dckr_pat_", "dckr_oat_"),
    _tokens("artifactory-token", f"{_ALNUM}{{60,}}", "AKCp"),
    # Clouds.
    _tokens("aws-access-key", f"[A-Z2-7]{{16}}{END}", "AKIA", "ASIA", "ABIA", "ACCA"),
    _tokens("aws-bedrock-key", "[A-Za-z0-9+/]{100,}={0,2}", "ABSK"),
    _tokens("google-api-key", f"{_WORD}{{35}}{END}", "AIza"),
    _tokens("google-oauth-secret", f"{_WORD}{{28,}}", "GOCSPX-"),
    _tokens("google-oauth-token", r"[A-Za-z0-9_.-]{20,}", "ya29.", "1//0"),
    Rule("azure-key", ("AccountKey=", "SharedAccessKey="), r"Key=(?P<secret>[A-Za-z0-9+/]{43,86}={1,2})"),
    Rule("azure-client-secret", ("Q~",), START + r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}" + END),
    Rule("azure-signature", ("sig=",), r"[?&;]sig=(?P<secret>[A-Za-z0-9%+/]{40,64}(?:%3[Dd]|=){1,2})"),
    Rule("azure-devops-token", ("AZDO",), START + r"[A-Za-z0-9]{52,76}AZDO[A-Za-z0-9]{4}" + END),
    _tokens("digitalocean-token", f"{_HEX}{{64}}{END}", "dop_v1_", "doo_v1_", "dor_v1_"),
    _tokens("alibaba-access-key", f"{_ALNUM}{{20}}{END}", "LTAI"),
    _tokens("tencent-access-key", f"{_ALNUM}{{32}}{END}", "AKID"),
    _tokens("heroku-token", f"{_WORD}{{36,}}", "HRKU-"),
    _tokens("netlify-token", f"{_ALNUM}{{36,}}", "nfp_"),
    _tokens("fly-token", r"[A-Za-z0-9+/=_-]{40,}", "fm1r_", "fm2_"),
    _tokens("render-token", f"{_ALNUM}{{28,}}", "rnd_", doubtful=True),
    # Models.
    _tokens("anthropic-key", f"{_WORD}{{24,}}", "sk-ant-"),
    _tokens("openai-key", f"{_WORD}{{24,}}", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"),
    _tokens("openrouter-key", f"{_HEX}{{48,}}", "sk-or-v1-"),
    _tokens("openai-key", f"{_ALNUM}{{32,}}", "sk-", doubtful=True),
    _tokens("huggingface-token", f"{_ALNUM}{{30,}}", "hf_", "api_org_"),
    _tokens("groq-key", f"{_ALNUM}{{40,}}", "gsk_"),
    _tokens("xai-key", f"{_ALNUM}{{60,}}", "xai-"),
    _tokens("perplexity-key", f"{_ALNUM}{{40,}}", "pplx-"),
    _tokens("replicate-token", f"{_ALNUM}{{37}}{END}", "r8_"),
    _tokens("nvidia-key", f"{_WORD}{{60,}}", "nvapi-"),
    _tokens("langsmith-key", f"{_HEX}{{32}}_{_HEX}{{10}}{END}", "lsv2_pt_", "lsv2_sk_"),
    _tokens("tavily-key", f"{_WORD}{{28,}}", "tvly-"),
    _tokens("pinecone-key", "[A-Za-z0-9_]{50,}", "pcsk_"),
    # Messages, mail, telephones.
    _tokens("slack-token", "[A-Za-z0-9-]{20,}", "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"),
    _tokens("slack-token", "[A-Za-z0-9.-]{20,}", "xoxe.", "xoxc-", "xoxd-"),
    Rule(
        "slack-webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9_/]{20,})",
    ),
    Rule(
        "discord-webhook",
        ("/api/webhooks/",),
        r"discord(?:app)?\.com/api/webhooks/[0-9]{5,25}/(?P<secret>[A-Za-z0-9_-]{30,})",
    ),
    Rule("discord-token", (".",), START + r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}" + END),
    Rule("telegram-token", (":AA",), START + r"[0-9]{8,12}:AA[A-Za-z0-9_-]{32,34}" + END),
    _tokens("twilio-key", f"{_HEX}{{32}}{END}", "SK"),
    _tokens("sendgrid-key", rf"{_WORD}{{22}}\.{_WORD}{{43}}{END}", "SG."),
    _tokens("mailgun-key", f"{_HEX}{{32}}{END}", "key-", doubtful=True),
    Rule("mailchimp-key", ("-us",), rf"{START}{_HEX}{{32}}-us[0-9]{{1,2}}{END}"),
    _tokens("brevo-key", f"{_HEX}{{64}}-{_ALNUM}{{16}}{END}", "xkeysib-", "xsmtpsib-"),
    _tokens("resend-key", f"{_ALNUM}{{8}}_{_ALNUM}{{20,}}", "re_", doubtful=True),
    # Payment and trade.
    _tokens("stripe-key", f"{_ALNUM}{{16,}}", "sk_live_", "sk_test_", "rk_live_", "rk_test_"),
    _tokens("webhook-secret", "[A-Za-z0-9+/]{24,}={0,2}", "whsec_"),
    _tokens("shopify-token", f"[0-9a-fA-F]{{32}}{END}", "shpat_", "shpca_", "shppa_", "shpss_"),
    _tokens("square-token", f"{_WORD}{{22,}}", "sq0atp-", "sq0csp-", "sq0idp-"),
    _tokens("facebook-token", f"{_ALNUM}{{80,}}", "EAA"),
    # Tools of the trade.
    _tokens("linear-key", f"{_ALNUM}{{40}}{END}", "lin_api_"),
    _tokens("notion-token", f"{_ALNUM}{{43,}}", "ntn_", "secret_", doubtful=True),
    _tokens("figma-token", f"{_WORD}{{40,}}", "figd_"),
    Rule("airtable-token", ("pat",), rf"{START}pat{_ALNUM}{{14}}\.{_HEX}{{64}}{END}"),
    _tokens("postman-key", f"{_HEX}{{24}}-{_HEX}{{34}}{END}", "PMAK-"),
    _tokens("databricks-token", f"{_HEX}{{32}}(?:-[0-9])?{END}", "dapi"),
    _tokens("new-relic-key", f"[A-Z0-9]{{27}}{END}", "NRAK-"),
    _tokens("grafana-token", f"{_ALNUM}{{32}}_{_HEX}{{8}}{END}", "glsa_"),
    _tokens("grafana-token", "[A-Za-z0-9+/]{32,}={0,2}", "glc_"),
    _tokens("sentry-token", "[A-Za-z0-9+/=_-]{40,}", "sntrys_", "sntryu_"),
    _tokens("pulumi-token", f"{_HEX}{{40}}{END}", "pul-"),
    Rule("terraform-token", (".atlasv1.",), rf"{START}{_ALNUM}{{14}}\.atlasv1\.{_WORD}{{60,}}"),
    _tokens("vault-token", f"{_WORD}{{24,}}", "hvs.", "hvb.", "hvr."),
    _tokens("doppler-token", r"[a-z0-9_-]{0,40}\.?[A-Za-z0-9]{40,}", "dp.pt.", "dp.st.", "dp.ct.", "dp.sa."),
    _tokens("onepassword-token", f"{_WORD}{{80,}}", "ops_eyJ"),
    _tokens("age-key", f"[0-9A-Z]{{58}}{END}", "AGE-SECRET-KEY-1"),
    _tokens("planetscale-token", r"[A-Za-z0-9_.-]{32,}", "pscale_tkn_", "pscale_pw_", "pscale_oauth_"),
    _tokens("supabase-token", f"{_WORD}{{22,}}", "sb_secret_"),
    _tokens("supabase-token", f"{_HEX}{{40}}{END}", "sbp_"),
    _tokens("dynatrace-token", r"[0-9]{2}\.[A-Z2-7]{24}\.[A-Z2-7]{64}", "dt0c", "dt0s"),
    # Formats of no vendor. A part that something must follow is bounded.
    Rule("jwt", ("eyJ",), START + r"(?:sk\.)?eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?"),
    Rule(
        "jwe",
        ("eyJ",),
        START + r"eyJ[A-Za-z0-9_-]{16,512}\.[A-Za-z0-9_-]{0,1024}\.[A-Za-z0-9_-]{8,64}(?:\.[A-Za-z0-9_-]{8,65536}){2}",
    ),
    Rule(
        "password-hash",
        ("$",),
        r"\$(?:2[abxy]|5|6|7|y|argon2id?|argon2d|scrypt|pbkdf2-sha[0-9]{3})\$[A-Za-z0-9./+$,=-]{30,}",
    ),
    # Where clients say who they are.
    Rule(
        "authorization",
        ("uthorization", "AUTHORIZATION", "earer ", "BEARER "),
        r"(?i:authorization\\?[\"']?\s{0,3}[:=,]\s{0,3}\\?[\"']?(?:[a-z]{3,12}\s{1,3})?|bearer\s{1,3})"
        r"(?P<secret>[A-Za-z0-9._~+/-]{16,}={0,2})",
        doubtful=True,
    ),
    Rule("password", ("://",), r"://[^\s/:@\"'`<>\[]{0,128}:(?P<secret>[^\s/\"'`<>]{1,512})@"),
    Rule("url-token", ("://",), r"://(?P<secret>[A-Za-z0-9_.~%-]{16,512})(?=@)", doubtful=True),
    Rule(
        "password",
        ("curl ", "wget ", "sshpass ", "mysql", "redis-cli ", "docker login "),
        r"(?:curl|wget|sshpass|mysql[a-z]{0,9}|redis-cli|docker login)(?: [^\s]{1,80}){0,8}?"
        r" (?:-u[ =]?|--user[ =]|-p[ =]?|-a )[\"']?(?:[^\s:\"']{1,64}:)?(?P<secret>[^\s\"'@:/]{6,128})",
        doubtful=True,
    ),
)  # fmt: skip
