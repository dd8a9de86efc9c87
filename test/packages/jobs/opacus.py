"""Training with differential privacy by opacus."""
PROJECT = "opacus"
TASK = "gradients of each sample, clipped steps of a private optimiser without noise, and the privacy that is spent"


def job():
    import torch
    from opacus import GradSampleModule
    from opacus.accountants import RDPAccountant
    from opacus.optimizers import DPOptimizer
    from opacus.validators import ModuleValidator

    from packages.values import fill, wave

    network = torch.nn.Sequential(torch.nn.Conv1d(2, 3, 3), torch.nn.GroupNorm(1, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(12, 2))
    model = GradSampleModule(fill(network))
    steps = DPOptimizer(torch.optim.SGD(model.parameters(), lr=0.1), noise_multiplier=0.0, max_grad_norm=0.5, expected_batch_size=5)
    samples = []
    for k in range(3):
        steps.zero_grad()
        torch.nn.functional.cross_entropy(model(wave(5, 2, 6, step=0.3 + k)), torch.arange(5) % 2).backward()
        samples.append([p.grad_sample for p in model.parameters()])
        steps.step()
    accountant = RDPAccountant()
    for _ in range(20):
        accountant.step(noise_multiplier=1.1, sample_rate=0.05)
    return {"samples": samples, "weights": list(model.parameters()), "epsilon": accountant.get_epsilon(1e-5),
            "fixed": str(ModuleValidator.fix(torch.nn.Sequential(torch.nn.BatchNorm1d(8)))), "errors": len(ModuleValidator.validate(torch.nn.BatchNorm1d(3)))}
