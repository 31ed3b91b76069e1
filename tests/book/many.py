"""Many hypotheses and experiments at once, as bare rows without events, for tests of size."""

import secrets

from book_desk import TIME, make_plan
from sqlalchemy import func, insert, select

from warpbook.book.events import now
from warpbook.book.tables import Experiment, Hypothesis, Prediction
from warpbook.core.codec import encode


def many_claims(book, count, campaign=1):
    """Open hypotheses; their ids."""
    row = {
        "campaign_id": campaign,
        "author": "ana",
        "metric": encode(TIME),
        "delta": 0.1,
        "claim": "one of many",
        "created_at": now(),
    }
    with book.writing() as write:
        first = (write.session.scalar(select(func.max(Hypothesis.id))) or 0) + 1
        ids = [*range(first, first + count)]
        rows = [{"id": id_, "uid": secrets.token_hex(8), **row} for id_ in ids]
        write.session.execute(insert(Hypothesis), rows)
    return ids


def many_experiments(book, count, claims, campaign=1):
    """Done, without runs, one hypothesis each in turn; their ids."""
    row = {
        "campaign_id": campaign,
        "author": "ana",
        "kind": "command",
        "title": "one of many",
        "plan": encode(make_plan()),
        "a_sha256": "a",
        "b_sha256": "b",
        "workload": "small",
        "device": "none",
        "state": "done",
        "created_at": now(),
    }
    with book.writing() as write:
        first = (write.session.scalar(select(func.max(Experiment.id))) or 0) + 1
        ids = [*range(first, first + count)]
        rows = [{"id": id_, "uid": secrets.token_hex(8), **row} for id_ in ids]
        write.session.execute(insert(Experiment), rows)
        tied = [
            {
                "uid": secrets.token_hex(8),
                "experiment_id": id_,
                "author": "ana",
                "hypothesis_id": claims[number % len(claims)],
                "low": 0.1,
                "high": 0.2,
            }
            for number, id_ in enumerate(ids)
        ]
        write.session.execute(insert(Prediction), tied)
    return ids
