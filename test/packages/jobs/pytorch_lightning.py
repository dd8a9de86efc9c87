"""Training with PyTorch Lightning."""
PROJECT = "pytorch-lightning"
TASK = "Trainer.fit, validate and predict of a small module with a callback, logged values and a checkpoint"


def job():
    import logging
    import tempfile

    import pytorch_lightning as lightning
    import torch

    from packages.values import fill, wave

    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)

    class Model(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.ReLU(), torch.nn.Linear(6, 1))
            self.losses = []

        def training_step(self, batch, index):
            loss = torch.nn.functional.mse_loss(self.net(batch[0]), batch[1])
            self.log("train", loss)
            self.losses.append(loss.detach())
            return loss

        def validation_step(self, batch, index):
            self.log("valid", torch.nn.functional.l1_loss(self.net(batch[0]), batch[1]))

        def predict_step(self, batch, index):
            return self.net(batch[0])

        def configure_optimizers(self):
            steps = torch.optim.Adam(self.parameters(), lr=0.05)
            return {"optimizer": steps, "lr_scheduler": torch.optim.lr_scheduler.StepLR(steps, 1, gamma=0.5)}

    class Count(lightning.Callback):
        epochs = 0

        def on_train_epoch_end(self, trainer, module):
            self.epochs += 1

    data = torch.utils.data.TensorDataset(wave(16, 4), wave(16, 1, step=0.9))
    loader = torch.utils.data.DataLoader(data, batch_size=4)
    model, count = Model(), Count()
    fill(model)
    with tempfile.TemporaryDirectory() as folder:
        trainer = lightning.Trainer(max_epochs=3, accelerator="cpu", devices=1, logger=False, enable_progress_bar=False, enable_model_summary=False,
                                    callbacks=[count], default_root_dir=folder, gradient_clip_val=0.5)
        trainer.fit(model, loader, loader)
        trainer.save_checkpoint(f"{folder}/model.ckpt")
        again = Model.load_from_checkpoint(f"{folder}/model.ckpt")
        predicted = trainer.predict(again, loader)
        logged = trainer.callback_metrics
        valid = trainer.validate(model, loader, verbose=False)
    return {"losses": model.losses, "weight": again.net[0].weight, "predicted": predicted, "epochs": count.epochs, "logged": dict(logged),
            "valid": valid}
