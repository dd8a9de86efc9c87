"""Filter banks of asteroid-filterbanks."""
PROJECT = "asteroid-filterbanks"
TASK = "an STFT and its inverse, and learned filters of a signal, with gradients"
TOLERANCE = 1e-4


def job():
    import torch
    from asteroid_filterbanks import Encoder, FreeFB, make_enc_dec
    from asteroid_filterbanks.transforms import mag

    from packages.values import fill, wave

    signal = wave(2, 1, 512, step=0.1).requires_grad_()
    encoder, decoder = make_enc_dec("stft", n_filters=64, kernel_size=64, stride=32)
    spectrum = encoder(signal)
    mag(spectrum).sum().backward()
    learned = fill(Encoder(FreeFB(8, 16)))
    return {"spectrum": spectrum, "gradient": signal.grad, "back": decoder(spectrum), "learned": learned(signal.detach()), "empty": torch.zeros(1)}
