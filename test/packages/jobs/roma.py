"""Rotations of RoMa."""
PROJECT = "roma"
TASK = "conversions of rotations, distances, Procrustes, and the registration of points, with a gradient"


def job():
    import roma

    from packages.values import wave

    vectors = wave(4, 3).requires_grad_()
    matrices = roma.rotvec_to_rotmat(vectors)
    distance = roma.rotmat_geodesic_distance(matrices, matrices.detach().flip(0))
    distance.sum().backward()
    points = wave(10, 3)
    rotation, shift = roma.rigid_points_registration(points, points @ matrices[0].detach().T + 1)
    return {"matrices": matrices, "distance": distance, "gradient": vectors.grad, "quaternions": roma.rotmat_to_unitquat(matrices).abs(),
            "procrustes": roma.special_procrustes(wave(3, 3, step=0.7)), "rotation": rotation, "shift": shift}
