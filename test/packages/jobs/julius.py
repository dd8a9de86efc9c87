"""Filters and resampling of julius."""
PROJECT = "julius"
TASK = "resampling, low-pass and band filters, and convolutions by FFT, with a gradient"


def job():
    import julius

    from packages.values import wave

    x = wave(2, 400).requires_grad_()
    resampled = julius.resample_frac(x, 4, 3)
    resampled.square().sum().backward()
    return {"resampled": resampled, "gradient": x.grad, "low": julius.lowpass_filter(x, 0.1), "high": julius.highpass_filter(x, 0.2),
            "band": julius.bandpass_filter(x, 0.05, 0.2), "bands": julius.split_bands(x, 1, n_bands=3),
            "fft": julius.fft_conv1d(x[:, None], wave(3, 1, 64, step=0.5), stride=2, padding=3)}
