"""Training with accelerate."""
PROJECT = "accelerate"
TASK = "a training loop with a prepared model, optimiser, loader and schedule, accumulated gradients, and a checkpoint"


def job():
    import tempfile

    import torch
    from accelerate import Accelerator
    from accelerate.utils import set_seed

    from packages.values import fill, wave

    set_seed(3)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = fill(torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.GELU(), torch.nn.Linear(6, 1)))
    steps = torch.optim.AdamW(model.parameters(), lr=0.05)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(wave(16, 4), wave(16, 1, step=0.9)), batch_size=4)
    schedule = torch.optim.lr_scheduler.StepLR(steps, 2, gamma=0.5)
    model, steps, loader, schedule = accelerator.prepare(model, steps, loader, schedule)
    losses, norms = [], []
    for _ in range(3):
        for x, y in loader:
            with accelerator.accumulate(model):
                loss = torch.nn.functional.mse_loss(model(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    norms.append(accelerator.clip_grad_norm_(model.parameters(), 0.5))
                steps.step()
                schedule.step()
                steps.zero_grad()
            losses.append(accelerator.gather(loss.detach()))
    with tempfile.TemporaryDirectory() as folder:
        accelerator.save_state(folder)
        before = model[0].weight.detach().clone()
        fill(model)
        accelerator.load_state(folder)
    return {"losses": losses, "norms": norms, "weight": model[0].weight, "restored": bool((before == model[0].weight).all()),
            "rate": steps.param_groups[0]["lr"]}
