"""A Hugging Face Trainer trains a small Llama, two micro-batches an update. Each waits three times: the Trainer's loop
branches on whether the loss is NaN and whether it is infinite (Trainer._run_epoch, logging_nan_inf_filter), the model on
whether its positions are those of packed sequences (masking_utils.find_packed_sequence_indices). Checked here by the
stack of each wait in one step. (What logging reads comes after the end of the step.)
# label: full
# needs: transformers accelerate
# expect: waits=6 stream_syncs=6 h2d_stalls=0
# timeout: 300
"""
import collections
import tempfile
import traceback
import warnings

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainerCallback, TrainingArguments


WATCHED = 5  # step
waiters = collections.Counter()


def note_wait(message, *more):
    if "called a synchronizing CUDA operation" in str(message):
        frames = [frame for frame in traceback.extract_stack()[:-1] if not frame.filename.endswith("warnings.py")]
        waiters[frames[-1].name] += 1


class Steps(TrainerCallback):
    """Marks steps: from the first forward pass of an update to its end."""

    def on_step_begin(self, args, state, control, **more):
        torch.cuda.nvtx.range_push(f"step {state.global_step}")
        torch.cuda.set_sync_debug_mode("warn" if state.global_step == WATCHED else "default")

    def on_step_end(self, args, state, control, **more):
        torch.cuda.set_sync_debug_mode("default")
        torch.cuda.nvtx.range_pop()


class Words(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        words = torch.randint(0, 500, (32,))
        return {"input_ids": words, "labels": words}


model = LlamaForCausalLM(LlamaConfig(vocab_size=500, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
                                     num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64))
warnings.simplefilter("always")
warnings.showwarning = note_wait
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(folder, per_device_train_batch_size=4, max_steps=8, logging_steps=1, bf16=True,
                                  report_to=[], save_strategy="no", gradient_accumulation_steps=2, disable_tqdm=True)
    result = Trainer(model, arguments, train_dataset=Words(), callbacks=[Steps()]).train()
assert result.global_step == 8 and next(model.parameters()).is_cuda
assert waiters == {"_run_epoch": 4, "find_packed_sequence_indices": 2}, waiters
print("ok hugging_face_trainer")
