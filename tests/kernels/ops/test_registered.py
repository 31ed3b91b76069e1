"""How the functions get on with the rest of torch: graphs, gradients, transforms, modes."""

import pytest
import torch
from ops_cases import CASES, as_tuple
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd import forward_ad
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from warpbook import ops

every = pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)


def overloads(case):
    names = ("y", "h") if case.results > 1 else ("out",)
    eps = (1e-6,) if "norm" in case.name else ()
    arguments = (*case.arguments((3, 5)), *eps)
    out = {name: torch.empty(case.shape((3, 5))) for name in names}
    yield getattr(torch.ops.warpbook, case.name).default, arguments, {}
    yield getattr(torch.ops.warpbook, f"{case.name}_into").default, arguments, out


@every
def test_torch_finds_nothing_wrong_with_the_registration(case):
    for overload, arguments, out in overloads(case):
        checks = torch.library.opcheck(overload, arguments, out)
        assert set(checks.values()) == {"SUCCESS"}


@every
def test_torch_finds_nothing_wrong_with_the_gradients(case):
    overload, arguments, _ = next(overloads(case))
    wanting = [a.requires_grad_() if isinstance(a, torch.Tensor) else a for a in arguments]
    assert set(torch.library.opcheck(overload, wanting).values()) == {"SUCCESS"}


class Graphs:
    """A backend that keeps what it is given."""

    def __init__(self):
        self.called = []

    def __call__(self, graph, inputs):
        self.called.append([n.target for n in graph.graph.nodes if n.op == "call_function"])
        return graph


def compiled(function):
    torch._dynamo.reset()
    graphs = Graphs()
    return torch.compile(function, fullgraph=True, backend=graphs), graphs.called


@every
def test_a_compiled_graph_is_whole_and_has_the_operation_in_it(case):
    function, called = compiled(lambda *arguments: case.function(*arguments))
    arguments = case.arguments((3, 5))
    case.check(function(*arguments), *arguments)
    assert called[0][0] == getattr(torch.ops.warpbook, case.name).default


def test_a_compiled_graph_takes_out():
    x, out = torch.randn(3, 5), torch.empty(3, 5)
    function, called = compiled(lambda x, out: ops.softmax(x, out=out) * 2)
    torch.testing.assert_close(function(x, out), torch.softmax(x, -1) * 2)
    torch.testing.assert_close(out, torch.softmax(x, -1))
    assert torch.ops.warpbook.softmax_into.default in called[0]


@every
def test_gradients_are_those_of_torch(case):
    arguments = case.arguments((3, 5))
    assert_gradients(case, case.function, arguments)


def test_gradients_flow_through_a_compiled_graph():
    torch._dynamo.reset()
    case = CASES["add_rms_norm"]
    function = torch.compile(case.function, fullgraph=True, backend="aot_eager")
    assert_gradients(case, function, case.arguments((3, 5)))


def assert_gradients(case, function, arguments):
    found, truth = (
        torch.autograd.grad(
            sum(r.square().sum() for r in as_tuple(f(*wanting))), wanting, allow_unused=True
        )
        for f in (function, case.truth)
        for wanting in [[a.clone().requires_grad_() for a in arguments]]
    )
    torch.testing.assert_close(found, truth)


@every
def test_vmap(case):
    batch = [torch.stack([a, -a]) for a in case.arguments((3, 5))]
    both = as_tuple(torch.vmap(case.function)(*batch))
    for i in range(2):
        case.check(tuple(b[i] for b in both), *(b[i] for b in batch))


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@every
def test_derivatives_forward(case):
    arguments = case.arguments((3, 5))
    directions = [torch.randn_like(a) for a in arguments]
    truth = torch.func.jvp(case.truth, tuple(arguments), tuple(directions))[1]
    found = torch.func.jvp(case.function, tuple(arguments), tuple(directions))[1]
    torch.testing.assert_close(found, truth)
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(*pair) for pair in zip(arguments, directions, strict=True)]
        tangents = [forward_ad.unpack_dual(r).tangent for r in as_tuple(case.function(*duals))]
    torch.testing.assert_close(tangents, list(as_tuple(truth)))


@every
def test_tensors_without_data(case):
    arguments = case.arguments((3, 5), torch.bfloat16)
    results = as_tuple(case.function(*(a.to("meta") for a in arguments)))
    assert all(r.is_meta and r.shape == case.shape((3, 5)) for r in results)
    with FakeTensorMode() as mode:
        results = as_tuple(case.function(*map(mode.from_tensor, arguments)))
    assert all(r.shape == case.shape((3, 5)) and r.dtype == torch.bfloat16 for r in results)


@every
@pytest.mark.parametrize("wants", [True, False], ids=["with gradient", "without"])
def test_autocast_changes_nothing(case, wants):
    arguments = [a.requires_grad_(wants) for a in case.arguments((3, 5), torch.bfloat16)]
    with torch.autocast("cpu"):
        results = as_tuple(case.function(*arguments))
    assert all(r.dtype == torch.bfloat16 for r in results)


@every
def test_modes_see_the_operation(case):
    seen = []

    class Functions(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            seen.append(function)
            return function(*args, **(kwargs or {}))

    class Operations(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(function)
            return function(*args, **(kwargs or {}))

    overload = getattr(torch.ops.warpbook, case.name).default
    for mode in (Functions, Operations):
        seen.clear()
        with mode():
            case.function(*case.arguments((3, 5)))
        assert overload in seen, mode


@every
def test_a_subclass_sees_the_operation(case):
    seen = []

    class Loud(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append(function)
            return super().__torch_function__(function, types, args, kwargs)

    first, *others = case.arguments((3, 5))
    results = as_tuple(case.function(first.as_subclass(Loud), *others))
    assert getattr(torch.ops.warpbook, case.name).default in seen
    assert all(type(result) is Loud for result in results)


def test_writing_into_what_a_gradient_needs_is_noticed():
    x = torch.randn(3, 5, requires_grad=True)
    y = x.exp()  # keeps y for its gradient
    with torch.no_grad():
        ops.softmax(x.detach(), out=y.detach())
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_negated_view_is_read_as_negated():
    x = torch.randn(3, 5, dtype=torch.complex64).conj().imag
    assert x.is_neg()
    torch.testing.assert_close(ops.rms_norm(x), CASES["rms_norm"].truth(x.resolve_neg()))


def test_an_exported_program_has_the_operation_in_it():
    class Model(torch.nn.Module):
        def forward(self, x):
            return ops.softmax(x)

    program = torch.export.export(Model(), (torch.randn(3, 5),))
    targets = [node.target for node in program.graph.nodes]
    assert torch.ops.warpbook.softmax.default in targets
