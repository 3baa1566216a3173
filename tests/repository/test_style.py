"""Sizes of files and functions, and what nobody outside a family may guess."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "workflow")
MAX_LINES = 400
LONG, MANY_LINES = 8, 300  # at most so many files over so many lines
MAX_PARAMETERS = 8
CONSTRUCTORS = ("__init__", "__new__")

# Classes declare what they are (nbmf.inference.declarations): nobody else looks at their settings.
SETTINGS_OF_FAMILIES = ("burn_in", "1/K")
OUTSIDE = ("posterior", "evaluation", "plotting", "plot", "cli", "registry.py", "nbmf_studies")
FACTORS = {"W", "H"}
PRODUCTS = ("dot", "matmul", "einsum", "tensordot")

TEXTS = (".py", ".smk", ".yaml", ".rst", ".css")
MEAN_OF_FAMILIES = "src/nbmf/inference/products.py"  # that several families inherit
LISTS = ("methods.yaml",)  # an entry a method
FILES = sorted(
    path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in TEXTS and path.name not in LISTS
)
MODULES = [path for path in FILES if path.suffix == ".py"]


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def lines_of(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def part_of(path):
    """Return the part of the library that a module is in, or the other package, or nothing."""
    parts = path.relative_to(ROOT).parts
    if parts[:2] == ("src", "nbmf"):
        return parts[2]
    return parts[1] if parts[0] == "src" else None


def is_kernel(path):
    """Whether compiled code is in a module: its functions take arrays one by one."""
    return "kernels" in path.relative_to(ROOT).parts or part_of(path) == "numerics"


def parameters(function):
    """Return the names of the parameters of a function, without self and cls."""
    of = function.args
    names = [each.arg for each in (*of.posonlyargs, *of.args, *of.kwonlyargs)]
    names += [each.arg for each in (of.vararg, of.kwarg) if each is not None]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def functions_with_many_parameters(code):
    """Return "name: number" of the functions of more than MAX_PARAMETERS parameters."""
    return [
        f"{node.name}: {len(parameters(node))} parameters"
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name not in CONSTRUCTORS
        and len(parameters(node)) > MAX_PARAMETERS
    ]


def guesses(code):
    """Return the lines of code that look for a setting of a family.

    To write one, as a key of a dict, is not to look for it: a sampler declares its burn-in. Nor is
    to mention one in a message, as a Setting.
    """
    tree = ast.parse(code)
    written = {id(key) for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in node.keys}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    written |= {id(call.args[0]) for call in calls if ast.unparse(call.func) == "Setting"}
    return [
        f"line {node.lineno}: {node.value!r}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in SETTINGS_OF_FAMILIES
        if id(node) not in written
    ]


def products_of_factors(code):
    """Return the lines of code that multiply W by H, by @ or a function of NumPy."""
    found = []
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                sides = [left, right]
            case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in PRODUCTS:
                sides = [value, *node.args]
            case _:
                continue
        if FACTORS.issubset(name for side in sides for name in names_in(side)):
            found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


def names_in(tree):
    """Yield the names and attributes in an expression, W_ and H_ of an estimator as W and H."""
    for node in ast.walk(tree):
        name = getattr(node, "attr", None) or getattr(node, "id", None)
        if isinstance(name, str):
            yield name.rstrip("_")


def found_in(paths, look):
    """Return what `look` finds in the code of each file, by the names of those with findings."""
    assert paths
    found = {name_of(path): look(path.read_text(encoding="utf-8")) for path in paths}
    return {name: findings for name, findings in found.items() if findings}


def test_no_file_is_long_and_few_are_longish():
    assert not {name_of(path): n for path in FILES if (n := lines_of(path)) > MAX_LINES}
    longish = [name_of(path) for path in FILES if lines_of(path) > MANY_LINES]
    assert len(longish) <= LONG, f"{len(longish)} files over {MANY_LINES} lines, at most {LONG}: split one of {longish}"


def test_functions_take_few_parameters():
    paths = [path for path in MODULES if not is_kernel(path)]
    assert not found_in(paths, functions_with_many_parameters)


def test_nobody_outside_a_family_looks_for_its_settings():
    assert not found_in([path for path in MODULES if part_of(path) in OUTSIDE], guesses)


def test_nobody_outside_a_family_multiplies_factors():
    paths = [path for path in MODULES if part_of(path) != "families" and name_of(path) != MEAN_OF_FAMILIES]
    assert not found_in(paths, products_of_factors)
    assert found_in([ROOT / MEAN_OF_FAMILIES], products_of_factors)  # or it needs no exception


def test_what_the_tests_above_look_for():
    many = ", ".join("abcdefghi")
    assert functions_with_many_parameters(f"def f({many}): ...") == ["f: 9 parameters"]
    assert functions_with_many_parameters("def f(a, b, c, d, /, e, *, g, h, **i): ...") == []
    assert functions_with_many_parameters("def f(a, b, c, d, /, e, *j, g, h, **i): ...")
    inside = "class C:\n def __init__(self, {0}): ...\n async def g(self, {0}): ..."
    assert functions_with_many_parameters(inside.format(many)) == ["g: 9 parameters"]
    assert guesses("p.get('burn_in')") == guesses("p.burn_in or 'burn_in'") == ["line 1: 'burn_in'"]
    assert guesses("p == '1/K'")
    assert not guesses("{'burn_in': sampler.burn_in}")
    for look in ("'burn_in' in p", "p['burn_in']", "getattr(p, 'burn_in')", "{'a': 'burn_in'}"):
        assert guesses(look)
    for product in (
        "W @ H",
        "W[f] @ H[:, n]",
        "m.W_ @ m.H_",
        "np.einsum('fk,kn', W, H)",
        "W.dot(H)",
        "np.matmul(self.W, self.H)",
    ):
        assert products_of_factors(product)
    assert not products_of_factors("X @ H + W * H")
