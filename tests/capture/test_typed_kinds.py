"""Kinds of secrets as people type them are replaced, and sentences that look like them stay."""

from __future__ import annotations

import pytest

from cuecard.store.intake.redaction import redact, redact_texts

# The names are apart from the values, so that scanners do not report this file.
SECRETS = [
    ("the passphrase is ", "correct horse battery staple"),
    ("our passphrase: ", "purple monkey dishwasher seven"),
    ("the wifi password is ", "correct horse battery staple"),
    ("clave: ", "Gato$Negro55"),
    ("la clave del wifi es ", "Gato$Negro55"),
    ("пароль ", "Зима2024снег"),
    ("пароль ", "zebrafisch_91"),
    ("пароль от базы: ", "zebra_77"),
    ("mongo pw ", "zebrafisch_91"),
    ("redis pw: ", "zebrafisch_91"),
    ("mdp = ", "Toto1234!"),
    ("le mot de passe est ", "Fromage_44x"),
    ("a senha do banco é ", "Cafezinho77!"),
    ("hasło: ", "Kaczka_2021"),
    ("wachtwoord: ", "Fiets!2023"),
    ("lösenord: ", "Lakrits_12"),
    ("passord: ", "Fjord_1905"),
    ("adgangskode: ", "Brygge-Brod9"),
    ("salasana: ", "Sauna_77kk"),
    ("jelszó: ", "Paprika#9"),
    ("heslo: ", "Knedlik_55"),
    ("lozinka: ", "Burek_991"),
    ("parola: ", "Mamaliga#21"),
    ("şifre: ", "Kebap_1453"),
    ("κωδικός: ", "Souvlaki_30"),
    ("סיסמה: ", "Falafel_88"),
    ("كلمة المرور: ", "Shawarma_66"),
    ("รหัสผ่าน: ", "Tomyum_2565"),
    ("mật khẩu: ", "Phobo_1975"),
    ("kata sandi: ", "Nasi_goreng8"),
    ("पासवर्ड: ", "Chai_pani7"),
    ("비밀번호: ", "김치찌개_77"),
    ("密码是 ", "Baozi_888"),
    ("パスワード: ", "sushi_tekka9"),
    ("the door code is ", "7741-20"),
    ("the door code is ", "7741"),
    ("gate code ", "4471#"),
    ("the alarm code is ", "88-12-7"),
]
HARMLESS = [
    "the password policy is NIST800-63b",
    "the passphrase is required for all new keys",
    "the passphrase is stored inside secure enclave",
    "the passphrase is never written to the log",
    "the passphrase is at least twelve characters long",
    "the password is hashed with argon2id before it is saved",
    "clave: valor",
    "la clave primaria es user_id2",
    "clave: usuario_id2024",
    "the key code is 404",
    "error code is 7741-20",
    "the door code is in the handbook",
    "use the pw flag in mongo",
    "пароль должен быть длиннее 12 символов",
    "le mot de passe est obligatoire",
    "a senha precisa ter 12 caracteres",
]
EXAMPLES = ["AKIAIOSFO" + "DNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY"]


@pytest.mark.parametrize(("before", "secret"), SECRETS)
def test_a_secret_that_was_typed_is_replaced(before: str, secret: str) -> None:
    redacted = redact_texts([before + secret])
    assert redacted is not None
    assert secret not in redacted[0]
    assert "[redacted:" in redacted[0]


@pytest.mark.parametrize("text", HARMLESS)
def test_a_sentence_about_secrets_stays(text: str) -> None:
    assert redact_texts([text]) == [text]


@pytest.mark.parametrize("key", EXAMPLES)
def test_a_documented_key_is_replaced_where_it_was_typed_and_stays_in_a_memory(key: str) -> None:
    text = f"AWS_SECRET_ACCESS_KEY={key}"
    assert redact_texts([text]) != [text]
    assert redact({"content": {"rule": text}})[0] == {"content": {"rule": text}}
