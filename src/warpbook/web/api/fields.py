"""What goes into requests: ids, pages, texts and numbers with their limits."""

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MOST = 500
FAR = 10**9
LAST_EVENT = 10**15
NO_NUL = r"^[^\x00]*$"
ON_A_LINE = r"^[^\x00-\x1f\x7f]*$"


class Body(BaseModel):
    """A request's JSON object: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


def text(most: int, least: int = 0) -> Any:
    return StringConstraints(max_length=most, min_length=least, pattern=NO_NUL)


def line(most: int, least: int = 0) -> Any:
    """Without line breaks or other control characters."""
    return StringConstraints(max_length=most, min_length=least, pattern=ON_A_LINE)


def name(letter: str, word: str) -> Any:
    lower = letter.lower()
    pattern = rf"^[{letter}{lower}]-?[0-9]{{1,15}}$"
    return Path(pattern=pattern, max_length=17, description=f"Of the {word}: {letter}-3.")


HypothesisName = Annotated[str, name("H", "hypothesis")]
ExperimentName = Annotated[str, name("E", "experiment")]
RunName = Annotated[str, name("R", "run")]
FindingName = Annotated[str, name("F", "finding")]
MeasurementName = Annotated[str, name("M", "measurement")]
CampaignName = Annotated[
    str,
    Path(
        min_length=1,
        max_length=200,
        pattern=ON_A_LINE,
        description="A campaign's name, or its number: C-2. One whose name has a slash is reached "
        "by its number.",
    ),
]
AuthorPath = Annotated[
    str,
    Path(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f\s/][^\x00-\x1f\x7f/]*$"),
]

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]-?[0-9]{1,15}$", max_length=17)]
Claim = Annotated[str, text(2000)]
Reason = Annotated[str, text(20_000)]
Statement = Annotated[str, text(5000)]
Title = Annotated[str, line(500)]
Tag = Annotated[str, line(100, 1)]
Tags = Annotated[list[Tag], Field(max_length=50, default_factory=list)]
MetricText = Annotated[
    str,
    line(200, 1),
    Field(description="NAME[:lower|higher[:ratio|difference[:unit]]]; lower and ratio by default."),
]
EffectText = Annotated[str, line(50, 1), Field(description="3%, 1.05x, or 0.5 by difference.")]
IntervalText = Annotated[str, line(100, 1), Field(description="An 80% interval: 1.2x..1.6x.")]
Guards = Annotated[
    list[Annotated[str, line(300, 1)]],
    Field(
        max_length=20,
        default_factory=list,
        description="METRIC=MOST: what may get worse, and by how much at most.",
    ),
]
BeliefNumber = Annotated[float, Field(ge=0.01, le=0.99)]
InCampaign = Annotated[str, line(200, 1)]
PathText = Annotated[str, line(4096, 1)]
CommandText = Annotated[str, text(20_000, 1)]
Workload = Annotated[str, line(200)]
Device = Annotated[str, StringConstraints(pattern="^(cpu|cuda|none)$")]
Runs = Annotated[int, Field(ge=1, le=1000, strict=True)]
Priority = Annotated[int, Field(ge=-FAR, le=FAR, strict=True)]
Seconds = Annotated[float, Field(gt=0, le=1e12)]
Money = Annotated[float, Field(gt=0, le=1e12)]

Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at most.")]
Offset = Annotated[int, Query(ge=0, le=FAR, description="How many to skip.")]
Search = Annotated[
    str | None, Query(max_length=500, pattern=NO_NUL, description="Those with this text in them.")
]
OfCampaign = Annotated[
    str | None, Query(max_length=200, pattern=ON_A_LINE, description="Of one campaign alone.")
]
After = Annotated[int, Query(ge=0, le=LAST_EVENT, description="What came after this event.")]
