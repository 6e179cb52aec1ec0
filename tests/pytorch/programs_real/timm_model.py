"""timm's ViT and ResNet, torchvision's detector operations: a training step each, nothing waits but what logs.
# label: full
# needs: timm torchvision
# expect: waits=1 stream_syncs=1
# timeout: 300
"""
import timm
import torch

models = [timm.create_model(name, num_classes=10).cuda() for name in ("vit_tiny_patch16_224", "resnet18")]
parameters = [p for model in models for p in model.parameters()]
optimizer = torch.optim.AdamW(parameters, 1e-4)
images, labels = torch.randn(2, 3, 224, 224, device="cuda"), torch.tensor([1, 2], device="cuda")
for number in range(5):
    torch.cuda.nvtx.range_push(f"step {number}")
    with torch.autocast("cuda", torch.bfloat16):
        loss = sum(torch.nn.functional.cross_entropy(model(images), labels) for model in models)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    loss.item()
    torch.cuda.nvtx.range_pop()
print("ok timm_model")
