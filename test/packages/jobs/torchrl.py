"""Reinforcement learning by torchrl."""
PROJECT = "torchrl"
TASK = "advantages, bounded distributions, an actor and its value, the clipped PPO loss with gradients, and a replay buffer"


def job():
    import torch
    from tensordict import TensorDict
    from tensordict.nn import TensorDictModule
    from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer
    from torchrl.modules import NormalParamExtractor, ProbabilisticActor, TanhNormal, TruncatedNormal, ValueOperator
    from torchrl.objectives import ClipPPOLoss
    from torchrl.objectives.value import GAE
    from torchrl.objectives.value.functional import generalized_advantage_estimate, td_lambda_return_estimate, vec_generalized_advantage_estimate

    from packages.values import fill, wave

    reward, value, after = wave(1, 6, 1), wave(1, 6, 1, step=0.2), wave(1, 6, 1, step=0.3)
    done = torch.zeros(1, 6, 1, dtype=torch.bool)
    done[0, 3] = True
    scale = wave(3).abs() + 0.5
    at = torch.tensor([0.1, -0.5, 0.9])
    net = TensorDictModule(fill(torch.nn.Sequential(torch.nn.Linear(4, 6), NormalParamExtractor())), in_keys=["observation"], out_keys=["loc", "scale"])
    actor = ProbabilisticActor(net, in_keys=["loc", "scale"], distribution_class=TanhNormal, return_log_prob=True)
    critic = ValueOperator(fill(torch.nn.Linear(4, 1)), in_keys=["observation"])
    torch.manual_seed(0)
    data = actor(TensorDict({"observation": wave(5, 4)}, [5]))
    no = torch.zeros(5, 1, dtype=torch.bool)
    data["next"] = TensorDict({"observation": wave(5, 4, step=0.2), "reward": wave(5, 1), "done": no, "terminated": no.clone()}, [5])
    data = GAE(gamma=0.9, lmbda=0.9, value_network=critic, deactivate_vmap=True)(data.unsqueeze(0)).squeeze(0).detach()
    ppo = ClipPPOLoss(actor, critic, entropy_bonus=False)
    losses = ppo(data)
    (losses["loss_objective"] + losses["loss_critic"]).backward()
    buffer = TensorDictReplayBuffer(storage=LazyTensorStorage(20), batch_size=4)
    buffer.extend(data)
    return {
        "advantage": list(generalized_advantage_estimate(0.9, 0.8, value, after, reward, done)),
        "at once": list(vec_generalized_advantage_estimate(0.9, 0.8, value, after, reward, done)),
        "returns": td_lambda_return_estimate(0.9, 0.8, after, reward, done), "tanh": TanhNormal(wave(3), scale).log_prob(at),
        "truncated": TruncatedNormal(wave(3), scale, low=-1.0, high=1.0).log_prob(at), "action": data["action"], "estimate": data["advantage"],
        "losses": [losses["loss_objective"], losses["loss_critic"]], "gradients": [p.grad for p in ppo.parameters() if p.grad is not None],
        "stored": len(buffer), "drawn": sorted(buffer.sample().keys()),
    }
