"""Neural operators by neuraloperator."""
PROJECT = "neuraloperator"
TASK = "Fourier neural operators, one with Tucker factors, and a U-shaped one: outputs, the L2 loss and gradients"
TOLERANCE = 1e-4


def job():
    import torch
    from neuralop.losses import H1Loss, LpLoss
    from neuralop.models import FNO, TFNO, UNO

    from packages.values import wave

    def fill(module):
        with torch.no_grad():
            for k, p in enumerate(module.parameters()):
                values = (torch.sin(torch.arange(p.numel(), dtype=torch.float64) * 0.37 + k) * 0.3).reshape(p.shape)
                p.copy_(torch.complex(values, values / 2) if p.is_complex() else values)
        return module

    x, target = wave(2, 1, 12, 12).requires_grad_(), wave(2, 1, 12, 12, step=0.2)
    fno = fill(FNO(n_modes=(4, 4), in_channels=1, out_channels=1, hidden_channels=8, n_layers=2))
    y = fno(x)
    loss = LpLoss(d=2)(y, target)
    loss.backward()
    tucker = fill(TFNO(n_modes=(4, 4), in_channels=1, out_channels=1, hidden_channels=8, n_layers=1, factorization="tucker", rank=0.4))
    uno = fill(UNO(in_channels=1, out_channels=1, hidden_channels=8, uno_out_channels=[8, 8, 8], uno_n_modes=[[4, 4]] * 3,
                   uno_scalings=[[1, 1], [0.5, 0.5], [2, 2]], channel_mlp_skip="linear", n_layers=3))
    return {"fno": y, "loss": loss, "gradient": x.grad, "gradients": [p.grad for p in fno.parameters()], "sobolev": H1Loss(d=2)(y.detach(), target),
            "tucker": tucker(x.detach()), "uno": uno(x.detach())}
