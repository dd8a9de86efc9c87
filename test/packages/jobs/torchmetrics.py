"""Metrics of torchmetrics."""
PROJECT = "torchmetrics"
TASK = "classification, regression and image metrics, updated in batches"


def job():
    import torch
    from torchmetrics import MetricCollection
    from torchmetrics.classification import MulticlassAccuracy, MulticlassAUROC, MulticlassConfusionMatrix, MulticlassF1Score
    from torchmetrics.regression import MeanSquaredError, PearsonCorrCoef, R2Score

    from packages.values import wave

    classes = MetricCollection([MulticlassAccuracy(3), MulticlassF1Score(3, average="macro"), MulticlassConfusionMatrix(3), MulticlassAUROC(3)])
    numbers = MetricCollection([MeanSquaredError(), R2Score(), PearsonCorrCoef()])
    for k in range(3):
        classes.update(wave(10, 3, step=1.7 + k).softmax(-1), torch.arange(10) % 3)
        numbers.update(wave(10, step=0.5 + k), wave(10, step=0.7 + k))
    return {**classes.compute(), **numbers.compute()}
