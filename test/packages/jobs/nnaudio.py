"""Spectrograms of nnAudio."""
PROJECT = "nnAudio"
TASK = "an STFT, a Mel spectrogram, a constant-Q transform and MFCCs of a tone, as layers, with a gradient"
TOLERANCE = "1e-4"


def job():
    from nnAudio.features import CQT1992v2, MFCC, STFT, MelSpectrogram

    from packages.values import wave

    x = wave(1, 4000, step=0.05).requires_grad_()
    mel = MelSpectrogram(sr=8000, n_fft=256, n_mels=20, hop_length=64, verbose=False)(x)
    mel.sum().backward()
    return {"mel": mel, "gradient": x.grad, "stft": STFT(n_fft=256, hop_length=64, verbose=False, output_format="Magnitude")(x),
            "cqt": CQT1992v2(sr=8000, fmin=200, n_bins=24, verbose=False)(x),
            "mfcc": MFCC(sr=8000, n_mfcc=10, n_fft=256, hop_length=64, n_mels=20, verbose=False)(x)}
