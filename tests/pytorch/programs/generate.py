"""Text generation with a cache of keys and values: the end-of-text check costs a wait per token.
# expect: waits=1 stream_syncs=1 drains=1
"""
import torch
from torch import nn

WIDTH, HEADS, WORDS, LONGEST = 64, 4, 500, 24
torch.manual_seed(0)
embedding = nn.Embedding(WORDS, WIDTH).cuda()
qkv, out, head = nn.Linear(WIDTH, 3 * WIDTH).cuda(), nn.Linear(WIDTH, WIDTH).cuda(), nn.Linear(WIDTH, WORDS).cuda()
keys, values = torch.zeros(2, 1, HEADS, LONGEST, WIDTH // HEADS, device="cuda")
end_of_text = torch.tensor(WORDS - 1, device="cuda")
word = torch.zeros(1, 1, dtype=torch.long, device="cuda")
words = [word]
with torch.inference_mode():
    for number in range(LONGEST):
        torch.cuda.nvtx.range_push(f"step {number}")
        q, k, v = qkv(embedding(word)).view(1, 1, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        keys[:, :, number : number + 1], values[:, :, number : number + 1] = k, v
        seen = nn.functional.scaled_dot_product_attention(q, keys[:, :, : number + 1], values[:, :, : number + 1])
        logits = head(out(seen.transpose(1, 2).reshape(1, 1, WIDTH)))[:, -1]
        best, order = logits.topk(20)
        chosen = torch.multinomial(best.softmax(-1), 2, replacement=True)[:, :1]
        word = order.gather(1, chosen)
        words.append(word)
        finished = bool((word == end_of_text).all())
        torch.cuda.nvtx.range_pop()
        if finished:
            break
assert torch.cat(words, 1).shape == (1, LONGEST + 1)
print("ok generate")
