"""Adapters of peft."""
PROJECT = "peft"
TASK = "LoRA, DoRA and IA3 adapters of a network and of a small GPT-2: outputs, gradients, and the merged model"


def job():
    import torch
    from peft import IA3Config, LoraConfig, get_peft_model
    from transformers import GPT2Config, GPT2LMHeadModel

    from packages.values import fill, wave

    def network():
        model = torch.nn.Sequential()
        model.add_module("first", torch.nn.Linear(4, 8))
        model.add_module("act", torch.nn.ReLU())
        model.add_module("last", torch.nn.Linear(8, 2))
        return fill(model)

    results = {}
    for name, config in (("lora", LoraConfig(r=2, lora_alpha=4, target_modules=["first"], modules_to_save=["last"])),
                         ("dora", LoraConfig(r=2, target_modules=["first", "last"], use_dora=True)),
                         ("ia3", IA3Config(target_modules=["first"], feedforward_modules=[]))):
        model = fill(get_peft_model(network(), config))
        output = model(wave(3, 4))
        output.square().sum().backward()
        gradients = {n: p.grad for n, p in model.named_parameters() if p.grad is not None}
        results[name] = [output, gradients, sum(p.numel() for p in model.parameters() if p.requires_grad)]
        results[f"{name} merged"] = model.merge_and_unload()(wave(3, 4))
    gpt = GPT2LMHeadModel(GPT2Config(vocab_size=30, n_positions=16, n_embd=16, n_layer=2, n_head=2, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0))
    model = fill(get_peft_model(gpt, LoraConfig(r=2, target_modules=["c_attn"], fan_in_fan_out=True, task_type="CAUSAL_LM")))
    tokens = (torch.arange(16) * 7 % 30).reshape(2, 8)
    loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    results["gpt"] = [loss, [p.grad for n, p in model.named_parameters() if "lora" in n]]
    return results
