"""The book's words, each with the one line that explains it on hover."""

from warpbook.web.markup import Markup, h

WORDS = {
    "problem": "an operation to implement: its inputs, its reference and its cost",
    "workload": "one concrete size and dtype of a problem",
    "rung": "one implementation of a problem, one idea above the rung below it",
    "peer": "other people's work, such as torch's own, that a ladder is held against",
    "ladder": "the rungs of a problem in order, each with the idea that sets it apart",
    "roofs": "what this device reaches at best, measured here: bandwidths, rates, launch cost",
    "floor": "the least time a workload should take on this device, from its measured roofs",
    "judgement": "whether a rung is right (correct, wrong, crashed, suspect, ...), and how fast",
    "receipt": "the record of a run or judgement that anyone can re-run and check",
    "campaign": "a goal, its hypotheses and its budget",
    "hypothesis": "a claim: this change moves this metric by at least this much, because ...",
    "guard": "a metric that may get worse by at most so much",
    "experiment": "a plan with two arms, baseline and change, on one workload and device",
    "baseline": "the arm that the change is held against, run in turns with it",
    "change": "the arm that is claimed to be better or worse",
    "prediction": "the author's 80% interval for an experiment, locked when it was queued",
    "run": "one execution of an experiment, both arms in turns; it yields one effect",
    "effect": "the metric's ratio to its baseline; 1.3x is better by that factor",
    "interval": "where the effect lies with 95% confidence, given the runs so far",
    "measurement": "a judgement or comparison made by hand: shown, never evidence",
    "verdict": "of a hypothesis: supported, refuted or open, by its runs alone",
    "supported": "the runs are strong evidence that the effect is at least what was claimed",
    "refuted": "the runs are strong evidence that the effect is less than what was claimed",
    "open": "the runs do not decide it yet",
    "ruled out": "refuted: the runs are strong evidence against the claim",
    "stale": "the ground has changed since it was measured: another driver, torch or source",
    "belief": "the chance that a claim is true; it orders the queue and decides nothing",
    "worth": "how much a run is expected to lower the uncertainty, in bits",
    "finding": "what was learned, tied to its evidence",
    "queue": "experiments that wait, in order of what they would teach per second",
    "event": "one line of the running log; everything that happens is one",
    "noise": "the spread between runs of the baseline against itself",
    "evidence": "how much better the runs fit with the claim than without it",
    "environment": "the device, driver, torch and sources that runs must share to count together",
    "worker": "the process that takes experiments from the queue and runs them",
    "calibration": "how often an author's 80% intervals hold what was measured",
    "hit": "the measured effect lies within the predicted interval",
    "over": "the prediction was too high: the measured effect lies below it",
    "under": "the prediction was too low: the measured effect lies above it",
    "unclear": "the measured interval holds an end of the predicted one: it may be a hit or not",
    "sharpness": "how narrow predicted intervals are; narrow and right is best",
    "expected again": "the effect to expect if it were measured afresh; winners are partly lucky",
    "book": "the folder that holds all of this",
}


def word(name: str, shown: str = "") -> Markup:
    """The word as it is shown, with what it means on hover and focus."""
    meaning = WORDS[name]
    return h('<abbr class="word" tabindex="0" data-tip="{}">{}</abbr>', meaning, shown or name)
