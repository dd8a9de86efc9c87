"""Sound by torchaudio."""
PROJECT = "torchaudio"
TASK = "mel spectrograms, MFCCs, resampling, filters, a vocoder and a Conformer, without operators in C++"
TOLERANCE = 1e-3


def job():
    import torch
    from torchaudio import functional as F, models, transforms as T

    from packages.values import fill, wave

    x = (wave(4000, step=0.05) + 0.1 * wave(4000, step=0.3))[None].requires_grad_()
    mel = T.MelSpectrogram(8000, n_fft=256, n_mels=20)(x)
    mel.log1p().sum().backward()
    a, b = torch.tensor([1.0, -0.5, 0.25]), torch.tensor([0.5, 0.2, 0.1])
    y, short = x.detach(), x.detach()[:, :300]
    net = fill(models.Conformer(input_dim=20, num_heads=2, ffn_dim=16, num_layers=1, depthwise_conv_kernel_size=3)).eval()
    return {
        "mel": mel, "gradient": x.grad, "mfcc": T.MFCC(8000, n_mfcc=13, melkwargs={"n_fft": 256, "n_mels": 20})(y), "resampled": T.Resample(8000, 5000)(y),
        "filtered": F.lfilter(short, a, b), "both ways": F.filtfilt(short, a, b), "low": F.lowpass_biquad(short, 8000, 1000.0),
        "overdriven": F.overdrive(short), "mu": F.mu_law_encoding(y, 256), "convolved": F.fftconvolve(short, y[:, 300:350]),
        "stretched": T.TimeStretch(fixed_rate=1.2, n_freq=65)(T.Spectrogram(128, power=None)(y)).abs(), "pitch": F.detect_pitch_frequency(y, 8000),
        "griffin_lim": T.GriffinLim(128, n_iter=4, rand_init=False)(T.Spectrogram(128)(y)), "conformer": net(wave(1, 10, 20), torch.tensor([10]))[0],
    }
