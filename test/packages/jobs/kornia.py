"""Image operators of kornia."""
PROJECT = "kornia"
TASK = "filters, colours, a rotation and a homography of a small image, with a gradient"
TOLERANCE = 1e-4


def job():
    import kornia
    import torch

    from packages.values import wave

    x = ((wave(1, 3, 12, 12, step=0.05) + 1) / 2).requires_grad_()
    blurred = kornia.filters.gaussian_blur2d(x, (3, 3), (1.0, 1.0))
    (gradient,) = torch.autograd.grad(blurred.pow(2).sum(), x)
    corners = torch.tensor([[[0.0, 0], [11, 0], [11, 11], [0, 11]]])
    matrix = kornia.geometry.get_perspective_transform(corners, corners + torch.tensor([[[1.0, 0], [0, 1], [-1, 0], [0, -1]]]))
    return {"blur": blurred, "gradient": gradient, "sobel": kornia.filters.sobel(x), "hsv": kornia.color.rgb_to_hsv(x), "lab": kornia.color.rgb_to_lab(x),
            "rotated": kornia.geometry.rotate(x, torch.tensor([30.0])), "matrix": matrix, "warped": kornia.geometry.warp_perspective(x, matrix, (12, 12))}
