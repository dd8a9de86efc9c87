"""scikit-learn with array_api_dispatch: it computes with our functions, and estimators hold our arrays."""
from libraries.case import Library

NAMESPACES = ("scikit-learn requires one namespace for all values of a computation, "
              "and a full mean of ours is NumPy's scalar. It works with TORCH_NP_SCALARS=arrays")
SETUP = ("import sklearn; sklearn.set_config(array_api_dispatch=True)\n"
         "from sklearn import covariance, decomposition, discriminant_analysis, kernel_approximation, linear_model, metrics, mixture, model_selection\n"
         "from sklearn import naive_bayes, neighbors, pipeline, preprocessing, utils\n"
         "from sklearn.metrics import pairwise")

LIBRARIES = [Library(
    "scikit-learn", how="with array_api_dispatch", environment={"SCIPY_ARRAY_API": "1"},
    setup=SETUP,
    ours="""
        preprocessing.StandardScaler().fit_transform(X)
        preprocessing.MinMaxScaler().fit_transform(X)
        preprocessing.MaxAbsScaler().fit_transform(X)
        preprocessing.Normalizer().fit_transform(X)
        preprocessing.Binarizer().fit_transform(X)
        preprocessing.PolynomialFeatures(2).fit_transform(X)
        preprocessing.LabelEncoder().fit_transform(c)
        preprocessing.LabelBinarizer().fit_transform(i)
        decomposition.PCA(2, svd_solver='full').fit_transform(X)
        decomposition.PCA(2, svd_solver='covariance_eigh').fit(X).components_
        linear_model.Ridge(solver='svd').fit(X, t[:, None]).coef_
        linear_model.Ridge(solver='svd').fit(X, t[:, None]).predict(X)
        linear_model.RidgeClassifier(solver='svd').fit(X, c).predict(X)
        linear_model.LogisticRegression(solver='lbfgs').fit(X, c).predict_proba(X)
        linear_model.PoissonRegressor().fit(X, t**2).coef_
        discriminant_analysis.LinearDiscriminantAnalysis().fit(X, c).predict(X)
        mixture.GaussianMixture(2, random_state=0, init_params='random').fit(X).means_
        naive_bayes.GaussianNB().fit(X, c).predict_proba(X)
        kernel_approximation.Nystroem(n_components=5, random_state=0).fit_transform(X)
        covariance.EmpiricalCovariance().fit(X).covariance_
        metrics.confusion_matrix(c, c)
        metrics.roc_curve(c, t)
        metrics.precision_recall_curve(c, t)
        pairwise.cosine_similarity(X, Y)
        pairwise.euclidean_distances(X, Y)
        pairwise.rbf_kernel(X, Y)
        pairwise.polynomial_kernel(X, Y)
        model_selection.train_test_split(X, c, random_state=0)
        utils.shuffle(X, random_state=0)
        utils.extmath.randomized_svd(X, 2, random_state=0, power_iteration_normalizer='QR')
    """,
    as_numpys="""
        metrics.accuracy_score(c, c)
        metrics.f1_score(c, c)
        metrics.log_loss(c, p[:40])
        metrics.roc_auc_score(c, t)
        metrics.mean_squared_error(x, y)
        metrics.mean_absolute_error(x, y)
        metrics.r2_score(x, y)
        neighbors.KNeighborsClassifier().fit(X, c).predict(X)
    """,
    shared=(("utils.check_array(X)", "X"), ("utils.check_X_y(X, c)[0]", "X")),
    fails=(
        ("linear_model.Ridge(solver='svd').fit(X, t).coef_", "Multiple namespaces", NAMESPACES),
        ("metrics.d2_tweedie_score(pos[:, 0], pos[:, 1])", "Multiple namespaces", NAMESPACES),
    )), Library(
    "scikit-learn", how="with array_api_dispatch and TORCH_NP_SCALARS=arrays", environment={"SCIPY_ARRAY_API": "1", "TORCH_NP_SCALARS": "arrays"},
    setup=SETUP,
    ours="""
        linear_model.Ridge(solver='svd').fit(X, t).coef_
        linear_model.Ridge(solver='svd').fit(X, t).predict(X)
        linear_model.RidgeClassifier(solver='svd').fit(X, c).predict(X)
        linear_model.LogisticRegression(solver='lbfgs').fit(X, c).predict_proba(X)
        linear_model.PoissonRegressor().fit(X, t**2).coef_
        preprocessing.StandardScaler().fit_transform(X)
        preprocessing.PolynomialFeatures(2).fit_transform(X)
        decomposition.PCA(2, svd_solver='full').fit_transform(X)
        discriminant_analysis.LinearDiscriminantAnalysis().fit(X, c).predict(X)
        mixture.GaussianMixture(2, random_state=0, init_params='random').fit(X).means_
        naive_bayes.GaussianNB().fit(X, c).predict_proba(X)
        metrics.roc_curve(c, t)
        pairwise.rbf_kernel(X, Y)
        model_selection.train_test_split(X, c, random_state=0)
    """,
    as_numpys="""
        metrics.d2_tweedie_score(pos[:, 0], pos[:, 1])
        metrics.accuracy_score(c, c)
        metrics.f1_score(c, c)
        metrics.log_loss(c, p[:40])
        metrics.roc_auc_score(c, t)
        metrics.mean_squared_error(x, y)
        metrics.r2_score(x, y)
    """)]
