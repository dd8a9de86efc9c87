"""Reads native_functions.yaml and the files that it includes, with line numbers, and checks each entry by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import yaml

from tools.codegen.model import AUTOCAST_RULES, NUMPYS_NAMES, REDUCTION_TENSORS, Distribution, Entry, Return, Schema, SpecError, Type, Ufunc

COMMON_KEYS = {"func", "variants", "package", "aliases", "arguments", "doc"}
NATIVE_KEYS = {"hidden", "pointwise", "reduction", "dispatch", "promotion", "dtypes", "check", "cost", "derivative",
               "nondifferentiable", "domain", "floating_point_errors", "distributions", "dunder", "numpy",
               "dynamic_output_shape", "machine", "vectorizes", "keeps_numbers", "overlapping", "node", "out_dtype", "warns",
               "out_of_any_shape", "autocast"}
COMPAT_KEYS = {"np_compat", "native", "additional_translations", "ufunc", "gufunc", "result", "subclass", "zero_dim"}
TEXT_KEYS = ("pointwise", "reduction", "machine", "promotion", "dtypes", "check", "nondifferentiable", "node", "native", "package", "doc")
PROVIDED_ARGUMENTS = ("out",)  # arguments that the bindings add; schemas omit them
UFUNC_ARGUMENTS = ("out", "where", "casting", "order", "dtype", "subok", "signature")
DISPATCHED = ("CPU", "CUDA", "Composite")
CORE = r"\((\w\??(,\w\??)*)?\)(,\((\w\??(,\w\??)*)?\))*->\((\w\??(,\w\??)*)?\)"


def load(path: Path) -> list[Entry]:
    """All entries of a file and of its includes, in order. Raises SpecError with every mistake
    found, one a line."""
    entries, errors = [], []
    packages = root_list(path, "packages")
    for file in files(path):
        name = str(file.relative_to(path.parent))
        for line, keys in read_entries(file, name):
            try:
                entry = parse_entry(keys, name, line, packages)
                entries.append(entry)
                if keys.get("numpy", False) is not False:
                    entries.append(parse_entry(numpy_twin(entry, keys["numpy"]), name, line, packages))
            except SpecError as e:
                operator = str(keys.get("func", "?")).partition("(")[0] if isinstance(keys, dict) else "?"
                errors.append(f"{name}:{line}: {operator}: {e}")
    if errors:
        raise SpecError("\n".join(errors))
    return entries


def files(path: Path) -> list[Path]:
    """The files with entries: the includes of `path`, or `path` itself."""
    names = root_list(path, "include")
    for name, line in names.items():
        if not (path.parent / name).is_file():
            raise SpecError(f"{path.name}:{line}: ?: there is no file '{name}'")
    return [path.parent / name for name in names] or [path]


def root_list(path: Path, key: str) -> dict[str, int]:
    """The list under `key` in a file with includes, with line numbers: files, or the allowed
    packages of operators. Empty for a file of entries."""
    root = read_yaml(path, path.name)
    if not isinstance(root, yaml.MappingNode):
        return {}
    keys = {k.value: value for k, value in root.value}
    if not {"include"} <= set(keys) <= {"include", "packages"} or not all(isinstance(v, yaml.SequenceNode) for v in keys.values()):
        raise SpecError(f"{path.name}:1: ?: the file is neither a list of entries nor 'include:' with a list of files")
    return {name.value: name.start_mark.line + 1 for name in keys[key].value} if key in keys else {}


def read_entries(file: Path, name: str) -> list[tuple[int, dict]]:
    """The entries of one file, with their lines."""
    root = read_yaml(file, name)
    if root is None:
        return []
    if not isinstance(root, yaml.SequenceNode):
        raise SpecError(f"{name}:1: ?: the file is not a list of entries")
    result = []
    for node in root.value:
        if isinstance(node, yaml.MappingNode):
            seen = set()
            for key, _ in node.value:
                if key.value in seen:
                    raise SpecError(f"{name}:{key.start_mark.line + 1}: ?: the key '{key.value}' stands twice")
                seen.add(key.value)
        try:
            result.append((node.start_mark.line + 1, yaml.constructor.SafeConstructor().construct_document(node)))
        except yaml.YAMLError as e:
            raise located(e, name) from None
    return result


def read_yaml(file: Path, name: str) -> yaml.Node | None:
    try:
        return yaml.compose(file.read_text(), Loader=yaml.SafeLoader)
    except yaml.YAMLError as e:
        raise located(e, name) from None


def located(error: yaml.YAMLError, name: str) -> SpecError:
    mark = getattr(error, "problem_mark", None)
    return SpecError(f"{name}:{mark.line + 1 if mark else 0}: ?: {getattr(error, 'problem', error)}")


def parse_entry(keys: dict, file: str, line: int, packages: Iterable[str] = ()) -> Entry:
    if not isinstance(keys, dict) or not isinstance(keys.get("func"), str):
        raise SpecError("an entry is a mapping with the key 'func'")
    compat = keys.get("np_compat", False) is True
    for key in keys:
        if key not in COMMON_KEYS | NATIVE_KEYS | COMPAT_KEYS:
            raise SpecError(f"unknown key '{key}'")
        if key in (NATIVE_KEYS if compat else COMPAT_KEYS):
            raise SpecError(f"the key '{key}' has no meaning in a {'compat' if compat else 'native'} entry")
        if key in TEXT_KEYS and not (isinstance(keys[key], str) and keys[key]):
            raise SpecError(f"{key} is a text, not {keys[key]!r}")
    schema = Schema.parse(keys["func"], compat)
    entry = Entry(
        schema=schema,
        file=file,
        line=line,
        doc=keys.get("doc", "").strip(),
        arguments=arguments_of(keys.get("arguments", {}), schema, UFUNC_ARGUMENTS if compat and "ufunc" in keys else PROVIDED_ARGUMENTS),
        variants=tuple(one_of(v, ("function", "method", "inplace"), "variant") for v in words(keys.get("variants", "function"))),
        package=one_of(keys["package"], tuple(packages), "package") if "package" in keys else "",
        aliases=tuple(words(keys.get("aliases", []))),
        hidden=flag(keys, "hidden"),
        pointwise=keys.get("pointwise", ""),
        reduction=keys.get("reduction", ""),
        dispatch=dispatch_of(keys.get("dispatch", {})),
        promotion=keys.get("promotion", ""),
        dtypes=keys.get("dtypes", ""),
        check=keys.get("check", ""),
        cost=float(keys.get("cost", 1)),
        machine=keys.get("machine", ""),
        vectorizes=flag(keys, "vectorizes", default=True),
        keeps_numbers=flag(keys, "keeps_numbers"),
        floating_point_errors=errors_of(keys.get("floating_point_errors"))[0],
        watched_as=errors_of(keys.get("floating_point_errors"))[1] or numpy_name(keys, schema),
        derivative=derivative_of(keys, schema),
        nondifferentiable=keys.get("nondifferentiable", ""),
        node=keys.get("node", ""),
        warns=flag(keys, "warns"),
        out_of_any_shape=flag(keys, "out_of_any_shape"),
        domain=domain_of(keys.get("domain")),
        distributions=distributions_of(keys.get("distributions", [])),
        dunder=matching(keys.get("dunder", ""), r"__\w+__", "dunder is a method of Python's, as __add__"),
        overlapping=flag(keys, "overlapping"),
        out_dtype=one_of(keys.get("out_dtype", "same kind" if "pointwise" in keys else "exact"),
                         ("same kind", "exact", "truth", "computed"), "out_dtype"),
        autocast=autocast_of(keys.get("autocast", {})),
        dynamic_output_shape=flag(keys, "dynamic_output_shape"),
        np_compat=compat,
        native=keys.get("native", ""),
        additional_translations=translations_of(keys.get("additional_translations", {}), schema),
        ufunc=ufunc_of(keys.get("ufunc")),
        result=matching(keys.get("result", ""), r"[A-Z]\w*", "result is the name of a class, as SVDResult"),
        gufunc=matching(keys.get("gufunc", ""), CORE, "gufunc is the core dimensions of operands and result, as (m,n),(n)->(m)"),
        zero_dim=one_of(keys.get("zero_dim", "value"), ("value", "array", "as operand"), "zero_dim"),
        subclass=one_of(keys.get("subclass", "always"),
                        ("always", "arrays", "never", "priority", *(a.name for a in schema.arguments if compat)), "subclass"),
    )
    if not compat:
        check_native(entry)
    elif entry.ufunc and entry.gufunc:
        raise SpecError("has both ufunc and gufunc")
    elif entry.result and (len(schema.returns) < 2 or not all(r.name for r in schema.returns)):
        raise SpecError(f"result: '{entry.result}' is a class of several results with names")
    return entry


COMPAT_TYPES = {"Tensor": "np.ndarray", "ScalarType": "np.dtype"}


def numpy_twin(native: Entry, value: object) -> dict:
    """The compat entry that `numpy:` of a native entry abbreviates: its schema with NumPy's names
    and types."""
    if value is not True and (not isinstance(value, dict) or not set(value) <= {"name", "args", "aliases", "arguments", "doc", "ufunc",
                                                                              "gufunc", "result", "subclass", "variants", "zero_dim"}):
        raise SpecError("numpy is True, or a mapping of keys that a compat entry has, of 'name' and of 'args'")
    keys = dict(value) if isinstance(value, dict) else {}
    arguments = native.schema.arguments
    ufunc_names = ["x"] if len(arguments) == 1 else [f"x{i + 1}" for i in range(len(arguments))]
    names = words(keys.pop("args")) if "args" in keys else ufunc_names if "ufunc" in keys else \
        [NUMPYS_NAMES.get(a.name, a.name) for a in arguments]
    if len(names) != len(arguments):
        raise SpecError(f"numpy: {len(names)} args for the {len(arguments)} of {native.schema.text}")
    schema = Schema(
        keys.pop("name", native.name), "",
        tuple(replace(a, name=n, type=compat_type(a.type)) for a, n in zip(arguments, names)),
        tuple(Return(compat_type(r.type), r.name if "result" in keys else "") for r in native.schema.returns), "")
    package = {"package": native.package} if native.package else {}
    translations = {n: a.name for a, n in zip(arguments, names)}
    return {"func": str(schema), "np_compat": True, "native": native.schema.full_name, "additional_translations": translations,
            **package, **keys}


def compat_type(t: Type) -> Type:
    return replace(t, base=COMPAT_TYPES.get(t.base, t.base), alias=None)


def check_native(entry: Entry) -> None:
    schema = entry.schema
    kinds = [k for k in ("pointwise", "reduction", "dispatch") if getattr(entry, k)]
    if len(kinds) > 1:
        raise SpecError(f"has both {kinds[0]} and {kinds[1]}")
    if entry.derivative and entry.nondifferentiable:
        raise SpecError("has both derivative and nondifferentiable")
    if (entry.machine or not entry.vectorizes) and not entry.pointwise:
        raise SpecError(f"{'machine' if entry.machine else 'vectorizes'} has a meaning only with pointwise")
    if entry.pointwise or entry.reduction:
        if not entry.promotion or not entry.dtypes:
            raise SpecError(f"{kinds[0]} without {'promotion' if not entry.promotion else 'dtypes'}")
    elif entry.promotion or entry.dtypes:
        raise SpecError("promotion and dtypes have a meaning only with pointwise or reduction")
    if entry.floating_point_errors and not (entry.pointwise or entry.reduction):
        raise SpecError("floating_point_errors has a meaning only with pointwise or reduction")
    if entry.check and not entry.pointwise:
        raise SpecError("check has a meaning only with pointwise")
    if entry.autocast and (schema.mutated or not schema.tensors):
        raise SpecError("autocast has a meaning only for operators on tensors that change none of them")
    dtype = schema.argument("dtype")
    if "float32_result" in entry.autocast.values() and (dtype is None or str(dtype.type) != "ScalarType?"):
        raise SpecError("the rule float32_result needs an argument 'ScalarType? dtype'")
    if entry.dynamic_output_shape and not entry.dispatch:
        raise SpecError("dynamic_output_shape has a meaning only with dispatch")
    if entry.pointwise:
        if any(str(a.type) != "Tensor" for a in schema.arguments):
            raise SpecError("every argument of a pointwise operator is a Tensor")
        if len(schema.returns) > 2 or len(schema.returns) + len(schema.arguments) > 4:
            raise SpecError("a pointwise operator has at most two results, and four with its arguments")
    if entry.reduction:
        allowed = {"input": "Tensor", "dim": r"int\?|int\[\]\?|int\[\]|int", "keepdim": "bool", "dtype": r"ScalarType\?"}
        for a in schema.arguments:
            if a.name not in allowed or not re.fullmatch(allowed[a.name], str(a.type)):
                raise SpecError(f"a reduction has no argument '{a.type} {a.name}'")
        if schema.argument("dim") is None or schema.argument("keepdim") is None or not schema.returns_one_new_tensor:
            raise SpecError("a reduction has arguments dim and keepdim, and returns one Tensor")
    if "inplace" in entry.variants and not entry.pointwise:
        if not (schema.returns_one_new_tensor and schema.arguments and str(schema.arguments[0].type) == "Tensor"):
            raise SpecError("the variant inplace needs a first argument Tensor and one new Tensor as result")
    if not entry.is_composite and not entry.derivative and not entry.nondifferentiable:
        raise SpecError("has neither derivative nor nondifferentiable")
    if entry.node and not entry.derivative:
        raise SpecError("node is the name of a derivative's node, but there is no derivative")
    if entry.derivative:
        if not schema.tensors:
            raise SpecError("has a derivative but no Tensor argument")
        said = [name for names in entry.derivative for name in names]
        missing = [a.name for a in schema.tensors if a.name not in said]
        if missing:
            raise SpecError(f"derivative: has no entry for '{missing[0]}' (a formula, or non_differentiable)")
        twice = [name for name in said if said.count(name) > 1]
        if twice:
            raise SpecError(f"derivative: has two formulas for '{twice[0]}'")
        differentiable = [a for a in schema.tensors if a.name in entry.differentiable]
        if len(differentiable) > 1 and any(a.type.is_list for a in differentiable):
            raise SpecError("derivative: a Tensor[] is the only differentiable argument")
    for a in schema.arguments:
        if a.type.base == "Generator" and not a.type.optional:
            raise SpecError("a Generator argument is written 'Generator?'")


def derivative_of(keys: dict, schema: Schema) -> dict[tuple[str, ...], str]:
    value = keys.get("derivative", {})
    if not isinstance(value, dict):
        raise SpecError("derivative is a mapping from arguments to formulas, in block style")
    formulas = {}
    for key, formula in value.items():
        if not isinstance(key, str) or not isinstance(formula, (str, int)):
            raise SpecError(f"derivative: '{key}: {formula}' is not a formula; write the mapping in block style")
        names = tuple(words(key))
        for name in names:
            argument = schema.argument(name)
            option = "reduction" in keys and key in REDUCTION_TENSORS
            if not option and (argument is None or argument.type.base != "Tensor"):
                raise SpecError(f"derivative: '{name}' names no Tensor argument of {schema.text}")
        formulas[names] = " ".join(str(formula).split())
    return formulas


def translations_of(value: object, schema: Schema) -> dict[str, str]:
    if not isinstance(value, dict):
        raise SpecError("additional_translations is a mapping {compat argument: native argument}")
    for name, target in value.items():
        if schema.argument(name) is None:
            raise SpecError(f"additional_translations: '{name}: {target}' names no argument of {schema.text}")
    return value


def dispatch_of(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise SpecError("dispatch is a mapping {device: function}")
    for device in value:
        one_of(device, DISPATCHED, "device of dispatch")
    if value and "CPU" not in value:
        raise SpecError("dispatch names no CPU function")
    if "CUDA" in value and "Composite" in value:
        raise SpecError("dispatch names a CUDA function, so no device is left for the Composite one")
    return value


def autocast_of(value: object) -> dict[str, str]:
    """The rules by device; a text is the rule of all devices."""
    rules = {"CPU": value, "CUDA": value} if isinstance(value, str) else value
    if not isinstance(rules, dict) or not set(rules) <= {"CPU", "CUDA"}:
        raise SpecError("autocast is a rule, or {CPU: rule, CUDA: rule}")
    return {device: one_of(rule, tuple(AUTOCAST_RULES), "rule of autocast") for device, rule in rules.items()}


def errors_of(value: object) -> tuple[str, str]:
    """How the kernel detects floating-point errors, and the operator's name in warnings if that
    differs from its own name."""
    if value is None:
        return "", ""
    source, name = next(iter(value.items())) if isinstance(value, dict) and len(value) == 1 else (value, "")
    if not isinstance(source, str) or not isinstance(name, str):
        raise SpecError("floating_point_errors is flags or values, or {flags: the name of a ufunc}")
    return one_of(source, ("flags", "values"), "source of floating-point errors"), name


def numpy_name(keys: dict, schema: Schema) -> str:
    value = keys.get("numpy")
    return str(value.get("name", schema.name)) if isinstance(value, dict) else schema.name


def arguments_of(value: object, schema: Schema, provided: tuple[str, ...]) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) and text for text in value.values()):
        raise SpecError("arguments is a mapping from names of arguments to descriptions")
    for name in value:
        if schema.argument(name) is None and name not in provided:
            raise SpecError(f"arguments: '{name}' is not an argument of {schema.text}")
    return {name: text.strip() for name, text in value.items()}


def domain_of(value: object) -> tuple[float, float] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise SpecError("domain is [low, high]")
    return float(value[0]), float(value[1])


def distributions_of(value: object) -> tuple[Distribution, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise SpecError("distributions is a list of 'name(Domain parameter, ...) -> dtype'")
    result = tuple(Distribution.parse(v) for v in value)
    names = [d.name for d in result]
    if twice := next((n for n in names if names.count(n) > 1), None):
        raise SpecError(f"distributions: '{twice}' stands twice")
    return result


def ufunc_of(value: object) -> Ufunc | None:
    if value is None or value is False:
        return None
    if value is True:
        return Ufunc()
    if not isinstance(value, dict) or not set(value) <= {"reduce", "accumulate", "identity"}:
        raise SpecError("ufunc is True, or {reduce: f, accumulate: f, identity: literal}")
    return Ufunc(value.get("reduce", ""), value.get("accumulate", ""), str(value.get("identity", "None")))


def words(value: object) -> list[str]:
    return [str(v) for v in value] if isinstance(value, list) else [v.strip() for v in str(value).split(",")]


def flag(keys: dict, name: str, default: bool = False) -> bool:
    value = keys.get(name, default)
    if not isinstance(value, bool):
        raise SpecError(f"{name} is True or False")
    return value


def matching(value: object, pattern: str, what: str) -> str:
    if value != "" and not (isinstance(value, str) and re.fullmatch(pattern, value)):
        raise SpecError(f"{what}; not {value!r}")
    return str(value)


def one_of(value: str, allowed: tuple[str, ...], what: str) -> str:
    if value not in allowed:
        raise SpecError(f"unknown {what} '{value}'")
    return value
