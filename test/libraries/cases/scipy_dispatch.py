"""SciPy with SCIPY_ARRAY_API=1: it computes with our functions, and returns our arrays."""
from libraries.case import Library

NAMESPACES = ("SciPy requires one namespace for all values of a computation, "
              "and a full reduction of ours is NumPy's scalar. It works with TORCH_NP_SCALARS=arrays")
SETUP = ("from scipy import cluster, differentiate, fft, integrate, interpolate, linalg, ndimage, optimize, signal, special, stats\n"
         "import scipy.cluster.hierarchy, scipy.cluster.vq, scipy.optimize.elementwise, scipy.spatial.distance as distance\n"
         "from scipy.spatial.transform import Rotation")

LIBRARIES = [Library(
    "scipy", how="with SCIPY_ARRAY_API=1", environment={"SCIPY_ARRAY_API": "1"},
    setup=SETUP,
    ours="""
        special.logsumexp(X, axis=1)
        special.softmax(X, axis=1)
        special.expit(x)
        special.erf(x)
        special.gammaln(pos)
        special.gammainc(pos, pos)
        special.ndtri(p)
        special.xlogy(pos, pos)
        special.betainc(pos, pos, 0.5)
        fft.fft(x)
        fft.ifft(z)
        fft.rfft(x)
        fft.fftn(X)
        fft.dct(x)
        fft.fftshift(x)
        cluster.vq.whiten(X)
        cluster.vq.vq(X, X[:3])
        cluster.vq.kmeans2(X, X[:3], minit='matrix')
        cluster.hierarchy.linkage(X)
        signal.convolve(x, y)
        signal.fftconvolve(x, y)
        signal.correlate(x, y)
        signal.detrend(x)
        signal.hilbert(x)
        signal.savgol_filter(x, 5, 2)
        signal.resample(x, 32)
        signal.medfilt(x)
        ndimage.gaussian_filter(X, 1.0)
        ndimage.median_filter(X, 3)
        ndimage.zoom(X, 2)
        ndimage.rotate(X, 30.0)
        ndimage.binary_dilation(X > 0)
        stats.zscore(X)
        stats.skew(X)
        stats.kurtosis(X, axis=1)
        stats.gmean(pos)
        stats.rankdata(x)
        distance.pdist(X)
        linalg.block_diag(S, S)
        integrate.cumulative_trapezoid(y)
        integrate.solve_ivp(lambda s, v: -v, (0, 1), b).y
        optimize.rosen_der(x)
        optimize.elementwise.find_root(lambda v: v**2 - 2, (np.asarray([0.0, 1.0]), np.asarray([2.0, 3.0]))).x
        differentiate.derivative(lambda v: v**2, x).df
        differentiate.jacobian(lambda v: v**2, b).df
        interpolate.CubicSpline(np.arange(64.0), x)(p)
        interpolate.make_interp_spline(np.arange(64.0), x)(p)
        Rotation.from_rotvec(X[:, :3]).as_matrix()
        Rotation.from_quat(X[:, :4]).apply(X[:, :3])
    """,
    as_numpys="""
        signal.welch(x)
        signal.stft(x, nperseg=16)
        stats.trimboth(x, 0.1)
        distance.cdist(X, Y)
        distance.squareform(distance.pdist(X))
        linalg.inv(S)
        linalg.solve(S, b)
        linalg.svd(X)
        linalg.eigh(S)
        linalg.cholesky(S)
        linalg.qr(X)
        linalg.expm(S)
        interpolate.BarycentricInterpolator(np.arange(6.0), x[:6])(p)
        special.logsumexp(x)
        stats.spearmanr(x, y).statistic
        stats.ttest_ind(x, y).pvalue
        stats.f_oneway(x, y).pvalue
        stats.wilcoxon(x).pvalue
        stats.ks_2samp(x, y).pvalue
        stats.linregress(x, y).slope
        stats.entropy(p)
        linalg.det(S)
        linalg.norm(X)
        integrate.simpson(y)
        optimize.rosen(x)
    """,
    fails=(
        ("stats.pearsonr(x, y)", "Multiple namespaces", NAMESPACES),
        ("stats.ttest_1samp(x, 0.0)", "Multiple namespaces", NAMESPACES),
        ("stats.variation(pos)", "Multiple namespaces", NAMESPACES),
    )), Library(
    "scipy", how="with SCIPY_ARRAY_API=1 and TORCH_NP_SCALARS=arrays", environment={"SCIPY_ARRAY_API": "1", "TORCH_NP_SCALARS": "arrays"},
    setup=SETUP,
    ours="""
        stats.pearsonr(x, y).statistic
        stats.pearsonr(x, y).pvalue
        stats.ttest_1samp(x, 0.0).pvalue
        stats.variation(pos)
        stats.ttest_ind(x, y).pvalue
        stats.spearmanr(x, y).statistic
        stats.f_oneway(x, y).pvalue
        stats.wilcoxon(x).pvalue
        stats.entropy(p)
        stats.zscore(X)
        stats.skew(X)
        stats.kurtosis(X, axis=1)
        stats.gmean(pos)
        stats.rankdata(x)
        special.logsumexp(x)
        special.softmax(X, axis=1)
        cluster.vq.kmeans2(X, X[:3], minit='matrix')
        signal.detrend(x)
        signal.hilbert(x)
        integrate.cumulative_trapezoid(y)
        integrate.solve_ivp(lambda s, v: -v, (0, 1), b).y
        optimize.rosen(x)
        optimize.elementwise.find_root(lambda v: v**2 - 2, (np.asarray([0.0, 1.0]), np.asarray([2.0, 3.0]))).x
        differentiate.derivative(lambda v: v**2, x).df
        interpolate.CubicSpline(np.arange(64.0), x)(p)
    """,
    as_numpys="""
        stats.trimboth(x, 0.1)
        stats.ks_2samp(x, y).pvalue
        stats.linregress(x, y).slope
        integrate.simpson(y)
    """)]
