"""Manifolds and Riemannian optimisers of geoopt."""
PROJECT = "geoopt"
TASK = "maps and distances on manifolds, and steps of Riemannian Adam and SGD"


def job():
    import geoopt
    import torch

    from packages.values import wave

    ball, sphere, stiefel = geoopt.PoincareBall(c=1.0), geoopt.Sphere(), geoopt.Stiefel()
    x, y = (wave(4, 3, step=s, dtype=torch.float64) * 0.4 for s in (0.37, 0.71))
    results = {"expmap": ball.expmap(x, y), "logmap": ball.logmap(x, y), "mobius": ball.mobius_add(x, y), "distance": ball.dist(x, y),
               "transport": ball.transp(x, y, x), "sphere": sphere.dist(sphere.projx(x), sphere.projx(y)),
               "stiefel": stiefel.projx(wave(5, 3, dtype=torch.float64) + torch.eye(5, 3))}
    target = sphere.projx(wave(3, step=0.5, dtype=torch.float64))
    for name, optimizer in (("adam", geoopt.optim.RiemannianAdam), ("sgd", geoopt.optim.RiemannianSGD)):
        point = geoopt.ManifoldParameter(sphere.projx(wave(3, dtype=torch.float64)), manifold=sphere)
        steps = optimizer([point], lr=0.1)
        for _ in range(5):
            steps.zero_grad()
            (point - target).square().sum().backward()
            steps.step()
        results[name] = point.detach()
    return results
