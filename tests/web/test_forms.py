"""The forms: what they offer, what they send, and what they say to a mistake."""

import re

import pytest

from warpbook.web import forms, sayings, trying
from warpbook.web.forms import Choices

KNOWN = Choices(("inbox", '"><script>'), ("softmax",))


def sent(markup):
    return set(re.findall(r'<(?:input|select|textarea) name="(\w+)"', markup))


def test_fields_are_those_of_the_api():
    from warpbook.web.api import campaigns as of_campaigns
    from warpbook.web.api import findings, hypotheses, the_log
    from warpbook.web.api.trying import Attempt

    for markup, body in (
        (forms.new_campaign(), of_campaigns.NewCampaign),
        (forms.budget("c", "C-1"), of_campaigns.Budget),
        (forms.new_hypothesis(KNOWN), hypotheses.NewHypothesis),
        (trying.trying(KNOWN), Attempt),
        (trying.trying(KNOWN, hypothesis="H-3"), Attempt),
        (sayings.new_finding(), findings.NewFinding),
        (sayings.new_note("H-3"), the_log.Note),
        (sayings.more_runs("H-3", "needs 3"), hypotheses.More),
    ):
        assert sent(markup) <= body.model_fields.keys()
        needed = {name for name, field in body.model_fields.items() if field.is_required()}
        assert needed <= sent(markup)


def test_names_of_the_book_are_text():
    made = forms.new_hypothesis(KNOWN) + trying.trying(KNOWN, hypothesis='"><script>')
    assert "<script" not in made


def test_a_claim_that_is_there_is_not_made_again():
    assert not sent(trying.trying(KNOWN, hypothesis="H-3")) & {"claim", "at_least", "because"}


@pytest.fixture
def opened(page, served):
    """Opens the dialog of a page; `page.untouched()` says whether the book is as it was."""

    def at(address, dialog):
        page.goto(address)
        page.locator(f'[data-open="{dialog}"]').first.click()
        return page.locator(f"dialog#{dialog}")

    before = served.book.log.last()
    at.untouched = lambda: served.book.log.last() == before
    at.page = page
    return at


@pytest.mark.browser
def test_a_campaign_is_started(opened, served):
    form = opened("/campaigns", "new-campaign")
    form.locator("[name=name]").fill("faster rows, with a / in it")
    form.locator("[name=aim]").fill("2x")
    form.locator("[name=budget_s]").fill("2 hours")
    form.get_by_role("button", name="Start it").click()
    form.get_by_text('"2 hours" is no span of time').wait_for()
    assert opened.untouched()
    form.locator("[name=budget_s]").fill("2h")
    form.get_by_role("button", name="Start it").click()
    opened.page.wait_for_url(re.compile(r"/campaigns/C-\d+$"))
    opened.page.get_by_role("heading", name="faster rows, with a / in it").wait_for()
    assert served.book.campaigns.get("faster rows, with a / in it").budget_s == 7200


@pytest.mark.browser
def test_a_hypothesis_is_claimed_and_an_empty_one_is_not(opened, served):
    form = opened("/campaigns", "new-hypothesis")
    form.locator("[name=claim]").fill("   ")
    form.locator("[name=because]").fill("one **pass**")
    form.get_by_role("button", name="Claim it").click()
    form.locator("[data-error]").get_by_text("claim").wait_for()
    assert opened.untouched()
    assert form.locator("[name=because]").input_value() == "one **pass**"
    form.locator("[name=claim]").fill("<b>it</b> is faster")
    form.locator("[name=worse]").select_option("true")
    form.locator("[name=tags]").fill("rows, memory")
    form.locator("[name=belief]").fill("0.7")
    form.get_by_role("button", name="Claim it").click()
    opened.page.wait_for_url(re.compile(r"/hypotheses/H-\d+$"))
    opened.page.get_by_role("heading", name="<b>it</b> is faster").wait_for()
    assert opened.page.locator(".prose strong").inner_text() == "pass"
    (made,) = served.book.hypotheses.list(search="<b>it</b>")
    assert (made.direction, made.prior, made.tags) == (-1, 0.7, ["rows", "memory"])


@pytest.mark.browser
def test_something_is_tried(opened, served):
    form = opened("/campaigns", "try")
    form.locator("[name=change]").fill("fused")
    form.locator("[name=on]").fill("softmux")
    form.locator("[name=expect]").fill("1.6x..1.2x")
    send = form.get_by_role("button", name="Queue it")
    send.click()
    form.locator("[data-error]").get_by_text("upside down: write 1.2x..1.6x").wait_for()
    form.locator("[name=expect]").fill("1.2x..1.6x")
    send.click()
    form.locator("[data-error]").get_by_text("softmux").wait_for()
    assert opened.untouched()
    assert form.locator("[name=change]").input_value() == "fused"
    form.locator("select[data-mode]").select_option("command")
    form.locator("[name=command]").fill("echo 1")
    form.locator("[name=baseline]").fill("echo 2")
    form.locator("[name=metric]").fill("rate:higher")
    form.locator("summary", has_text="Workload").click()
    form.locator("[name=device]").select_option("none")
    send.click()
    opened.page.wait_for_url(re.compile(r"/experiments/E-\d+$"))
    (made,) = served.book.experiments.list(limit=1)
    assert (made.kind, made.device, made.state) == ("command", "none", "queued")


@pytest.mark.browser
def test_a_finding_is_recorded_and_shown(opened, served):
    claim, experiment = served.desk.tried("recorded")
    served.desk.results(experiment, 0.3, 0.31, 0.3, 0.31)
    other, _ = served.desk.tried("undecided")
    form = opened(f"/hypotheses/{claim.name}", "new-finding")
    form.locator("[name=statement]").fill("one pass is enough")
    supports = form.locator("[name=supports]")
    assert supports.input_value() == claim.name
    supports.fill(f"{claim.name}, {other.name}")
    form.get_by_role("button", name="Record it").click()
    form.locator("[data-error]").get_by_text(f"{other.name} is open").wait_for()
    supports.fill(claim.name)
    form.get_by_role("button", name="Record it").click()
    page = opened.page
    page.wait_for_url(re.compile(r"/findings/F-\d+$"))
    page.get_by_role("heading", name="one pass is enough").wait_for()
    page.locator("#samples").get_by_text("recorded against old").wait_for()
    page.goto("/findings?search=one+pass")
    assert page.locator("tbody tr").count() == 1


@pytest.mark.browser
def test_notes_and_more_runs_are_asked_for_where_they_are_needed(opened, served):
    claim, experiment = served.desk.tried("asked")
    form = opened(f"/hypotheses/{claim.name}", "new-note")
    form.locator("[name=text]").fill("look at <i>this</i>")
    form.get_by_role("button", name="Note it").click()
    opened.page.locator("#log").get_by_text("look at <i>this</i>").wait_for()
    opened.page.get_by_role("button", name="More runs").click()
    form = opened.page.locator("#more-runs")
    form.locator("[name=runs]").fill("4")
    form.get_by_role("button", name="Queue them").click()
    opened.page.locator("#experiments").get_by_text("0 of 7").wait_for()
    assert served.book.experiments.get(experiment.name).runs_wanted == 7


@pytest.mark.browser
def test_what_is_typed_outlives_a_page_that_loads_anew(page):
    page.goto("/campaigns")
    page.get_by_role("button", name="+ Experiment").first.click()
    form = page.locator("dialog[open] form")
    form.locator("select[data-mode]").select_option("command")
    form.locator("[name=command]").fill("python fast.py")
    page.reload()
    assert form.locator("[name=command]").input_value() == "python fast.py"
    assert form.locator("fieldset[data-for=kernel]").is_hidden()
    page.goto("/experiments")
    page.get_by_role("button", name="+ Experiment").click()
    assert form.locator("[name=command]").input_value() == "", "elsewhere it begins anew"
