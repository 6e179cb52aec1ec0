"""diffusers' FLUX.2 transformer at the full size of klein 9B, weights created on the device, trained by LoRA (peft).
# label: full
# needs: diffusers peft
# expect: waits=1
# timeout: 300
"""
import resource
import time

import torch
from diffusers import Flux2Transformer2DModel
from peft import LoraConfig

BATCH, IMAGE_TOKENS, TEXT_TOKENS, TEXT_WIDTH = 2, 32 * 32, 512, 12288
with torch.device("meta"):
    model = Flux2Transformer2DModel(num_layers=8, num_single_layers=24, num_attention_heads=32, attention_head_dim=128,
                                    joint_attention_dim=TEXT_WIDTH, guidance_embeds=False).to(torch.bfloat16)
parameters = sum(p.numel() for p in model.parameters())
assert 9.0e9 < parameters < 9.2e9, parameters
model.to_empty(device="cuda")
model.requires_grad_(False)
LINEARS = (r".*transformer_blocks\.\d+\.attn\.(to_[qkv]|add_[qkv]_proj|to_add_out|to_out\.0)"
           r"|.*transformer_blocks\.\d+\.ff(_context)?\.linear_(in|out)"
           r"|single_transformer_blocks\.\d+\.attn\.(to_qkv_mlp_proj|to_out)")
model.add_adapter(LoraConfig(r=16, lora_alpha=16, target_modules=LINEARS))
model.enable_gradient_checkpointing()
adapters = [p for p in model.parameters() if p.requires_grad]
assert len(adapters) == 2 * 144, len(adapters)
optimizer = torch.optim.AdamW(adapters, lr=1e-4)

latents = torch.randn(BATCH, IMAGE_TOKENS, 128).pin_memory()
text = torch.randn(BATCH, TEXT_TOKENS, TEXT_WIDTH, dtype=torch.bfloat16).pin_memory()
image_places = torch.zeros(IMAGE_TOKENS, 4, device="cuda")
text_places = torch.zeros(TEXT_TOKENS, 4, device="cuda")
begin = time.monotonic()
STEPS = 5
for number in range(STEPS):
    torch.cuda.nvtx.range_push(f"step {number}")
    clean = latents.to("cuda", non_blocking=True)
    words = text.to("cuda", non_blocking=True)
    noise, sigma = torch.randn_like(clean), torch.rand(BATCH, device="cuda")
    noisy = (1 - sigma)[:, None, None] * clean + sigma[:, None, None] * noise
    with torch.autocast("cuda", torch.bfloat16):
        predicted = model(hidden_states=noisy.to(torch.bfloat16), encoder_hidden_states=words, timestep=sigma,
                          img_ids=image_places, txt_ids=text_places, return_dict=False)[0]
    loss = (predicted.float() - (noise - clean)).square().mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(adapters, 1.0)
    optimizer.step()
    optimizer.zero_grad()
    loss.item()
    torch.cuda.nvtx.range_pop()
seconds = (time.monotonic() - begin) / STEPS
print(f"measured: {parameters / 1e9:.2f} B parameters, {len(adapters)} LoRA tensors, {seconds:.2f} s a step,",
      f"{torch.cuda.max_memory_allocated() / 2**30:.1f} GiB of simulated memory,",
      f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB of real memory")
print("ok flux2_lora")
