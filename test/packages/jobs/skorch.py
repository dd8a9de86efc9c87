"""A classifier of skorch."""
PROJECT = "skorch"
TASK = "a classifier with scikit-learn's interface: fit, predict, score"
TOLERANCE = 1e-4


def job():
    import numpy
    import torch
    from skorch import NeuralNetClassifier

    from packages.values import fill

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2), torch.nn.Softmax(dim=-1))
            fill(self)

        def forward(self, x):
            return self.layers(x)

    x = numpy.sin(numpy.arange(160, dtype="f4") * 0.37).reshape(40, 4).astype("f4")
    y = (x[:, 0] > x[:, 1]).astype("i8")
    net = NeuralNetClassifier(Net, max_epochs=5, lr=0.5, iterator_train__shuffle=False, train_split=None, verbose=0)
    net.fit(x, y)
    return {"losses": net.history[:, "train_loss"], "probabilities": net.predict_proba(x).ravel().tolist(), "score": float(net.score(x, y))}
