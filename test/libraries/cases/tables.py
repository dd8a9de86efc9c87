"""Libraries for tables: pandas and pyarrow."""
from libraries.case import Library

CLASS = "it requires the class numpy.ndarray; `numpy.asarray(...)` costs no copy"

LIBRARIES = [
    Library(
        "pandas", setup="import pandas",
        as_numpys="""
            pandas.Series(x).to_numpy()
            pandas.DataFrame(X).to_numpy()
            pandas.DataFrame({'u': x, 'v': y}).corr().to_numpy()
            pandas.DataFrame({'u': x, 'v': y}).describe().to_numpy()
            pandas.DataFrame({'u': i, 'v': y}).groupby('u').mean().to_numpy()
            pandas.Series(x).iloc[i].to_numpy()
            pandas.Series(x).where(x > 0, y).to_numpy()
            (pandas.Series(x) + y).to_numpy()
            (y + pandas.Series(x)).to_numpy()
            pandas.Series(x).rolling(3).mean().to_numpy()
            pandas.Series(i).value_counts().to_numpy()
            pandas.Series(i).isin(i[:2]).to_numpy()
            pandas.Series(x, index=i).sort_index().to_numpy()
            pandas.Index(x).get_indexer(x[:3])
            pandas.DataFrame(X).set_axis(b, axis=1).columns.to_numpy()
            pandas.cut(x, 5).codes
            pandas.cut(x, np.asarray([-9.0, 0.0, 9.0])).codes
            pandas.Categorical(i).codes
            pandas.crosstab(i, i).to_numpy()
            pandas.DataFrame({'u': x, 'v': y, 'k': i}).pivot_table('u', 'k', aggfunc='mean').to_numpy()
            pandas.merge(pandas.DataFrame({'k': i, 'u': x}), pandas.DataFrame({'k': i[:3], 'v': y[:3]}), on='k').to_numpy()
            pandas.DataFrame(X).dot(S).to_numpy()
            pandas.DataFrame(X).to_csv()
            np.sin(pandas.Series(x)).to_numpy()
            np.mean(pandas.Series(x))
        """,
        shared=(("pandas.Series(x, copy=False).to_numpy()", "x"), ("pandas.DataFrame(X, copy=False).to_numpy()", "X")),
        fails=(("pandas.Series(x)[x > 0]", "KeyError", f"for masks {CLASS}"), ("pandas.DataFrame(X).loc[X[:, 0] > 0, 0]", "KeyError", f"for masks {CLASS}"),
               ("pandas.factorize(i)", "factorize requires", CLASS), ("pandas.unique(i)", "unique requires", CLASS))),
    Library(
        "pyarrow", setup="import pyarrow, pyarrow.compute",
        as_numpys="""
            pyarrow.array(x).to_numpy()
            pyarrow.array(i).to_numpy()
            pyarrow.array(x > 0).to_pylist()
            pyarrow.table({'u': x, 'v': i})['u'].to_numpy()
            pyarrow.chunked_array([x, y]).to_numpy()
            pyarrow.record_batch([x, y], names=['u', 'v']).column(0).to_numpy()
            pyarrow.FixedSizeListArray.from_arrays(x, 4).to_pylist()
            pyarrow.compute.sum(pyarrow.array(x)).as_py()
        """,
        shared=(("pyarrow.array(numpy.asarray(x)).to_numpy()", "x"), ("pyarrow.Tensor.from_numpy(numpy.asarray(X)).to_numpy()", "X"),
                ("numpy.frombuffer(pyarrow.py_buffer(x))", "x")),
        fails=(("pyarrow.Tensor.from_numpy(X)", "Did not pass ndarray", CLASS), ("pyarrow.array(x, mask=x > 0)", "Mask must be", f"for masks {CLASS}"),
               ("pyarrow.compute.sum(x)", "unexpected argument type", "its compute functions accept its own arrays only: `pyarrow.array(numpy.asarray(x))` costs no copy, `pyarrow.array(x)` reads one element after the other"))),
]
