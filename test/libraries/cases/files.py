"""Libraries for files of arrays: h5py and zarr."""
from libraries.case import Library

CLASS = "it requires the class numpy.ndarray; `numpy.asarray(...)` is the same memory"

LIBRARIES = [
    Library(
        "h5py", setup="import io, h5py\nf = h5py.File(io.BytesIO(), 'w'); d = f.create_dataset('d', data=X); e = f.create_dataset('e', data=x)",
        as_numpys="""
            d[...]
            f.create_dataset('n', data=z)[...]
            f.create_dataset('n', data=X, chunks=True, compression='gzip')[...]
            (d.__setitem__(slice(3, 6), Y[3:6]), d[...])[1]
            (d.attrs.__setitem__('a', b), d.attrs['a'])[1]
            e[np.asarray([1, 5])]
            (d.write_direct(numpy.asarray(Y)), d[...])[1]
        """,
        ours="(d.read_direct(numpy.asarray(Y)), Y)[1]",
        fails=(("d.write_direct(Y)", "expected numpy.ndarray", CLASS), ("d.read_direct(Y)", "expected numpy.ndarray", CLASS),
               ("e[x > 0]", "boolean selection", f"for masks {CLASS}"))),
    Library(
        "zarr", setup="import zarr",
        as_numpys="""
            zarr.array(X)[:]
            zarr.array(X, chunks=(10, 5))[:]
            zarr.create_array(store={}, data=X)[:]
            (lambda a: (a.__setitem__(slice(3, 6), X[3:6]), a[:])[1])(zarr.zeros(shape=(40, 5)))
            zarr.array(x).oindex[np.asarray([1, 5])]
            zarr.array(x).vindex[np.asarray([1, 5])]
            zarr.array(x).get_mask_selection(x > 0)
        """),
]
