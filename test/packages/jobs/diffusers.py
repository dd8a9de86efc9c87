"""A diffusion model of diffusers."""
PROJECT = "diffusers"
TASK = "the noise and the loss of a small UNet with gradients, steps of DDPM, DDIM and DPM-Solver schedulers, and an autoencoder"
TOLERANCE = 5e-5


def job():
    import torch
    from diffusers import AutoencoderKL, DDIMScheduler, DDPMScheduler, DPMSolverMultistepScheduler, UNet2DModel

    from packages.values import fill, wave

    model = UNet2DModel(sample_size=16, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(16, 32), norm_num_groups=8,
                        down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"), attention_head_dim=8)
    with torch.no_grad():
        for p in fill(model).parameters():
            p.mul_(0.3)
    images, noise = wave(2, 3, 16, 16), wave(2, 3, 16, 16, step=0.77)
    ddpm = DDPMScheduler(num_train_timesteps=50)
    noisy = ddpm.add_noise(images, noise, torch.tensor([10, 30]))
    predicted = model(noisy, torch.tensor([10, 30])).sample
    loss = torch.nn.functional.mse_loss(predicted, noise)
    loss.backward()
    results = {"noisy": noisy, "predicted": predicted, "loss": loss, "gradient": model.conv_in.weight.grad}
    for name, scheduler in (("ddim", DDIMScheduler(num_train_timesteps=50)), ("dpm", DPMSolverMultistepScheduler(num_train_timesteps=50))):
        scheduler.set_timesteps(4)
        sample = noise
        with torch.no_grad():
            for t in scheduler.timesteps:
                sample = scheduler.step(model(sample, t).sample, t, sample).prev_sample
        results[name] = sample
    auto = fill(AutoencoderKL(block_out_channels=(8, 16), down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
                              norm_num_groups=4, latent_channels=2)).eval()
    latent = auto.encode(images).latent_dist
    results["latent"] = [latent.mean, latent.kl(), auto.decode(latent.mode()).sample]
    return results
