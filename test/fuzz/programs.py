"""Runs random programs with fusion, without fusion, and as compiled functions. fused_programs.py
makes the programs and compares the results."""
from __future__ import annotations

import warnings

from fuzz import compiled_programs, fused_programs
from fuzz.cases import Call, Case, Finding, Outcome


class Programs:
    """The part of random programs. Of five programs, one has many reductions, one gradients, and
    one results that have gradients. The statements of a case are the program; `result` is the set
    of its variables at the end."""

    name = "programs"

    def case(self, seed: int, number: int) -> Case:
        kinds = {4: (fused_programs.gradient_statements, "gradients"), 3: (fused_programs.result_statements, "gradients of results"),
                 2: (fused_programs.reduction_statements, "values")}
        make, subject = kinds.get(number % 5, (fused_programs.statements, "values"))
        return Case(tuple(make(f"{seed}:{number}")), Call("locals"), subject)

    def may_take_long(self, case: Case) -> bool:
        return False

    def check(self, case: Case) -> Outcome:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if case.subject == "gradients of results":
                found = compiled_programs.gradient_difference(list(case.setup))
            else:
                found = fused_programs.difference(list(case.setup)) or compiled_programs.difference(list(case.setup))
        return Outcome("the same") if found is None else Outcome("different", Finding("fusion", case.subject, found[:2000]))
