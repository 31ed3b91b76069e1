"""`warpbook report`: one file that says what the dashboard says."""

import subprocess
import sys

import pytest
from tab import PATIENCE_MS
from typer.testing import CliRunner

from warpbook.book.book import Book
from warpbook.cli.main import app


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    import busy_book
    from book_desk import Desk

    book = Book.create(tmp_path_factory.mktemp("report") / "book", author="ana")
    names = busy_book.fill(Desk(book))
    book.close()
    return book.folder, names


def command(folder, target, *options):
    return [str(word) for word in ("report", "--book", folder, "-o", target, *options)]


def write(*words):
    return CliRunner().invoke(app, command(*words))


@pytest.fixture(scope="module")
def written(busy, tmp_path_factory):
    folder, names = busy
    target = tmp_path_factory.mktemp("sent") / "report.html"
    as_people_do = [sys.executable, "-m", "warpbook", *command(folder, target)]
    done = subprocess.run(as_people_do, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target, names


def test_it_has_what_was_claimed_and_measured(written):
    target, names = written
    text = target.read_text()
    for name in (names["supported"], names["refuted"], names["finding"], names["done"]):
        assert f'<section class="part" id="{name}">' in text
    assert "Calibration" in text
    assert text.count("<svg") > 10


def test_what_people_wrote_is_text_in_it(written):
    text = written[0].read_text()
    assert text.count("<script>") == 1  # its own
    assert "onerror=alert(2)&gt;" in text


def test_it_opens_from_disk_and_asks_for_nothing(written, browser):
    target, names = written
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    asked, trouble = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto(target.as_uri())
    page.hover(f"section#{names['supported']} abbr.word >> nth=0")
    page.locator("#tip").wait_for()
    assert page.locator("main button, main form, main a[href^='/']").count() == 0
    page.locator(f"a[href='#{names['supported']}']").nth(1).click()
    page.wait_for_url(f"**#{names['supported']}")
    page.close()
    assert asked == [target.as_uri()]
    assert not trouble


def test_of_one_campaign_it_has_nothing_else(busy, tmp_path):
    folder, names = busy
    done = write(folder, tmp_path / "rows.html", "--campaign", "rows")
    assert done.exit_code == 0, done.stderr
    text = (tmp_path / "rows.html").read_text()
    assert f'id="{names["measured"]}"' in text
    assert f'id="{names["refuted"]}"' not in text


def test_a_file_that_is_there_is_not_written_over(busy, tmp_path):
    target = tmp_path / "kept.html"
    target.write_text("mine")
    done = write(busy[0], target)
    assert done.exit_code == 2
    assert "is there already" in done.stderr
    assert target.read_text() == "mine"


def test_a_campaign_that_is_not_there_leaves_no_file(busy, tmp_path):
    done = write(busy[0], tmp_path / "none.html", "--campaign", "nowhere")
    assert done.exit_code == 2
    assert "no campaign 'nowhere'" in done.stderr
    assert [*tmp_path.iterdir()] == []


def test_a_key_does_not_leave(tmp_path):
    from warpbook.core.effect import KERNEL_TIME

    book = Book.create(tmp_path / "book", author="ana")
    key = "sk-" + "proj-" + "Zx9Qw3Er5Ty7Ui1Op2As4Df6Gh8Jk0Lz"
    book.hypotheses.add(f"with the key {key}", KERNEL_TIME, 0.03)
    book.close()
    done = write(book.folder, tmp_path / "report.html")
    assert done.exit_code == 2
    assert "look like keys" in done.stderr
    assert key not in done.stderr
    assert not (tmp_path / "report.html").exists()
