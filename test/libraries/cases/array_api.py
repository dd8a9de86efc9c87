"""Libraries that compute with arrays of any array library."""
from libraries.case import Library

AXES = "without `backend='torch_np.numpy'` it looks for functions with NumPy's signatures in the first part of the name of the array's module, `torch_np`"

LIBRARIES = [
    Library(
        "array-api-compat", setup="import array_api_compat as compat",
        ours="""
            compat.array_namespace(x).unique_values(i)
            compat.array_namespace(x).matrix_transpose(X)
            compat.array_namespace(x, y).concat([x, y])
            compat.array_namespace(x).take_along_axis(X, np.argsort(X, axis=1), axis=1)
            compat.to_device(x, 'cpu')
        """,
        as_numpys="""
            compat.is_array_api_obj(x)
            compat.is_writeable_array(x)
            compat.is_lazy_array(x)
            compat.size(x)
            compat.device(x)
        """,
        differs=(("compat.is_numpy_array(x)", "it is not a NumPy array"),)),
    Library(
        "array-api-extra", setup="import array_api_extra as extra",
        ours="""
            extra.at(x)[x < 0].set(0.0)
            extra.at(x)[:4].add(2.0)
            extra.apply_where(x > 0, x, lambda v: v**0.5, fill_value=0.0)
            extra.atleast_nd(x, ndim=3)
            extra.cov(X)
            extra.create_diagonal(b)
            extra.isclose(x, y)
            extra.kron(S, S)
            extra.one_hot(i, 7)
            extra.pad(x, 2)
            extra.setdiff1d(i, i[:3])
            extra.sinc(x)
            extra.lazy_apply(lambda v: v * 2, x)
        """),
    Library(
        "xarray", setup="import xarray; xarray.set_options(use_opt_einsum=False)\nA = xarray.DataArray(X, dims=['a', 'b'], coords={'a': range(40)})",
        ours="""
            A.mean('a').data
            (A * 2 + 1).data
            numpy.sin(A).data
            A.transpose('b', 'a').data
            A.isel(a=[1, 3]).data
            A.sel(a=[3, 5]).data
            A.where(A > 0, 0.0).data
            A.cumsum('a').data
            A.rolling(a=3).mean().data
            A.coarsen(a=2).mean().data
            A.median('a').data
            A.quantile(0.3, 'a').data
            A.pad(b=1).data
            A.stack(k=('a', 'b')).data
            A.groupby(xarray.DataArray(c, dims='a', name='g')).mean().data
            A.weighted(xarray.DataArray(pos[:, 0], dims='a')).mean('a').data
            xarray.dot(A, xarray.DataArray(S, dims=['b', 'k'])).data
            xarray.concat([A, A], 'n').data
            xarray.apply_ufunc(lambda v: v * 2, A).data
        """,
        as_numpys="""
            A.sum().data
            xarray.corr(xarray.DataArray(x, dims='a'), xarray.DataArray(y, dims='a')).data
        """,
        shared=(("A.data", "X"), ("A.values", "X"), ("A.isel(a=slice(1, 4)).data", "X")),
        fails=(("(xarray.set_options(use_opt_einsum=True), xarray.dot(A, xarray.DataArray(S, dims=['b', 'k'])).data)[1]", "'axes'",
                "it lets opt_einsum choose the functions, which `xarray.set_options(use_opt_einsum=False)` prevents"),)),
    Library(
        "einops", setup="import einops, einops.array_api",
        ours="""
            einops.array_api.rearrange(cube, 'a b c -> b (a c)')
            einops.array_api.reduce(cube, 'a b c -> b', 'mean')
            einops.array_api.reduce(cube, 'a b c -> b', 'max')
            einops.array_api.repeat(X, 'a b -> a b k', k=2)
            einops.array_api.pack([X, Y], '* c')[0]
            einops.array_api.unpack(X, [(8,), (32,)], '* c')
        """,
        shared=(("einops.array_api.rearrange(X, '(h g) c -> g h c', g=4)", "X"),),
        fails=(("einops.rearrange(cube, 'a b c -> b (a c)')", "Tensor type unknown to einops",
                "functions outside of `einops.array_api` accept a fixed list of classes"),)),
    Library(
        "opt_einsum", setup="import opt_einsum",
        ours="""
            opt_einsum.contract('ab,bc->ac', X, S, backend='torch_np.numpy')
            opt_einsum.contract('ab,bc,cd->da', X, S, S, backend='torch_np.numpy')
            opt_einsum.contract('abc,cd->abd', cube, S[:4, :4], backend='torch_np.numpy')
            opt_einsum.contract('abc->cab', cube, backend='torch_np.numpy')
            opt_einsum.contract(X, [0, 1], S, [1, 2], [0, 2], backend='torch_np.numpy')
            opt_einsum.contract_expression('ab,bc->ac', (40, 5), (5, 5))(X, S, backend='torch_np.numpy')
        """,
        as_numpys="opt_einsum.contract_path('ab,bc,cd->ad', X, S, S)[0]",
        fails=(("opt_einsum.contract('ab,bc->ac', X, S)", "'axes'", AXES),)),
]
