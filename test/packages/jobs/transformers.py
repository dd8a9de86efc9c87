"""A language model and an encoder of transformers."""
PROJECT = "transformers"
TASK = "GPT-2, BERT and Llama of random weights: logits, loss, gradients, greedy generation"
TOLERANCE = 1e-3


def job():
    import torch
    from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

    from packages.values import fill

    tokens = (torch.arange(16) * 7 % 50).reshape(2, 8)
    gpt = fill(GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=32, n_embd=16, n_layer=2, n_head=2))).eval()
    out = gpt(tokens, labels=tokens)
    out.loss.backward()
    bert = fill(BertModel(BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32))).eval()
    llama = fill(LlamaForCausalLM(LlamaConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32))).eval()
    return {"gpt2": out.logits, "loss": out.loss, "gradient": gpt.transformer.wte.weight.grad, "bert": bert(tokens).last_hidden_state,
            "llama": llama(tokens).logits, "generated": llama.generate(tokens, max_new_tokens=4, do_sample=False, pad_token_id=0)}
