import pytest

from warpbook.core.effect import Metric, Scale
from warpbook.core.errors import BadInput
from warpbook.measure.printed import find_object, value_of

TIME = Metric("t")
LOSS = Metric("loss", scale=Scale.DIFFERENCE)


@pytest.mark.parametrize(
    ("stdout", "found"),
    [
        ('{"t": 1}', {"t": 1}),
        ('begun\n{"t": 1}\n{"t": 2}\ndone {}\n', {"t": 2}),
        ('{\n  "t": 1,\n  "all": [\n    {"t": 2}\n  ]\n}\n', {"t": 1, "all": [{"t": 2}]}),
        ('{"t": 1}\n{broken}\n[1]\n"text"\n7\n', {"t": 1}),
        ('\r\n {"t": 1} \r\n', {"t": 1}),
        ('begun\n{"t": 1, "name": "a\u2028b"}\n', {"t": 1, "name": "a\u2028b"}),
        ("", None),
        ("t = 1\n", None),
        ("{" + '"a": {' * 100_000 + "}" * 100_001, None),
    ],
)
def test_the_last_line_that_is_an_object_counts_or_all_of_it(stdout, found):
    assert find_object(stdout, whole=True) == found


def test_the_end_of_a_long_output_is_not_taken_for_all_of_it():
    assert find_object('{"a":\n1}', whole=True) == {"a": 1}
    assert find_object('{"a":\n1}', whole=False) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "no 't' in its JSON, which has: nothing"),
        ('{"time": 1, "loss": 2}', "no 't' in its JSON, which has: time, loss"),
        ('{"t": NaN}', "t is nan"),
        ('{"t": Infinity}', "t is inf"),
        ('{"t": -Infinity}', "t is -inf"),
        ('{"t": 1e999}', "t is inf"),
        ('{"t": 1' + "0" * 400 + "}", "t is too large"),
        ('{"t": true}', "t is true, which is no number"),
        ('{"t": "1.5"}', 't is "1.5", which is no number'),
        ('{"t": null}', "t is null, which is no number"),
        ('{"t": [1]}', r"t is \[1\], which is no number"),
        ('{"t": 0}', "t is 0, and a ratio needs a number above zero"),
        ('{"t": -2.5}', "t is -2.5, and a ratio needs"),
    ],
)
def test_what_is_no_value_of_the_metric_is_refused_by_name(text, said):
    with pytest.raises(BadInput, match=said):
        value_of(find_object(text, whole=True), TIME)


def test_zero_and_negative_values_have_their_place_on_a_difference_scale():
    assert value_of({"loss": 0}, LOSS) == 0.0
    assert value_of({"loss": -1.5, "t": float("nan")}, LOSS) == -1.5
