"""Made-up secrets of every format.

They are put together at run time, so that no scanner finds one in this repository.
"""

import random
import string

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM, WORD, HEX, BASE32 = UPPER + LOWER + DIGITS, UPPER + LOWER + DIGITS + "-_", DIGITS + "abcdef", UPPER + "234567"
BASE64 = ALNUM + "+/"
BASE58 = "".join(char for char in ALNUM if char not in "0IOl")

# For each format, literal parts, and pairs of an alphabet and a length. The secret is the text between two `|`, or the
# whole text if there is no `|`.
Part = str | tuple[str, int]
FORMATS: dict[str, list[list[Part]]] = {
    "github-token": [
        ["gh" + "p_", (ALNUM, 36)],
        ["gh" + "o_", (ALNUM, 36)],
        ["gh" + "s_", (ALNUM, 36)],
        ["github" + "_pat_", (ALNUM, 22), "_", (ALNUM, 59)],
    ],
    "gitlab-token": [["gl" + mark + "-", (WORD, 20)] for mark in ("pat", "dt", "rt", "cbt", "ptt", "ft", "soat")],
    "bitbucket-token": [["AT" + "BB", (ALNUM, 32)]],
    "atlassian-token": [["ATATT" + "3xFfG", (WORD, 120)]],
    "buildkite-token": [["bk" + "ua_", (HEX, 40)]],
    "circleci-token": [["CCI" + "PAT_", (ALNUM, 22), "_", (HEX, 40)]],
    "sonar-token": [["sq" + "p_", (HEX, 40)]],
    "npm-token": [["np" + "m_", (ALNUM, 36)]],
    "pypi-token": [["py" + "pi-AgEIcHlwaS5vcmc", (WORD, 120)]],
    "rubygems-token": [["ruby" + "gems_", (HEX, 48)]],
    "crates-token": [["ci" + "o", (ALNUM, 32)]],
    "nuget-token": [["oy" + "2", (LOWER + DIGITS * 2, 43)]],
    "docker-token": [["dckr" + "_pat_", (WORD, 27)]],
    "artifactory-token": [["AK" + "Cp", (ALNUM, 69)]],
    "aws-access-key": [["AK" + "IA", (BASE32, 16)], ["AS" + "IA", (BASE32, 16)]],
    "aws-bedrock-key": [["AB" + "SK", (BASE64, 128)]],
    "google-api-key": [["AI" + "za", (WORD, 35)]],
    "google-oauth-secret": [["GOC" + "SPX-", (WORD, 28)]],
    "google-oauth-token": [["ya" + "29.", (WORD, 60)], ["1/" + "/0", (WORD, 60)]],
    "azure-key": [
        ["Account" + "Key=", "|", (BASE64, 86), "==", "|"],
        ["SharedAccess" + "Key=", "|", (BASE64, 43), "=", "|"],
    ],
    "azure-client-secret": [[(ALNUM, 3), "8" + "Q~", (ALNUM, 34)]],
    "azure-signature": [["https://a.blob/x?sp=r&si" + "g=", "|", (ALNUM, 43), "%3D", "|"]],
    "azure-devops-token": [[(ALNUM, 76), "AZ" + "DO", (ALNUM, 4)]],
    "digitalocean-token": [["do" + "p_v1_", (HEX, 64)]],
    "alibaba-access-key": [["LT" + "AI", (ALNUM, 20)]],
    "tencent-access-key": [["AK" + "ID", (ALNUM, 32)]],
    "heroku-token": [["HR" + "KU-", (WORD, 60)]],
    "netlify-token": [["nf" + "p_", (ALNUM, 36)]],
    "fly-token": [["fm" + "2_", (BASE64, 80)]],
    "render-token": [["rn" + "d_", (ALNUM, 32)]],
    "anthropic-key": [["sk-" + "ant-api03-", (WORD, 95)]],
    "openai-key": [["sk-" + "proj-", (WORD, 120)], ["sk" + "-", (ALNUM, 48)]],
    "openrouter-key": [["sk-" + "or-v1-", (HEX, 64)]],
    "huggingface-token": [["h" + "f_", (UPPER + LOWER, 34)]],
    "groq-key": [["gs" + "k_", (ALNUM, 52)]],
    "xai-key": [["xa" + "i-", (ALNUM, 80)]],
    "perplexity-key": [["pp" + "lx-", (ALNUM, 48)]],
    "replicate-token": [["r" + "8_", (ALNUM, 37)]],
    "nvidia-key": [["nv" + "api-", (WORD, 64)]],
    "langsmith-key": [["ls" + "v2_pt_", (HEX, 32), "_", (HEX, 10)]],
    "tavily-key": [["tv" + "ly-", (WORD, 32)]],
    "pinecone-key": [["pc" + "sk_", (ALNUM, 60)]],
    "slack-token": [["xo" + "xb-", (DIGITS, 12), "-", (ALNUM, 24)], ["xo" + "xe.xoxp-1-", (ALNUM, 60)]],
    "slack-webhook": [
        ["https://hooks.slack" + ".com/services/", "|T", (BASE32, 8), "/B", (BASE32, 8), "/", (ALNUM, 24), "|"],
    ],
    "discord-webhook": [["https://discord" + ".com/api/webhooks/123456789012345678/", "|", (WORD, 68), "|"]],
    "discord-token": [["M", (ALNUM, 25), ".", (ALNUM, 6), ".", (ALNUM, 38)]],
    "telegram-token": [[(DIGITS, 10), ":" + "AA", (WORD, 33)]],
    "twilio-key": [["S" + "K", (HEX, 32)]],
    "sendgrid-key": [["S" + "G.", (WORD, 22), ".", (WORD, 43)]],
    "mailgun-key": [["ke" + "y-", (HEX, 32)]],
    "mailchimp-key": [[(HEX, 32), "-u" + "s12"]],
    "brevo-key": [["xkey" + "sib-", (HEX, 64), "-", (ALNUM, 16)]],
    "resend-key": [["r" + "e_", (ALNUM, 8), "_", (ALNUM, 24)]],
    "stripe-key": [[kind + "_" + mode + "_", (ALNUM, 24)] for kind in ("sk", "rk") for mode in ("live", "test")],
    "webhook-secret": [["whs" + "ec_", (ALNUM, 32)]],
    "shopify-token": [["shp" + "at_", (HEX, 32)]],
    "square-token": [["sq0" + "atp-", (WORD, 22)]],
    "facebook-token": [["EA" + "A", (ALNUM, 120)]],
    "linear-key": [["lin" + "_api_", (ALNUM, 40)]],
    "notion-token": [["nt" + "n_", (ALNUM, 46)]],
    "figma-token": [["fi" + "gd_", (WORD, 40)]],
    "airtable-token": [["pa" + "t", (ALNUM, 14), ".", (HEX, 64)]],
    "postman-key": [["PM" + "AK-", (HEX, 24), "-", (HEX, 34)]],
    "databricks-token": [["da" + "pi", (HEX, 32)]],
    "new-relic-key": [["NR" + "AK-", (UPPER + DIGITS, 27)]],
    "grafana-token": [["gl" + "sa_", (ALNUM, 32), "_", (HEX, 8)], ["gl" + "c_", (BASE64, 60)]],
    "sentry-token": [["snt" + "ryu_", (HEX, 64)]],
    "pulumi-token": [["pu" + "l-", (HEX, 40)]],
    "terraform-token": [[(ALNUM, 14), ".atlas" + "v1.", (WORD, 67)]],
    "vault-token": [["hv" + "s.", (WORD, 90)]],
    "doppler-token": [["dp" + ".pt.", (ALNUM, 43)]],
    "onepassword-token": [["ops" + "_eyJ", (WORD, 200)]],
    "age-key": [["AGE-SECRET" + "-KEY-1", (UPPER + DIGITS, 58)]],
    "planetscale-token": [["pscale" + "_tkn_", (WORD, 43)]],
    "supabase-token": [["sb" + "_secret_", (WORD, 31)], ["sb" + "p_", (HEX, 40)]],
    "dynatrace-token": [["dt" + "0c01.", (BASE32, 24), ".", (BASE32, 64)]],
    "jwt": [["ey" + "J", (WORD, 33), ".ey" + "J", (WORD, 60), ".", (WORD, 43)]],
    "jwe": [["ey" + "J", (WORD, 40), ".", (WORD, 43), ".", (WORD, 16), ".", (WORD, 50), ".", (WORD, 22)]],
    "password-hash": [["$2" + "b$12$", (ALNUM, 53)]],
    "authorization": [
        ["Authorization: Bearer ", "|", (ALNUM, 40), "|"],
        ["authorization: Basic ", "|", (ALNUM, 32), "|"],
    ],
    "password": [
        ["postgres://app:", "|", (ALNUM, 14), "|@db/x"],
        ["curl -u app:", "|", (HEX, 16), "|"],
        ["DB_PASSWORD=", "|", (HEX, 12), "|"],
        ['{"passwd": "', "|", (HEX, 12), '|"}'],
        ["db_password: '", "|", (HEX, 12), "|'"],
        ["--password ", "|", (HEX, 12), "|"],
        ["비밀번호: ", "|", (HEX, 12), "|"],
        ["sudo -S true <<< '", "|", (ALNUM, 10), "|'"],
        ["sshpass -p ", "|", (LOWER, 9), "|"],
        ["\nuser,password\nci,", "|", (LOWER, 9), "|\n"],
    ],
    "url-token": [["https://", "|", (HEX, 32), "|@host/x"]],
    "secret": [
        ["CLIENT_SECRET=", "|", (HEX, 32), "|"],
        ["apiKey: '", "|", (HEX, 32), "|'"],
        ["--api-key=", "|", (HEX, 32), "|"],
        ['\\"access_token\\": \\"', "|", (HEX, 32), '|\\"'],
        ["https://x/?access_token=", "|", (HEX, 32), "|&page=2"],
    ],
    "high-entropy": [[(ALNUM, 48)]],
    "ethereum-key": [["0" + "x", (HEX, 64)]],
    "wallet-key": [["xp" + "rv", (BASE58, 107)], ["nse" + "c1", (LOWER + DIGITS, 58)]],
    "wallet-phrase": [
        ["our ", "|orbit lamp velvet canyon unable rapid ", "noodle hazard index mother trigger pencil", "|"],
    ],
    "teams-webhook": [
        ["a.webhook.office.com/webhookb2/" + "a1b2" * 9 + "/IncomingWebhook/", "|", (HEX, 32), "/a", (HEX, 35), "|"],
    ],
    "zapier-webhook": [["https://hooks.zapier" + ".com/hooks/catch/", "|", (DIGITS, 7), "/", (LOWER + DIGITS, 7), "|"]],
    "ifttt-webhook": [["https://maker.ifttt" + ".com/trigger/x/with/key/", "|", (WORD, 43), "|"]],
    "firebase-server-key": [["AA" + "AA", (WORD, 7), ":APA9" + "1b", (WORD, 134)]],
    "vercel-token": [["vercel" + "_blob_rw_", (ALNUM, 16), "_", (ALNUM, 30)]],
    "tailscale-key": [["tskey" + "-auth-", (ALNUM, 16), "-", (ALNUM, 32)]],
    "posthog-key": [["ph" + "x_", (ALNUM, 43)]],
    "langfuse-key": [["sk" + "-lf-", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12)]],
    "inngest-key": [["sign" + "key-prod-", (HEX, 64)]],
    "neon-key": [["na" + "pi_", (LOWER + DIGITS, 64)]],
    "contentful-token": [["CF" + "PAT-", (WORD, 43)]],
    "jina-key": [["ji" + "na_", (HEX, 32), (WORD, 28)]],
    "onepassword-secret-key": [
        ["A" + "3-", (UPPER, 6), "-", (DIGITS, 6), "-", (UPPER, 5), "-", (DIGITS, 5), "-", (UPPER, 5), "-", (UPPER, 5)],
    ],
    "sentry-dsn": [["SENTRY_DSN=https://", "|", (HEX, 32), "|@o448123.ingest.sentry.io/5671234"]],
    "otp-secret": [["otpauth://totp/Acme:ops?digits=6&secret=", "|", (BASE32, 32), "|&issuer=Acme"]],
    "wifi-password": [["WIFI:T:WPA;S:Acme Guest;P:", "|", (ALNUM, 12), "|;;"]],
    "rails-key": [
        ["config/master.key\n", "|", (HEX, 32), "|\n"],
        ["echo ", "|", (HEX, 32), "| > config/master.key"],
    ],
    "pin": [["The PIN for the server room is ", "|", (DIGITS, 6), "|."], ["door code: ", "|", (DIGITS, 8), "|"]],
    "mapbox-token": [["sk" + ".eyJ", (ALNUM, 60), ".", (WORD, 22)]],
    "google-chat-webhook": [["https://chat.googleapis" + ".com/v1/spaces/AAAA/messages?key=", "|", (ALNUM, 60), "|"]],
    "braintree-token": [["access_token" + "$production$", (LOWER + DIGITS, 16), "$", (HEX, 32)]],
    "cloudflare-origin-key": [["v1" + ".0-", (HEX, 24), "-", (HEX, 146)]],
    "hubspot-token": [["pat" + "-na1-", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12)]],
    "elevenlabs-key": [["s" + "k_", (HEX, 48)]],
    "private-key": [["PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 1\n", "|", (BASE64, 64), "|"]],
}  # fmt: skip


def build(parts: list[Part], seed: int) -> tuple[str, str]:
    """A text with a secret of a format, and the secret within the text."""
    maker = random.Random(seed)
    text = "".join([part if isinstance(part, str) else _draw(maker, *part) for part in parts])
    return text.replace("|", ""), text.split("|")[1] if "|" in text else text


def _draw(maker: random.Random, alphabet: str, size: int) -> str:
    """Random characters. The first and the last are a letter or digit; both kinds occur if the alphabet has both."""
    inner = "".join(maker.choices(alphabet, k=size))
    ends = [char for char in alphabet if char.isalnum()]
    drawn = maker.choice(ends) + inner[1:-1] + maker.choice(ends)
    if size < 8 or (not set(alphabet) - set(DIGITS)) or not set(alphabet) & set(DIGITS):
        return drawn
    return drawn[:3] + maker.choice("234567") + maker.choice([char for char in ends if char.isalpha()]) + drawn[5:]
