"""Step marks through the real frameworks, on the simulated GPU: Transformers' Trainer and Accelerate, each with two micro-batches an
update. Lightning is not among the packages here: its callback is not run. Run by the Python that has them."""
import pathlib
import sys
import tempfile
import textwrap

import zerostall

TRAINER = """
import tempfile, torch, zerostall.integrations
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

class Words(torch.utils.data.Dataset):
    def __len__(self): return 64
    def __getitem__(self, index):
        words = torch.randint(0, 500, (32,))
        return {"input_ids": words, "labels": words}

model = LlamaForCausalLM(LlamaConfig(vocab_size=500, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
                                     num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64))
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(folder, per_device_train_batch_size=4, max_steps=6, bf16=True, report_to=[], save_strategy="no",
                                  gradient_accumulation_steps=2, disable_tqdm=True)
    Trainer(model, arguments, train_dataset=Words(), callbacks=[zerostall.integrations.transformers()]).train()
"""

ACCELERATE = """
import torch, zerostall.integrations
from accelerate import Accelerator

accelerator = Accelerator(gradient_accumulation_steps=2)
model = torch.nn.Linear(8, 1)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(48, 8)), batch_size=4)
model, optimizer, loader = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1), data)
for (batch,) in zerostall.integrations.accelerate(accelerator, loader):
    with accelerator.accumulate(model):
        loss = model(batch).square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    loss.item()
"""


def run(name, text):
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "train.py")
        script.write_text(textwrap.dedent(text))
        found = zerostall.record([sys.executable, script], device="sim", capture=True, timeout=280)
    assert found.steps_from == "marks", found.steps_from
    assert [step.index for step in found.steps] == list(range(6)), [step.index for step in found.steps]
    assert found.waits_per_step.min >= 2, f"two micro-batches in each step\n{found.table()}"
    print(f"ok {name}: 6 steps, {found.waits_per_step} waits per step")


run("transformers", TRAINER)
run("accelerate", ACCELERATE)
