#!/usr/bin/env python3
"""Runs public programs written for PyTorch on torch_np, with only their imports redirected.

    python test/conformance/torch_programs.py CHECKOUTS [--only REGEX] [--module torch_np] [--timeout 300] [--verbose]

CHECKOUTS is a folder with checkouts of the public repositories that PROGRAMS names: github.com/pytorch/examples as `examples`,
karpathy/minGPT as `minGPT`, karpathy/nanoGPT as `nanoGPT`, graykode/nlp-tutorial as `nlp-tutorial`, yunjey/pytorch-tutorial as
`pytorch-tutorial`. Nothing of them is kept here. Each program runs unchanged in a folder and
a process of its own, where `import torch` finds torch_np (`--module torch`: PyTorch, to see what a program prints there) and `import
torchvision` and `import gymnasium` find torch_programs_shims/, with data that scikit-learn ships in place of downloads. A program passes
if it ends with status 0 and prints what its entry expects. Exit status 1 if one fails.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


@dataclass(frozen=True)
class Program:
    name: str
    folder: str  # below CHECKOUTS; the program runs in a copy of it
    script: str
    arguments: str = ""
    expects: str = ""         # a regular expression
    before: str = ""          # Python, executed in the folder beforehand


PICTURES = """
import numpy, pathlib
from PIL import Image
from sklearn.datasets import load_sample_images
for folder in ("pictures/all", "dataset/BSDS300/images/train", "dataset/BSDS300/images/test"):
    pathlib.Path(folder).mkdir(parents=True)
    for k, picture in enumerate(load_sample_images().images):
        for j in range(3):
            Image.fromarray(picture[20 * j:300 + 20 * j, 50 * j:300 + 50 * j]).save(f"{folder}/{k}{j}.png")
"""
TEXT = """
import pathlib
from pydoc_data.topics import topics
words = " ".join(topics[k] for k in sorted(topics)).split()
pathlib.Path("data/wikitext-2").mkdir(parents=True, exist_ok=True)
for name, part in (("train", words[:12000]), ("valid", words[12000:13000]), ("test", words[13000:14000])):
    pathlib.Path(f"data/wikitext-2/{name}.txt").write_text("\\n".join(" ".join(part[i:i + 20]) for i in range(0, len(part), 20)))
"""
NANO = """
import numpy, pickle, pathlib
from pydoc_data.topics import topics
text = "\\n".join(topics[k] for k in sorted(topics))
characters = sorted(set(text))
numbers = numpy.array([characters.index(c) for c in text[:60000]], dtype=numpy.uint16)
folder = pathlib.Path("data/topics"); folder.mkdir(parents=True)
numbers[:50000].tofile(folder / "train.bin"); numbers[50000:].tofile(folder / "val.bin")
pickle.dump({"vocab_size": len(characters), "itos": dict(enumerate(characters)), "stoi": {c: i for i, c in enumerate(characters)}},
            open(folder / "meta.pkl", "wb"))
"""
NANO_TRAINING = ("--dataset=topics --device=cpu --compile=False --eval_iters=2 --log_interval=5 --block_size=32 --batch_size=8 --n_layer=2 "
                 "--n_head=2 --n_embd=32 --max_iters=20 --lr_decay_iters=20 --dropout=0.1 --eval_interval=10 --out_dir=out --dtype=float32")

PROGRAMS = [
    Program("a CNN on digits", "examples/mnist", "main.py", "--epochs 2 --no-accel --save-model", r"Test set: .*Accuracy: 1[2-9]\d/200"),
    Program("an LSTM on rows of digits", "examples/mnist_rnn", "main.py", "--epochs 2", "Test set"),
    Program("forward-forward", "examples/mnist_forward_forward", "main.py", "--epochs 10 --train_size 500 --test_size 200", "(?i)test error"),
    Program("a VAE", "examples/vae", "main.py", "--epochs 2 --no-accel --batch-size 100", "Test set loss", "import os; os.mkdir('results')"),
    Program("a GAN of convolutions", "examples/dcgan", "main.py", "--dataset fake --niter 1 --workers 0 --imageSize 64 --ngf 8 --ndf 8",
            r"Loss_D: \d"),
    Program("a GAN, by worker processes", "examples/dcgan", "main.py", "--dataset fake --niter 1 --workers 2 --ngf 8 --ndf 8 --dry-run",
            r"Loss_D: \d"),
    Program("regression of a polynomial", "examples/regression", "main.py", "", "Learned function"),
    Program("words by an LSTM", "examples/word_language_model", "main.py",
            "--epochs 1 --model LSTM --emsize 64 --nhid 64 --nlayers 2 --log-interval 20", "test ppl", TEXT),
    Program("words by a GRU, weights tied", "examples/word_language_model", "main.py",
            "--epochs 1 --model GRU --emsize 64 --nhid 64 --tied --log-interval 20", "test ppl", TEXT),
    Program("words by a transformer", "examples/word_language_model", "main.py",
            "--epochs 1 --model Transformer --emsize 64 --nhid 64 --nhead 2 --lr 1 --log-interval 20", "test ppl", TEXT),
    Program("actor and critic", "examples/reinforcement_learning", "actor_critic.py", "--log-interval 5", "(?s)Episode 30.*"),
    Program("REINFORCE", "examples/reinforcement_learning", "reinforce.py", "--log-interval 5", "(?s)Episode 30.*"),
    Program("super-resolution", "examples/super_resolution", "main.py",
            "--upscale_factor 4 --batchSize 2 --testBatchSize 2 --nEpochs 1 --threads 1", "Avg. PSNR", PICTURES),
    Program("twins of ResNet-18", "examples/siamese_network", "main.py", "--epochs 1 --batch-size 16 --no-accel --dry-run", "Test set"),
    Program("a style's transfer", "examples/fast_neural_style", "neural_style/neural_style.py",
            "train --dataset pictures --style-image pictures/all/00.png --save-model-dir models --epochs 1 --image-size 64 --batch-size 2 "
            "--log-interval 1 --style-size 64", "trained model saved", PICTURES),
    Program("sums by minGPT", "minGPT", "projects/adder/adder.py", "--trainer.max_iters=12 --model.model_type=gpt-nano --trainer.num_workers=0",
            "train loss"),
    Program("characters by minGPT", "minGPT", "projects/chargpt/chargpt.py",
            "--trainer.max_iters=6 --model.model_type=gpt-nano --data.block_size=32 --trainer.num_workers=0 --trainer.batch_size=8", "train loss",
            "from pydoc_data.topics import topics; open('input.txt', 'w').write('O God, O God!' + topics['assignment'])"),
    Program("nanoGPT", "nanoGPT", "train.py", NANO_TRAINING, "iter 20", NANO),
    Program("a neural language model", "nlp-tutorial/1-1.NNLM", "NNLM.py", "", "coffee"),
    Program("word2vec", "nlp-tutorial/1-2.Word2Vec", "Word2Vec-Skipgram(Softmax).py", "", "Epoch: 5000"),
    Program("sentences by convolutions", "nlp-tutorial/2-1.TextCNN", "TextCNN.py", "", "Bad Mean"),
    Program("sentences by an RNN", "nlp-tutorial/3-1.TextRNN", "TextRNN.py", "", "coffee"),
    Program("letters by an LSTM", "nlp-tutorial/3-2.TextLSTM", "TextLSTM.py", "", "'lov', 'hat'"),
    Program("words by a bidirectional LSTM", "nlp-tutorial/3-3.Bi-LSTM", "Bi-LSTM.py", "", "ipsum"),
    Program("a sequence from a sequence", "nlp-tutorial/4-1.Seq2Seq", "Seq2Seq.py", "", "upp -> "),
    Program("a sequence from a sequence, by attention", "nlp-tutorial/4-2.Seq2Seq(Attention)", "Seq2Seq(Attention).py", "", "Epoch: 2000"),
    Program("a bidirectional LSTM with attention", "nlp-tutorial/4-3.Bi-LSTM(Attention)", "Bi-LSTM(Attention).py", "", "Mean"),
    Program("translation by a transformer", "nlp-tutorial/5-1.Transformer", "Transformer.py", "", "Epoch: 0020"),
    Program("greedy translation", "nlp-tutorial/5-1.Transformer", "Transformer(Greedy_decoder).py", "", "Epoch: 0020"),
    Program("linear regression", "pytorch-tutorial/tutorials/01-basics/linear_regression", "main.py", "", "Epoch .60/60"),
    Program("logistic regression", "pytorch-tutorial/tutorials/01-basics/logistic_regression", "main.py", "", "Accuracy"),
    Program("a network of two layers", "pytorch-tutorial/tutorials/01-basics/feedforward_neural_network", "main.py", "", "Accuracy"),
    Program("a CNN", "pytorch-tutorial/tutorials/02-intermediate/convolutional_neural_network", "main.py", "", "Accuracy"),
    Program("rows by an LSTM", "pytorch-tutorial/tutorials/02-intermediate/recurrent_neural_network", "main.py", "", "Accuracy"),
    Program("rows by a bidirectional LSTM", "pytorch-tutorial/tutorials/02-intermediate/bidirectional_recurrent_neural_network", "main.py", "", "Accuracy"),
    Program("another VAE", "pytorch-tutorial/tutorials/03-advanced/variational_autoencoder", "main.py", "", ""),
]

# The interpreter that runs a program. It maps modules named torch to the module under test.
BOOTSTRAP = """
import importlib, importlib.abc, importlib.util, runpy, sys
target, script = sys.argv[1], sys.argv[2]
sys.argv = sys.argv[2:]
class Renamed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, module=None):
        if name == "torch" or name.startswith("torch."):
            return importlib.util.spec_from_loader(name, self)
    def create_module(self, spec):
        return importlib.import_module(target + spec.name[len("torch"):])
    def exec_module(self, module):
        pass
if target != "torch":
    sys.meta_path.insert(0, Renamed())
import os
sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
runpy.run_path(script, run_name="__main__")
"""


def run(program, checkouts, options):
    """(passed, seconds, output)."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder) / "program"
        shutil.copytree(checkouts / program.folder, folder)
        (folder / ".bootstrap.py").write_text(BOOTSTRAP)
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "MPLBACKEND": "Agg", "TQDM_DISABLE": "1",
                       "PYTHONPATH": f"{ROOT}:{HERE / 'torch_programs_shims'}:{folder}"}
        output = ""
        if program.before:
            (folder / ".before.py").write_text(program.before)
            output += child([".bootstrap.py", options.module, ".before.py"], folder, environment, 60)[1]
        begin = time.perf_counter()
        status, text = child([".bootstrap.py", options.module, program.script, *program.arguments.split()], folder, environment, options.timeout)
        seconds = time.perf_counter() - begin
    found = re.search(program.expects, text)
    # The two reinforcement learning programs end when they play well; playing until the timeout is
    # enough.
    endless = program.expects.startswith("(?s)")
    return bool(found) and (status == 0 or endless and status is None), seconds, output + text


def child(arguments, folder, environment, timeout):
    try:
        done = subprocess.run([sys.executable, "-u", *arguments], cwd=folder, env=environment, timeout=timeout, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as e:
        return None, (e.stdout or b"").decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--module", default="torch_np")
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    failed = 0
    for program in PROGRAMS:
        if not re.search(options.only, program.name):
            continue
        passed, seconds, text = run(program, options.checkouts, options)
        failed += not passed
        print(f"{'passed' if passed else 'FAILED'}  {program.name} ({program.folder}/{program.script}, {seconds:.1f} s)", flush=True)
        if options.verbose or not passed:
            print("\n".join("    " + line for line in text.splitlines()[-25:]))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
