"""Posts as they are pasted: with counts, copies, and other people's text between them."""

from datetime import date

from reading_logs import left, read


def test_posts_without_dates_are_counted_from_the_first_day_or_stay_out():
    text = "Day 83/365 of CUDA\nshared memory\n\nDay 84/365 of CUDA\nbanks\n"
    found = read(text)
    assert not found.days
    assert "give --start" in found.left[0].why
    counted = read(text, start=date(2025, 10, 1))
    assert [str(day.date) for day in counted.days] == ["2025-12-22", "2025-12-23"]
    assert counted.days[0].how == "counted from Day 1 on 2025-10-01"


def test_a_neighbour_with_a_date_is_counted_from():
    text = "## Jan 4, 2026 - Day 83/365 of CUDA\nx\n\nDay 84/365 of CUDA\ny\n"
    found = read(text)
    assert [str(day.date) for day in found.days] == ["2026-01-04", "2026-01-05"]
    assert found.days[1].how == "counted from Day 83 on 2026-01-04"


def test_a_track_that_changes_its_name_stays_one():
    text = (
        "## Jan 1, 2026 - Day 83/365 of CUDA\n\n## Jan 2, 2026 - Day 84/365 of GPU programming\n\n"
        "## Jan 3, 2026\nno count\n"
    )
    found = read(text)
    assert [(day.track, day.called) for day in found.days] == [
        ("CUDA", ""),
        ("CUDA", "GPU programming"),
        ("CUDA", ""),
    ]
    assert read(text, track="gpu").days[0].called == "CUDA"
    assert read(text, known=("gpu programming",)).days[0].track == "gpu programming"


def test_two_counts_side_by_side_are_two_tracks():
    text = "\n\n".join(
        f"## Jan {day}, 2026 - Day {count} of {name}"
        for day, count, name in ((1, 5, "CUDA"), (1, 1, "Rust"), (2, 6, "CUDA"), (2, 2, "Rust"))
    )
    assert [day.track for day in read(text).days] == ["CUDA", "Rust", "CUDA", "Rust"]


def test_a_copy_up_to_spaces_and_what_trails_it_is_listed_and_left():
    text = (
        "Jan 4, 2026\nDay 83/365 of CUDA\nshared memory, at last\n12 likes\n\n"
        "Day 83/365 of CUDA\nshared   memory, at last\nShow more\n\n"
        "Day 83/365 of CUDA\nanother thing altogether\n"
    )
    found = read(text)
    assert [day.text.split("\n")[-1] for day in found.days] == [
        "shared memory, at last",
        "another thing altogether",
    ]
    assert [(copy.line, copy.last, copy.kept) for copy in found.doubled] == [(6, 7, 1)]
    assert left(found) == {4, 8}


def test_a_copy_that_was_cut_short():
    said = "the whole of a long post about banks and why thirty-three columns help"
    text = f"Jan 4, 2026\nDay 83 of CUDA\n{said}\n\nDay 83 of CUDA\n{said[:50]}…\n"
    found = read(text)
    assert len(found.days) == 1
    assert [copy.line for copy in found.doubled] == [5]


def test_near_copies_are_both_kept_and_told():
    said = "the whole of a long post about banks and why thirty-three columns help"
    text = f"Jan 4, 2026\nDay 83 of CUDA\n{said}\n\nDay 83 of CUDA\n{said}!!\n"
    found = read(text)
    assert len(found.days) == 2
    assert found.alike == [(1, 5)]


def test_the_same_count_on_two_dates_is_no_copy():
    found = read("## Jan 4, 2026 - Day 22\n\n## Jan 5, 2026 - Day 22\n")
    assert [(str(day.date), day.day) for day in found.days] == [
        ("2026-01-04", 22),
        ("2026-01-05", 22),
    ]
    assert not found.doubled


def test_other_peoples_text_is_in_no_day():
    text = (
        "Ana\n@ana\nJan 4, 2026\nDay 83 of CUDA\nmine\n\nBob Warp\n@bob · 3h\nReplying to @ana\n"
        "congratulations\n\nCarla\n@carla\nDay 2 of Rust\n\nAna\n@ana\nDay 84 of CUDA\nmine too\n"
    )
    found = read(text)
    assert [day.text for day in found.days] == [
        "Jan 4, 2026\nDay 83 of CUDA\nmine",
        "Day 84 of CUDA\nmine too",
    ]
    assert {7, 8, 9, 10, 12, 13, 14} <= left(found)


def test_numbers_in_a_text_do_not_end_it():
    text = "Jan 4, 2026\nDay 83 of CUDA\nhow many banks?\n32\nand how many threads?\n"
    assert read(text).days[0].text.endswith("threads?")


def test_a_handle_in_a_day_that_was_no_post_stays_in_it():
    text = "## Jan 4, 2026\nthanks to\n@bob\nfor the hint\n"
    assert read(text).days[0].text == text.strip()


def test_the_line_below_a_post_may_have_its_date():
    text = "Day 83 of CUDA\nx\n9:30 PM · Jan 4, 2026 · 1,204 Views\n"
    assert str(read(text).days[0].date) == "2026-01-04"


def test_a_page_of_posts_without_empty_lines_between_them():
    text = (
        "Ana Kernel\n@ana\n·\nDec 12, 2025\nDay 83/365 of CUDA \U0001f680\nfirst\n1/3\nthen\n1.2K\n"
        "Ana Kernel\n@ana\n·\nDec 13, 2025\nDay 84/365 of CUDA and more about it than fits\n3\n12\n"
    )
    found = read(text)
    assert [day.text.split("\n")[2:] for day in found.days] == [["first", "1/3", "then"], []]
    assert [(day.track, day.called) for day in found.days] == [("CUDA", ""), ("CUDA", "")]


def test_entries_of_one_day_are_written_in_the_order_they_were_made(journal, tmp_path):
    from warpbook.journal.importing import logs
    from warpbook.journal.importing.clues import Asked

    text = "## Jan 5, 2026\nc\n\n## Jan 4, 2026 evening\nb\n\n## Jan 4, 2026\na\n"
    (tmp_path / "log.md").write_text(text)
    wanted = logs.asked_of(journal, Asked(date(2026, 1, 10)), None)
    logs.take_in(journal, logs.read(journal, tmp_path / "log.md", wanted))
    body = journal.path("journal", "2026-01-04.md").read_text()
    assert body.index("\na\n") < body.index("\nb\n")
