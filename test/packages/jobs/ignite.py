"""Training with pytorch-ignite."""
PROJECT = "pytorch-ignite"
TASK = "a trainer and an evaluator with metrics, handlers and a schedule"


def job():
    import torch
    from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
    from ignite.handlers import EarlyStopping, LinearCyclicalScheduler, TerminateOnNan
    from ignite.metrics import Accuracy, ConfusionMatrix, Loss, RunningAverage

    from packages.values import fill, wave

    model = fill(torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.ReLU(), torch.nn.Linear(6, 3)))
    steps = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    batches = [(wave(8, 4, step=0.3 + k), torch.arange(8) % 3) for k in range(4)]
    criterion = torch.nn.CrossEntropyLoss()
    trainer = create_supervised_trainer(model, steps, criterion)
    evaluator = create_supervised_evaluator(model, metrics={"accuracy": Accuracy(), "loss": Loss(criterion), "matrix": ConfusionMatrix(3)})
    RunningAverage(output_transform=lambda loss: loss).attach(trainer, "average")
    trainer.add_event_handler(Events.ITERATION_STARTED, LinearCyclicalScheduler(steps, "lr", 0.05, 0.2, 4))
    trainer.add_event_handler(Events.ITERATION_COMPLETED, TerminateOnNan())
    evaluator.add_event_handler(Events.COMPLETED, EarlyStopping(2, lambda engine: -engine.state.metrics["loss"], trainer))
    losses = []

    @trainer.on(Events.EPOCH_COMPLETED)
    def evaluate(engine):
        evaluator.run(batches)
        losses.append([engine.state.metrics["average"], evaluator.state.metrics["loss"], evaluator.state.metrics["accuracy"]])

    trainer.run(batches, max_epochs=3)
    return {"losses": losses, "matrix": evaluator.state.metrics["matrix"], "weight": model[0].weight, "epoch": trainer.state.epoch}
