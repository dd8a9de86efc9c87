"""Fourier transforms at points that are not on a grid, by torchkbnufft."""
PROJECT = "torchkbnufft"
TASK = "a transform of an image at points off the grid, its adjoint, density weights, coils and a Toeplitz kernel, with a gradient"
TOLERANCE = 1e-4


def job():
    import torch
    import torchkbnufft as tk

    from packages.values import wave

    image = torch.complex(wave(1, 1, 12, 12), wave(1, 1, 12, 12, step=0.2)).requires_grad_()
    coils = torch.complex(wave(1, 3, 12, 12, step=0.11), wave(1, 3, 12, 12, step=0.13))
    points = wave(2, 50, step=0.7) * 3.1
    forward, adjoint = tk.KbNufft(im_size=(12, 12)), tk.KbNufftAdjoint(im_size=(12, 12))
    data = forward(image, points)
    data.abs().square().sum().backward()
    plain = image.detach()
    return {
        "data": data, "gradient": image.grad, "adjoint": adjoint(data, points), "weights": tk.calc_density_compensation_function(points, (12, 12)),
        "sparse": forward(plain, points, tk.calc_tensor_spmatrix(points, im_size=(12, 12))),
        "toeplitz": tk.ToepNufft()(plain, tk.calc_toeplitz_kernel(points, (12, 12))), "coils": forward(plain, points, smaps=coils, norm="ortho"),
    }
