"""Sample calls of products, factorisations and distances for the check of gradients."""
import torch_np
from samples import Case, definite, regular
from samples_activation import call


def products(function, *shapes):
    return lambda make: [Case([make(*s) for s in shapes], lambda *xs: call(make, function, *xs))]


def triangles(make, upper, unit):
    return lambda a, b: call(make, lambda a, b: torch_np.linalg.solve_triangular(a, b, upper=upper, unitriangular=unit), regular(make, a), b)


def of_matrix(function, *shapes, second=True):
    return lambda make: [Case([make(*s)], lambda a: call(make, function, regular(make, a)), second=second) for s in shapes]


def lower_factor(make):
    def exp(a):
        return call(make, torch_np.linalg.cholesky_ex, definite(make, a))[0] if make.face == "Tensor" else \
            torch_np.linalg.cholesky_ex(make.torch(definite(make, a)))[0]._np_compat()
    return [Case([make(3, 3)], exp)]


def distances(p, **options):
    def make_cases(make):
        return [Case([make(3, 2), make(4, 2)], lambda a, b: call(make, lambda a, b: torch_np.cdist(a, b, p, **options), a, b), "real"),
                Case([make(2, 3, 2), make(2, 2)], lambda a, b: call(make, lambda a, b: torch_np.cdist(a, b, p, **options), a, b), "real")]
    return make_cases


SAMPLES = {
    "_pinv_of": products(torch_np.linalg.pinv, (4, 2)),
    "addmm": lambda make: [*products(lambda i, a, b: torch_np.addmm(i, a, b, beta=0.5, alpha=2), (3, 2), (3, 4), (4, 2))(make),
                           *products(torch_np.addmm, (2,), (3, 4), (4, 2))(make),
                           *products(lambda i, a, b: torch_np.addmm(i, a, b, beta=0), (3, 2), (3, 4), (4, 2))(make)],
    "addmv": products(lambda i, a, b: torch_np.addmv(i, a, b, beta=0.5, alpha=2), (3,), (3, 4), (4,)),
    "baddbmm": products(lambda i, a, b: torch_np.baddbmm(i, a, b, beta=0.5, alpha=2), (3, 2), (2, 3, 4), (2, 4, 2)),
    "lu_factor_stack": of_matrix(lambda a: torch_np.linalg.lu_factor(a)[0], (3, 3), (2, 2, 2), second=True),
    "solve_triangular_stack": lambda make: [Case([make(3, 3), make(3, 2)], triangles(make, upper, unit))
                                            for upper in (False, True) for unit in (False, True)]
    + [Case([make(2, 2, 2), make(2, 3)], triangles(make, True, False))],
    "cholesky_stack": lower_factor,
    "matrix_exp_stack": lambda make: [Case([make(3, 3)], lambda a: call(make, torch_np.matrix_exp, a)),
                                      Case([make(2, 2, 2)], lambda a: call(make, torch_np.matrix_exp, a * 4), second=False)],
    "cdist_stack": lambda make: [c for p in (0.0, 1.0, 1.5, 2.0, 3.0, float("inf")) for c in distances(p)(make)],
    "cdist_backward": lambda make: [c for p in (1.0, 1.5, 2.0, 3.0) for c in distances(p)(make)],
    "cdist_by_product": lambda make: distances(2.0, compute_mode="use_mm_for_euclid_dist")(make),
}
REAL_ONLY = {"cdist_stack", "cdist_backward", "cdist_by_product"}
