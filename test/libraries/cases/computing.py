"""Libraries that convert their arguments to NumPy's arrays, and their results for our arrays."""
from libraries.case import Library

LIBRARIES = [
    Library(
        "scipy", setup="import scipy.sparse\nfrom scipy import fft, integrate, interpolate, linalg, ndimage, optimize, signal, spatial, special, stats",
        as_numpys="""
            fft.fft(x)
            signal.convolve(x, y)
            signal.sosfilt(signal.butter(2, 0.3, output='sos'), x)
            ndimage.gaussian_filter(X, 1.0)
            ndimage.label(X > 0)
            stats.pearsonr(x, y).statistic
            stats.describe(X).variance
            stats.gaussian_kde(x)(y)
            linalg.lu_factor(S)
            linalg.svd(X)
            optimize.curve_fit(lambda v, a, d: a * v + d, x, y)[0]
            optimize.linear_sum_assignment(S)
            interpolate.RBFInterpolator(X, t)(X)
            integrate.simpson(y)
            spatial.KDTree(X).query(Y)
            spatial.ConvexHull(X[:, :2]).vertices
            scipy.sparse.csr_array(G).toarray()
            scipy.sparse.csr_array(G) @ x[:6]
        """,
        ours="""
            special.gammaln(pos)
            optimize.least_squares(lambda v: v - 1, b).x
        """,
        shared=(("scipy.sparse.csr_array((x, np.arange(64), np.arange(65)), shape=(64, 64), copy=False).data", "x"),)),
    Library(
        "scikit-learn", setup="from sklearn import cluster, ensemble, gaussian_process, linear_model, manifold, metrics, model_selection, neighbors, svm, tree, utils",
        as_numpys="""
            linear_model.Ridge().fit(X, t).coef_
            linear_model.Lasso(0.1).fit(X, t).coef_
            svm.SVC().fit(X, c).predict(X)
            tree.DecisionTreeClassifier(random_state=0).fit(X, c).predict(X)
            ensemble.RandomForestRegressor(5, random_state=0).fit(X, t).predict(X)
            ensemble.HistGradientBoostingRegressor(max_iter=5).fit(X, t).predict(X)
            neighbors.KNeighborsClassifier().fit(X, c).predict(X)
            cluster.KMeans(2, random_state=0, n_init=1).fit(X).cluster_centers_
            manifold.MDS(random_state=0, n_init=1, init='random').fit_transform(X[:10])
            gaussian_process.GaussianProcessRegressor().fit(X, t).predict(X)
            model_selection.cross_val_score(linear_model.Ridge(), X, t, cv=2)
            model_selection.GridSearchCV(linear_model.Ridge(), {'alpha': [0.1, 1.0]}, cv=2).fit(X, t).best_score_
            metrics.roc_auc_score(c, t)
        """,
        shared=(("utils.check_array(X)", "X"), ("utils.check_X_y(X, c)[0]", "X"))),
    Library(
        "networkx", setup="import networkx",
        as_numpys="""
            networkx.from_numpy_array(G).number_of_edges()
            networkx.to_numpy_array(networkx.from_numpy_array(G))
            networkx.from_edgelist(i[:20].reshape(10, 2).tolist()).number_of_edges()
            networkx.pagerank(networkx.from_numpy_array(G))
            networkx.shortest_path_length(networkx.from_numpy_array(G, create_using=networkx.DiGraph), 0)
            networkx.spring_layout(networkx.path_graph(3), pos=dict(enumerate(X[:3, :2])), iterations=2)
        """,
        fails=(("networkx.Graph(G)", "not a valid edge list", "it requires the class numpy.ndarray; `networkx.from_numpy_array` does not"),)),
    Library(
        "statsmodels", setup="import statsmodels.api as sm\nfrom statsmodels.stats import multitest, stattools, weightstats",
        as_numpys="""
            sm.OLS(t, X).fit().params
            sm.OLS(t, sm.add_constant(X)).fit().bse
            sm.WLS(t, X, weights=pos[:, 0]).fit().params
            sm.Logit(c, X[:, 2:]).fit(disp=0).params
            sm.GLM(c, X, family=sm.families.Poisson()).fit().params
            sm.RLM(t, X).fit().params
            sm.QuantReg(t, X).fit().params
            sm.tsa.acf(x)
            sm.tsa.adfuller(x)[0]
            sm.tsa.ARIMA(x, order=(1, 0, 0)).fit().params
            sm.nonparametric.lowess(y, x)
            weightstats.DescrStatsW(x).mean
            multitest.multipletests(p)[1]
            sm.PCA(X, 2).factors
        """),
    Library(
        "numba", setup="import numba\ndef double(a):\n    for k in range(a.size):\n        a[k] *= 2\n    return a",
        as_numpys="""
            numba.njit(lambda a: a.sum())(numpy.asarray(x))
            numba.njit(lambda a, v: a @ v)(numpy.asarray(S), numpy.asarray(b))
            numba.vectorize(['f8(f8)'])(lambda v: v * 2)(numpy.asarray(x))
            numba.stencil(lambda a: a[0] + a[1])(numpy.asarray(x))
        """,
        ours="""
            numba.vectorize(['f8(f8)'])(lambda v: v * 2)(x)
            (numba.njit(double)(numpy.asarray(x)), x)[1]
        """,
        shared=(("numba.njit(double)(numpy.asarray(x))", "x"),),
        fails=(("numba.njit(lambda a: a.sum())(x)", "Unknown attribute", "it treats the array as a buffer, which has elements and a shape but no "
                "methods; `numpy.asarray(x)` is the same memory"),)),
    Library(
        "joblib", setup="import io, joblib\ndef kept(a, compress=0):\n    file = io.BytesIO()\n    joblib.dump(a, file, compress)\n    file.seek(0)\n"
        "    return joblib.load(file)",
        ours="""
            joblib.Parallel(2)(joblib.delayed(lambda a: a * 2)(a) for a in (x, y))
            joblib.Parallel(2)(joblib.delayed(np.sort)(a) for a in (X, X.T))
            joblib.Parallel(2, backend='threading')(joblib.delayed(np.cumsum)(a) for a in (x, y))
            joblib.Parallel(2, backend='multiprocessing')(joblib.delayed(np.cumsum)(a) for a in (x, y))
            kept(X)
            kept({'a': X.T, 'b': i}, compress=3)
        """,
        as_numpys="""
            joblib.Parallel(2)(joblib.delayed(lambda a: a.sum())(a) for a in (x, y))
            joblib.hash(x) == joblib.hash(x.copy())
            joblib.hash(X) == joblib.hash(X.T)
        """),
]
