from datetime import UTC, datetime

from warpbook.core.effect import KERNEL_TIME, Metric
from warpbook.web import show
from warpbook.web.words import WORDS, word

NOON = datetime(2026, 1, 4, 12, 0, tzinfo=UTC)


def test_a_time_is_relative_with_the_exact_one_on_hover():
    made = show.ago("2026-01-04T11:57:00+00:00", NOON)
    assert ">3 min ago<" in made
    assert 'data-tip="2026-01-04 11:57:00 UTC"' in made


def test_a_time_that_is_none_is_a_dash():
    assert show.ago(None) == show.NONE
    assert show.ago("yesterday") == show.NONE


def test_what_ended_does_not_tick():
    ended = show.elapsed("2026-01-04T11:57:00+00:00", "2026-01-04T11:57:42+00:00")
    assert "42 s" in ended
    assert "data-since" not in ended
    assert "data-since" in show.elapsed("2026-01-04T11:57:00+00:00")


def test_names_in_a_sentence_lead_to_what_they_name():
    made = show.linked("E-7 from 4 to 1: R-5 left H-3 at 0.52 <b>")
    assert 'href="/experiments/E-7"' in made
    assert 'href="/runs/R-5"' in made
    assert 'href="/hypotheses/H-3"' in made
    assert "&lt;b&gt;" in made


def test_a_sentence_of_any_length_is_cut():
    made = show.linked("H-1 " * 1_000_000)
    assert len(made) < 100_000
    assert "more characters" in made


def test_a_campaign_of_any_name_has_an_address():
    assert 'href="/campaigns/a%3F"' in show.campaign("a?")
    assert 'href="/campaigns/a/b"' in show.campaign("a/b")


def test_an_effect_has_its_interval_and_its_unit():
    points = Metric("accuracy", "points", "higher", "difference")
    assert "<b>1.30x</b>" in show.effect(0.2624, 0.18, 0.34, KERNEL_TIME)
    assert "1.20x..1.40x" in show.effect(0.2624, 0.18232, 0.33647, KERNEL_TIME)
    assert "points" in show.effect(0.5, 0.1, 0.9, points)
    assert show.effect(None, None, None, None) == show.NONE


def test_a_belief_is_a_bar_and_a_number_that_can_be_heard():
    made = show.belief(0.731)
    assert 'aria-label="belief 73%"' in made
    assert [show.chance_shown(chance) for chance in (0.0004, 0.006, 0.994, 0.9996)] == [
        *("<1%", "1%", "99%", ">99%")
    ]
    assert "width:73%" in made


def test_a_state_says_its_word_and_what_it_means():
    made = show.chip("supported")
    assert ">supported<" in made
    assert WORDS["supported"] in made
    assert "because" in show.chip("failed", "because <")


def test_a_word_has_its_explanation():
    made = word("hypothesis", "Hypotheses")
    assert ">Hypotheses<" in made
    assert WORDS["hypothesis"] in made


def test_an_explanation_is_one_line():
    assert all(len(meaning) <= 100 and "\n" not in meaning for meaning in WORDS.values())
