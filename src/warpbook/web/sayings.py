"""Dialogs about what is there already: a finding, a note, more runs."""

from warpbook.web.forms import area, dialog, field, fixed, several
from warpbook.web.markup import Markup, h
from warpbook.web.words import word


def new_finding(supports: str = "", refutes: str = "", refines: str = "") -> Markup:
    """The given names are filled in."""
    many = "With commas between."
    return dialog(
        "new-finding", h("Record a {}", word("finding")), "/api/findings",
        [
            area("statement", "What was learned", "", 3, required=True, autofocus=True,
                 maxlength=5000),
            several("supports", "Supports", f"Hypotheses and experiments it rests on: H-3, E-31. "
                    f"{many}", supports),
            several("refutes", "Refutes", f"The same, where they came out against it. {many}",
                    refutes),
            several("refines", "Refines", f"Hypotheses or findings. {many}", refines),
            several("supersedes", "Supersedes", f"Findings that it takes the place of. {many}"),
            several("tags", "Tags", many),
        ],
        "Record it", then="/findings/{name}",
    )  # fmt: skip


def new_note(subject: str) -> Markup:
    return dialog(
        "new-note", f"Note on {subject}", "/api/notes",
        [
            fixed("subject", subject),
            area("text", "Note", "A line of the running log.", 3, required=True, autofocus=True),
        ],
        "Note it", done="noted",
    )  # fmt: skip


def more_runs(hypothesis: str, needs: str) -> Markup:
    return dialog(
        "more-runs", f"More runs for {hypothesis}", f"/api/hypotheses/{hypothesis}/more",
        [
            h('<p class="muted">{}</p>', needs),
            field("runs", "Runs", "By default as many as it is said to need.",
                  data_type="number", inputmode="numeric", autofocus=True),
        ],
        "Queue them", done=f"more runs for {hypothesis} are queued",
    )  # fmt: skip
