"""What the API answers about cards, quizzes, proposals and courses, for its OpenAPI."""

from warpbook.web.api.shapes import Shape


class Card(Shape):
    """`path` and `line` say where it is written; a card of a course is in none of the book's
    files."""

    id: str
    topic: str
    question: str
    answer: str
    state: str
    due: str | None
    last_review: str | None
    reviews: int
    lapses: int
    flagged: bool
    suspended: bool
    path: str
    line: int


class CardView(Card):
    """`preview`: when it would be due again, by rating; `intervals`: the same as a span."""

    preview: dict[str, str]
    intervals: dict[str, str]


class Reviewed(CardView):
    """The card after the review; `act` is what an undo names."""

    act: str
    rating: int
    interval: str


class Topic(Shape):
    name: str
    cards: int
    due: int
    new: int
    learning: int
    flagged: int
    suspended: int


class Sitting(Shape):
    """What was done since the last pause of half an hour. `last` is the act an undo takes back."""

    reviews: int
    cards: int
    ratings: dict[str, int]
    seconds: float
    missed: list[str]
    last: str | None


class Quiz(Shape):
    """`left` is what is to be asked today, new cards up to those of a day among it."""

    topics: list[Topic]
    left: int
    learning: int
    proposals: int
    sitting: Sitting


class Next(Shape):
    """`card` is null where nothing is to be asked now; `due` then says when the next one is."""

    card: CardView | None
    left: int
    learning: int
    due: str | None
    sitting: Sitting


class Undone(Shape):
    """What was taken back, and the card as it is now, if it is still there."""

    act: str
    rating: int
    card: Card | None


class Proposal(Shape):
    """A card that waits for approval, or was rejected. Without an answer it is a text with
    clozes."""

    id: str
    question: str
    answer: str
    topic: str
    source: str
    state: str
    line: int


class Course(Shape):
    """`next` is the first step that was not read yet."""

    problem: str
    title: str
    about: str
    steps: int
    cards: int
    presented: int
    passed: int
    next: int | None
    finished: bool


class StepCard(Shape):
    id: str
    question: str
    answer: str
    state: str
    due: str | None


class Step(Shape):
    number: int
    title: str
    text: str
    presented: bool
    passed: bool
    cards: list[StepCard]


class CourseView(Course):
    all_steps: list[Step]
