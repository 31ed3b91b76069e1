"""What looks like a key is found, and what is merely random is not."""

import base64
import hashlib
import json
import random
from pathlib import Path

import pytest

from warpbook.book.exchange.secrets import WINDOW, scan, scan_file, texts_of

SOURCES = Path(__file__).resolve().parents[3] / "src"


def key(prefix: str, length: int, letters: str = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF") -> str:
    """Put together here, so that this file holds no key itself."""
    return prefix + (letters * 4)[:length]


KEYS = {
    "-----BEGIN " + "OPENSSH PRIVATE KEY-----": "private key",
    "-----BEGIN " + "RSA PRIVATE KEY-----": "private key",
    key("AKIA", 16, "QWERTYUIOPASDFGH"): "AWS key",
    key("ghp_", 36): "GitHub token",
    key("github_pat_", 40): "GitHub token",
    key("glpat-", 20): "GitLab token",
    key("sk-", 48): "API key",
    key("sk-ant-" + "api03-", 40): "API key",
    key("hf_", 34): "Hugging Face token",
    key("xoxb-", 30, "123456789012-"): "Slack token",
    key("AIza", 35): "Google API key",
    ".".join((key("eyJ", 20), key("eyJ", 40), key("", 43))): "JWT",
    "Authorization: Bearer " + key("", 40): "bearer token",
    "WANDB_API_KEY=" + hashlib.sha1(b"x").hexdigest(): "key by its name",
    'password: "' + key("", 16) + '"': "key by its name",
    '{"text": "{\\"token\\": \\"' + key("", 24) + '\\"}"}': "key by its name",
    "aws_secret_access_key = " + key("", 40): "key by its name",
    "curl --token " + key("", 20): "key by its option",
    "git clone https://ana:" + "hunter2@example.org/x.git": "address with a password",
}

NOT_KEYS = [
    hashlib.sha256(b"x").hexdigest(),
    "sha256=" + hashlib.sha256(b"x").hexdigest(),
    "nonce: bc31d84a97044c6f91d438c139b82b09",
    "GPU-f7f91a84-40c5-47bf-8715-d1f76a91b607",
    base64.b64encode(random.Random(1).randbytes(3000)).decode(),
    "eos_token = '<|endoftext|>'",
    "num_tokens=4096, max_tokens: 16384, pad_token_id=50256",
    "tokenizer='meta-llama/Llama-3.1-8B-Instruct'",
    "token = tokens[i + 1]",
    "secret = os.environ['MY_SECRET_1']",
    "password=${DB_PASSWORD_1}",
    "https://user:<password>@example.org",
    "http://127.0.0.1:8080/a@b",
    "the task-specific sk-learn-contrib-and-other-packages",
    "hf_model_name_or_path_to_a_local_folder",
    "a bearer of bad news, as it were",
]


@pytest.mark.parametrize(("text", "kind"), KEYS.items())
def test_a_key_is_found_once_and_shown_in_part(text: str, kind: str) -> None:
    (found,) = scan([("E-3", f"x = 1; {text} # etc")])
    assert (found.where, found.kind) == ("E-3", kind)
    assert found.redacted not in text
    assert not any(len(word) > 8 and word in str(found) for word in text.split())


@pytest.mark.parametrize("text", NOT_KEYS)
def test_what_is_merely_random_is_no_key(text: str) -> None:
    assert scan([("x", text)]) == []


def test_our_own_sources_have_none() -> None:
    files = [p for p in SOURCES.rglob("*") if p.suffix in {".py", ".cu", ".cuh", ".md"}]
    assert len(files) > 100
    assert [found for p in files for found in scan_file(p, p.name)] == []


def test_the_line_is_told() -> None:
    (found,) = scan([("E-3 plan.change.text", f"import os\n\nkey = '{key('hf_', 34)}'\n")])
    assert found.where == "E-3 plan.change.text, line 3"


def test_an_environment_names_its_keys() -> None:
    environment = {"PATH": "/bin", "MY_SERVICE_TOKEN": hashlib.md5(b"1").hexdigest()}
    (found,) = scan(texts_of({"capture": {"environment": environment}}, "R-5/receipt.json"))
    assert found.where == "R-5/receipt.json.capture.environment.MY_SERVICE_TOKEN"


def test_a_json_file_is_read_by_its_values(tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    path.write_text(json.dumps({"a": [{"HF_TOKEN": key("hf_", 34)}]}, indent=1))
    (found,) = scan_file(path, "R-5/receipt.json")
    assert found.where == "R-5/receipt.json.a[0].HF_TOKEN"


@pytest.mark.parametrize("before", [WINDOW - 10, WINDOW - 20000, 3 * WINDOW])
def test_a_key_across_two_windows_is_found(tmp_path: Path, before: int) -> None:
    path = tmp_path / "log"
    path.write_text("first\n" + "." * before + f" {key('ghp_', 36)} " + "." * 50000)
    (found,) = scan_file(path, "log")
    assert found.where == "log, line 2"
    assert len(scan([("log", path.read_text())])) == 1


def test_a_log_that_is_no_text_is_looked_through_too(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"\xff\xfe\x00" + key("glpat-", 20).encode() + b"\n\xff")
    assert [found.kind for found in scan_file(path, "log")] == ["GitLab token"]
